//! Puts results back into the order of the requests: the first to finish waits for those before it.

use std::collections::VecDeque;

/// A reorder buffer. Slots are numbered from 0 in the order of [`Ordered::reserve`].
#[derive(Debug)]
pub struct Ordered<T> {
    slots: VecDeque<Option<T>>,
    released: usize,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self { slots: VecDeque::new(), released: 0 }
    }
}

impl<T> Ordered<T> {
    /// Makes room for the next in order and returns its number.
    pub fn reserve(&mut self) -> usize {
        self.slots.push_back(None);
        self.released + self.slots.len() - 1
    }

    /// Fills a slot. The first filling stays: each request has exactly one result. Returns whether it was the first.
    pub fn fill(&mut self, index: usize, item: T) -> bool {
        match index.checked_sub(self.released).and_then(|at| self.slots.get_mut(at)) {
            Some(slot @ None) => {
                *slot = Some(item);
                true
            }
            _ => false,
        }
    }

    /// Whether the next in order is there.
    pub fn is_ready(&self) -> bool {
        self.slots.front().is_some_and(Option::is_some)
    }

    /// Takes the next in order, if it is there.
    pub fn pop(&mut self) -> Option<T> {
        let item = self.slots.front_mut()?.take()?;
        self.slots.pop_front();
        self.released += 1;
        Some(item)
    }

    /// Whether everything that was reserved has been taken.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_and_takes_each_slot_once() {
        let mut ordered = Ordered::default();
        let (a, b) = (ordered.reserve(), ordered.reserve());
        assert!(ordered.fill(b, "b"));
        assert_eq!(ordered.pop(), None);
        assert!(ordered.fill(a, "a"));
        assert!(!ordered.fill(a, "again"));
        assert_eq!((ordered.pop(), ordered.pop(), ordered.pop()), (Some("a"), Some("b"), None));
        assert!(!ordered.fill(a, "late"));
        assert!(ordered.is_empty());
    }
}
