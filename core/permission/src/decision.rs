//! The answer of the permission engine: a behaviour with its reason, as a tree. Owns no logic but the order of
//! behaviours; who decides what is in `evaluate`.

use serde::{Deserialize, Serialize};

use crate::source::{RuleSource, SourcedRule};

/// What is to be done with a call. The order is the strength: `Deny` beats `Ask` beats `Allow`, whatever the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Behavior {
    /// Run it without asking.
    Allow,
    /// A person must agree first; where there is nobody to ask this becomes a denial.
    Ask,
    /// Do not run it.
    Deny,
}

impl Behavior {
    /// The stable lower-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Why a decision came out as it did. The slugs are stable; the texts beside them are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ReasonKind {
    /// A deny rule matched.
    RuleDeny,
    /// An ask rule matched.
    RuleAsk,
    /// An allow rule matched.
    RuleAllow,
    /// The removal of a path that nothing may approve silently (`/`, the home folder, …).
    CriticalPath,
    /// A write to a file or folder that configures tools or shells.
    ProtectedPath,
    /// A path outside of the allowed directories.
    OutsideDirectory,
    /// The command could not be taken apart with certainty.
    TooComplex,
    /// The command could not be parsed at all.
    ParseUnavailable,
    /// A security check fired.
    Check,
    /// The call only reads, inside of the allowed directories.
    ReadOnly,
    /// A hook decided.
    Hook,
    /// The tool's own check decided.
    Tool,
    /// The mode decided.
    Mode,
    /// A classifier decided.
    Classifier,
    /// A person decided.
    Prompt,
    /// There is nobody to ask.
    NonInteractive,
    /// Nothing decided: the default is to ask.
    NoRule,
}

impl ReasonKind {
    /// The stable slug, for example `rule-deny`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RuleDeny => "rule-deny",
            Self::RuleAsk => "rule-ask",
            Self::RuleAllow => "rule-allow",
            Self::CriticalPath => "critical-path",
            Self::ProtectedPath => "protected-path",
            Self::OutsideDirectory => "outside-directory",
            Self::TooComplex => "too-complex",
            Self::ParseUnavailable => "parse-unavailable",
            Self::Check => "check",
            Self::ReadOnly => "read-only",
            Self::Hook => "hook",
            Self::Tool => "tool",
            Self::Mode => "mode",
            Self::Classifier => "classifier",
            Self::Prompt => "prompt",
            Self::NonInteractive => "non-interactive",
            Self::NoRule => "no-rule",
        }
    }
}

/// The cause of a decision: a stable kind, a sentence, and what it points at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The stable slug.
    pub kind: ReasonKind,
    /// One sentence for people and for the model.
    pub message: String,
    /// The text of the rule that matched, for example `Bash(git push:*)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Where that rule came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<RuleSource>,
    /// The file that the rule stands in and its place there, as `file:line:column`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Box<str>>,
    /// The number of the security check that fired, 1 to 23.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<u8>,
}

impl Reason {
    /// A reason that names no rule.
    pub fn new(kind: ReasonKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), rule: None, source: None, place: None, check: None }
    }

    /// A reason that names the rule which decided, with the rule's own message behind the given one.
    pub fn of_rule(kind: ReasonKind, message: impl Into<String>, rule: &SourcedRule) -> Self {
        let mut message = message.into();
        if let Some(own) = &rule.message {
            message.push_str(": ");
            message.push_str(own);
        }
        let place = rule.origin.as_ref().map(|at| format!("{}:{}:{}", at.file.display(), at.line, at.column).into());
        Self { rule: Some(rule.rule.text().to_owned()), source: Some(rule.source), place, ..Self::new(kind, message) }
    }
}

/// A behaviour, its reason, and the decisions of the parts it was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What is to be done.
    pub behavior: Behavior,
    /// Why.
    pub reason: Reason,
    /// The part that this decision is about (one sub-command), where it is not the whole call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Where that part stands in the text of the call: the bytes from the first up to but not with the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(usize, usize)>,
    /// The decisions of the parts, in the order of the text. Empty for a call that has no parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Decision>,
    /// Rules that, if saved as allow rules, would answer this call in future. At most five; a call with more parts that
    /// need one shows the first five.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The path that stood in the way, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_path: Option<String>,
}

impl Decision {
    /// A decision without parts and suggestions.
    pub fn new(behavior: Behavior, reason: Reason) -> Self {
        Self {
            behavior,
            reason,
            part: None,
            span: None,
            children: Vec::new(),
            suggestions: Vec::new(),
            blocked_path: None,
        }
    }

    /// Every decision of the tree, this one first.
    pub fn walk(&self) -> Vec<&Decision> {
        let mut all = vec![self];
        let mut at = 0;
        while let Some(decision) = all.get(at) {
            let children: Vec<&Decision> = decision.children.iter().collect();
            all.extend(children);
            at += 1;
        }
        all
    }
}
