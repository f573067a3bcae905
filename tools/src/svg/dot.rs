// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What of a DOT text is drawn: nodes with their labels, colours and tooltips, edges, and the title.

use std::collections::{BTreeSet, HashMap};

use layout::gv::DotParser;
use layout::gv::parser::ast::{self, ArrowKind, AttrStmtTarget, AttributeList, Stmt};

/// A graph.
#[derive(Debug, Default)]
pub struct Graph {
    pub title: Option<String>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

#[derive(Debug)]
pub struct Node {
    pub label: String,
    pub tooltip: Option<String>,
    /// A colour as DOT and SVG both know it.
    pub fill: String,
    /// Not a box.
    pub ellipse: bool,
    pub dashed: bool,
}

#[derive(Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub dashed: bool,
    /// Whether it has a direction.
    pub arrow: bool,
}

type Attributes = HashMap<String, String>;

fn add(attributes: &mut Attributes, more: &AttributeList) {
    attributes.extend(more.iter().cloned());
}

fn is(attributes: &Attributes, name: &str, word: &str) -> bool {
    attributes
        .get(name)
        .is_some_and(|value| value.split(',').any(|part| part.trim() == word))
}

/// Reads a text. Panics over some that are no DOT.
pub fn parse(text: &str) -> Result<Graph, String> {
    let mut builder = Builder::default();
    // For the parser a NUL is the end.
    let graph = DotParser::new(&text.replace('\0', " ")).process()?;
    let title = builder.visit(&graph, Attributes::new(), Attributes::new());
    let mut nodes = Vec::new();
    for (name, attributes) in builder.nodes {
        nodes.push(Node {
            ellipse: !matches!(
                attributes.get("shape").map(String::as_str),
                None | Some("box" | "rect" | "record")
            ),
            dashed: is(&attributes, "style", "dashed"),
            fill: attributes
                .get("fillcolor")
                .cloned()
                .unwrap_or_else(|| "#ffffff".to_owned()),
            tooltip: attributes.get("tooltip").cloned(),
            label: attributes.get("label").cloned().unwrap_or(name),
        });
    }
    Ok(Graph {
        title,
        nodes,
        edges: builder.edges,
    })
}

#[derive(Default)]
struct Builder {
    nodes: Vec<(String, Attributes)>,
    places: HashMap<String, usize>,
    edges: Vec<Edge>,
}

impl Builder {
    /// Takes the statements of a graph or a part of one, with what holds for all nodes and edges so far. Returns the label.
    fn visit(&mut self, graph: &ast::Graph, mut nodes: Attributes, mut edges: Attributes) -> Option<String> {
        let mut whole = Attributes::new();
        for statement in &graph.list.list {
            match statement {
                Stmt::Attribute(all) => add(
                    match all.target {
                        AttrStmtTarget::Graph => &mut whole,
                        AttrStmtTarget::Node => &mut nodes,
                        AttrStmtTarget::Edge => &mut edges,
                    },
                    &all.list,
                ),
                Stmt::Node(node) => {
                    let place = self.node(&node.id.name, &nodes);
                    add(&mut self.nodes[place].1, &node.list);
                }
                Stmt::Edge(edge) => {
                    let mut attributes = edges.clone();
                    add(&mut attributes, &edge.list);
                    let mut from = self.node(&edge.from.name, &nodes);
                    for (id, kind) in &edge.to {
                        let to = self.node(&id.name, &nodes);
                        self.edges.push(Edge {
                            from,
                            to,
                            dashed: is(&attributes, "style", "dashed"),
                            arrow: matches!(kind, ArrowKind::Arrow),
                        });
                        from = to;
                    }
                }
                Stmt::SubGraph(part) => _ = self.visit(part, nodes.clone(), edges.clone()),
            }
        }
        whole.remove("label")
    }

    /// The place of a node, which may be new.
    fn node(&mut self, name: &str, attributes: &Attributes) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        self.nodes.push((name.to_owned(), attributes.clone()));
        self.places.insert(name.to_owned(), self.nodes.len() - 1);
        self.nodes.len() - 1
    }
}

impl Graph {
    /// For each node its place in an order in which edges lead on, as far as there is one.
    pub fn order(&self) -> Vec<usize> {
        let mut waits = vec![0usize; self.nodes.len()];
        let mut after = vec![Vec::new(); self.nodes.len()];
        for edge in self.edges.iter().filter(|edge| edge.from != edge.to) {
            waits[edge.to] += 1;
            after[edge.from].push(edge.to);
        }
        let mut left: BTreeSet<usize> = (0..self.nodes.len()).collect();
        let mut ready: BTreeSet<usize> = left.iter().copied().filter(|node| waits[*node] == 0).collect();
        let mut places = vec![0; self.nodes.len()];
        // Where there is a circle, the first node left is as good as any.
        while let Some(node) = ready.pop_first().or_else(|| left.first().copied()) {
            if !left.remove(&node) {
                continue;
            }
            places[node] = self.nodes.len() - left.len() - 1;
            for next in &after[node] {
                waits[*next] -= 1;
                if waits[*next] == 0 {
                    ready.insert(*next);
                }
            }
        }
        places
    }
}
