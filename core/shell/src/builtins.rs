//! What the shell's own commands evaluate. Owns the list of builtins that run other code, evaluate their operands or
//! change what later words mean; each gives a reason why the command text is too complex. A builtin that is not in a
//! table here or among the handlers is judged like any unknown program, but it runs nothing else.

use crate::checks::ZSH_COMMANDS;
use crate::syntax::Word;

/// Builtins that always run or evaluate something that is not in their words, or change what later commands are.
const EVALUATES: [&str; 33] = [
    "eval",
    ".",
    "source",
    "trap",
    "let",
    "mapfile",
    "readarray",
    "enable",
    "alias",
    "unalias",
    "declare",
    "typeset",
    "local",
    "readonly",
    "unset",
    "shopt",
    "history",
    "bind",
    "fc",
    "fg",
    "bg",
    "complete",
    "compgen",
    "compopt",
    "getopts",
    "coproc",
    "pushd",
    "popd",
    "dirs",
    "caller",
    "suspend",
    "logout",
    "hash",
];

/// Why a command is not just the program it names, or `None`.
pub(crate) fn evaluates(name: &str, arguments: &[Word]) -> Option<&'static str> {
    if ZSH_COMMANDS.iter().any(|(known, _)| *known == name) {
        return Some("it uses a command that only zsh has");
    }
    if EVALUATES.contains(&name) {
        return Some("a builtin evaluates text or changes the meaning of later commands");
    }
    if matches!(name, "test" | "[" | "printf") && arguments.iter().any(subscript_runs) {
        return Some("an argument is a subscript that some shells evaluate");
    }
    match name {
        "exec" => Some("exec replaces the shell or its descriptors"),
        "command" => {
            let query = arguments.first().and_then(Word::known).is_some_and(|flag| flag == "-v" || flag == "-V");
            (!query).then_some("command runs something else")
        }
        "builtin" => Some("builtin runs something else"),
        "printf" => {
            // `printf -v name[…]` evaluates the subscript.
            let first = arguments.first()?;
            let fixed = first.fixed_prefix();
            let open = first.known().is_none() && fixed.is_empty();
            let may_assign = first.splits_freely() || fixed.starts_with('-') || open;
            (may_assign && first.known().as_deref() != Some("--")).then_some("printf may assign a variable")
        }
        "test" | "[" => test(name, arguments),
        "read" => read(arguments),
        "cd" => cd(arguments),
        "export" => export(arguments),
        "set" => set(arguments),
        "wait" => (!arguments.is_empty()).then_some("wait may assign a variable"),
        "kill" | "umask" | "ulimit" | "times" | "jobs" | "disown" | "type" => arguments
            .iter()
            .any(|word| word.known().is_none() && word.fixed_prefix().is_empty() && name == "jobs")
            .then_some("a builtin evaluates text or changes the meaning of later commands")
            .or_else(|| {
                (name == "jobs" && arguments.iter().any(|word| word.fixed_prefix().contains('x')))
                    .then_some("jobs -x runs a command")
            }),
        _ => None,
    }
}

/// Text such as `a[$(id)]`, which arithmetic of some shells runs.
fn subscript_runs(word: &Word) -> bool {
    word.known()
        .is_some_and(|text| text.find('[').is_some_and(|at| text[at..].contains("$(") || text[at..].contains('`')))
}

/// `test -v a[…]` and `-R` evaluate a subscript, and words nobody knows may become such an operator.
fn test(name: &str, arguments: &[Word]) -> Option<&'static str> {
    const REASON: &str = "a test may evaluate a subscript";
    let mut arguments = arguments;
    if name == "[" {
        let (last, rest) = arguments.split_last()?;
        if last.known().as_deref() != Some("]") {
            return Some("a test is not closed");
        }
        arguments = rest;
    }
    if arguments.iter().any(Word::may_split) {
        return Some(REASON);
    }
    if arguments.iter().any(|word| matches!(word.known().as_deref(), Some("-v" | "-R"))) {
        return Some(REASON);
    }
    let unknown = arguments.iter().filter(|word| word.known().is_none()).count();
    // An unknown word in an operator's place could be `-v`; in an operand's place it is only text.
    let operator = |word: Option<&Word>| {
        word.and_then(Word::known).is_some_and(|text| {
            text.len() > 1 && text.starts_with('-') || matches!(&*text, "=" | "==" | "!=" | "<" | ">")
        })
    };
    let placed = match arguments.len() {
        0 | 1 => true,
        2 => operator(arguments.first()) || arguments[0].known().as_deref() == Some("!"),
        3 => operator(arguments.get(1)) || (arguments[0].known().as_deref() == Some("!") && operator(arguments.get(1))),
        4 => arguments[0].known().as_deref() == Some("!") && operator(arguments.get(2)),
        _ => false,
    };
    (unknown > 0 && !placed).then_some(REASON)
}

