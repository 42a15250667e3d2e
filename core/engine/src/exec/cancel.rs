//! Cancellation as a tree of tokens (turn > siblings > call), each with the reason it was fired for.

use std::sync::{Arc, OnceLock};

use serde::Serialize;
use tokio_util::sync::CancellationToken;

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

/// One node of the tree. Cancelling a node cancels everything below it and nothing above. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CancelToken {
    token: CancellationToken,
    reason: Arc<OnceLock<CancelReason>>,
    parent: Option<Arc<CancelToken>>,
}

impl Default for CancelToken {
    fn default() -> Self {
        Self::new()
    }
}

impl CancelToken {
    /// A root.
    pub fn new() -> Self {
        Self { token: CancellationToken::new(), reason: Arc::default(), parent: None }
    }

    /// A node below this one.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { token: self.token.child_token(), reason: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Fires this node and everything below. The first reason stays.
    pub fn cancel(&self, reason: CancelReason) {
        // A second cancel keeps the first reason, so the failed set is the wanted outcome.
        let _ = self.reason.set(reason);
        self.token.cancel();
    }

    /// Whether this node or one above has fired.
    pub fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Why it fired: its own reason, else that of the nearest node above.
    pub fn reason(&self) -> Option<CancelReason> {
        if !self.is_cancelled() {
            return None;
        }
        let mut node = self;
        loop {
            if let Some(reason) = node.reason.get() {
                return Some(*reason);
            }
            match &node.parent {
                Some(parent) => node = parent,
                None => return Some(CancelReason::Shutdown),
            }
        }
    }

    /// Waits until it fires. Cancel safe: dropping the future loses nothing.
    pub async fn cancelled(&self) -> CancelReason {
        self.token.cancelled().await;
        self.reason().unwrap_or(CancelReason::Shutdown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
