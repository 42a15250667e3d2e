//! The texts of a command that rules are tried on. Allow rules see what was written; deny rules also see it with quotes
//! resolved, past assignments and wrappers, and inside of literal scripts.

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
    let mut views = facts.allow_views.clone();
    collect(words, Some(innermost), context, shell, level, MAX_LAYERS, &mut views);
    let mut seen = std::collections::HashSet::new();
    views.retain(|view| !view.is_empty() && seen.insert(view.clone()));
    views
}

fn resolved(words: &[Word]) -> String {
    words.iter().map(|word| word.known().unwrap_or_else(|| word.source.clone())).collect::<Vec<_>>().join(" ")
}

/// Adds the texts of `words` and of what they run. `innermost` is what the program behind all wrappers does, if known.
fn collect(
    words: &[Word],
    innermost: Option<&Effects>,
    context: &Context,
    shell: Shell,
    level: usize,
    layers: usize,
    views: &mut Vec<String>,
) {
    if layers == 0 || views.len() > MAX_VIEWS {
        return;
    }
    views.push(joined(words));
    let plain = resolved(words);
    if let Some(name) = words.first().and_then(Word::known) {
        let base = unwrap::base_name(&name);
        if base.len() != name.len() {
            views.push(plain[name.len() - base.len()..].to_owned());
        }
    }
    views.push(plain);
    canonical(words, views);
    if let Some(inner) = unwrap::inner(words) {
        collect(&inner.words, innermost, context, shell, level, layers - 1, views);
    } else {
        let computed = if innermost.is_none() { commands::effects(words, context) } else { None };
        if let Some(effects) = innermost.or(computed.as_ref()) {
            for bare in [&effects.normalised, &effects.bare].into_iter().flatten() {
                views.push(joined(bare));
                views.push(resolved(bare));
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
            views.extend(command.deny_views);
        }
    }
}

/// Other spellings of the same dangerous flags, so that a rule on one spelling sees them all.
fn canonical(words: &[Word], views: &mut Vec<String>) {
    let Some(words) = words.iter().map(Word::known).collect::<Option<Vec<String>>>() else { return };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
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
            views.extend(spellings.iter().map(|flags| format!("rm {flags} {}", operands.join(" "))));
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
                views.extend(
                    ["--force", "-f"]
                        .iter()
                        .map(|flag| format!("git push {flag} {}", others.join(" ")).trim_end().to_owned()),
                );
            }
        }
        _ => {}
    }
}
