// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The drawing backend: collects the shapes of the layout and writes them as SVG.

use std::fmt::{self, Write as _};

use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::{Point, Position};
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow, LineEndKind};

use super::dot::{Graph, Node};

/// The approximate width of a character and the height of a line, in pixels.
const LETTER: f64 = 7.4;
const LINE: f64 = 17.0;
/// The margin around the drawing and its title, in pixels.
const BORDER: f64 = 24.0;

const STYLE: &str = "\
text { font-family: 'Segoe UI', 'DejaVu Sans', Verdana, sans-serif; font-size: 12px; text-anchor: middle; fill: #222; }
.title { font-size: 15px; font-weight: bold; text-anchor: start; }
.node rect, .node ellipse { stroke: #555; }
.node tspan:first-child { fill: #777; font-size: 11px; }
.edge { stroke: #777; fill: none; }
.dashed { stroke-dasharray: 5 4; }
#arrow { fill: #777; }
";

/// The size of a text.
pub fn size(text: &str) -> Point {
    let letters = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    Point::new(
        letters.max(3) as f64 * LETTER,
        text.lines().count().max(1) as f64 * LINE,
    )
}

/// A drawing of a graph.
pub struct Canvas<'a> {
    graph: &'a Graph,
    nodes: String,
    edges: String,
    least: Point,
    most: Point,
}

impl<'a> Canvas<'a> {
    pub fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            nodes: String::new(),
            edges: String::new(),
            least: Point::zero(),
            most: Point::zero(),
        }
    }

    fn reach(&mut self, point: Point) {
        self.least = Point::new(self.least.x.min(point.x), self.least.y.min(point.y));
        self.most = Point::new(self.most.x.max(point.x), self.most.y.max(point.y));
    }

    /// The node with the index that [`element`](super::element) attached to the shape.
    fn node(&self, number: Option<String>) -> Option<&'a Node> {
        self.graph.nodes.get(number?.parse::<usize>().ok()?)
    }

    /// Draws a node around a point. `shape` is an SVG element without its last attributes and its end.
    fn shape(&mut self, node: &Node, shape: &str, middle: Point, size: Point) {
        self.reach(middle.sub(size.scale(0.5)));
        self.reach(middle.add(size.scale(0.5)));
        let class = if node.dashed { " class=\"dashed\"" } else { "" };
        let title = Escaped(node.tooltip.as_ref().unwrap_or(&node.label));
        _ = writeln!(self.nodes, "<g class=\"node\"><title>{title}</title>");
        _ = write!(self.nodes, "{shape} fill=\"{}\"{class}/>", Escaped(&node.fill));
        // The baseline of the first line, so that all lines are centered vertically.
        let lines = node.label.lines().count() as f64;
        let mut y = middle.y - (lines - 1.0) * LINE / 2.0 + LINE / 4.0;
        self.nodes += "<text>";
        for line in node.label.lines() {
            let (x, line) = (Number(middle.x), Escaped(line));
            _ = write!(self.nodes, "<tspan x=\"{x}\" y=\"{}\">{line}</tspan>", Number(y));
            y += LINE;
        }
        self.nodes += "</text></g>\n";
    }

    /// Draws an edge between two nodes that bypasses the nodes in between on the right.
    pub fn aside(&mut self, from: Position, to: Position, arrow: &Arrow) {
        let right = |node: Position| Point::new(node.right(false), node.center().y);
        let (start, end) = (right(from), right(to));
        let far = start.x.max(end.x) + (end.y - start.y).abs().sqrt() * 5.0;
        let path = [(start, Point::new(far, start.y)), (Point::new(far, end.y), end)];
        let heads = [arrow.start, arrow.end].map(|end| matches!(end, LineEndKind::Arrow));
        let dashed = matches!(arrow.line_style, LineStyleKind::Dashed);
        self.draw_arrow(&path, dashed, heads.into(), &arrow.look, None, "");
    }

    /// The complete SVG document.
    pub fn finish(self) -> String {
        let title = self.graph.title.as_deref().unwrap_or_default();
        let room = if title.is_empty() { 0.0 } else { 2.0 * LINE };
        let letters = title.chars().count() as f64 * LETTER * 1.35;
        let width = (self.most.x - self.least.x).max(letters) + 2.0 * BORDER;
        let height = self.most.y - self.least.y + room + 2.0 * BORDER;
        let (left, top) = (self.least.x - BORDER, self.least.y - BORDER - room);
        let [left, top, width, height] = [left, top, width, height].map(Number);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"{left} {top} {width} {height}\">\n<style>{STYLE}</style>\n\
             <defs><marker id=\"arrow\" markerWidth=\"9\" markerHeight=\"7\" refX=\"9\" refY=\"3.5\" orient=\"auto\">\
             <polygon points=\"0 0, 9 3.5, 0 7\"/></marker></defs>\n\
             <rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
        );
        if !title.is_empty() {
            let (x, y) = (Number(self.least.x), Number(self.least.y - room + LINE / 2.0));
            _ = writeln!(
                svg,
                "<text class=\"title\" x=\"{x}\" y=\"{y}\">{}</text>",
                Escaped(title)
            );
        }
        svg + &self.edges + &self.nodes + "</svg>\n"
    }
}

