//! How the command prints: colours where they are wanted, characters that deceive made visible, spans underlined. Knows
//! nothing of what is printed.

use std::io::IsTerminal;

use clap::ValueEnum;

/// Of a longer line only this many columns around the place in question are shown.
const SHOWN_COLUMNS: usize = 100;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is "dumb"
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What a piece of text is, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Allow,
    Ask,
    Deny,
    /// A heading.
    Title,
    /// What matters less.
    Dim,
    /// What a reader looks for: rules, paths.
    Mark,
}

/// Whether colours are used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    color: bool,
}

impl Style {
    /// For the standard output.
    pub(super) fn for_stdout(choice: ColorChoice) -> Self {
        let wanted = || {
            let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            !no_color && !dumb && std::io::stdout().is_terminal()
        };
        Self {
            color: match choice {
                ColorChoice::Always => true,
                ColorChoice::Never => false,
                ColorChoice::Auto => wanted(),
            },
        }
    }

    #[cfg(test)]
    pub(super) fn new(color: bool) -> Self {
        Self { color }
    }

    /// The text in the colour of its role. The text must be visible already.
    pub(super) fn paint(self, role: Role, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let code = match role {
            Role::Allow => "32",
            Role::Ask => "33",
            Role::Deny => "1;31",
            Role::Title => "1",
            Role::Dim => "2",
            Role::Mark => "36",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Whether a character is not what it looks like: it is not shown, or it changes what is shown.
fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        // Blanks that are none for the shell.
        || matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

fn push_visible(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        c if is_deceptive(c) => out.extend(c.escape_unicode()),
        c => out.push(c),
    }
}

/// The text on one line, with every control, bidirectional and invisible character written out.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_visible(&mut out, c));
    out
}

/// The beginning of a text, visible, of at most `columns` columns.
pub(super) fn excerpt(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let before = out.len();
        push_visible(&mut out, c);
        used += columns_of(&out[before..]);
        if used > columns {
            out.truncate(before);
            out.push('…');
            break;
        }
    }
    out
}

/// How many columns a visible text takes on a terminal.
fn columns_of(text: &str) -> usize {
    text.chars().map(width).sum()
}

fn width(c: char) -> usize {
    match u32::from(c) {
        // Marks that are put over the character before.
        0x300..=0x36f
        | 0x483..=0x489
        | 0x591..=0x5bd
        | 0x610..=0x61a
        | 0x64b..=0x65f
        | 0x1ab0..=0x1aff
        | 0x1dc0..=0x1dff
        | 0x20d0..=0x20ff
        | 0xfe20..=0xfe2f => 0,
        0x1100..=0x115e
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff01..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// The line that a span begins in, and a line of carets under what the span covers of it, both visible and of the same
/// width. Long lines are cut around the span. Offsets are bytes of `text`; any are accepted.
pub(super) fn underlined(text: &str, start: usize, end: usize) -> (String, String) {
    let start = text.floor_char_boundary(start.min(text.len()));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = text.floor_char_boundary(end.clamp(start, line_end));
    let mut before = tail(&text[line_start..start], SHOWN_COLUMNS / 3);
    let covered = excerpt(&text[start..end], SHOWN_COLUMNS);
    let room = SHOWN_COLUMNS.saturating_sub(columns_of(&before) + columns_of(&covered));
    let after = excerpt(&text[end..line_end], room);
    let indent = " ".repeat(columns_of(&before));
    // A span of nothing, or of a line's end alone, is a place: one caret.
    let carets = "^".repeat(columns_of(&covered).max(1));
    before.push_str(&covered);
    before.push_str(&after);
    (before, indent + &carets)
}

/// The end of a text, visible, of at most `columns` columns.
fn tail(text: &str, columns: usize) -> String {
    let mut used = 0;
    for (at, c) in text.char_indices().rev() {
        let mut piece = String::new();
        push_visible(&mut piece, c);
        used += columns_of(&piece);
        if used > columns {
            return format!("…{}", visible(&text[at + c.len_utf8()..]));
        }
    }
    visible(text)
}

/// Where a byte offset is: the line and the character in it, both from 1.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    (text[..offset].matches('\n').count() + 1, text[line_start..offset].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_deceives_is_written_out() {
        assert_eq!(visible("a\x1b[31m\u{202e}\t\n\r\0é"), "a\\u{1b}[31m\\u{202e}\\t\\n\\r\\u{0}é");
        for hidden in ['\u{61c}', '\u{ad}', '\u{a0}', '\u{3164}', '\u{e0041}', '\u{7f}', '\u{9b}', '\u{2066}'] {
            assert!(visible(&hidden.to_string()).starts_with("\\u{"), "{hidden:?}");
        }
        assert_eq!(excerpt("abcdef", 3), "abc…");
        assert_eq!(excerpt("abc", 3), "abc");
    }

    #[test]
    fn carets_stand_under_the_span() {
        assert_eq!(underlined("ls\nrm -rf /\nx", 6, 9), ("rm -rf /".to_owned(), "   ^^^".to_owned()));
        assert_eq!(underlined("日本 x", 7, 8), ("日本 x".to_owned(), "     ^".to_owned()));
        assert_eq!(underlined("a\u{1b}b", 2, 3), ("a\\u{1b}b".to_owned(), "       ^".to_owned()));
        assert_eq!(underlined("ls", 2, 2), ("ls".to_owned(), "  ^".to_owned()));
        // A span over several lines ends with its first; offsets outside of the text do no harm.
        assert_eq!(underlined("a\nb", 0, 3).1, "^");
        assert_eq!(underlined("é", 1, 99).1, "^");
        let (line, carets) = underlined(&format!("{}XY{}", "a".repeat(1000), "b".repeat(1000)), 1000, 1002);
        let at = carets.find('^').unwrap();
        assert_eq!(line.chars().skip(at).take(2).collect::<String>(), "XY");
        assert!(line.chars().count() < 110, "{line}");
    }

    #[test]
    fn places_count_from_one() {
        assert_eq!(line_and_column("a\nbé c", 6), (2, 4));
        assert_eq!(line_and_column("a", 0), (1, 1));
        assert_eq!(line_and_column("a", 9), (1, 2));
    }

    #[test]
    fn colours_are_only_added_where_wanted() {
        assert_eq!(Style::new(false).paint(Role::Deny, "x"), "x");
        assert_eq!(Style::new(true).paint(Role::Deny, "x"), "\x1b[1;31mx\x1b[0m");
    }
}
