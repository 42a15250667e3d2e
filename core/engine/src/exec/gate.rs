//! The start rule as a state machine without I/O, clock or threads. Both executors ask it and nothing else decides.
//!
//! The rule (seeds 4.5, 5.5): a call may start if nothing runs, or if it and all running calls are concurrency-safe;
//! a call that may not start holds back everything behind it. Calls that declare what they read and write refine
//! "concurrency-safe": such a call may start beside those with which it has no conflict. The naive form scans the
//! queue after every event. Here only the head is looked at, because whatever may not start stops the scan, and
//! conflicts are counted on a tree of resources (`claims`). So an event costs O(1), however long the queue is, and
//! O(length of its keys) for a call that declares some.
//!
//! A call starts with being judged (validation, hooks, permission), and works after that. What is observed of calls
//! that only their keys set free stays that of the simple rule: one that is not concurrency-safe is judged when every
//! call before it is settled, and nothing behind it starts before it is settled itself.
//!
//! Judging may change the input. A call whose final input touches more than its first one is held: it begins to work
//! when every call before it is over and none that works stands in its way; what stands behind it and conflicts waits
//! for it. A call waits only for earlier calls and for those that work, so there is no circle.

use std::collections::BTreeSet;

use super::claims::{Among, Claims, Table};

pub use super::claims::Footprint;

/// A call, by the order in which the model asked for it.
pub type CallIndex = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Queued,
    /// It is validated, and hooks and permissions decide.
    Judged,
    /// It is permitted and waits because of its final input.
    Held,
    Working,
    Over,
}

#[derive(Debug, Clone)]
struct Slot {
    claims: Claims,
    concurrency_safe: bool,
    stage: Stage,
    /// Its final input touches more than its first one.
    has_grown: bool,
}

/// Decides what may start.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    slots: Vec<Slot>,
    table: Table,
    /// The head of the queue.
    next: CallIndex,
    /// No call before this one is still to end.
    first_open: CallIndex,
    running: usize,
    /// How many calls are being judged, and how many of those are not concurrency-safe.
    judged: usize,
    judged_unsafe: usize,
    held: BTreeSet<CallIndex>,
    /// How many calls whose input has grown are not over.
    grown: usize,
    /// How many calls may run at once.
    cap: Option<usize>,
}

impl Gate {
    /// A gate without a numeric cap.
    pub fn new() -> Self {
        Self::default()
    }

    /// A gate that runs at most `cap` calls at once; zero counts as one.
    pub fn with_cap(cap: usize) -> Self {
        Self { cap: Some(cap.max(1)), ..Self::default() }
    }

    /// Queues a call and returns its index: 0, 1, 2, …
    pub fn push(&mut self, footprint: &Footprint) -> CallIndex {
        let claims = self.table.claims_of(footprint);
        let concurrency_safe = footprint.concurrency_safe;
        self.slots.push(Slot { claims, concurrency_safe, stage: Stage::Queued, has_grown: false });
        self.slots.len() - 1
    }

    /// Takes the next call that may start now, if there is one. The caller lets it be judged and reports
    /// [`Gate::settle`] and [`Gate::complete`]. Ask until it answers `None`.
    pub fn start_next(&mut self) -> Option<CallIndex> {
        let slot = self.slots.get(self.next)?;
        if !self.may_start(slot) {
            return None;
        }
        let (index, concurrency_safe) = (self.next, slot.concurrency_safe);
        self.table.add(&slot.claims, Among::Started);
        self.slots[index].stage = Stage::Judged;
        self.next += 1;
        self.running += 1;
        self.judged += 1;
        self.judged_unsafe += usize::from(!concurrency_safe);
        Some(index)
    }

    fn may_start(&self, slot: &Slot) -> bool {
        if self.running == 0 {
            return true;
        }
        let earlier_are_settled = if slot.concurrency_safe { self.judged_unsafe == 0 } else { self.judged == 0 };
        earlier_are_settled
            && self.cap.is_none_or(|cap| self.running < cap)
            && self.table.is_free(&slot.claims, Among::Started, false)
    }