impl RenderBackend for Canvas<'_> {
    fn draw_rect(
        &mut self,
        corner: Point,
        size: Point,
        _look: &StyleAttr,
        number: Option<String>,
        _clip: Option<ClipHandle>,
    ) {
        let Some(node) = self.node(number) else { return };
        let [x, y, width, height] = [corner.x, corner.y, size.x, size.y].map(Number);
        let rect = format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\"");
        self.shape(node, &rect, corner.add(size.scale(0.5)), size);
    }

    fn draw_circle(&mut self, middle: Point, size: Point, _look: &StyleAttr, number: Option<String>) {
        let Some(node) = self.node(number) else { return };
        let [x, y, rx, ry] = [middle.x, middle.y, size.x / 2.0, size.y / 2.0].map(Number);
        let ellipse = format!("<ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{rx}\" ry=\"{ry}\"");
        self.shape(node, &ellipse, middle, size);
    }

    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        dashed: bool,
        (start, end): (bool, bool),
        _look: &StyleAttr,
        _properties: Option<String>,
        _text: &str,
    ) {
        // The first pair is a point and its control point. In all other pairs the control point comes first.
        let [first, second, rest @ ..] = path else { return };
        let mut line = format!("M{} C{} {} {}", At(first.0), At(first.1), At(second.0), At(second.1));
        for (bend, point) in rest {
            _ = write!(line, " S{} {}", At(*bend), At(*point));
        }
        for (one, other) in path {
            self.reach(*one);
            self.reach(*other);
        }
        let class = if dashed { "edge dashed" } else { "edge" };
        let start = if start { " marker-start=\"url(#arrow)\"" } else { "" };
        let end = if end { " marker-end=\"url(#arrow)\"" } else { "" };
        _ = writeln!(self.edges, "<path class=\"{class}\" d=\"{line}\"{start}{end}/>");
    }

    // Labels are drawn with their nodes, and the layout draws nothing else.
    fn draw_text(&mut self, _at: Point, _text: &str, _look: &StyleAttr) {}

    fn draw_line(&mut self, _start: Point, _stop: Point, _look: &StyleAttr, _properties: Option<String>) {}

    fn create_clip(&mut self, _at: Point, _size: Point, _rounded: usize) -> ClipHandle {
        0
    }
}

/// A length, rounded to a tenth of a pixel.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 10.0).round() / 10.0)
    }
}

/// A point of a path.
struct At(Point);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", Number(self.0.x), Number(self.0.y))
    }
}

/// Text with XML escapes.
struct Escaped<T>(T);

impl<T: AsRef<str>> fmt::Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.as_ref().chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\n' => f.write_char(c)?,
                // XML does not allow control characters.
                c if c.is_control() => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
