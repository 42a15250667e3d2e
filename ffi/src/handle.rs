//! Handles: numbers in the clothes of pointers. C holds them, passes them back, and they are looked up here; none is
//! ever followed. So a stale, foreign or invented handle is an error, from any thread and at any time.

use std::collections::HashMap;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::Failure;
use crate::status::toolreeve_status;

/// The objects of one type.
pub(crate) struct Table<T> {
    current: AtomicPtr<Objects<T>>,
    /// What handles of this type have in their low bits, so that those of another type are strangers.
    tag: usize,
}

struct Objects<T> {
    by_handle: RwLock<HashMap<usize, Arc<T>>>,
    /// The process that made them. A forked child gets a copy, perhaps in the middle of a change and locked for ever
    /// by a thread that stayed behind, so the child never touches it.
    process: u32,
}

/// Never used twice, whatever the type.
static NEXT: AtomicUsize = AtomicUsize::new(1);

const TAG_BITS: u32 = 3;

impl<T: 'static> Table<T> {
    /// An empty table; `tag` is below 8 and of its own.
    pub(crate) const fn new(tag: usize) -> Self {
        Self { current: AtomicPtr::new(ptr::null_mut()), tag }
    }

    /// Keeps an object and gives its handle, which is never NULL.
    pub(crate) fn insert<H>(&self, object: T) -> *mut H {
        let handle = NEXT.fetch_add(1, Ordering::Relaxed) << TAG_BITS | self.tag;
        let objects = self.objects_of_this_process();
        objects.by_handle.write().unwrap_or_else(PoisonError::into_inner).insert(handle, Arc::new(object));
        ptr::without_provenance_mut(handle)
    }

    /// The object of a handle.
    pub(crate) fn get<H>(&self, handle: *const H) -> Result<Arc<T>, Failure> {
        let objects = self.look(handle)?;
        let by_handle = objects.by_handle.read().unwrap_or_else(PoisonError::into_inner);
        by_handle.get(&handle.addr()).cloned().ok_or_else(invalid)
    }

    /// Takes an object out; its handle is invalid from now on.
    pub(crate) fn remove<H>(&self, handle: *const H) -> Result<Arc<T>, Failure> {
        let objects = self.look(handle)?;
        let removed = objects.by_handle.write().unwrap_or_else(PoisonError::into_inner).remove(&handle.addr());
        removed.ok_or_else(invalid)
    }

    fn look<H>(&self, handle: *const H) -> Result<&'static Objects<T>, Failure> {
        if handle.is_null() {
            return Err(Failure::null("the handle"));
        }
        let objects = self.current().ok_or_else(invalid)?;
        if objects.process == std::process::id() {
            return Ok(objects);
        }
        let words = "this process was forked after the object was made; make a new one in the child";
        Err(Failure::new(toolreeve_status::FORKED, words))
    }

    fn current(&self) -> Option<&'static Objects<T>> {
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: a pointer in `current` comes from `Box::into_raw` below and is never freed.
        unsafe { current.as_ref() }
    }

    /// The objects of this process; in a forked child a new, empty set, beside which the parent's is left alone.
    fn objects_of_this_process(&self) -> &'static Objects<T> {
        let process = std::process::id();
        loop {
            let known = self.current.load(Ordering::Acquire);
            // SAFETY: as in `current`.
            if let Some(objects) = unsafe { known.as_ref() }
                && objects.process == process
            {
                return objects;
            }
            let fresh = Box::into_raw(Box::new(Objects { by_handle: RwLock::default(), process }));
            if self.current.compare_exchange(known, fresh, Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: nobody else has seen it.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }
}

fn invalid() -> Failure {
    Failure::new(toolreeve_status::INVALID_HANDLE, "the handle names nothing: it was freed or is of another type")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_foreign_and_invented_handles_are_refused() {
        static NUMBERS: Table<u32> = Table::new(1);
        static TEXTS: Table<String> = Table::new(2);
        let status = |result: Result<Arc<u32>, Failure>| result.map_err(|failure| failure.status);
        let number = NUMBERS.insert::<u8>(7);
        let text = TEXTS.insert::<u8>("seven".to_owned());
        assert_eq!(*NUMBERS.get(number).unwrap(), 7);
        assert_eq!(status(NUMBERS.get(text)), Err(toolreeve_status::INVALID_HANDLE));
        assert_eq!(status(NUMBERS.get(ptr::null::<u8>())), Err(toolreeve_status::NULL_POINTER));
        assert_eq!(status(NUMBERS.get(ptr::dangling::<u64>())), Err(toolreeve_status::INVALID_HANDLE));
        assert_eq!(*NUMBERS.remove(number).unwrap(), 7);
        assert_eq!(status(NUMBERS.remove(number)), Err(toolreeve_status::INVALID_HANDLE));
        let next = NUMBERS.insert::<u8>(8);
        assert_ne!(next, number, "a handle is never used twice");
    }
}
