//! The one parser of command-line options. A table says which options a program has; the parser handles clusters,
//! attached and separate values, `--x=y`, abbreviations, `--`, and words whose value is unknown. It never decides what
//! an option means for safety beyond the kind the table gives it.
//!
//! A table is one string of options separated by blanks, each with a suffix that says what follows it:
//! nothing = a flag; `=` a value; `?` a value only if attached; `<` a path that is read; `>` a path that is written;
//! `!` a flag that makes the command more than reading; `%` the same with a value. `-#` stands for `-1`, `-20` and so on.

use std::borrow::Cow;

use memchr::memmem;

use crate::syntax::{Piece, Word};

/// What an option is and takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionKind {
    Flag,
    Value,
    Attached,
    ReadPath,
    WritePath,
    Forbidden,
    ForbiddenValue,
}

impl OptionKind {
    fn takes_value(self) -> bool {
        matches!(self, Self::Value | Self::ReadPath | Self::WritePath | Self::ForbiddenValue)
    }
}

/// An option that was given.
#[derive(Debug, Clone)]
pub(crate) struct Given<'w> {
    /// As in the table: `-n` or `--number`.
    pub name: &'static str,
    pub kind: OptionKind,
    pub value: Option<Cow<'w, Word>>,
}

/// The arguments of a command, taken apart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parsed<'w> {
    pub options: Vec<Given<'w>>,
    pub operands: Vec<&'w Word>,
    /// An option the table does not list, or an abbreviated one.
    pub unlisted: bool,
    /// A word in option position whose value is unknown and could be an option.
    pub uncertain: bool,
}

impl Parsed<'_> {
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|given| names.contains(&given.name))
    }

    pub(crate) fn value(&self, names: &[&str]) -> Option<&Word> {
        self.options.iter().rev().find(|given| names.contains(&given.name)).and_then(|given| given.value.as_deref())
    }

    /// Whether nothing but listed, harmless options was given.
    pub(crate) fn is_plain(&self) -> bool {
        !self.unlisted
            && !self.uncertain
            && !self.options.iter().any(|given| {
                matches!(given.kind, OptionKind::Forbidden | OptionKind::ForbiddenValue | OptionKind::WritePath)
            })
    }
}

/// How a program reads its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Options may stand anywhere before `--`, as GNU programs read them.
    Anywhere,
    /// The first operand ends the options.
    First,
    /// Like `Anywhere`, but long options have one dash.
    OneDash,
}

fn split_entry(entry: &'static str) -> (&'static str, OptionKind) {
    let (name, kind) = match entry.as_bytes().last() {
        Some(b'=') => (1, OptionKind::Value),
        Some(b'?') if entry.len() > 2 => (1, OptionKind::Attached),
        Some(b'<') => (1, OptionKind::ReadPath),
        Some(b'>') => (1, OptionKind::WritePath),
        Some(b'!') => (1, OptionKind::Forbidden),
        Some(b'%') => (1, OptionKind::ForbiddenValue),
        _ => (0, OptionKind::Flag),
    };
    (&entry[..entry.len() - name], kind)
}

fn find(table: &'static str, wanted: &str) -> Option<(&'static str, OptionKind)> {
    let ends = |at: usize| table.as_bytes().get(at).is_none_or(u8::is_ascii_whitespace);
    memmem::find_iter(table.as_bytes(), wanted.as_bytes()).find_map(|at| {
        if at > 0 && !ends(at - 1) {
            return None;
        }
        let name_end = at + wanted.len();
        let entry_end = if ends(name_end) { name_end } else { name_end + 1 };
        // Only a suffix of one character may follow the name.
        let entry = table.get(at..entry_end).filter(|_| ends(entry_end))?;
        Some(split_entry(entry)).filter(|(name, _)| *name == wanted && !name.contains([' ', '\t', '\n']))
    })
}

/// The listed option an abbreviation may stand for; a dangerous one if there is a choice.
fn abbreviated(table: &'static str, wanted: &str) -> Option<(&'static str, OptionKind)> {
    if wanted.len() < 3 {
        return None;
    }
    let candidates = || table.split_ascii_whitespace().map(split_entry).filter(|(name, _)| name.starts_with(wanted));
    candidates()
        .find(|(_, kind)| matches!(kind, OptionKind::Forbidden | OptionKind::ForbiddenValue | OptionKind::WritePath))
        .or_else(|| candidates().next())
}

