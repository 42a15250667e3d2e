//! Rules to offer with a question: what, if saved as an allow rule, would answer the same call in future. Owns the
//! wording of suggestions, never whether one is needed.

use toolreeve_shell::CommandFacts;

use crate::matcher::{path, pattern};
use crate::query::Access;

/// A call shows at most this many.
pub const MAX_SUGGESTIONS: usize = 5;

/// The rule for one command: its two-word prefix, else its exact text.
pub(crate) fn for_command(tool: &str, command: &CommandFacts) -> Option<String> {
    let text = match &command.prefix {
        Some(prefix) => return Some(format!("{tool}({prefix}:*)")),
        None if command.stripped.is_empty() => &command.text,
        None => &command.stripped,
    };
    for_text(tool, text)
}

/// The rule for exactly this text.
pub(crate) fn for_text(tool: &str, text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| format!("{tool}({})", pattern::escape(text)))
}

/// The rule for one path, or for everything in a folder.
pub(crate) fn for_path(access: Access, absolute: &str, folder: bool) -> Option<String> {
    let inner = absolute.strip_prefix('/')?;
    let tool = if access == Access::Read { "Read" } else { "Edit" };
    let below = match (folder, inner.is_empty()) {
        (true, true) => "**",
        (true, false) => "/**",
        (false, _) => "",
    };
    Some(format!("{tool}(//{}{below})", path::escape(inner)))
}

/// Joins the suggestions of several parts: each once, in order, at most [`MAX_SUGGESTIONS`].
pub(crate) fn joined<'a>(suggestions: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for suggestion in suggestions {
        if all.len() < MAX_SUGGESTIONS && !all.contains(suggestion) {
            all.push(suggestion.clone());
        }
    }
    all
}
