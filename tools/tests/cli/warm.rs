// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur cache warm`, with programs that run no kernels: how it ends, and when it refuses to begin.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::*;

/// A place with a CPU adapter.
fn place(name: &str) -> Place {
    let place = Place::new(name).with_libraries();
    let adapter = place.path("lib/libur_adapter_opencl.so.0");
    fs::copy(adapter, place.path("lib/libur_adapter_cpu.so.0")).expect("an adapter");
    place
}

fn warm(place: &Place, variables: &[(&str, &str)], options: &[&str], script: &str) -> Output {
    let kernels = place.path("kernels").to_string_lossy().into_owned();
    let variables = [&[("UR_CPU_CACHE", kernels.as_str())], variables].concat();
    let arguments = [&["cache", "warm"], options, &["--", "sh", "-c", script]].concat();
    place.oxur_with(&variables, &arguments)
}

#[test]
fn the_program_runs_as_with_run() {
    let place = place("warm");
    let print = "echo adapters=$UR_ADAPTERS_FORCE_LOAD tier=$UR_CPU_TIER layers=$UR_ENABLE_LAYERS; exit 7";
    let adaptive = [("UR_CPU_TIER", "adaptive")];
    let output = warm(&place, &adaptive, &["--adapter", "cpu", "--validate"], print);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(7), "ends as its command: {err}");
    let cpu = place.path("lib/libur_adapter_cpu.so.0");
    let expected = format!("adapters={} tier=all layers=UR_LAYER_FULL_VALIDATION\n", cpu.display());
    assert_eq!(out, expected);
    let last = format!(
        "oxur: added nothing to {}, because the program did not load oxur; `oxur doctor -- PROGRAM` explains what SYCL \
         programs need\n",
        place.path("kernels").display()
    );
    assert!(err.ends_with(&last), "{err}");

    // The stand-in for an adapter is read, as an adapter would be.
    let output = warm(
        &place,
        &[],
        &["--adapter", "cpu"],
        "cat $UR_ADAPTERS_FORCE_LOAD >/dev/null",
    );
    let err = text(&output.stderr);
    assert!(err.ends_with("because the program used no kernel\n"), "{err}");
}

#[test]
fn signals_reach_the_program_and_the_caller() {
    let place = place("warm-signals");
    let run = |script: &str| warm(&place, &[], &["--adapter", "cpu"], script);
    let output = run("kill -TERM $$");
    assert_eq!(output.status.signal(), Some(libc::SIGTERM), "{output:?}");
    assert!(text(&output.stderr).contains("added nothing"), "{output:?}");
    // What this process blocks or ignores is not what the program does.
    let show = "grep -E '^Sig(Blk|Ign)' /proc/self/status";
    let plain = place.oxur(&["run", "--adapter", "cpu", "--", "sh", "-c", show]);
    let output = run(show);
    assert!(
        plain.status.success() && output.stdout == plain.stdout,
        "{output:?} {plain:?}"
    );

    let script = "trap 'exit 9' USR1; trap 'echo hup' HUP; echo ready; while :; do sleep 0.01; done";
    let mut child = Command::new(place.path("bin/oxur"))
        .args(["cache", "warm", "--adapter", "cpu", "--", "sh", "-c", script])
        .env("UR_CPU_CACHE", place.path("kernels"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("text");
    // SAFETY: has no preconditions; the child was not waited for.
    let send = |signal| assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, signal) }, 0);
    assert_eq!(next(), "ready");
    send(libc::SIGHUP);
    assert_eq!(next(), "hup");
    send(libc::SIGUSR1);
    assert_eq!(child.wait().expect("it ends").code(), Some(9));
}

#[test]
fn programs_that_could_not_fill_the_cache_do_not_run() {
    let place = place("warm-refused");
    let refuses = |variables: &[(&str, &str)], options: &[&str], says: &[&str]| {
        let output = warm(&place, variables, options, "echo it runs");
        let err = text(&output.stderr);
        assert_eq!(
            (output.status.code(), text(&output.stdout)),
            (Some(1), String::new()),
            "{err}"
        );
        says.iter()
            .for_each(|says| assert!(err.contains(says), "{says}: {err}"));
    };
    let cpu = ["--adapter", "cpu"];
    let off = ["the cache is off (UR_CPU_CACHE)", "unset UR_CPU_CACHE to fill"];
    refuses(&[("UR_CPU_CACHE", "off")], &cpu, &off);
    let off = [
        "the cache is off (UR_CPU_CACHE_SIZE)",
        "unset UR_CPU_CACHE_SIZE, or name",
    ];
    refuses(&[("UR_CPU_CACHE_SIZE", "0")], &cpu, &off);
    refuses(&[("UR_CPU_CACHE", "")], &cpu, &["neither XDG_CACHE_HOME nor HOME"]);
    refuses(
        &[("UR_CPU_CACHE", "/proc/kernels")],
        &cpu,
        &["cannot be created", "name another folder"],
    );
    let file = place.path("main.c").to_string_lossy().into_owned();
    fs::write(&file, "").expect("a file");
    refuses(
        &[("UR_CPU_CACHE", &file)],
        &cpu,
        &["Not a directory", "remove the obstacle"],
    );
    refuses(
        &[],
        &["--adapter", "opencl"],
        &["does not use this cache", "add `--adapter cpu`"],
    );
    fails(&place, &["cache", "warm"], 2, "Usage");
    let missing = ["cache", "warm", "--adapter", "cpu", "--", "no-such-command"];
    let kernels = place.path("kernels").to_string_lossy().into_owned();
    let output = place.oxur_with(&[("UR_CPU_CACHE", &kernels)], &missing);
    assert_eq!(output.status.code(), Some(127), "{output:?}");
}