/// The word without its first `length` bytes, which are literal text.
pub(crate) fn word_after(word: &Word, length: usize) -> Word {
    let mut left = length;
    let mut pieces = Vec::new();
    for piece in &word.pieces {
        match piece {
            Piece::Literal { value, quoted } if left > 0 => {
                let cut = left.min(value.len());
                left -= cut;
                if let Some(rest) = value.get(cut..)
                    && (!rest.is_empty() || *quoted)
                {
                    pieces.push(Piece::Literal { value: rest.to_owned(), quoted: *quoted });
                }
            }
            other => pieces.push(other.clone()),
        }
    }
    let source = word.source.get(length..).unwrap_or(&word.source).to_owned();
    Word { span: word.span, source, pieces }
}

/// Takes `words` apart by the table.
pub(crate) fn parse<'w, W>(words: W, table: &'static str, order: Order) -> Parsed<'w>
where
    W: IntoIterator<Item = &'w Word, IntoIter: Clone>,
{
    let mut rest = words.into_iter();
    let mut parsed = Parsed { uncertain: rest.clone().any(Word::splits_freely), ..Parsed::default() };
    while let Some(word) = rest.next() {
        let known = !word.is_unknown();
        let prefix = word.fixed_prefix();
        if known && prefix == "--" {
            parsed.operands.extend(rest.by_ref());
            break;
        }
        if !prefix.starts_with('-') || (known && prefix == "-") {
            if !known && prefix.is_empty() {
                parsed.uncertain = true;
            }
            parsed.operands.push(word);
            if order == Order::First {
                parsed.operands.extend(rest.by_ref());
                break;
            }
            continue;
        }
        if prefix.starts_with("--") || order == Order::OneDash {
            long_option(&mut parsed, table, order, (word, &prefix, known), &mut rest);
        } else {
            cluster(&mut parsed, table, (word, &prefix, known), &mut rest);
        }
    }
    parsed
}

/// An option's word, its fixed start, and whether that is all of it.
type OptionWord<'w, 'p> = (&'w Word, &'p str, bool);

fn long_option<'w>(
    parsed: &mut Parsed<'w>,
    table: &'static str,
    order: Order,
    (word, prefix, known): OptionWord<'w, '_>,
    rest: &mut impl Iterator<Item = &'w Word>,
) {
    let (name, attached) = match prefix.find('=') {
        Some(at) => (&prefix[..at], Some(Cow::Owned(word_after(word, at + 1)))),
        None => (prefix, None),
    };
    if attached.is_none() && !known {
        // The name itself is not fixed.
        parsed.unlisted = true;
        return;
    }
    if prefix[1..].bytes().all(|byte| byte.is_ascii_digit()) && find(table, "-#").is_some() {
        return;
    }
    let doubled = if order == Order::OneDash && !name.starts_with("--") { None } else { name.strip_prefix('-') };
    let exact = find(table, name)
        .or_else(|| if order == Order::OneDash { doubled.and_then(|single| find(table, single)) } else { None });
    let (name, kind) = match exact {
        Some(found) => found,
        None => {
            parsed.unlisted = true;
            match if order == Order::OneDash { None } else { abbreviated(table, name) } {
                Some(found) => found,
                None => return,
            }
        }
    };
    let value = match attached {
        Some(value) => Some(value),
        None if kind.takes_value() => rest.next().map(Cow::Borrowed),
        None => None,
    };
    parsed.options.push(Given { name, kind, value });
}

fn cluster<'w>(
    parsed: &mut Parsed<'w>,
    table: &'static str,
    (word, prefix, known): OptionWord<'w, '_>,
    rest: &mut impl Iterator<Item = &'w Word>,
) {
    if prefix[1..].bytes().all(|byte| byte.is_ascii_digit()) && known && find(table, "-#").is_some() {
        return;
    }
    for (at, letter) in prefix.char_indices().skip(1) {
        let mut wanted = [b'-', 0, 0, 0, 0];
        let length = letter.encode_utf8(&mut wanted[1..]).len();
        let wanted = std::str::from_utf8(&wanted[..=length]).unwrap_or("-");
        let Some((name, kind)) = find(table, wanted) else {
            parsed.unlisted = true;
            return;
        };
        let after = at + letter.len_utf8();
        let attached = || (after < prefix.len() || !known).then(|| Cow::Owned(word_after(word, after)));
        match kind {
            OptionKind::Flag | OptionKind::Forbidden => parsed.options.push(Given { name, kind, value: None }),
            OptionKind::Attached => {
                parsed.options.push(Given { name, kind, value: attached() });
                return;
            }
            _ => {
                let value = attached().or_else(|| rest.next().map(Cow::Borrowed));
                parsed.options.push(Given { name, kind, value });
                return;
            }
        }
    }
    if !known {
        // Flags, then something unknown: more flags, for all we know.
        parsed.uncertain = true;
    }
}
