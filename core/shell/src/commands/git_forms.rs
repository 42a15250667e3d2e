//! Which forms of git's sub-commands only read. A table of sub-commands with the options that are known to be harmless;
//! an option that is not listed makes the command more than reading. Options that run programs (`--ext-diff`,
//! `--textconv` by default is off here, `--open-files-in-pager`, `--upload-pack`) or write (`--output`) are left out.

use std::borrow::Cow;

use super::{Context, Effects};
use crate::analysis::Access;
use crate::flags::{self, Order, Parsed};
use crate::syntax::Word;

/// What may follow the options.
enum Rest {
    /// Revisions and paths of the repository.
    Any,
    /// Nothing.
    Nothing,
    /// Decided by a function.
    Rule(fn(&Parsed<'_>) -> bool),
}

struct Form {
    name: &'static str,
    options: &'static str,
    rest: Rest,
}

/// Options of everything that shows commits and differences.
const SHOW: &str = "-# -p -u --patch -s --no-patch -U= --unified= --raw --patch-with-raw --indent-heuristic --no-indent-heuristic \
    --minimal --patience --histogram --diff-algorithm= --stat? --compact-summary --numstat --shortstat --dirstat? --summary \
    --patch-with-stat -z --name-only --name-status --color? --no-color --color-moved? --word-diff? --word-diff-regex= \
    --color-words? --no-renames -M? --find-renames? -C? --find-copies? --find-copies-harder -D -l= --diff-filter= -S= -G= \
    --pickaxe-all --pickaxe-regex -R --relative? --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b \
    --ignore-space-change -w --ignore-all-space --ignore-blank-lines -I= --inter-hunk-context= -W --function-context --exit-code \
    --quiet --no-ext-diff --no-textconv --ignore-submodules? --src-prefix= --dst-prefix= --no-prefix --line-prefix= --full-index \
    --binary --abbrev? --no-abbrev --cached --staged --merge-base --check --cc -c -m --combined-all-paths --submodule? --ita-invisible-in-index \
    --follow --no-decorate --decorate? --decorate-refs= --decorate-refs-exclude= --source --mailmap --use-mailmap --log-size -L= \
    -n= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep-reflog= --grep= --all-match \
    --invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty \
    --merges --no-merges --min-parents= --max-parents= --first-parent --not --all --branches? --tags? --remotes? --glob= \
    --exclude= --reflog --cherry-mark --cherry-pick --left-only --right-only --cherry -g --walk-reflogs --merge --boundary \
    --simplify-by-decoration --full-history --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order \
    --topo-order --reverse --no-walk? --pretty? --format= --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs? \
    --no-expand-tabs --notes? --no-notes --show-signature! --relative-date --date= --parents --children --left-right --graph \
    --show-linear-break? -r -t --root --no-commit-id --stdin --output-indicator-new= --output-indicator-old= -q";

const FORMS: [Form; 34] = [
    Form {
        name: "status",
        options: "-s --short -b --branch --show-stash --porcelain? --long -v --verbose -u? --untracked-files? --ignore-submodules? --ignored? -z --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?",
        rest: Rest::Any,
    },
    Form { name: "log", options: SHOW, rest: Rest::Any },
    Form { name: "show", options: SHOW, rest: Rest::Any },
    Form { name: "diff", options: SHOW, rest: Rest::Any },
    Form { name: "diff-tree", options: SHOW, rest: Rest::Any },
    Form { name: "diff-index", options: SHOW, rest: Rest::Any },
    Form { name: "diff-files", options: SHOW, rest: Rest::Any },
    Form { name: "whatchanged", options: SHOW, rest: Rest::Any },
    Form {
        name: "shortlog",
        options: "-n --numbered -s --summary -e --email --format= --date= --group= -c --committer -w? --since= --until= --after= --before= --author= --all --no-merges --merges --grep=",
        rest: Rest::Any,
    },
    Form {
        name: "rev-list",
        options: "-# -n= --max-count= --skip= --since= --until= --after= --before= --author= --committer= --grep= --merges --no-merges --first-parent --all --branches? --tags? --remotes? --count --left-right --cherry-pick --reverse --topo-order --date-order --objects --parents --children --oneline --pretty? --format= --abbrev-commit --no-walk? --left-only --right-only --ancestry-path? --boundary --not --quiet --header --timestamp",
        rest: Rest::Any,
    },
    Form {
        name: "blame",
        options: "-b --root --show-stats -L= -l -t -S= --reverse -p --porcelain --line-porcelain --incremental --encoding= --date= -M? -C? -h -c --score-debug -f --show-name -n --show-number -s -e --show-email -w --abbrev= --ignore-rev= --color-lines --color-by-age --first-parent",
        rest: Rest::Any,
    },
    Form { name: "annotate", options: "-l -t -L= -e -s -w", rest: Rest::Any },
    Form {
        name: "grep",
        options: "-# -i -v -w -a -I -n -l -L -c -q -h -H -o -e= -f< -E -G -P -F -A= -B= -C= -p -W -z -r -m= --cached --untracked --no-exclude-standard --recurse-submodules --text --ignore-case --word-regexp --invert-match --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --count --color? --no-color --break --heading --show-function --function-context --context= --after-context= --before-context= --threads= --all-match --and --or --not --quiet --max-depth= --full-name --only-matching --max-count= --null",
        rest: Rest::Any,
    },
    Form {
        name: "ls-files",
        options: "-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage --directory --no-empty-directory -u --unmerged -k --killed --resolve-undo -z --deduplicate -x= --exclude= --exclude-standard -X< --exclude-from< --exclude-per-directory= --error-unmatch --with-tree= -t -v -f --full-name --recurse-submodules --abbrev? --debug --eol --sparse --format=",
        rest: Rest::Any,
    },
    Form {
        name: "ls-tree",
        options: "-d -r -t -l --long -z --name-only --name-status --object-only --abbrev? --full-name --full-tree --format=",
        rest: Rest::Any,
    },
    Form {
        name: "ls-remote",
        options: "--heads --tags -h -t --branches --refs --get-url --symref --sort= -q --quiet --exit-code",
        rest: Rest::Rule(remote_name),
    },
    Form {
        name: "cat-file",
        options: "-t -s -e -p --batch-all-objects --allow-unknown-type --unordered",
        rest: Rest::Any,
    },
    Form {
        name: "rev-parse",
        options: "-q --quiet --verify --short? --symbolic --symbolic-full-name --abbrev-ref? --all --branches? --tags? --remotes? --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-superproject-working-tree --show-object-format? --path-format= --git-path= --revs-only --no-revs --flags --no-flags --default= --sq-quote! --since= --until= --disambiguate= --shared-index-path --show-ref-format",
        rest: Rest::Any,
    },
    Form {
        name: "describe",
        options: "--dirty? --broken? --all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent",
        rest: Rest::Any,
    },
    Form {
        name: "merge-base",
        options: "-a --all --octopus --independent --is-ancestor --fork-point",
        rest: Rest::Any,
    },
    Form {
        name: "name-rev",
        options: "--tags --refs= --exclude= --all --name-only --no-undefined --always",
        rest: Rest::Any,
    },
    Form {
        name: "show-ref",
        options: "--head --heads --branches --tags -d --dereference -s --hash? --verify --exists --abbrev? -q --quiet",
        rest: Rest::Any,
    },
    Form {
        name: "show-branch",
        options: "-r --remotes -a --all --current --topo-order --date-order --sparse --more= --list --merge-base --independent --no-name --sha1-name --topics --color? --no-color",
        rest: Rest::Any,
    },
    Form {
        name: "for-each-ref",
        options: "--count= --sort= --format= --color? --points-at= --merged? --no-merged? --contains? --no-contains? --ignore-case --omit-empty --exclude= --include-root-refs",
        rest: Rest::Any,
    },
    Form { name: "count-objects", options: "-v --verbose -H --human-readable", rest: Rest::Nothing },
    Form {
        name: "check-ignore",
        options: "-q --quiet -v --verbose -n --non-matching --no-index -z --stdin",
        rest: Rest::Any,
    },
    Form {
        name: "branch",
        options: "-a --all -r --remotes -l --list -v -vv --verbose -q --quiet --show-current --color? --no-color --column? --no-column --sort= --contains? --no-contains? --merged? --no-merged? --points-at= --format= --abbrev= --no-abbrev -i --ignore-case --omit-empty",
        rest: Rest::Rule(lists),
    },
    Form {
        name: "tag",
        options: "-l --list -n? --contains? --no-contains? --merged? --no-merged? --points-at= --sort= --format= --color? --column? --no-column -i --ignore-case --omit-empty",
        rest: Rest::Rule(lists),
    },
    Form { name: "remote", options: "-v --verbose", rest: Rest::Rule(remote) },
    Form { name: "stash", options: SHOW, rest: Rest::Rule(stash) },
    Form { name: "reflog", options: SHOW, rest: Rest::Rule(reflog) },
    Form { name: "worktree", options: "-v --verbose --porcelain -z", rest: Rest::Rule(list_only) },
    Form {
        name: "config",
        options: "-l --list -z --null --get --get-all --get-regexp --get-urlmatch --name-only --show-origin --show-scope --global --system --local --worktree --type= --bool --int --includes --no-includes --default= --get-color --get-colorbool",
        rest: Rest::Rule(config),
    },
    Form { name: "version", options: "--build-options", rest: Rest::Nothing },
];

/// Whether this sub-command with these arguments only reads; adds the paths it names.
pub(super) fn reads(command: &Word, arguments: &[&Word], context: &Context, effects: &mut Effects) -> bool {
    let Some(name) = command.known() else { return false };
    if name == "help" {
        return arguments.iter().all(|word| word.known().is_some_and(|text| !text.starts_with('-')));
    }
    let Some(form) = FORMS.iter().find(|form| form.name == name) else {
        effects.complete = false;
        other_paths(&name, arguments, context, effects);
        return false;
    };
    let parsed = flags::parse(arguments.iter().copied(), form.options, Order::Anywhere);
    effects.add_options(&parsed, context);
    other_paths(&name, arguments, context, effects);
    let no_index = arguments.iter().any(|word| word.known().is_some_and(|text| text == "--no-index"));
    for word in &parsed.operands {
        // git reads any file where both sides are outside of a repository.
        let text = word.fixed_prefix();
        let elsewhere = text.starts_with(['/', '~']) || text.starts_with("..") || word.known().is_none();
        if no_index || elsewhere {
            effects.add(word, Access::Read, context);
        }
    }
    let rest = match form.rest {
        Rest::Any => true,
        Rest::Nothing => parsed.operands.is_empty(),
        Rest::Rule(rule) => rule(&parsed),
    };
    effects.complete &= parsed.is_plain();
    rest && parsed.is_plain() && !no_index
}

/// Files that `--output` writes, whatever the sub-command.
fn other_paths(_name: &str, arguments: &[&Word], context: &Context, effects: &mut Effects) {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.fixed_prefix();
        if text == "--output" {
            if let Some(value) = words.next() {
                effects.add(value, Access::Write, context);
            }
        } else if text.starts_with("--output=") {
            effects.add(&flags::word_after(word, "--output=".len()), Access::Write, context);
        }
    }
}

/// Only with an option that lists may names follow: a bare name makes a branch or tag.
fn lists(parsed: &Parsed<'_>) -> bool {
    parsed.operands.is_empty()
        || parsed.has(&["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "-n"])
}

fn first<'w>(parsed: &Parsed<'w>) -> Option<Cow<'w, str>> {
    parsed.operands.first().and_then(|word| word.known())
}

fn remote(parsed: &Parsed<'_>) -> bool {
    parsed.operands.is_empty() || first(parsed).as_deref() == Some("get-url")
}

/// The name of a remote, not an address, which could name a program.
fn remote_name(parsed: &Parsed<'_>) -> bool {
    parsed.operands.first().is_none_or(|word| {
        word.known()
            .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')))
    })
}

fn stash(parsed: &Parsed<'_>) -> bool {
    matches!(first(parsed).as_deref(), Some("list" | "show"))
}

fn reflog(parsed: &Parsed<'_>) -> bool {
    !matches!(first(parsed).as_deref(), Some("delete" | "expire" | "drop" | "write"))
}

fn list_only(parsed: &Parsed<'_>) -> bool {
    first(parsed).as_deref() == Some("list")
}

/// Reading forms of `config`: with an option that gets or lists, or the sub-commands `get` and `list`.
fn config(parsed: &Parsed<'_>) -> bool {
    parsed.has(&["-l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch"])
        || matches!(first(parsed).as_deref(), Some("get" | "list"))
}
