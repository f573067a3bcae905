// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Extracts the drawable parts of a DOT text: nodes with their labels, colors and tooltips, edges, and the title.

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
    /// A color in the syntax that DOT and SVG share.
    pub fill: String,
    /// An ellipse instead of a box.
    pub ellipse: bool,
    pub dashed: bool,
}

#[derive(Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub dashed: bool,
    /// Whether the edge is directed.
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

/// Parses a DOT text. The crate's parser panics on some invalid texts.
pub fn parse(text: &str) -> Result<Graph, String> {
    let mut builder = Builder::default();
    // The parser would stop at a NUL, which some labels contain.
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
    indices: HashMap<String, usize>,
    edges: Vec<Edge>,
}

impl Builder {
    /// Adds the statements of a graph or subgraph. `nodes` and `edges` are the default attributes at this point. Returns the
    /// label of the graph.
    fn visit(&mut self, graph: &ast::Graph, mut nodes: Attributes, mut edges: Attributes) -> Option<String> {
        let mut own = Attributes::new();
        for statement in &graph.list.list {
            match statement {
                Stmt::Attribute(all) => add(
                    match all.target {
                        AttrStmtTarget::Graph => &mut own,
                        AttrStmtTarget::Node => &mut nodes,
                        AttrStmtTarget::Edge => &mut edges,
                    },
                    &all.list,
                ),
                Stmt::Node(node) => {
                    let index = self.node(&node.id.name, &nodes);
                    add(&mut self.nodes[index].1, &node.list);
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
        own.remove("label")
    }

    /// The index of a node, which is added if it is new.
    fn node(&mut self, name: &str, attributes: &Attributes) -> usize {
        if let Some(index) = self.indices.get(name) {
            return *index;
        }
        self.nodes.push((name.to_owned(), attributes.clone()));
        self.indices.insert(name.to_owned(), self.nodes.len() - 1);
        self.nodes.len() - 1
    }
}

impl Graph {
    /// The position of each node in a topological order. Cycles are broken at an arbitrary node.
    pub fn order(&self) -> Vec<usize> {
        let mut predecessors = vec![0usize; self.nodes.len()];
        let mut successors = vec![Vec::new(); self.nodes.len()];
        for edge in self.edges.iter().filter(|edge| edge.from != edge.to) {
            predecessors[edge.to] += 1;
            successors[edge.from].push(edge.to);
        }
        let mut left: BTreeSet<usize> = (0..self.nodes.len()).collect();
        let mut ready: BTreeSet<usize> = left.iter().copied().filter(|node| predecessors[*node] == 0).collect();
        let mut positions = vec![0; self.nodes.len()];
        // If no node is ready, all that are left are on a cycle or behind one.
        while let Some(node) = ready.pop_first().or_else(|| left.first().copied()) {
            if !left.remove(&node) {
                continue;
            }
            positions[node] = self.nodes.len() - left.len() - 1;
            for next in &successors[node] {
                predecessors[*next] -= 1;
                if predecessors[*next] == 0 {
                    ready.insert(*next);
                }
            }
        }
        positions
    }
}
