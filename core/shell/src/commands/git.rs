//! `git`: global options first, then a sub-command. Global options can run programs (`-c core.fsmonitor=…`,
//! `--exec-path`) or move to another repository, whose configuration can; `git_forms` knows which forms of which
//! sub-commands only read.

use super::{Context, Effects, Program, git_forms};
use crate::analysis::Access;
use crate::flags::{self, Order};
use crate::paths::Place;
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["git"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "-C= -c= -P --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs \
    --icase-pathspecs --no-replace-objects --no-lazy-fetch --no-advice --git-dir% --work-tree% --namespace% --exec-path? --bare! -p! \
    --paginate! --config-env% --super-prefix% --attr-source= --html-path --man-path --info-path --version --help --list-cmds?";

/// Settings that change only what is printed.
const SAFE_SETTINGS: [&str; 9] = [
    "color.",
    "column.",
    "advice.",
    "core.quotepath",
    "log.date",
    "log.abbrevcommit",
    "user.name",
    "user.email",
    "i18n.",
];

fn effects(words: &[Word], context: &Context) -> Effects {
    let mut effects = Effects { read_only: true, complete: true, trusts_directory: true, ..Effects::default() };
    let parsed = flags::parse(words, GLOBAL, Order::First);
    let mut safe = parsed.is_plain() && !parsed.has(&["--exec-path"]);
    let mut moved = false;
    for given in &parsed.options {
        match (given.name, &given.value) {
            ("-C", Some(value)) => {
                moved = true;
                let place = context.place(value);
                effects.paths.push((place.clone(), Access::Read));
                let from = effects.directory.take().unwrap_or_else(Place::start);
                effects.directory = Some(place.under(&from));
            }
            ("-c", Some(value)) => {
                safe &= value.known().is_some_and(|setting| {
                    let setting = setting.to_ascii_lowercase();
                    SAFE_SETTINGS.iter().any(|known| setting.starts_with(known))
                });
            }
            _ => {}
        }
    }
    let has_options = !parsed.options.is_empty();
    if has_options || parsed.unlisted {
        let mut plain: Vec<Word> = vec![name_word(words)];
        plain.extend(parsed.operands.iter().copied().cloned());
        if has_options && safe {
            effects.normalised = Some(plain.clone());
        }
        effects.bare = Some(plain);
    }
    let asks =
        parsed.operands.is_empty() && parsed.has(&["--version", "--help", "--html-path", "--man-path", "--info-path"]);
    effects.read_only = safe
        && (asks
            || parsed
                .operands
                .split_first()
                .is_some_and(|(command, rest)| git_forms::reads(command, rest, context, &mut effects)));
    if moved {
        // Paths of the sub-command are relative to the other directory; `-C` itself is listed.
        effects.complete = false;
    }
    effects
}

/// The word `git`, for the texts of rules.
fn name_word(words: &[Word]) -> Word {
    let span = words.first().map_or_else(crate::syntax::Span::default, |word| word.span);
    let pieces = vec![crate::syntax::Piece::Literal { value: "git".to_owned(), quoted: false }];
    Word { span, source: "git".to_owned(), pieces }
}
