// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graph dumps, an extension of our adapters: their content, and when they are written.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, CommandBuffer, Context, Graph, Queue, Range, Usm};
use oxur_conformance::{Ending, Rig, Stack, in_child, run_test, stack, values};

use crate::command_buffer::{FIRST, PLAIN, empty, launch, queue, run};

/// A rig of ours.
fn rig() -> Option<Rig> {
    match stack() {
        Stack::Ours => Some(Rig::new()),
        Stack::Intel => {
            println!("what Intel's stack writes is its own");
            None
        }
    }
}

/// A fill and two launches, of which the second waits for both.
fn captured(rig: &Rig, queue: &Queue, data: &Usm, other: &Usm) -> Graph {
    let kernel = rig.kernel("basic", "increment");
    let range = Range::new([data.len() / 4]);
    let commands = || {
        // SAFETY: memory of that size, which lives until the graph has run.
        unsafe {
            let filled = queue.memset(data.ptr(), &[7i32], data.len(), &[])?;
            let args = |usm: &Usm| [Arg::Pointer(usm.ptr())];
            let apart = queue.launch(&kernel, &range, &args(other), &[])?;
            queue.launch(&kernel, &range, &args(data), &[&filled, &apart])?;
        }
        Ok(())
    };
    queue.capture(commands).expect("a capture")
}

fn dump(graph: &Graph) -> String {
    let file = env::temp_dir().join(format!("oxur-dump-{}.dot", std::process::id()));
    graph.dump(&file).expect("urGraphDumpContentsExp");
    let text = fs::read_to_string(&file).expect("the file");
    fs::remove_file(file).expect("the file goes");
    text
}

/// How many commands of a dump have times.
fn timed(text: &str) -> usize {
    text.lines()
        .filter(|line| line.contains("[label=") && line.contains("\\nat "))
        .count()
}

#[test]
fn graphs_show_the_times_of_their_runs() {
    let Some(rig) = rig() else { return };
    let orders = [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE];
    for order in orders {
        let queue = queue(&rig, order | QueueFlags::PROFILING_ENABLE);
        let (data, other) = (rig.shared(&[0i32; 1024]), rig.shared(&[0i32; 1024]));
        let graph = captured(&rig, &queue, &data, &other);
        let text = dump(&graph);
        for part in [
            "3 commands, no times",
            "USM_FILL\\n4 KiB",
            "KERNEL_LAUNCH\\nincrement\\n1024",
            "  1 -> 2;\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
        assert_eq!(timed(&dump(&graph)), 0);
        for runs in 1..4 {
            // SAFETY: the memory lives on.
            let event = unsafe { queue.run_graph(&executable, &[]) }.expect("urEnqueueGraphExp");
            event.wait().expect("urEventWait");
            assert_eq!((values::<i32>(&data)[1023], values::<i32>(&other)[0]), (8, runs));
            let text = dump(&graph);
            assert!(text.contains("3 commands, last run took "), "{text}");
            assert_eq!(timed(&text), 3, "{text}");
        }
        drop(executable);
        assert_eq!(timed(&dump(&graph)), 3, "the graph keeps them");
    }
}

#[test]
fn no_times_without_profiling() {
    let Some(rig) = rig() else { return };
    if env::var_os("UR_GRAPH_DUMP").is_some() {
        return;
    }
    let (data, other) = (rig.shared(&[0i32; 64]), rig.shared(&[0i32; 64]));
    let queue = queue(&rig, QueueFlags::empty());
    let graph = captured(&rig, &queue, &data, &other);
    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    // SAFETY: the memory lives on.
    let event = unsafe { queue.run_graph(&executable, &[]) }.expect("urEnqueueGraphExp");
    event.wait().expect("urEventWait");
    let text = dump(&graph);
    assert!(text.contains("no times: it is not made for profiling"), "{text}");
    assert_eq!(timed(&text), 0);
    let empty = Graph::new(&rig.context).expect("urGraphCreateExp");
    assert!(dump(&empty).contains("0 commands"));
}

/// A finalized buffer that adds one to all values twice.
fn twice(rig: &Rig, data: &Usm) -> CommandBuffer {
    let (buffer, kernel) = (empty(rig, PLAIN), rig.kernel("basic", "increment"));
    let args = [Arg::Pointer(data.ptr())];
    let first = launch(&buffer, &kernel, data.len() / 4, &args, FIRST).expect("a launch");
    launch(&buffer, &kernel, data.len() / 4, &args, &[first.point][..]).expect("a launch");
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    buffer
}

/// The program that the test below runs. By itself, without the variable, it writes nothing.
#[test]
fn a_program_with_dumps() {
    let Some(rig) = rig() else { return };
    // Neither is made for profiling: the variable does.
    let queue = queue(&rig, QueueFlags::empty());
    let data = rig.shared(&[0i32; 256]);
    let destroyed = twice(&rig, &data);
    run(&queue, &destroyed);
    drop(destroyed);
    drop(twice(&rig, &data));
    let lives = twice(&rig, &data);
    run(&queue, &lives);
    // A child of `fork` that ends as a program does, and destroys what the parent made.
    let clone = Context::clone(&rig.context);
    let ending = in_child(|| {
        drop((lives, clone));
        // SAFETY: the handlers that libraries have registered are run, as at the end of every program.
        unsafe { libc::exit(3) }
    });
    assert_eq!(ending, Ending::Returned(3));
    run(&queue, &twice(&rig, &data));
    let lives = twice(&rig, &data);
    run(&queue, &lives);
    assert_eq!(values::<i32>(&data), [8; 256]);
    // It is there until the process ends.
    std::mem::forget((queue, lives, data, rig));
}

#[test]
fn a_folder_of_dumps() {
    if stack() == Stack::Intel {
        return;
    }
    let folder = env::temp_dir().join(format!("oxur-graph-dumps-of-{}", std::process::id()));
    let dumps = |folder: &Path| {
        let dump_to = folder.to_str().expect("a path of ASCII");
        run_test("graph_dump::a_program_with_dumps", &[("UR_GRAPH_DUMP", dump_to)]).passed();
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let read = |path: &Path| fs::read_to_string(path).expect("a file");
        files
            .map(|file| (file.path(), read(&file.path())))
            .collect::<BTreeMap<_, _>>()
    };
    let files = dumps(&folder);
    let found: Vec<_> = files.values().map(|text| timed(text)).collect();
    assert_eq!(found, [2, 0, 2, 2, 2], "the second has not run: {files:?}");
    for (path, text) in &files {
        let name = path.file_stem().expect("a name").to_string_lossy();
        assert!(name.starts_with("graph-"), "{name}");
        assert!(text.contains(&format!("{name}: 2 commands")), "{text}");
    }
    fs::remove_dir_all(folder).expect("the folder goes");
    // Failing to write a dump does not fail the program.
    assert!(dumps(Path::new("/proc/nowhere")).is_empty());
}
