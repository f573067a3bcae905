// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of rendering DOT texts.

use super::*;

/// The number of elements that begin with a text.
fn count(svg: &str, element: &str) -> usize {
    svg.matches(element).count()
}

#[test]
fn nodes_edges_and_title() {
    let text = r##"digraph "graph 1" {
      graph [label="graph 1: a < b & \"c\"", labelloc=t];
      node [shape=box, style="filled,rounded", fillcolor="#ffffff"];
      0 [label="KERNEL_LAUNCH\nvoid f<int>()", fillcolor="#ffa550", tooltip="all of it"];
      1 [label="USM_FILL"];
      before1 [label="an event", shape=ellipse, style=dashed];
      0 -> 1;
      before1 -> 1 [style=dashed];
    }"##;
    let svg = of_dot(text).unwrap();
    assert_eq!(count(&svg, "<g class=\"node\">"), 3, "{svg}");
    assert_eq!((count(&svg, "<rect"), count(&svg, "<ellipse")), (3, 1), "{svg}");
    assert_eq!(
        (
            count(&svg, "<path class=\"edge\""),
            count(&svg, "<path class=\"edge dashed\"")
        ),
        (1, 1),
        "{svg}"
    );
    for part in [
        ">graph 1: a &lt; b &amp; &quot;c&quot;</text>",
        ">void f&lt;int&gt;()</tspan>",
        "fill=\"#ffa550\"/>",
        "<title>all of it</title>",
    ] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
}

#[test]
fn what_others_write() {
    // A dump of a SYCL graph, and other features of DOT.
    let text = "strict digraph dot {\n\"0x1\" [style=bold, label=\"ID = 0x1\\nTYPE = CGFillUSM Pattern: \0\u{1}\\n\"];\n\
                \"0x2\" [style=bold, label=\"ID = 0x2\"];\n  \"0x1\" -> \"0x2\"\n\
                subgraph cluster { a -> b -> a; c; c -> c }\n}";
    let svg = of_dot(text).unwrap();
    assert_eq!(count(&svg, "<g class=\"node\">"), 5, "{svg}");
    assert!(
        svg.contains(">TYPE = CGFillUSM Pattern:   </tspan>") && svg.contains(">c</tspan>"),
        "{svg}"
    );
    assert_eq!(count(&of_dot("digraph { }").unwrap(), "<g "), 0);
    for wrong in [
        "",
        "no graph",
        "digraph {",
        "digraph { a -> ",
        "digraph { \"a",
        "digraph { _ }",
        "{}",
    ] {
        assert!(of_dot(wrong).is_err(), "{wrong}");
    }
}

/// Large graphs of typical shapes render fast, even with many paths from the first node to the last.
#[test]
fn many_nodes() {
    let before: [fn(usize) -> Vec<usize>; 3] = [
        |node| vec![node - 1],
        |node| vec![(node - 1) / 2, node - 1],
        |node| if node == 399 { (1..399).collect() } else { vec![0] },
    ];
    for before in before {
        let mut text = "digraph {".to_owned();
        for node in 1..400 {
            before(node)
                .iter()
                .for_each(|before| text += &format!("{before} -> {node};"));
        }
        let svg = of_dot(&(text + "}")).unwrap();
        assert_eq!(count(&svg, "<g class=\"node\">"), 400);
    }
}
