// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The text of dumps.

use smallvec::smallvec;

use super::*;

fn command(name: &str, after: &[u32]) -> NodeLabel {
    NodeLabel {
        command: "KERNEL_LAUNCH".to_owned(),
        name: Some(name.to_owned()),
        extent: Some("64 in groups of 16".to_owned()),
        after: after.into(),
        ..NodeLabel::default()
    }
}

#[test]
fn nothing() {
    let text = text("graph 1", &[], None);
    assert!(
        text.starts_with("digraph \"graph 1\" {\n") && text.ends_with("}\n"),
        "{text}"
    );
    assert!(
        text.contains("\"graph 1: 0 commands, no times: it is not made for profiling\""),
        "{text}"
    );
}

#[test]
fn commands_dependencies_and_times() {
    let commands = [command("fill", &[]), command("add", &[0]), command("sum", &[0, 1])];
    let span = |began, ended| Some(Span { began, ended });
    let run = [span(1_000_000, 1_000_500), span(1_000_500, 1_003_000), None];
    let text = text("graph 7", &commands, Some(&run));
    for line in [
        "graph 7: 3 commands, last run took 3.0 us",
        "  0 [label=\"KERNEL_LAUNCH\\nfill\\n64 in groups of 16\\nat 0 ns: 500 ns (17 %)\", fillcolor=\"#ffeddc\"];\n",
        "at 500 ns: 2.5 us (83 %)\", fillcolor=\"#ffa550\"];\n",
        "  2 [label=\"KERNEL_LAUNCH\\nsum\\n64 in groups of 16\"];\n",
        "  0 -> 1;\n  0 -> 2;\n  1 -> 2;\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let text = super::text("graph 7", &commands, Some(&[]));
    assert!(text.contains("no times: no run is complete"), "{text}");
    assert!(!text.contains("fillcolor=\"#ffa"), "{text}");
}

#[test]
fn events_outside() {
    let waits = NodeLabel {
        events: 2,
        signals: true,
        ..command("k", &[])
    };
    let text = text("b", &[waits], None);
    for line in [
        "before0 [label=\"2 events\"",
        "  before0 -> 0 [style=dashed];\n",
        "  0 -> signal0 [style=dashed];\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn names_are_quoted() {
    assert_eq!(Quoted("a\"b\\c\nd\0e").to_string(), r#""a\"b\\c\nd e""#);
    let long = "x".repeat(LONG) + "\"" + &"y".repeat(LONG);
    let text = text("a", &[command(&long, &[])], None);
    assert!(text.contains(&format!("tooltip={}", Quoted(&long))), "{text}");
    assert!(text.contains("xxx...yyy"), "{text}");
}

#[test]
fn many() {
    let commands: Vec<_> = (0..10_000u32)
        .map(|place| NodeLabel {
            after: match place {
                0 => smallvec![],
                1 => smallvec![0],
                _ => smallvec![place / 2, place - 1],
            },
            ..command("k", &[])
        })
        .collect();
    let text = text("many", &commands, None);
    assert_eq!(text.matches("[label=\"KERNEL_LAUNCH").count(), 10_000);
    assert_eq!(text.matches(" -> ").count(), 1 + 2 * 9_998);
}

#[test]
fn times_for_people() {
    for (ns, words) in [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_000, "1.0 us"),
        (2_500_000, "2.50 ms"),
        (3 << 30, "3.221 s"),
    ] {
        assert_eq!(Time(ns).to_string(), words);
    }
}
