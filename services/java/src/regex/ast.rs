//! What a pattern says.
use super::class::Set;

/// A piece of a pattern.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// The empty text.
    Empty,
    /// A character of a set.
    Set(Set),
    /// One behind the other.
    Row(Vec<Node>),
    /// The first of them that leads to a match.
    Either(Vec<Node>),
    /// Some number of times.
    Repeat { node: Box<Node>, least: usize, most: Option<usize>, greed: Greed },
    /// A group with its number.
    Group(usize, Box<Node>),
    /// What a group matched.
    Back(usize, bool),
    /// A place that takes no characters.
    Place(Place),
    /// Whether it matches here, or just before here.
    Look { node: Box<Node>, ahead: bool, negative: bool },
    /// Its first match only.
    Atomic(Box<Node>),
}

/// What a repetition does first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Greed {
    /// Goes on.
    Greedy,
    /// Ends.
    Lazy,
    /// Goes on, and never gives back.
    Possessive,
}

/// A place that takes no characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// `^`, `\A`.
    Begin,
    /// `^` with lines.
    LineBegin { unix: bool },
    /// `$`, `\Z`: the end, or before the last line's.
    End { unix: bool },
    /// `$` with lines.
    LineEnd { unix: bool },
    /// `\z`.
    VeryEnd,
    /// `\b`.
    WordEdge,
    /// `\B`.
    NoWordEdge,
}

impl Node {
    /// The fewest and the most characters that it takes.
    pub(super) fn width(&self) -> (usize, Option<usize>) {
        let both = |a: Option<usize>, b: Option<usize>, join: fn(usize, usize) -> usize| {
            a.zip(b).map(|(a, b)| join(a, b))
        };
        match self {
            Node::Empty | Node::Place(_) | Node::Look { .. } => (0, Some(0)),
            Node::Set(_) => (1, Some(1)),
            Node::Row(nodes) => nodes.iter().fold((0, Some(0)), |(least, most), node| {
                let (more_least, more_most) = node.width();
                (least + more_least, both(most, more_most, |a, b| a + b))
            }),
            Node::Either(nodes) => nodes
                .iter()
                .map(Node::width)
                .reduce(|(least, most), (other_least, other_most)| {
                    (least.min(other_least), both(most, other_most, usize::max))
                })
                .unwrap_or((0, Some(0))),
            Node::Repeat { node, least, most, .. } => {
                let (node_least, node_most) = node.width();
                (node_least * least, both(node_most, *most, |a, b| a * b))
            }
            Node::Group(_, node) | Node::Atomic(node) => node.width(),
            Node::Back(..) => (0, None),
        }
    }

    /// Whether there is a group in it.
    pub(super) fn has_groups(&self) -> bool {
        match self {
            Node::Group(..) => true,
            Node::Row(nodes) | Node::Either(nodes) => nodes.iter().any(Node::has_groups),
            Node::Repeat { node, .. } | Node::Atomic(node) | Node::Look { node, .. } => {
                node.has_groups()
            }
            Node::Empty | Node::Set(_) | Node::Back(..) | Node::Place(_) => false,
        }
    }

    /// Whether Java sees how long it can be at most: a repetition of single characters, not of more.
    pub(super) fn has_obvious_width(&self) -> bool {
        match self {
            Node::Row(nodes) | Node::Either(nodes) => nodes.iter().all(Node::has_obvious_width),
            Node::Repeat { node, most, .. } => most.is_some() && matches!(**node, Node::Set(_)),
            Node::Group(_, node) | Node::Atomic(node) => node.has_obvious_width(),
            Node::Empty | Node::Set(_) | Node::Place(_) => true,
            Node::Back(..) | Node::Look { .. } => false,
        }
    }

    /// Whether it is certain what its groups have matched once it was repeated and given up. Java puts back those of a group that is
    /// repeated itself, and not always those in it.
    pub(super) fn is_certain_when_repeated(&self) -> bool {
        match self {
            Node::Group(_, inner) => !inner.has_groups() && inner.width().0 > 0,
            node => !node.has_groups(),
        }
    }

    /// Whether a text that it matches may begin with a lone half of a character, or be empty.
    pub(super) fn may_begin_with_a_half(&self) -> bool {
        match self {
            Node::Set(set) => {
                [0xD800, 0xDBFF, 0xDC00, 0xDFFF].iter().any(|half| set.contains(*half))
            }
            Node::Row(nodes) => {
                for node in nodes {
                    if node.width().0 > 0 {
                        return node.may_begin_with_a_half();
                    }
                    if !matches!(node, Node::Empty | Node::Place(_) | Node::Look { .. })
                        && node.may_begin_with_a_half()
                    {
                        return true;
                    }
                }
                true
            }
            Node::Either(nodes) => nodes.iter().any(Node::may_begin_with_a_half),
            Node::Repeat { node, least, .. } => *least == 0 || node.may_begin_with_a_half(),
            Node::Group(_, node) | Node::Atomic(node) => node.may_begin_with_a_half(),
            Node::Empty | Node::Place(_) | Node::Look { .. } | Node::Back(..) => true,
        }
    }
}
