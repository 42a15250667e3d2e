//! Cancellation as a tree of tokens (turn > siblings > call), each with the reason it was fired for. A node knows its
//! parent and a parent knows nothing of its children, so a token costs one allocation, leaves nothing behind when it
//! is dropped, and is only registered anywhere while somebody waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::select_all;
use serde::Serialize;
use tokio::sync::Notify;

/// Why something was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CancelReason {
    /// The person interrupted the turn.
    User,
    /// A sibling call failed in a way that makes the others pointless.
    SiblingError,
    /// The attempt that the call belonged to was given up.
    Discarded,
    /// A deadline passed.
    Timeout,
    /// The host shuts down or dropped the turn.
    Shutdown,
}

/// Every reason at its number, which is 1 more than its place here. There is room for eight.
const REASONS: [CancelReason; 5] = [
    CancelReason::User,
    CancelReason::SiblingError,
    CancelReason::Discarded,
    CancelReason::Timeout,
    CancelReason::Shutdown,
];

/// The reasons a node was fired for, in the order of firing: four bits each, the first lowest, zero for none.
#[derive(Clone, Copy)]
struct Fired(u32);

impl Fired {
    fn reasons(self) -> impl Iterator<Item = CancelReason> {
        (0..8).map_while(move |at| REASONS.get(((self.0 >> (4 * at)) & 0xf).checked_sub(1)? as usize).copied())
    }

    fn with(self, reason: CancelReason) -> Option<Self> {
        if self.reasons().any(|known| known == reason) {
            return None;
        }
        Some(Self(self.0 | (reason as u32 + 1) << (4 * self.reasons().count())))
    }
}

#[derive(Debug, Default)]
struct Node {
    fired: AtomicU32,
    changed: Notify,
    parent: Option<CancelToken>,
    /// A reason that does not pass from above to this node and those below it.
    ignored: Option<CancelReason>,
}

/// One node of the tree. Cancelling a node cancels everything below it and nothing above. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<Node>);

impl CancelToken {
    /// A root.
    pub fn new() -> Self {
        Self::default()
    }

    /// A node below this one.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(Node { parent: Some(self.clone()), ..Node::default() }))
    }

    /// A node below this one that `reason` does not reach when it is fired further up; every other reason does.
    #[must_use]
    pub fn child_ignoring(&self, reason: CancelReason) -> Self {
        Self(Arc::new(Node { parent: Some(self.clone()), ignored: Some(reason), ..Node::default() }))
    }

    /// Fires this node and everything below. The first reason stays the one that is told.
    pub fn cancel(&self, reason: CancelReason) {
        let added = self.0.fired.fetch_update(Ordering::AcqRel, Ordering::Acquire, |fired| {
            Fired(fired).with(reason).map(|Fired(more)| more)
        });
        if added.is_ok() {
            self.0.changed.notify_waiters();
        }
    }

    /// Whether this node or one above has fired.
    pub fn is_cancelled(&self) -> bool {
        self.reason().is_some()
    }

    /// Why it fired: its own reason, else that of the nearest node above.
    pub fn reason(&self) -> Option<CancelReason> {
        // Most tokens never fire, so the way up is first walked without a thought for reasons.
        if self.path().all(|node| node.fired.load(Ordering::Acquire) == 0) {
            return None;
        }
        let mut ignored = Vec::new();
        self.path().find_map(|node| {
            let fired = Fired(node.fired.load(Ordering::Acquire));
            let reason = fired.reasons().find(|reason| !ignored.contains(reason));
            ignored.extend(node.ignored);
            reason
        })
    }

    /// Waits until it fires. Cancel safe: dropping the future loses nothing.
    pub async fn cancelled(&self) -> CancelReason {
        loop {
            // Registered first and asked second, so that no firing in between is missed.
            let changes: Vec<_> = self.path().map(|node| Box::pin(node.changed.notified())).collect();
            if let Some(reason) = self.reason() {
                return reason;
            }
            select_all(changes).await;
        }
    }

    /// This node and those above it.
    fn path(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(Some(self.0.as_ref()), |node| node.parent.as_ref().map(|parent| parent.0.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn a_child_knows_the_reason_of_its_parent_and_the_parent_not_of_its_child() {
        let turn = CancelToken::new();
        let call = turn.child();
        let other = turn.child();
        call.cancel(CancelReason::SiblingError);
        assert!(!turn.is_cancelled() && !other.is_cancelled());
        turn.cancel(CancelReason::User);
        assert_eq!(other.reason(), Some(CancelReason::User));
        assert_eq!(call.reason(), Some(CancelReason::SiblingError));
    }

    #[test]
    fn every_reason_fits_and_the_first_one_is_told() {
        for first in REASONS {
            let token = CancelToken::new();
            token.cancel(first);
            for later in REASONS {
                token.cancel(later);
            }
            assert_eq!(token.reason(), Some(first));
            let fired = Fired(token.0.fired.load(Ordering::Acquire));
            assert_eq!(fired.reasons().count(), REASONS.len());
        }
    }

    #[test]
    fn an_ignored_reason_from_above_does_not_hide_a_later_one() {
        let turn = CancelToken::new();
        let must_finish = turn.child().child_ignoring(CancelReason::User);
        let below = must_finish.child();
        turn.cancel(CancelReason::User);
        assert_eq!((must_finish.reason(), below.reason()), (None, None));
        turn.cancel(CancelReason::Timeout);
        assert_eq!(below.reason(), Some(CancelReason::Timeout));
        assert_eq!(turn.reason(), Some(CancelReason::User));
        let own = turn.child_ignoring(CancelReason::User);
        own.cancel(CancelReason::User);
        assert_eq!(own.reason(), Some(CancelReason::User), "only what is fired above is ignored");
    }

    #[test]
    fn a_waiter_wakes_for_every_node_above_and_sleeps_through_what_it_ignores() {
        let turn = CancelToken::new();
        let call = turn.child().child_ignoring(CancelReason::User);
        let mut waiting = Box::pin(call.cancelled());
        assert_eq!(waiting.as_mut().now_or_never(), None);
        turn.cancel(CancelReason::User);
        assert_eq!(waiting.as_mut().now_or_never(), None);
        turn.cancel(CancelReason::Shutdown);
        assert_eq!(waiting.now_or_never(), Some(CancelReason::Shutdown));
    }
}
