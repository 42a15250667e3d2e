//! Cuts a finished list of calls into batches, in the order of the model's output: neighbours that are
//! concurrency-safe share a batch, every other call is a batch of its own (seeds 4.5, 5.2).

use std::ops::Range;

/// A run of calls that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The calls, as positions in the list.
    pub calls: Range<usize>,
    /// Whether they run beside each other.
    pub concurrent: bool,
}

/// Cuts the list, given for each call whether it is concurrency-safe.
pub fn partition(safe: &[bool]) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for (at, &concurrent) in safe.iter().enumerate() {
        match batches.last_mut() {
            Some(batch) if concurrent && batch.concurrent => batch.calls.end = at + 1,
            _ => batches.push(Batch { calls: at..at + 1, concurrent }),
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_neighbours_share_a_batch() {
        let cut = |safe: &[bool]| partition(safe).into_iter().map(|batch| batch.calls).collect::<Vec<_>>();
        assert_eq!(cut(&[true, true, false, true, false, false]), vec![0..2, 2..3, 3..4, 4..5, 5..6]);
        assert_eq!(cut(&[]), Vec::<Range<usize>>::new());
    }
}