    /// A started call is permitted, with this final footprint if it may differ from the first one. Returns whether it
    /// may begin to work at once; otherwise [`Gate::begin_next`] will name it. Does nothing, and allows it, for a call
    /// that is not being judged.
    pub fn settle(&mut self, index: CallIndex, last: Option<&Footprint>) -> bool {
        if self.slots.get(index).is_none_or(|slot| slot.stage != Stage::Judged) {
            return true;
        }
        self.leave_judgement(index);
        let more = last.map(|last| self.table.claims_of(last));
        let slot = &mut self.slots[index];
        if let Some(claims) = more.and_then(|more| self.table.grown(&slot.claims, &more)) {
            self.table.remove(&slot.claims, Among::Started);
            self.table.add(&claims, Among::Started);
            slot.claims = claims;
            slot.has_grown = true;
            self.grown += 1;
        }
        let may_begin = self.may_begin(index);
        if may_begin {
            self.begin(index);
        } else {
            self.slots[index].stage = Stage::Held;
            self.held.insert(index);
        }
        may_begin
    }

    fn may_begin(&self, index: CallIndex) -> bool {
        if self.grown == 0 {
            // Whoever was let start beside the others may work beside them.
            return true;
        }
        let slot = &self.slots[index];
        let waits_for_earlier = if slot.has_grown {
            self.first_open < index
        } else {
            self.held.first().is_some_and(|&first| first < index)
                && !self.table.is_free(&slot.claims, Among::Started, true)
        };
        !waits_for_earlier && self.table.is_free(&slot.claims, Among::Working, false)
    }

    fn begin(&mut self, index: CallIndex) {
        self.slots[index].stage = Stage::Working;
        self.table.add(&self.slots[index].claims, Among::Working);
    }

    fn leave_judgement(&mut self, index: CallIndex) {
        self.judged -= 1;
        self.judged_unsafe -= usize::from(!self.slots[index].concurrency_safe);
    }

    /// Takes the next held call that may begin to work now, if there is one. Ask until it answers `None`.
    pub fn begin_next(&mut self) -> Option<CallIndex> {
        let &index = self.held.first()?;
        if !self.may_begin(index) {
            return None;
        }
        self.held.remove(&index);
        self.begin(index);
        Some(index)
    }

    /// Whether the work of a call has begun.
    pub fn is_working(&self, index: CallIndex) -> bool {
        self.slots.get(index).is_some_and(|slot| slot.stage == Stage::Working)
    }

    /// A started call has ended, wherever it was.
    pub fn complete(&mut self, index: CallIndex) {
        let Some(slot) = self.slots.get_mut(index) else { return };
        let stage = std::mem::replace(&mut slot.stage, Stage::Over);
        match stage {
            Stage::Queued | Stage::Over => {
                slot.stage = stage;
                return;
            }
            Stage::Judged => self.leave_judgement(index),
            Stage::Held => {
                self.held.remove(&index);
            }
            Stage::Working => self.table.remove(&slot.claims, Among::Working),
        }
        let slot = &self.slots[index];
        self.table.remove(&slot.claims, Among::Started);
        self.grown -= usize::from(slot.has_grown);
        self.running -= 1;
        self.pass_what_is_over();
    }

    fn pass_what_is_over(&mut self) {
        while self.slots.get(self.first_open).is_some_and(|slot| slot.stage == Stage::Over) {
            self.first_open += 1;
        }
    }

    /// Whether nothing else can run, or can have run, beside the work of this call.
    pub fn runs_alone(&self, index: CallIndex) -> bool {
        self.slots.get(index).is_some_and(|slot| slot.claims.are_exclusive())
    }

    /// Whether the calls that ran together are all over: nothing runs, and what comes next is not one more that would
    /// run beside them.
    pub fn batch_is_over(&self) -> bool {
        let is_safe = |index: usize| self.slots.get(index).is_some_and(|slot| slot.concurrency_safe);
        self.running == 0 && !(is_safe(self.next) && self.next.checked_sub(1).is_none_or(is_safe))
    }

    /// Empties the queue: what has not started never will. Returns the calls in order.
    pub fn drain(&mut self) -> std::ops::Range<CallIndex> {
        let waiting = self.next..self.slots.len();
        for slot in &mut self.slots[waiting.clone()] {
            slot.stage = Stage::Over;
        }
        self.next = self.slots.len();
        self.pass_what_is_over();
        waiting
    }

    /// How many calls run: they have started and are not over.
    pub fn running(&self) -> usize {
        self.running
    }

    /// How many calls wait to start.
    pub fn waiting(&self) -> usize {
        self.slots.len() - self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::{ResourceKey, Resources};

    /// The rule as the seeds write it, with conflicts of keys in place of the two kinds: scan the whole queue after
    /// every event, and compare with every running call.
    #[derive(Clone, Default)]
    struct Naive {
        calls: Vec<(Footprint, State)>,
    }

    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Queued,
        Judged,
        Working,
        Done,
    }

