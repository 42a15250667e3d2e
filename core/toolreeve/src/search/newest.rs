//! The newest files of many, in bounded memory.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// One file. The greater of two is the one to be shown later: the older, or the later in the alphabet.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    modified: SystemTime,
    path: PathBuf,
}

impl Entry {
    fn order(&self, modified: SystemTime, path: &Path) -> Ordering {
        modified.cmp(&self.modified).then_with(|| self.path.as_path().cmp(path))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order(other.modified, &other.path)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Keeps the newest `capacity` files; counts all. Files of the same age are ordered by path.
#[derive(Debug, Default)]
pub(crate) struct Newest {
    capacity: usize,
    heap: BinaryHeap<Entry>,
    total: usize,
}

impl Newest {
    /// An empty one.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, heap: BinaryHeap::new(), total: 0 }
    }

    /// Takes a file. The path is only copied if it is kept.
    pub(crate) fn add(&mut self, modified: SystemTime, path: &Path) {
        self.total += 1;
        if self.heap.len() >= self.capacity {
            match self.heap.peek() {
                Some(last) if last.order(modified, path).is_gt() => {}
                _ => return,
            }
            self.heap.pop();
        }
        self.heap.push(Entry { modified, path: path.to_path_buf() });
    }

    /// Takes everything that another one kept and counted.
    pub(crate) fn merge(&mut self, other: Self) {
        self.total += other.total;
        for entry in other.heap {
            self.heap.push(entry);
            if self.heap.len() > self.capacity {
                self.heap.pop();
            }
        }
    }

    /// How many files were added.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// The kept files, newest first.
    pub(crate) fn into_paths(self) -> Vec<PathBuf> {
        self.heap.into_sorted_vec().into_iter().map(|entry| entry.path).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_newest_are_kept_whatever_the_order_they_come_in() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let files = [(3, "c"), (9, "z"), (3, "a"), (3, "b"), (7, "y"), (1, "old")];
        for shift in 0..files.len() {
            let (mut one, mut two) = (Newest::new(4), Newest::new(4));
            for index in 0..files.len() {
                let (seconds, path) = files[(index + shift) % files.len()];
                if index % 2 == 0 { &mut one } else { &mut two }.add(at(seconds), Path::new(path));
            }
            one.merge(two);
            assert_eq!(one.total(), 6);
            let paths: Vec<PathBuf> = ["z", "y", "a", "b"].iter().map(PathBuf::from).collect();
            assert_eq!(one.into_paths(), paths, "shift {shift}");
        }
    }

    #[test]
    fn a_capacity_of_nothing_keeps_nothing() {
        let mut newest = Newest::new(0);
        newest.add(SystemTime::UNIX_EPOCH, Path::new("a"));
        assert_eq!((newest.total(), newest.into_paths().len()), (1, 0));
    }
}
