//! Which calls may run beside each other, as counts on a tree of resources. A call claims the nodes of its keys, and
//! by an intention every node above them, so that a conflict is seen by looking at its own nodes alone, however many
//! calls run (Gray, Lorie, Putzolu, Traiger: Granularity of Locks, 1975). What declares nothing claims the root.

use std::collections::{BTreeMap, HashMap};

use crate::resource::Resources;

/// What a call may touch, as the start rule sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footprint {
    /// Whether it may run beside others that are concurrency-safe too.
    pub concurrency_safe: bool,
    /// What it declares to read and write; `None` if it declares nothing.
    pub resources: Option<Resources>,
}

impl Footprint {
    /// A call that declares nothing.
    pub fn undeclared(concurrency_safe: bool) -> Self {
        Self { concurrency_safe, resources: None }
    }
}

/// How a node is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Something below is read.
    IntendRead,
    /// Something below is written.
    IntendWrite,
    /// All of it is read.
    Read,
    /// All of it is read and something below is written.
    ReadIntendWrite,
    /// All of it is written.
    Write,
}

const MODES: usize = 5;

/// By mode: which other modes may be claimed at the same time.
const BESIDE: [[bool; MODES]; MODES] = [
    [true, true, true, true, false],
    [true, true, false, false, false],
    [true, false, true, false, false],
    [true, false, false, false, false],
    [false, false, false, false, false],
];

impl Mode {
    /// The weakest mode that is both.
    fn with(self, other: Self) -> Self {
        use Mode::{IntendRead, IntendWrite, Read, ReadIntendWrite, Write};
        match (self, other) {
            (Write, _) | (_, Write) => Write,
            (IntendRead, mode) | (mode, IntendRead) => mode,
            (Read, Read) => Read,
            (IntendWrite, IntendWrite) => IntendWrite,
            _ => ReadIntendWrite,
        }
    }
}

const ROOT: u32 = 0;

/// The claims of one call: nodes with their modes, each node once.
#[derive(Debug, Clone)]
pub(super) struct Claims(List);

#[derive(Debug, Clone)]
enum List {
    /// What most calls have.
    Root(Mode),
    Nodes(Box<[(u32, Mode)]>),
}

impl Claims {
    fn iter(&self) -> impl Iterator<Item = (u32, Mode)> {
        let (root, nodes) = match &self.0 {
            List::Root(mode) => (Some((ROOT, *mode)), [].as_slice()),
            List::Nodes(nodes) => (None, nodes.as_ref()),
        };
        root.into_iter().chain(nodes.iter().copied())
    }

    /// Whether nothing else may run meanwhile.
    pub(super) fn are_exclusive(&self) -> bool {
        self.iter().any(|claim| claim == (ROOT, Mode::Write))
    }

    /// Both together.
    fn with(&self, other: &Self) -> Self {
        let mut nodes = BTreeMap::new();
        for (node, mode) in self.iter().chain(other.iter()) {
            nodes.entry(node).and_modify(|known: &mut Mode| *known = known.with(mode)).or_insert(mode);
        }
        Self(List::Nodes(nodes.into_iter().collect()))
    }
}

/// Whom a claim is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// All calls that have left the queue and are not over.
    Started,
    /// Those of them whose work has begun.
    Working,
}

#[derive(Debug, Clone, Default)]
struct Node {
    parent: u32,
    children: HashMap<Box<str>, u32>,
    /// How many calls claim it, by mode.
    started: [u32; MODES],
    working: [u32; MODES],
}

/// The tree with its counts. Nodes stay until it is dropped: it lives as long as one answer of the model.
#[derive(Debug, Clone)]
pub(super) struct Table {
    nodes: Vec<Node>,
}

impl Default for Table {
    fn default() -> Self {
        Self { nodes: vec![Node::default()] }
    }
}

impl Table {
    /// What a call with this footprint claims.
    pub(super) fn claims_of(&mut self, footprint: &Footprint) -> Claims {
        let Some(resources) = &footprint.resources else {
            return Claims(List::Root(if footprint.concurrency_safe { Mode::Read } else { Mode::Write }));
        };
        // Even a call that touches nothing must not run beside one that has to be alone.
        let mut nodes = BTreeMap::from([(ROOT, Mode::IntendRead)]);
        let kinds =
            [(&resources.reads, Mode::IntendRead, Mode::Read), (&resources.writes, Mode::IntendWrite, Mode::Write)];
        for (keys, above, at) in kinds {
            for key in keys {
                let mut node = ROOT;
                let mut claim = |node, mode| {
                    nodes.entry(node).and_modify(|known: &mut Mode| *known = known.with(mode)).or_insert(mode);
                };
                for part in key.parts() {
                    claim(node, above);
                    node = self.child(node, part);
                }
                claim(node, at);
            }
        }
        Claims(List::Nodes(nodes.into_iter().collect()))
    }

