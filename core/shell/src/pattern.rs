//! Patterns of the shell as text: one component after the other, each of plain characters, `*` and `?`, with a
//! backslash before a character that stands for itself. A bracket expression becomes `*`, because what it matches
//! depends on the locale: a pattern here matches everything that the shell's matches, and now and then more.
//! Owns this form and its matching; walking folders is up to whoever may look at them.

/// A component that stands for any number of folders, hidden ones included: a copied tree, and `**` in zsh. In bash `**`
/// is no more than `*`, as long as nobody sets `globstar`.
pub const ANY_DEPTH: &str = "**";

/// Makes the one-component pattern that matches just this name.
pub fn escape_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for ch in name.chars() {
        push_plain(&mut out, ch);
    }
    out
}

fn push_plain(out: &mut String, ch: char) {
    if matches!(ch, '*' | '?' | '[' | '\\') {
        out.push('\\');
    }
    out.push(ch);
}

/// The name that the component stands for, if it has no `*` and no `?`.
pub fn plain_name(component: &str) -> Option<String> {
    let mut out = String::with_capacity(component.len());
    let mut chars = component.chars();
    while let Some(ch) = chars.next() {
        match ch {
            '*' | '?' => return None,
            '\\' => out.extend(chars.next()),
            other => out.push(other),
        }
    }
    Some(out)
}

/// Whether the component matches the name. As in the shell, only a dot that stands there matches a leading dot.
///
/// ```
/// use toolreeve_shell::pattern_matches;
///
/// assert!(pattern_matches("*.rs", "a.rs") && pattern_matches("?\\*", "a*"));
/// assert!(!pattern_matches("*", ".env") && pattern_matches(".e*", ".env"));
/// ```
pub fn pattern_matches(component: &str, name: &str) -> bool {
    if name.starts_with('.') && !component.starts_with('.') && !component.starts_with("\\.") {
        return false;
    }
    let mut tokens = Vec::with_capacity(component.len());
    let mut chars = component.chars();
    while let Some(ch) = chars.next() {
        match ch {
            '*' => {
                if tokens.last() != Some(&Token::Any) {
                    tokens.push(Token::Any);
                }
            }
            '?' => tokens.push(Token::One),
            '\\' => tokens.extend(chars.next().map(Token::Plain)),
            other => tokens.push(Token::Plain(other)),
        }
    }
    let name: Vec<char> = name.chars().collect();
    // The usual walk with one place to go back to: the last star, and how far it has eaten.
    let (mut at, mut in_name, mut star) = (0, 0, None);
    while in_name < name.len() {
        match tokens.get(at) {
            Some(Token::Any) => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(token) if *token == Token::One || *token == Token::Plain(name[in_name]) => {
                at += 1;
                in_name += 1;
            }
            _ => match star {
                Some((place, eaten)) => {
                    star = Some((place, eaten + 1));
                    at = place + 1;
                    in_name = eaten + 1;
                }
                None => return false,
            },
        }
    }
    tokens[at..].iter().all(|token| *token == Token::Any)
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Token {
    Any,
    One,
    Plain(char),
}

/// A character of a word, and whether it is one of a pattern.
pub(crate) type Mark = (char, bool);

/// The components of a pattern, from the characters of a word. A trailing slash leaves an empty last component.
pub(crate) fn components(marks: &[Mark]) -> Vec<String> {
    let parts: Vec<&[Mark]> = marks.split(|mark| *mark == ('/', false)).collect();
    let last = parts.len().saturating_sub(1);
    parts
        .into_iter()
        .enumerate()
        .filter(|(at, part)| !(part.is_empty() && *at != last) && *part != [('.', false)])
        .map(|(_, part)| component(part))
        .collect()
}

fn component(part: &[Mark]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(&(ch, special)) = part.get(at) {
        match (ch, special) {
            ('[', true) => {
                out.push('*');
                // Where the expression ends depends on the classes in it: the last bracket is never too early.
                at = part.iter().rposition(|mark| mark.0 == ']').filter(|end| *end > at).unwrap_or(part.len());
            }
            (ch, true) => out.push(ch),
            (ch, false) => push_plain(&mut out, ch),
        }
        at += 1;
    }
    out
}

/// Whether the shell may take a component for `..`.
pub(crate) fn climbs(component: &str) -> bool {
    pattern_matches(component, "..")
}

/// Whether a path of these names may be matched by the pattern, or lie on the way to something that is.
pub(crate) fn passes(pattern: &str, names: &[&str]) -> bool {
    let components: Vec<&str> = pattern.split('/').collect();
    names.iter().enumerate().all(|(at, name)| {
        components[..components.len().min(at + 1)].contains(&ANY_DEPTH)
            || components.get(at).is_some_and(|component| pattern_matches(component, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_match_names_as_in_the_shell() {
        for (component, name, expected) in [
            ("*", "a", true),
            ("*", ".a", false),
            (".*", ".a", true),
            ("a*b*c", "a1b2bc", true),
            ("a*b*c", "a1b2b", false),
            ("??", "ab", true),
            ("??", "a", false),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("**", "a", true),
            ("", "", true),
            ("é?", "éß", true),
        ] {
            assert_eq!(pattern_matches(component, name), expected, "{component} {name}");
        }
    }

    #[test]
    fn brackets_match_more_rather_than_less() {
        let marks = |text: &str| -> Vec<Mark> { text.chars().map(|ch| (ch, "*?[".contains(ch))).collect() };
        for (word, expected) in [
            ("[ab]*.rs", &["**.rs"][..]),
            ("a/[[:alpha:]]x/b", &["a", "*x", "b"]),
            ("[a", &["*"]),
            ("*/", &["*", ""]),
            ("a//./*", &["a", "*"]),
        ] {
            assert_eq!(components(&marks(word)), expected, "{word}");
        }
        assert_eq!(component(&[('*', false), ('\\', false)]), "\\*\\\\");
    }

    #[test]
    fn only_dots_climb() {
        assert!(climbs("..") && climbs(".*") && climbs(".?"));
        assert!(!climbs(".e*") && !climbs("*") && !climbs("."));
    }

    #[test]
    fn ways_through_a_pattern() {
        assert!(passes("*/o", &["d"]) && passes("*/o", &["d", "o"]) && passes("**/o", &["a", "b", "c"]));
        assert!(!passes("*/o", &["d", "p"]) && !passes("*.rs", &["a.rs", "b"]));
    }
}
