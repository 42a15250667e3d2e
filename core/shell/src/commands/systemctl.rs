//! `systemctl` controls services; asking for their state only reads.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["systemctl"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "--no-pager --user --system -l --full -q --quiet --no-legend --plain -H% --host% -M% --machine% \
        --root%";

const FORMS: [Form; 12] = [
    with("status", "--no-pager -l --full -n= --lines= -o= --output= --user --system"),
    with("is-active", "-q --quiet --user"),
    with("is-enabled", "-q --quiet --user"),
    with("is-failed", "-q --quiet"),
    with("show", "-p= --property= --value -a --all --no-pager --user"),
    with("cat", "--no-pager --user"),
    with("list-units", "-a --all -t= --type= --state= --no-pager --no-legend --plain --failed --user -l --full"),
    with("list-unit-files", "-t= --type= --state= --no-pager --no-legend --user"),
    with("list-timers", "-a --all --no-pager --no-legend --user"),
    with("list-dependencies", "--reverse --plain --all --no-pager"),
    alone("is-system-running", ""),
    alone("get-default", ""),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("systemctl", words, GLOBAL, &FORMS, context)
}
