// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Renders DOT as SVG: [`dot`] parses, the crate `layout-rs` computes the layout, [`canvas`] writes the SVG.

mod canvas;
mod dot;

use std::panic;

use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::geometry::{Point, Position};
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow, Element, LineEndKind, ShapeKind};
use layout::topo::layout::VisualGraph;

use self::canvas::Canvas;
use self::dot::{Edge, Graph, Node};

/// The margin around the text of a node, in pixels.
const MARGIN: f64 = 10.0;
/// The margin around a node, in pixels.
const HALO: f64 = 36.0;

// Limits that keep the layout fast. The first two count nodes and also waypoints: an edge that spans several rows has a
// waypoint in each row in between.

/// With more nodes, the order within rows is not optimized: minimizing crossings would take the crate minutes.
const MAX_MINIMIZED: usize = 400;
/// With more nodes, edges that span several rows are drawn without waypoints.
const MAX_ROUTED: usize = 3000;
/// With more nodes, nodes are placed in rows without further optimization.
const MAX_OPTIMIZED: usize = 5000;

/// Renders a graph in the language DOT.
pub fn of_dot(text: &str) -> Result<String, &'static str> {
    // The crate panics on some invalid texts, and its messages for others do not help users.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let drawn = panic::catch_unwind(|| dot::parse(text).map(|graph| draw(&graph)));
    panic::set_hook(hook);
    let drawn = drawn.ok().and_then(Result::ok);
    drawn.ok_or("not a graph in the language DOT, or one with unsupported parts")
}

/// An edge to a node in a later row, or a self-loop.
struct Down {
    from: usize,
    to: usize,
    /// The distance in rows.
    rows: usize,
    arrow: Arrow,
}

fn draw(graph: &Graph) -> String {
    let mut canvas = Canvas::new(graph);
    // The crate does not support empty graphs.
    if graph.nodes.is_empty() {
        return canvas.finish();
    }
    let mut visual = VisualGraph::new(Orientation::TopToBottom);
    // Validation would check the whole graph for each edge, with an algorithm that may not terminate.
    visual.dag.set_validate(false);
    let nodes = graph.nodes.iter().enumerate();
    let handles: Vec<_> = nodes
        .map(|(index, node)| visual.add_node(element(index, node)))
        .collect();

    let edges = down(graph);
    let all = handles.len() + edges.iter().map(|edge| edge.rows.saturating_sub(1)).sum::<usize>();
    // Leaving these edges out does not change the rows: each of them is spanned by shorter edges.
    let direct = |edge: &&Down| all > MAX_ROUTED && edge.rows > 1;
    for edge in edges.iter().filter(|edge| !direct(edge)) {
        visual.add_edge(edge.arrow.clone(), handles[edge.from], handles[edge.to]);
    }
    visual.do_it(false, all > MAX_MINIMIZED, handles.len() > MAX_OPTIMIZED, &mut canvas);
    for edge in edges.iter().filter(direct) {
        canvas.aside(
            visual.pos(handles[edge.from]),
            visual.pos(handles[edge.to]),
            &edge.arrow,
        );
    }
    canvas.finish()
}

/// The edges in topological order, in which the crate's search for cycles is fast. Edges that close a cycle are reversed.
fn down(graph: &Graph) -> Vec<Down> {
    let position = graph.order();
    let mut edges: Vec<_> = graph.edges.iter().collect();
    edges.sort_by_key(|edge| position[edge.from].max(position[edge.to]));
    let turn = |edge: &&Edge| {
        let (from, to, arrow) = (edge.from, edge.to, arrow(edge));
        match position[from] > position[to] {
            true => (to, from, arrow.reverse()),
            false => (from, to, arrow),
        }
    };
    let edges: Vec<_> = edges.iter().map(turn).collect();
    let mut row = vec![0; graph.nodes.len()];
    for (from, to, _) in edges.iter().filter(|(from, to, _)| from != to) {
        row[*to] = row[*to].max(row[*from] + 1);
    }
    let down = |(from, to, arrow): (usize, usize, Arrow)| Down {
        from,
        to,
        rows: row[to] - row[from],
        arrow,
    };
    edges.into_iter().map(down).collect()
}

fn arrow(edge: &Edge) -> Arrow {
    let style = match edge.dashed {
        true => LineStyleKind::Dashed,
        false => LineStyleKind::Normal,
    };
    let end = match edge.arrow {
        true => LineEndKind::Arrow,
        false => LineEndKind::None,
    };
    Arrow::new(LineEndKind::None, end, style, "", &look(), &None, &None)
}

/// A node for the layout. The property is its index, by which the canvas finds what to draw.
fn element(index: usize, node: &Node) -> Element {
    let text = canvas::size(&node.label);
    let margin = if node.ellipse { 2.0 * MARGIN } else { MARGIN };
    let size = text.add(Point::splat(2.0 * margin));
    Element {
        shape: if node.ellipse {
            ShapeKind::new_circle("")
        } else {
            ShapeKind::new_box("")
        },
        pos: Position::new(Point::zero(), size, Point::zero(), Point::splat(HALO)),
        look: look(),
        orientation: Orientation::TopToBottom,
        properties: Some(index.to_string()),
    }
}

fn look() -> StyleAttr {
    StyleAttr::new(Color::fast("black"), 1, None, 0, 0)
}

#[cfg(test)]
mod tests;
