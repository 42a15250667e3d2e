//! Check 4, `OBFUSCATED_FLAGS`: an option whose name is broken up by quotes or escapes, so that it is not
//! seen by someone who reads the text. Bad: `find . -'del'ete`, `rg --pr\e x`. Good: `cut -d"," x`, `cat -- "-file"`.

use super::{Check, Hit, Subject};
use crate::syntax::Word;

pub(super) const CHECK: Check = Check { id: 4, name: "OBFUSCATED_FLAGS", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    for command in subject.commands() {
        let options = command.words.iter().skip(1).take_while(|word| word.known().as_deref() != Some("--"));
        for word in options {
            if is_obfuscated(word) {
                return Some(Hit::decisive(format!("an option is written as {}", word.source), word.span));
            }
        }
    }
    None
}

/// The name of an option is one piece in plain sight: all bare, or all in one pair of quotes.
fn is_obfuscated(word: &Word) -> bool {
    if !word.may_start_with_dash() || word.bare().is_some_and(|value| value == word.source) {
        return false;
    }
    let prefix = word.fixed_prefix();
    if !prefix.starts_with('-') || prefix.len() < 2 {
        return false;
    }
    if word.source.contains("$'") && prefix.len() > 1 && word.source.trim_start_matches(['\'', '"']).starts_with("$'") {
        return true;
    }
    let name = if prefix.starts_with("--") {
        prefix.find('=').unwrap_or(prefix.len())
    } else {
        1 + prefix.chars().nth(1).map_or(0, char::len_utf8)
    };
    let visible = word.source.strip_prefix(['"', '\'']).unwrap_or(&word.source);
    let Some(shown) = visible.get(..name) else { return true };
    if Some(shown) != prefix.get(..name) {
        return true;
    }
    // A long option that goes on after a quote in its middle shows only a part of its name.
    prefix.starts_with("--") && name == prefix.len() && word.source.len() > name + 2
}