    fn child(&mut self, parent: u32, part: &str) -> u32 {
        if let Some(&known) = self.nodes[parent as usize].children.get(part) {
            return known;
        }
        let new = u32::try_from(self.nodes.len()).unwrap_or(ROOT);
        // The root in place of a node too many would only be more careful.
        if new != ROOT {
            self.nodes.push(Node { parent, ..Node::default() });
            self.nodes[parent as usize].children.insert(part.into(), new);
        }
        new
    }

    /// Counts a call.
    pub(super) fn add(&mut self, claims: &Claims, among: Among) {
        self.count(claims, among, |count| *count += 1);
    }

    /// Counts a call no more.
    pub(super) fn remove(&mut self, claims: &Claims, among: Among) {
        self.count(claims, among, |count| *count = count.saturating_sub(1));
    }

    fn count(&mut self, claims: &Claims, among: Among, change: impl Fn(&mut u32)) {
        for (node, mode) in claims.iter() {
            let node = &mut self.nodes[node as usize];
            let counts = match among {
                Among::Started => &mut node.started,
                Among::Working => &mut node.working,
            };
            change(&mut counts[mode as usize]);
        }
    }

    /// Whether no counted call stands in the way; `own` says that the call itself is among the counted.
    pub(super) fn is_free(&self, claims: &Claims, among: Among, own: bool) -> bool {
        claims.iter().all(|(node, mode)| {
            let node = &self.nodes[node as usize];
            let counts = match among {
                Among::Started => &node.started,
                Among::Working => &node.working,
            };
            let others = |other: usize| counts[other] - u32::from(own && other == mode as usize);
            (0..MODES).all(|other| BESIDE[mode as usize][other] || others(other) == 0)
        })
    }

    /// `None` if what is claimed already covers `more`; else both together.
    pub(super) fn grown(&self, claims: &Claims, more: &Claims) -> Option<Claims> {
        let covered = more.iter().all(|(node, mode)| {
            let mut above = Some(node);
            std::iter::from_fn(|| {
                let at = above?;
                above = (at != ROOT).then(|| self.nodes[at as usize].parent);
                Some(at)
            })
            .any(|at| {
                claims.iter().any(|(known, held)| {
                    known == at
                        && match held {
                            Mode::Write => true,
                            Mode::Read | Mode::ReadIntendWrite if matches!(mode, Mode::Read | Mode::IntendRead) => true,
                            held => at == node && held.with(mode) == held,
                        }
                })
            })
        });
        (!covered).then(|| claims.with(more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::ResourceKey;

    fn footprints() -> Vec<Footprint> {
        let key = |text: &str| ResourceKey::new(text);
        let declared = |reads: &[&str], writes: &[&str]| Footprint {
            concurrency_safe: false,
            resources: Some(Resources {
                reads: reads.iter().map(|text| key(text)).collect(),
                writes: writes.iter().map(|text| key(text)).collect(),
            }),
        };
        let texts = ["", "f", "f/a", "f/a/b", "f/c", "t"];
        let mut all = vec![Footprint::undeclared(true), Footprint::undeclared(false), declared(&[], &[])];
        for one in texts {
            all.extend([declared(&[one], &[]), declared(&[], &[one])]);
            all.extend(texts.iter().map(|two| declared(&[one], &[two])));
        }
        all
    }

    fn conflict(one: &Footprint, two: &Footprint) -> bool {
        // Who writes everything is alone, and so is what declares nothing and is not concurrency-safe.
        let writes_all = |footprint: &Footprint| {
            footprint.resources.as_ref().is_some_and(|keys| keys.writes.iter().any(|key| key.parts().count() == 0))
        };
        if writes_all(one) || writes_all(two) {
            return true;
        }
        match (&one.resources, &two.resources) {
            (Some(one), Some(two)) => one.conflicts_with(two),
            (None, None) => !(one.concurrency_safe && two.concurrency_safe),
            (None, Some(keys)) | (Some(keys), None) => {
                let undeclared = if one.resources.is_none() { one } else { two };
                !undeclared.concurrency_safe || !keys.writes.is_empty()
            }
        }
    }

    #[test]
    fn counts_say_what_comparing_keys_would_say() {
        for one in footprints() {
            for two in footprints() {
                let mut table = Table::default();
                let (first, second) = (table.claims_of(&one), table.claims_of(&two));
                table.add(&first, Among::Started);
                assert_eq!(table.is_free(&second, Among::Started, false), !conflict(&one, &two), "{one:?} {two:?}");
                assert!(table.is_free(&first, Among::Started, true), "nothing stands in its own way: {one:?}");
                let Some(both) = table.grown(&first, &second) else {
                    // What is covered conflicts with nothing new.
                    let missed = footprints().into_iter().find(|third| conflict(&two, third) && !conflict(&one, third));
                    assert_eq!(missed, None, "{one:?} {two:?}");
                    continue;
                };
                table.remove(&first, Among::Started);
                table.add(&both, Among::Started);
                for third in footprints() {
                    let claims = table.claims_of(&third);
                    let wanted = !conflict(&one, &third) && !conflict(&two, &third);
                    assert_eq!(table.is_free(&claims, Among::Started, false), wanted, "{one:?} {two:?} {third:?}");
                }
            }
        }
    }
}
