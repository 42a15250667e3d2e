//! Approvals as data: a question that the person puts off becomes a value that can be kept, listed, sent elsewhere,
//! answered later, given a time limit and revoked. Owns these values and their state; who is asked and what an answer
//! does to a call is in `pipeline/permit`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::host::{PromptAnswer, PromptRequest};

/// So many approvals may wait in one session; more are refused, so that a model cannot fill the memory with questions.
pub const MAX_PENDING_APPROVALS: usize = 1_000;

/// A question that waits for its answer. Plain data: another process may restore it and go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingApproval {
    /// The id: that of the call.
    pub id: String,
    /// The session that asked.
    pub session_id: String,
    /// When it was asked, in milliseconds since 1970.
    pub created_at: u64,
    /// When it is no longer to be answered, in milliseconds since 1970; `None` is never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// The whole question.
    pub request: PromptRequest,
    /// The answer, once there is one. It is used for one call with exactly the tool and the input of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<PromptAnswer>,
}

/// Why an approval cannot be answered, restored or revoked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalError {
    /// None with this id waits: it was used, revoked, or never there.
    #[error("no approval with the id {0:?} waits for an answer")]
    Unknown(String),
    /// Its time was over.
    #[error("the approval {0:?} expired; the call has to be asked for anew")]
    Expired(String),
    /// It has an answer already; revoke it first to change your mind.
    #[error("the approval {0:?} has an answer already; revoke it to change it")]
    Answered(String),
    /// An answer that puts off again is none.
    #[error("an approval that waits is answered by allow or deny")]
    NotAnAnswer,
    /// Too many wait.
    #[error("{MAX_PENDING_APPROVALS} approvals wait already; answer or revoke some first")]
    TooMany,
}

/// The approvals of a session that wait for an answer or for their call.
#[derive(Debug, Default)]
pub struct Approvals {
    list: Mutex<Vec<PendingApproval>>,
    /// Whether there may be any, so that the calls of a session without approvals take no lock.
    any: AtomicBool,
}

impl Approvals {
    fn list(&self) -> MutexGuard<'_, Vec<PendingApproval>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What waits for an answer or, answered, for its call; oldest first. What expired is gone.
    pub fn pending(&self) -> Vec<PendingApproval> {
        self.current(now()).clone()
    }

    /// The list without what expired.
    fn current(&self, now: u64) -> MutexGuard<'_, Vec<PendingApproval>> {
        let mut list = self.list();
        list.retain(|approval| !approval.is_expired(now));
        list
    }

    /// Answers one.
    ///
    /// # Errors
    /// If there is none with this id, it expired, it has an answer, or the answer puts off again.
    pub fn answer(&self, id: &str, answer: PromptAnswer) -> Result<(), ApprovalError> {
        self.answer_at(id, answer, now())
    }

    fn answer_at(&self, id: &str, answer: PromptAnswer, now: u64) -> Result<(), ApprovalError> {
        if matches!(answer, PromptAnswer::Defer { .. }) {
            return Err(ApprovalError::NotAnAnswer);
        }
        let mut list = self.list();
        let found = list.iter_mut().find(|approval| approval.id == id);
        let approval = found.ok_or_else(|| ApprovalError::Unknown(id.to_owned()))?;
        if approval.is_expired(now) {
            return Err(ApprovalError::Expired(id.to_owned()));
        }
        if approval.answer.is_some() {
            return Err(ApprovalError::Answered(id.to_owned()));
        }
        approval.answer = Some(answer);
        Ok(())
    }

    /// Takes one away, answered or not: its call has to be asked for anew.
    ///
    /// # Errors
    /// If there is none with this id.
    pub fn revoke(&self, id: &str) -> Result<PendingApproval, ApprovalError> {
        let mut list = self.list();
        let at = list.iter().position(|approval| approval.id == id);
        at.map(|at| list.remove(at)).ok_or_else(|| ApprovalError::Unknown(id.to_owned()))
    }

    /// Takes up one that was kept elsewhere. One with the same id is replaced.
    ///
    /// # Errors
    /// If it expired or too many wait.
    pub fn restore(&self, approval: PendingApproval) -> Result<(), ApprovalError> {
        let now = now();
        if approval.is_expired(now) {
            return Err(ApprovalError::Expired(approval.id));
        }
        if matches!(approval.answer, Some(PromptAnswer::Defer { .. })) {
            return Err(ApprovalError::NotAnAnswer);
        }
        self.keep(approval, now)
    }

    fn keep(&self, approval: PendingApproval, now: u64) -> Result<(), ApprovalError> {
        let mut list = self.current(now);
        list.retain(|kept| kept.id != approval.id);
        if list.len() >= MAX_PENDING_APPROVALS {
            return Err(ApprovalError::TooMany);
        }
        list.push(approval);
        self.any.store(true, Ordering::Release);
        Ok(())
    }

    /// Puts a question off.
    pub(crate) fn defer(
        &self,
        session_id: &str,
        request: PromptRequest,
        expires_in: Option<u64>,
    ) -> Result<PendingApproval, ApprovalError> {
        let created_at = now();
        let approval = PendingApproval {
            id: request.tool_use_id.clone(),
            session_id: session_id.to_owned(),
            created_at,
            expires_at: expires_in.map(|seconds| created_at.saturating_add(seconds.saturating_mul(1_000))),
            request,
            answer: None,
        };
        self.keep(approval.clone(), created_at)?;
        Ok(approval)
    }

    /// Takes the answer for a call, if there is one: the approval is used up.
    pub(crate) fn take_answer(&self, tool: &str, input: &serde_json::Value) -> Option<PromptAnswer> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let mut list = self.current(now());
        let at = list.iter().position(|approval| {
            approval.answer.is_some() && approval.request.tool_name == tool && approval.request.input == *input
        })?;
        list.remove(at).answer
    }
}

