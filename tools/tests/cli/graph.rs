// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur graph`.

use super::*;

/// A program that writes two graph dumps and exits with this code.
fn drawing(place: &Place, code: u8) -> String {
    let path = place.path("env/bin/draws");
    let source = format!(
        "#!/bin/sh\necho adapters=$UR_ADAPTERS_FORCE_LOAD\nfor n in 10 2; do \
         echo 'digraph g {{ 0 [label=\"a\\nb\", shape=box]; 0 -> 1; }}' > $UR_GRAPH_DUMP/graph-1-$n.dot; done\n\
         exit {code}\n"
    );
    fs::write(&path, source).expect("a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    path.to_string_lossy().into_owned()
}

#[test]
fn graph_runs_a_program_and_draws() {
    let place = Place::new("graph").with_libraries().with_old_libsycl();
    let sycl = place.path("env/lib/libsycl.so.9").to_string_lossy().into_owned();
    let folder = place.path("new/dumps").to_string_lossy().into_owned();
    let command = drawing(&place, 3);
    let arguments = [
        "graph",
        "--svg",
        "-o",
        &folder,
        "--libsycl",
        &sycl,
        "--adapter",
        "opencl",
        "--",
        &command,
    ];
    let output = place.oxur(&arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "ends as its command: {err}");
    let lines: Vec<_> = out.lines().collect();
    assert!(lines[0].ends_with("libur_adapter_opencl.so.0"), "{out}");
    assert_eq!(
        lines[1..],
        [format!("{folder}/graph-1-2.svg"), format!("{folder}/graph-1-10.svg")]
    );
    assert!(err.contains(&format!("UR_GRAPH_DUMP={folder}\n")), "{err}");
    let svg = fs::read_to_string(lines[1]).expect("a drawing");
    assert_eq!(svg.matches("<g class=\"node\">").count(), 2, "{svg}");

    // The command did not write the existing files.
    let output = place.oxur(&["graph", "-o", &folder, "--adapter", "opencl", "--", "true"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()));
    assert!(
        text(&output.stderr).contains("instantiated no graph"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn graph_draws_files() {
    let place = Place::new("files");
    let (good, bad) = (place.path("good.dot"), place.path("bad.dot"));
    fs::write(&good, "digraph { a -> b }").expect("a file");
    fs::write(&bad, "digraph { a -> ").expect("a file");
    let (good, bad) = (good.to_string_lossy(), bad.to_string_lossy());
    let output = place.oxur(&["graph", "--svg", &bad, &good]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout).trim(), place.path("good.svg").to_string_lossy());
    let err = text(&output.stderr);
    assert!(err.starts_with(&format!("oxur: {bad}: not a graph")), "{err}");
    fails(&place, &["graph", "--svg", "/no/such/file"], 1, "/no/such/file");
    fails(&place, &["graph", &good], 2, "--svg");
    fails(
        &place,
        &["graph", "--svg", &good, "--", "true"],
        2,
        "cannot be used with",
    );
    fails(&place, &["graph"], 2, "Usage");
}