    fn conflict(one: &Footprint, two: &Footprint) -> bool {
        match (&one.resources, &two.resources) {
            (Some(one), Some(two)) => one.conflicts_with(two),
            (None, None) => !(one.concurrency_safe && two.concurrency_safe),
            (None, Some(keys)) => !one.concurrency_safe || !keys.writes.is_empty(),
            (Some(keys), None) => !two.concurrency_safe || !keys.writes.is_empty(),
        }
    }

    impl Naive {
        fn has_keys(&self) -> bool {
            self.calls.iter().any(|(footprint, _)| footprint.resources.is_some())
        }

        fn process(&mut self) -> Vec<usize> {
            let mut started = Vec::new();
            for at in 0..self.calls.len() {
                let (footprint, state) = &self.calls[at];
                if *state != State::Queued {
                    continue;
                }
                let running = |call: &&(Footprint, State)| matches!(call.1, State::Judged | State::Working);
                let may_start = self.calls.iter().filter(running).all(|(other, state)| {
                    let is_settled = *state == State::Working;
                    let may_be_unsettled = footprint.concurrency_safe && other.concurrency_safe;
                    !conflict(footprint, other) && (is_settled || may_be_unsettled)
                });
                if may_start {
                    self.calls[at].1 = State::Judged;
                    started.push(at);
                } else if !self.calls[at].0.concurrency_safe || self.has_keys() {
                    // With keys a safe call may have to wait too, and then it holds back as well.
                    break;
                }
            }
            started
        }
    }

    fn started(gate: &mut Gate) -> Vec<usize> {
        std::iter::from_fn(|| gate.start_next()).collect()
    }

    /// Every queue of up to six calls, every order of arrivals, settlements and completions: same starts as the naive
    /// rule.
    #[test]
    fn equals_the_naive_rule_for_all_small_queues() {
        fn explore(gate: &Gate, naive: &Naive, to_push: &[Footprint], is_judging_seen: bool, visited: &mut usize) {
            *visited += 1;
            let check = |mut gate: Gate, mut naive: Naive, to_push: &[Footprint], visited: &mut usize| {
                let starts = started(&mut gate);
                assert_eq!(starts, naive.process());
                if !is_judging_seen {
                    for at in starts {
                        assert!(gate.settle(at, None));
                        naive.calls[at].1 = State::Working;
                    }
                }
                explore(&gate, &naive, to_push, is_judging_seen, visited);
            };
            if let Some((footprint, rest)) = to_push.split_first() {
                let (mut gate, mut naive) = (gate.clone(), naive.clone());
                gate.push(footprint);
                naive.calls.push((footprint.clone(), State::Queued));
                check(gate, naive, rest, visited);
            }
            for at in 0..naive.calls.len() {
                let state = naive.calls[at].1;
                let (mut gate, mut naive) = (gate.clone(), naive.clone());
                match state {
                    State::Judged => {
                        assert!(gate.settle(at, None));
                        naive.calls[at].1 = State::Working;
                    }
                    State::Working => {
                        gate.complete(at);
                        naive.calls[at].1 = State::Done;
                    }
                    State::Queued | State::Done => continue,
                }
                check(gate, naive, to_push, visited);
            }
        }
        let key = |text| Some(Resources::writing(ResourceKey::new(text)));
        let keyed = |text| Footprint { concurrency_safe: false, resources: key(text) };
        let reads = Footprint { concurrency_safe: true, resources: Some(Resources::reading(ResourceKey::new("f"))) };
        let simple = [Footprint::undeclared(true), Footprint::undeclared(false)];
        let all = [simple[0].clone(), simple[1].clone(), keyed("f/a"), keyed("f/b"), reads];
        let mut visited = 0;
        for (kinds, longest, is_judging_seen) in [(&simple[..], 6, false), (&simple[..], 3, true), (&all[..], 3, true)]
        {
            for length in 0..=longest {
                for number in 0..kinds.len().pow(length) {
                    let queue: Vec<Footprint> =
                        (0..length).map(|at| kinds[number / kinds.len().pow(at) % kinds.len()].clone()).collect();
                    explore(&Gate::new(), &Naive::default(), &queue, is_judging_seen, &mut visited);
                }
            }
        }
        assert!(visited > 10_000, "only {visited} states were visited");
    }

