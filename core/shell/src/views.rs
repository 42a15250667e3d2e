//! The texts of a command that rules are tried on. Allow rules see what was written; deny rules also see it with quotes
//! resolved, past assignments and wrappers, and inside of literal scripts.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::analysis::{CommandFacts, Shell};
use crate::commands::{self, Context, Effects};
use crate::facts::{arg, joined};
use crate::prefix;
use crate::syntax::Word;
use crate::unwrap::{self, MAX_LAYERS};

/// Scripts inside of scripts are looked into this deep.
const MAX_LEVEL: usize = 4;
/// More texts than this are not collected for one command.
const MAX_VIEWS: usize = 400;

/// The two-word prefix, of the command as allow rules see it.
pub(crate) fn prefix(facts: &CommandFacts, words: &[Word], effects: &Effects, stripping: bool) -> Option<String> {
    if !stripping {
        return if facts.env.is_empty() { prefix::two_words(&facts.argv) } else { None };
    }
    let words = effects.normalised.as_deref().unwrap_or(words);
    prefix::two_words(&words.iter().map(arg).collect::<Vec<_>>())
}

/// The texts for deny and ask rules.
pub(crate) fn deny(
    facts: &CommandFacts,
    words: &[Word],
    innermost: &Effects,
    context: &Context,
    shell: Shell,
    level: usize,
) -> Vec<String> {
    let mut views = Views { texts: Vec::with_capacity(6), seen: HashSet::new() };
    for view in &facts.allow_views {
        views.add(Cow::Borrowed(view));
    }
    collect(words, Some(innermost), context, shell, level, MAX_LAYERS, &mut views);
    views.texts
}

/// Texts, each once and none empty, in the order they came in.
struct Views {
    texts: Vec<String>,
    /// Filled once there are many.
    seen: HashSet<String>,
}

impl Views {
    /// Up to so many are compared one by one.
    const FEW: usize = 24;

    fn add(&mut self, text: Cow<'_, str>) {
        if text.is_empty() {
            return;
        }
        if self.texts.len() < Self::FEW {
            if self.texts.iter().any(|known| *known == text) {
                return;
            }
        } else {
            if self.seen.is_empty() {
                self.seen.extend(self.texts.iter().cloned());
            }
            if self.seen.contains(&*text) {
                return;
            }
            self.seen.insert(text.clone().into_owned());
        }
        self.texts.push(text.into_owned());
    }
}

fn resolved(words: &[Word]) -> String {
    let mut out = String::with_capacity(words.iter().map(|word| word.source.len() + 1).sum());
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(&word.known_or_source());
    }
    out
}

/// Adds the texts of `words` and of what they run. `innermost` is what the program behind all wrappers does, if known.
fn collect(
    words: &[Word],
    innermost: Option<&Effects>,
    context: &Context,
    shell: Shell,
    level: usize,
    layers: usize,
    views: &mut Views,
) {
    if layers == 0 || views.texts.len() > MAX_VIEWS {
        return;
    }
    views.add(Cow::Owned(joined(words)));
    let plain = resolved(words);
    if let Some(name) = words.first().and_then(Word::known) {
        let base = unwrap::base_name(&name);
        if base.len() != name.len() {
            views.add(Cow::Borrowed(&plain[name.len() - base.len()..]));
        }
    }
    views.add(Cow::Owned(plain));
    canonical(words, views);
    if let Some(inner) = unwrap::inner(words) {
        collect(inner.words, innermost, context, shell, level, layers - 1, views);
    } else {
        let computed = if innermost.is_none() { commands::effects(words, context) } else { None };
        if let Some(effects) = innermost.or(computed.as_ref()) {
            for bare in [&effects.normalised, &effects.bare].into_iter().flatten() {
                views.add(Cow::Owned(joined(bare)));
                views.add(Cow::Owned(resolved(bare)));
            }
            for run in &effects.runs {
                collect(run, None, context, shell, level, layers - 1, views);
            }
        }
    }
    if level < MAX_LEVEL
        && let Some(script) = unwrap::script(words)
    {
        for command in crate::analyze::analyze_nested(&script, shell, level + 1).commands {
            for view in command.deny_views {
                views.add(Cow::Owned(view));
            }
        }
    }
}

/// Other spellings of the same dangerous flags, so that a rule on one spelling sees them all.
fn canonical(words: &[Word], views: &mut Views) {
    let Some(name) = words.first().and_then(Word::known) else { return };
    if unwrap::base_name(&name) != "rm" && name != "git" {
        return;
    }
    let Some(words) = words.iter().map(Word::known).collect::<Option<Vec<Cow<'_, str>>>>() else { return };
    let words: Vec<&str> = words.iter().map(Cow::as_ref).collect();
    match words.as_slice() {
        [program, rest @ ..] if unwrap::base_name(program) == "rm" => {
            let short = |letters: &[char]| {
                rest.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letters))
            };
            let recursive = short(&['r', 'R']) || rest.contains(&"--recursive");
            let force = short(&['f']) || rest.contains(&"--force");
            let operands: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
            let spellings: &[&str] = match (recursive, force) {
                (true, true) => &["-rf", "-fr", "-r -f", "-f -r", "-r", "-f"],
                (true, false) => &["-r"],
                (false, true) => &["-f"],
                (false, false) => return,
            };
            for flags in spellings {
                views.add(Cow::Owned(format!("rm {flags} {}", operands.join(" "))));
            }
        }
        ["git", "push", rest @ ..] => {
            let force = rest.iter().any(|word| {
                *word == "--force"
                    || word.starts_with('+')
                    || (word.starts_with('-') && !word.starts_with("--") && word.contains('f'))
            });
            if force {
                let others: Vec<&str> =
                    rest.iter().copied().filter(|word| !matches!(*word, "--force" | "-f")).collect();
                for flag in ["--force", "-f"] {
                    views.add(Cow::Owned(format!("git push {flag} {}", others.join(" ")).trim_end().to_owned()));
                }
            }
        }
        _ => {}
    }
}
