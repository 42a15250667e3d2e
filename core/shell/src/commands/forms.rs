//! Shared reading of programs with sub-commands: global options first, then one or more words that choose a form. A
//! form that is in the table, with options that are in its table, only reads; everything else is unknown.

use super::{Context, Effects};
use crate::flags::{self, Order, Parsed};
use crate::syntax::{Piece, Span, Word};

/// A form that only reads.
pub(super) struct Form {
    /// The words that choose it, separated by blanks.
    pub words: &'static str,
    /// Its harmless options.
    pub options: &'static str,
    /// Whether operands may follow; they are names, not paths.
    pub operands: bool,
}

/// A form that takes operands.
pub(super) const fn with(words: &'static str, options: &'static str) -> Form {
    Form { words, options, operands: true }
}

/// A form without operands.
pub(super) const fn alone(words: &'static str, options: &'static str) -> Form {
    Form { words, options, operands: false }
}

/// Reads the arguments of `name` by its global options and forms.
pub(super) fn effects(name: &str, words: &[Word], globals: &'static str, forms: &[Form], context: &Context) -> Effects {
    effects_in_order(name, words, globals, forms, context, Order::Anywhere)
}

/// The same with a choice of how the options of forms are read.
pub(super) fn effects_in_order(
    name: &str,
    words: &[Word],
    globals: &'static str,
    forms: &[Form],
    context: &Context,
    order: Order,
) -> Effects {
    let mut effects = Effects::unknown();
    if let [only] = words
        && matches!(only.known().as_deref(), Some("--version" | "--help"))
    {
        return Effects::reading();
    }
    let option_form = words.first().and_then(Word::known).is_some_and(|word| {
        word.starts_with('-') && forms.iter().any(|form| form.words.split(' ').next() == Some(&word))
    });
    let parsed = if option_form {
        Parsed {
            operands: words.iter().collect(),
            uncertain: words.iter().any(Word::splits_freely),
            ..Parsed::default()
        }
    } else {
        flags::parse(words, globals, Order::First)
    };
    effects.add_options(&parsed, context);
    if !parsed.options.is_empty() || parsed.unlisted {
        let mut plain = vec![bare_word(name, words)];
        plain.extend(parsed.operands.iter().copied().cloned());
        if parsed.is_plain() {
            effects.normalised = Some(plain.clone());
        }
        effects.bare = Some(plain);
    }
    if !parsed.is_plain() {
        return effects;
    }
    let chosen = forms
        .iter()
        .filter(|form| {
            let mut operands = parsed.operands.iter();
            form.words
                .split(' ')
                .all(|word| operands.next().and_then(|word| word.known()).is_some_and(|given| given == word))
        })
        .max_by_key(|form| form.words.len());
    let Some(form) = chosen else { return effects };
    let rest = &parsed.operands[form.words.split(' ').count()..];
    let parsed = flags::parse(rest.iter().copied(), form.options, order);
    effects.add_options(&parsed, context);
    effects.read_only = parsed.is_plain() && (form.operands || parsed.operands.is_empty());
    effects.complete = effects.read_only;
    effects.trusts_directory = true;
    effects
}

/// A bare word, for the texts of rules.
pub(super) fn bare_word(name: &str, words: &[Word]) -> Word {
    let span = words.first().map_or_else(Span::default, |word| word.span);
    Word { span, source: name.to_owned(), pieces: vec![Piece::Literal { value: name.to_owned(), quoted: false }] }
}