    /// A small generator, so that every run sees the same numbers.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % end
        }
    }

    /// Random calls whose input may change into anything: what works never conflicts, a call that grew works after all
    /// before it, and something can always go on.
    #[test]
    fn changed_inputs_neither_break_the_rule_nor_get_stuck() {
        let declared = |reads: &[&str], writes: &[&str]| Footprint {
            concurrency_safe: false,
            resources: Some(Resources {
                reads: reads.iter().map(ResourceKey::new).collect(),
                writes: writes.iter().map(ResourceKey::new).collect(),
            }),
        };
        let kinds = [
            Footprint::undeclared(true),
            Footprint::undeclared(true),
            Footprint::undeclared(false),
            declared(&[], &["f/a"]),
            declared(&["f/a"], &["f/b"]),
            declared(&[], &["f"]),
            Footprint { concurrency_safe: true, ..declared(&["f/a"], &[]) },
        ];
        for seed in 0..3_000 {
            let mut numbers = Numbers(seed);
            let mut gate = Gate::new();
            let mut known: Vec<(Footprint, State)> = Vec::new();
            let mut to_push = numbers.below(12);
            loop {
                for at in started(&mut gate) {
                    known[at].1 = State::Judged;
                }
                let mut begun: Vec<usize> = std::iter::from_fn(|| gate.begin_next()).collect();
                let open: Vec<usize> = (0..known.len()).filter(|&at| gate.slots[at].stage == Stage::Judged).collect();
                let working: Vec<usize> = (0..known.len()).filter(|&at| known[at].1 == State::Working).collect();
                let choices = usize::from(to_push > 0) + open.len() + working.len();
                if choices == 0 && begun.is_empty() {
                    break;
                }
                if choices > 0 {
                    let choice = numbers.below(choices);
                    if let Some(&at) = open.get(choice) {
                        let last = &kinds[numbers.below(kinds.len())];
                        let changes = numbers.below(3) == 0;
                        if gate.settle(at, changes.then_some(last)) {
                            begun.push(at);
                        }
                        if changes && (gate.slots[at].has_grown || known[at].0.resources.is_some()) {
                            known[at].0 = last.clone();
                        }
                    } else if let Some(&at) = working.get(choice - open.len()) {
                        gate.complete(at);
                        known[at].1 = State::Done;
                    } else {
                        to_push -= 1;
                        let footprint = kinds[numbers.below(kinds.len())].clone();
                        gate.push(&footprint);
                        known.push((footprint, State::Queued));
                    }
                }
                for at in begun {
                    known[at].1 = State::Working;
                    for (other, (footprint, state)) in known.iter().enumerate() {
                        let beside = other != at && *state == State::Working;
                        assert!(!beside || !conflict(footprint, &known[at].0), "seed {seed}: {other} and {at}");
                    }
                    let earlier_are_over = known[..at].iter().all(|(_, state)| *state == State::Done);
                    assert!(!gate.slots[at].has_grown || earlier_are_over, "seed {seed}: {at} came too early");
                }
            }
            assert!(known.iter().all(|(_, state)| *state == State::Done), "seed {seed} got stuck");
            assert_eq!((gate.running(), gate.waiting(), gate.grown, gate.judged), (0, 0, 0, 0), "seed {seed}");
        }
    }

    #[test]
    fn a_batch_is_over_when_its_last_call_is() {
        let mut gate = Gate::with_cap(1);
        for safe in [true, true, false, true] {
            gate.push(&Footprint::undeclared(safe));
        }
        let mut over = Vec::new();
        for index in 0..4 {
            assert_eq!(gate.start_next(), Some(index));
            assert!(!gate.batch_is_over());
            gate.complete(index);
            over.push(gate.batch_is_over());
        }
        assert_eq!(over, [false, true, true, true]);
    }

    #[test]
    fn a_cap_limits_those_that_run_together() {
        let mut gate = Gate::with_cap(2);
        for _ in 0..3 {
            gate.push(&Footprint::undeclared(true));
        }
        assert_eq!(started(&mut gate), [0, 1]);
        gate.complete(0);
        assert_eq!(started(&mut gate), [2]);
    }

    #[test]
    fn what_is_drained_never_starts_and_stands_in_nobodys_way() {
        let mut gate = Gate::new();
        let alone = Footprint::undeclared(false);
        for _ in 0..3 {
            gate.push(&alone);
        }
        assert_eq!(started(&mut gate), [0]);
        assert_eq!(gate.drain(), 1..3);
        gate.complete(0);
        assert_eq!((started(&mut gate), gate.waiting()), (Vec::new(), 0));
        gate.push(&Footprint::undeclared(true));
        assert_eq!(started(&mut gate), [3]);
        assert!(gate.settle(3, Some(&alone)), "all before it are over");
    }
}
