// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! DOT as SVG: [`dot`] reads, the crate `layout-rs` says where everything goes, [`canvas`] draws.

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

/// Around the text of a node.
const MARGIN: f64 = 10.0;
/// Around a node.
const HALO: f64 = 36.0;

/// Above so many nodes, with those that lines over several rows are led by, edges may cross more than they have to: to try
/// out better orders takes the crate minutes then.
const CROSSINGS: usize = 400;
/// Above so many, lines over several rows take the direct way.
const LED: usize = 3000;
/// Above so many, nodes only stand in rows.
const ROWS: usize = 5000;

/// Draws what a DOT text describes; the error is what is wrong with it.
pub fn of_dot(text: &str) -> Result<String, &'static str> {
    // The crate panics over some texts that are no DOT. Its words for others do not help.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let drawn = panic::catch_unwind(|| dot::parse(text).map(|graph| draw(&graph)));
    panic::set_hook(hook);
    let drawn = drawn.ok().and_then(Result::ok);
    drawn.ok_or("this is no graph in the language DOT, or has parts that cannot be drawn")
}

/// An edge that leads to a later row, or to its own node.
struct Down {
    from: usize,
    to: usize,
    /// How many rows down.
    rows: usize,
    arrow: Arrow,
}

fn draw(graph: &Graph) -> String {
    let mut canvas = Canvas::new(graph);
    // The crate cannot do without nodes.
    if graph.nodes.is_empty() {
        return canvas.finish();
    }
    let mut visual = VisualGraph::new(Orientation::TopToBottom);
    // It would check the whole graph again and again, by ways that need not end.
    visual.dag.set_validate(false);
    let nodes = graph.nodes.iter().enumerate();
    let handles: Vec<_> = nodes
        .map(|(place, node)| visual.add_node(element(place, node)))
        .collect();

    let edges = down(graph);
    let all = handles.len() + edges.iter().map(|edge| edge.rows.saturating_sub(1)).sum::<usize>();
    // The rows are the same without them.
    let direct = |edge: &&Down| all > LED && edge.rows > 1;
    for edge in edges.iter().filter(|edge| !direct(edge)) {
        visual.add_edge(edge.arrow.clone(), handles[edge.from], handles[edge.to]);
    }
    visual.do_it(false, all > CROSSINGS, handles.len() > ROWS, &mut canvas);
    for edge in edges.iter().filter(direct) {
        canvas.aside(
            visual.pos(handles[edge.from]),
            visual.pos(handles[edge.to]),
            &edge.arrow,
        );
    }
    canvas.finish()
}

/// The edges in an order in which the crate finds at once that none makes a circle: whatever leads to a node comes before
/// what leads on. Those that do make one are turned round.
fn down(graph: &Graph) -> Vec<Down> {
    let places = graph.order();
    let mut edges: Vec<_> = graph.edges.iter().collect();
    edges.sort_by_key(|edge| places[edge.from].max(places[edge.to]));
    let turn = |edge: &&Edge| {
        let (from, to, arrow) = (edge.from, edge.to, arrow(edge));
        match places[from] > places[to] {
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

/// A node, whose look is the canvas's business: it gets its number.
fn element(place: usize, node: &Node) -> Element {
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
        properties: Some(place.to_string()),
    }
}

fn look() -> StyleAttr {
    StyleAttr::new(Color::fast("black"), 1, None, 0, 0)
}

#[cfg(test)]
mod tests;
