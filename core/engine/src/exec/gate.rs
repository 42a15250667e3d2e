//! The start rule as a state machine without I/O, clock or threads. Both executors ask it and nothing else decides.
//!
//! The rule (seeds 4.5, 5.5): a call may start if nothing runs, or if it and all running calls are concurrency-safe;
//! a call that may not start holds back everything behind it. The naive form scans the queue after every event. Here
//! it needs only the head: while an exclusive call runs nothing may start, and otherwise the first call that may not
//! start is an exclusive one, which stops the scan. So each event costs O(1), however long the queue is.

use std::collections::VecDeque;

/// A call, by the order in which the model asked for it.
pub type CallIndex = usize;

/// Decides what may start.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    queue: VecDeque<(CallIndex, bool)>,
    running_safe: usize,
    exclusive_runs: bool,
    last_was_exclusive: bool,
    next: CallIndex,
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
    pub fn push(&mut self, concurrency_safe: bool) -> CallIndex {
        let index = self.next;
        self.next += 1;
        self.queue.push_back((index, concurrency_safe));
        index
    }

    /// Takes the next call that may start now, if there is one. The caller starts it and later reports
    /// [`Gate::complete`]. Ask until it answers `None`.
    pub fn start_next(&mut self) -> Option<CallIndex> {
        let &(index, safe) = self.queue.front()?;
        if !self.may_start(safe) {
            return None;
        }
        self.queue.pop_front();
        self.last_was_exclusive = !safe;
        if safe {
            self.running_safe += 1;
        } else {
            self.exclusive_runs = true;
        }
        Some(index)
    }

    fn may_start(&self, safe: bool) -> bool {
        if self.exclusive_runs {
            return false;
        }
        let below_cap = self.cap.is_none_or(|cap| self.running_safe < cap);
        if safe { below_cap } else { self.running_safe == 0 }
    }

    /// A started call has ended.
    pub fn complete(&mut self, concurrency_safe: bool) {
        if concurrency_safe {
            self.running_safe = self.running_safe.saturating_sub(1);
        } else {
            self.exclusive_runs = false;
        }
    }

    /// Whether the calls that ran together are all over: nothing runs, and what comes next is not one more that would
    /// run beside them.
    pub fn batch_is_over(&self) -> bool {
        self.running() == 0 && (self.last_was_exclusive || !self.queue.front().is_some_and(|&(_, safe)| safe))
    }

    /// Empties the queue: what has not started never will. Returns the calls in order.
    pub fn drain(&mut self) -> Vec<CallIndex> {
        self.queue.drain(..).map(|(index, _)| index).collect()
    }

    /// How many calls run.
    pub fn running(&self) -> usize {
        self.running_safe + usize::from(self.exclusive_runs)
    }

    /// How many calls wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule as the seeds write it: scan the whole queue after every event.
    #[derive(Default)]
    struct Naive {
        calls: Vec<(bool, State)>,
    }

    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Queued,
        Running,
        Done,
    }

    impl Naive {
        fn process(&mut self) -> Vec<usize> {
            let mut started = Vec::new();
            for at in 0..self.calls.len() {
                let (safe, state) = self.calls[at];
                if state != State::Queued {
                    continue;
                }
                let mut running = self.calls.iter().filter(|call| call.1 == State::Running).peekable();
                if running.peek().is_none() || (safe && running.all(|call| call.0)) {
                    self.calls[at].1 = State::Running;
                    started.push(at);
                } else if !safe {
                    break;
                }
            }
            started
        }
    }

    /// Every queue of up to six calls, every order of arrivals and completions: same starts as the naive rule.
    #[test]
    fn equals_the_naive_rule_for_all_small_queues() {
        fn explore(gate: &Gate, naive: &[(bool, State)], to_push: &[bool], visited: &mut usize) {
            *visited += 1;
            if let Some((&safe, rest)) = to_push.split_first() {
                let (mut gate, mut naive) = (gate.clone(), Naive { calls: naive.to_vec() });
                gate.push(safe);
                naive.calls.push((safe, State::Queued));
                let started: Vec<usize> = std::iter::from_fn(|| gate.start_next()).collect();
                assert_eq!(started, naive.process());
                explore(&gate, &naive.calls, rest, visited);
            }
            for at in 0..naive.len() {
                if naive[at].1 == State::Running {
                    let (mut gate, mut naive) = (gate.clone(), Naive { calls: naive.to_vec() });
                    naive.calls[at].1 = State::Done;
                    gate.complete(naive.calls[at].0);
                    let started: Vec<usize> = std::iter::from_fn(|| gate.start_next()).collect();
                    assert_eq!(started, naive.process());
                    explore(&gate, &naive.calls, to_push, visited);
                }
            }
        }
        let mut visited = 0;
        for length in 0..=6_u32 {
            for bits in 0..2_u32.pow(length) {
                let safes: Vec<bool> = (0..length).map(|at| bits >> at & 1 == 1).collect();
                explore(&Gate::new(), &[], &safes, &mut visited);
            }
        }
        assert!(visited > 10_000, "only {visited} states were visited");
    }

    #[test]
    fn a_batch_is_over_when_its_last_call_is() {
        let mut gate = Gate::with_cap(1);
        for safe in [true, true, false, true] {
            gate.push(safe);
        }
        let mut over = Vec::new();
        for safe in [true, true, false, true] {
            assert!(gate.start_next().is_some());
            assert!(!gate.batch_is_over());
            gate.complete(safe);
            over.push(gate.batch_is_over());
        }
        assert_eq!(over, [false, true, true, true]);
    }

    #[test]
    fn a_cap_limits_the_safe_ones() {
        let mut gate = Gate::with_cap(2);
        for _ in 0..3 {
            gate.push(true);
        }
        assert_eq!(std::iter::from_fn(|| gate.start_next()).count(), 2);
        gate.complete(true);
        assert_eq!(gate.start_next(), Some(2));
    }
}