impl PendingApproval {
    fn is_expired(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

/// The time in milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolreeve_permission::{Behavior, Decision, Reason, ReasonKind};

    use crate::render::RenderNode;

    fn request(id: &str) -> PromptRequest {
        PromptRequest {
            tool_use_id: id.to_owned(),
            tool_name: "Work".to_owned(),
            display_name: "Work".to_owned(),
            input: json!({"text": id}),
            title: "Work".to_owned(),
            render: RenderNode::title("Work"),
            destructive_warnings: Vec::new(),
            suggestions: vec!["Work".to_owned()],
            blocked_path: None,
            decision: Decision::new(Behavior::Ask, Reason::new(ReasonKind::NoRule, "no rule covers it")),
        }
    }

    #[test]
    fn an_answer_is_used_once_and_for_exactly_its_call() {
        let approvals = Approvals::default();
        approvals.defer("s", request("a"), None).unwrap();
        assert_eq!(approvals.take_answer("Work", &json!({"text": "a"})), None, "it has no answer yet");
        approvals.answer("a", PromptAnswer::allow_once()).unwrap();
        assert_eq!(
            approvals.answer("a", PromptAnswer::deny("no")),
            Err(ApprovalError::Answered("a".to_owned())),
            "the first answer holds"
        );
        assert_eq!(approvals.take_answer("Work", &json!({"text": "b"})), None);
        assert_eq!(approvals.take_answer("Other", &json!({"text": "a"})), None);
        assert_eq!(approvals.take_answer("Work", &json!({"text": "a"})), Some(PromptAnswer::allow_once()));
        assert_eq!(approvals.take_answer("Work", &json!({"text": "a"})), None);
        assert!(approvals.pending().is_empty());
    }

    #[test]
    fn what_expired_is_neither_listed_nor_answered_nor_used() {
        let approvals = Approvals::default();
        let approval = approvals.defer("s", request("a"), Some(60)).unwrap();
        let over = approval.expires_at.unwrap();
        assert_eq!(over - approval.created_at, 60_000);
        assert_eq!(approvals.answer_at("a", PromptAnswer::allow_once(), over), Err(ApprovalError::Expired("a".into())));
        assert_eq!(approvals.current(over - 1).len(), 1);
        assert_eq!(approvals.current(over).len(), 0);
        let gone = PendingApproval { expires_at: Some(1), ..approval };
        assert_eq!(approvals.restore(gone), Err(ApprovalError::Expired("a".to_owned())));
    }

    #[test]
    fn revoked_means_gone() {
        let approvals = Approvals::default();
        approvals.defer("s", request("a"), None).unwrap();
        approvals.answer("a", PromptAnswer::allow_once()).unwrap();
        assert_eq!(approvals.revoke("a").unwrap().id, "a");
        assert_eq!(approvals.take_answer("Work", &json!({"text": "a"})), None);
        assert_eq!(approvals.revoke("a"), Err(ApprovalError::Unknown("a".to_owned())));
        assert_eq!(approvals.answer("a", PromptAnswer::allow_once()), Err(ApprovalError::Unknown("a".to_owned())));
    }

    #[test]
    fn another_process_restores_it_from_json() {
        let (here, there) = (Approvals::default(), Approvals::default());
        here.defer("s", request("a"), None).unwrap();
        let text = serde_json::to_string(&here.pending()[0]).unwrap();
        there.restore(serde_json::from_str(&text).unwrap()).unwrap();
        there.answer("a", PromptAnswer::deny("not today")).unwrap();
        let text = serde_json::to_string(&there.pending()[0]).unwrap();
        here.restore(serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!(here.pending().len(), 1, "the answered one took the place of the open one");
        assert_eq!(here.take_answer("Work", &json!({"text": "a"})), Some(PromptAnswer::deny("not today")));
    }

    #[test]
    fn their_number_is_bounded_and_putting_off_is_no_answer() {
        let approvals = Approvals::default();
        for at in 0..MAX_PENDING_APPROVALS {
            approvals.defer("s", request(&at.to_string()), None).unwrap();
        }
        assert_eq!(approvals.defer("s", request("more"), None), Err(ApprovalError::TooMany));
        let again = PromptAnswer::Defer { expires_in: None };
        assert_eq!(approvals.answer("0", again), Err(ApprovalError::NotAnAnswer));
    }
}