/// `read` may only set plain variables that mean nothing to the shell.
fn read(arguments: &[Word]) -> Option<&'static str> {
    const REASON: &str = "read may evaluate a subscript or set a variable that matters";
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.known() else { return Some(REASON) };
        match &*text {
            "-r" | "-s" | "-rs" | "-sr" => {}
            "-p" | "-rp" | "-d" | "-n" | "-N" | "-t" => {
                let value = rest.next()?;
                if value.may_split() {
                    return Some(REASON);
                }
            }
            name if crate::read::is_name(name) && !is_special_variable(name) => {}
            _ => return Some(REASON),
        }
    }
    None
}

/// Whether `set` only chooses how the shell reports and stops: such options change nothing about what a text runs.
pub(crate) fn sets_only_strictness(arguments: &[Word]) -> bool {
    const NAMES: [&str; 7] = ["pipefail", "errexit", "nounset", "xtrace", "noglob", "noclobber", "verbose"];
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.known().unwrap_or_default();
        let Some(letters) = text.strip_prefix(['-', '+']) else { return false };
        let named = letters.strip_suffix('o');
        if !named.unwrap_or(letters).bytes().all(|letter| b"euxfvC".contains(&letter)) || letters.is_empty() {
            return false;
        }
        if named.is_some() && !rest.next().and_then(Word::known).is_some_and(|name| NAMES.contains(&&*name)) {
            return false;
        }
    }
    !arguments.is_empty()
}

fn set(arguments: &[Word]) -> Option<&'static str> {
    (!sets_only_strictness(arguments)).then_some("set changes how the shell reads later commands")
}

fn cd(arguments: &[Word]) -> Option<&'static str> {
    arguments.iter().any(Word::splits_freely).then_some("the new directory is not one word")
}

/// `export NAME` and `export NAME=literal` of variables that mean nothing to the shell or the loader.
fn export(arguments: &[Word]) -> Option<&'static str> {
    for word in arguments {
        let Some(text) = word.known() else { return Some("export sets a value that is not fixed") };
        let name = text.split('=').next().unwrap_or("");
        if !crate::read::is_name(name) || is_special_variable(name) {
            return Some("export changes a variable that matters to the shell");
        }
    }
    None
}

/// Variables that bash, the loader or common programs give a meaning that can run or redirect something.
pub(crate) fn is_special_variable(name: &str) -> bool {
    const NAMES: [&str; 40] = [
        "PATH",
        "IFS",
        "ENV",
        "HOME",
        "PWD",
        "OLDPWD",
        "SHELL",
        "SHELLOPTS",
        "BASHOPTS",
        "CDPATH",
        "EXECIGNORE",
        "FIGNORE",
        "FUNCNEST",
        "GLOBIGNORE",
        "GLOBSORT",
        "HISTFILE",
        "HISTCMD",
        "HOSTFILE",
        "IGNOREEOF",
        "INPUTRC",
        "LINENO",
        "MAILPATH",
        "MAILCHECK",
        "OPTARG",
        "OPTERR",
        "OPTIND",
        "POSIXLY_CORRECT",
        "PROMPT_COMMAND",
        "PROMPT_DIRTRIM",
        "PS0",
        "PS1",
        "PS2",
        "PS3",
        "PS4",
        "RANDOM",
        "SECONDS",
        "SRANDOM",
        "TMOUT",
        "TMPDIR",
        "_",
    ];
    const STARTS: [&str; 9] = ["BASH", "LD_", "DYLD_", "COMP_", "READLINE_", "GIT_", "EPOCH", "DIRSTACK", "HIST"];
    NAMES.contains(&name) || STARTS.iter().any(|start| name.starts_with(start))
}
