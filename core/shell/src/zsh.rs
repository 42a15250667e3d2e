//! What zsh reads differently from bash. A text is simple for zsh only inside of a small common subset; this file owns
//! that subset.

use crate::syntax::{Issue, Span};

/// Adds an issue for the first thing that is outside of the subset both shells read alike.
pub(crate) fn add_issues(text: &str, issues: &mut Vec<Issue>) {
    let mut quote: Option<char> = None;
    let mut word_start = true;
    for (at, ch) in text.char_indices() {
        let sound = match quote {
            Some('\'') => true,
            Some(_) => !matches!(ch, '$' | '`' | '\\' | '!'),
            None => match ch {
                '\'' | '"' | ' ' | '\n' | ';' | '&' | '|' => true,
                '=' | '~' | ':' | '%' if word_start => false,
                '_' | '-' | '.' | '/' | ':' | ',' | '@' | '%' | '+' | '=' => true,
                ch => ch.is_ascii_alphanumeric(),
            },
        };
        if !sound {
            issues.push(Issue { reason: "zsh may read this differently", span: Span::new(at, at + ch.len_utf8()) });
            return;
        }
        match quote {
            Some(open) if open == ch => quote = None,
            None if ch == '\'' || ch == '"' => quote = Some(ch),
            _ => {}
        }
        word_start = quote.is_none() && matches!(ch, ' ' | '\n' | ';' | '&' | '|' | '=' | ':');
    }
}
