//! Programs that run another program given in their arguments: where the inner command starts, and whether allow rules
//! may look past the outer one. Owns the list; judges nothing about the inner command.

use std::borrow::Cow;

use crate::analysis::Access;
use crate::flags::{self, OptionKind, Order};
use crate::syntax::{Piece, Word};

/// How many wrappers are looked through.
pub(crate) const MAX_LAYERS: usize = 10;

/// How the arguments that xargs appends are shown.
pub(crate) const APPENDED: &str = "…";

/// Wrappers that a rule with a wildcard never approves, because it would cover any program.
pub(crate) fn needs_exact_rule(words: &[Word]) -> bool {
    let name = words.first().and_then(Word::known).unwrap_or_default();
    matches!(base_name(&name), "watch" | "setsid" | "ionice" | "flock" | "parallel")
}

/// A command inside of a wrapper.
#[derive(Debug, Clone)]
pub(crate) struct Inner<'w> {
    /// Its words: the last ones of the wrapper's.
    pub words: &'w [Word],
    /// Files that options of the wrapper read or write.
    pub files: Vec<(Cow<'w, Word>, Access)>,
    /// Allow rules may look past the wrapper; it changes nothing about what the inner command does.
    pub strippable: bool,
}

struct Wrapper {
    name: &'static str,
    options: &'static str,
    /// Operands of the wrapper itself before the inner command.
    operands: usize,
    /// Whether assignments may stand before the inner command.
    assignments: bool,
    strippable: bool,
}

const WRAPPERS: [Wrapper; 27] = [
    strip("timeout", "-k= --kill-after= -s= --signal= -v --verbose --foreground --preserve-status -f -p", 1),
    strip("nice", "-n= --adjustment= -#", 0),
    strip("nohup", "", 0),
    strip("stdbuf", "-i= --input= -o= --output= -e= --error=", 0),
    strip("command", "-p!", 0),
    strip("builtin", "", 0),
    strip("noglob", "", 0),
    deny("time", "-p -v! -a! -q! -f% --format% -o> --output> --append! --verbose!", 0),
    deny("nocorrect", "", 0),
    deny("exec", "-a= -c -l", 0),
    deny(
        "env",
        "-i --ignore-environment -u= --unset= -C= --chdir= -S= --split-string= -v --debug -0 --null --block-signal? --default-signal? --ignore-signal?",
        0,
    ),
    deny(
        "sudo",
        "-A -b -B -E -e -H -i -K -k -n -P -S -s -u= --user= -g= --group= -h= --host= -p= --prompt= -C= --close-from= -D= --chdir= -R= --chroot= -T= --command-timeout= -r= --role= -t= --type= -U= --other-user= --preserve-env? --non-interactive --login --shell --stdin --background --set-home --askpass --reset-timestamp",
        0,
    ),
    deny("doas", "-n -s -L -u= -C= -a=", 0),
    deny("setsid", "-c --ctty -f --fork -w --wait", 0),
    deny("ionice", "-c= --class= -n= --classdata= -t --ignore -p= --pid= -P= -u=", 0),
    deny("chrt", "-a -b -f -i -m -o -r -d -R -p -T= -P= -D= -v", 1),
    deny("taskset", "-a --all-tasks -p --pid -c --cpu-list", 1),
    deny(
        "watch",
        "-n= --interval= -d? --differences? -t --no-title -b --beep -e --errexit -g --chgexit -c --color -x --exec -p --precise -w --no-wrap -q= --equexit= -r --no-rerun",
        0,
    ),
    deny(
        "flock",
        "-s --shared -x -e --exclusive -u --unlock -n --nb --nonblock -w= --wait= --timeout= -o --close -E= --conflict-exit-code= -F --no-fork --verbose",
        1,
    ),
    deny(
        "strace",
        "-c -C -d -f -ff -F -h -i -k -n -q -r -t -T -v -V -w -x -y -Y -Z -z -D -a= -b= -e= -E= -I= -o> -O= -p= -P= -s= -S= -u= -U= -X=",
        0,
    ),
    deny("ltrace", "-a= -A= -b -c -C -D= -e= -f -F= -h -i -l= -L -n= -o= -p= -r -s= -S -t -T -u= -w= -x=", 0),
    deny(
        "unshare",
        "-i -m -n -p -u -U -C -T -f -r -c --fork --mount --net --pid --user --map-root-user --mount-proc? --kill-child? --propagation= --root= --wd= -R= -w= -S= -G=",
        0,
    ),
    deny("chroot", "--userspec= --groups= --skip-chdir", 1),
    deny("runuser", "-u= --user= -g= -G= -l= -c= -s= -m -p -f", 0),
    deny("busybox", "", 0),
    deny(
        "parallel",
        "-j= --jobs= -k --keep-order -n= -N= -X -m -0 --null -a= --arg-file= -I= --bar --dry-run --eta -q --quote --will-cite -P= --max-procs= --colsep= --delimiter= -d= -u --ungroup --tag --halt= --joblog= --results= --timeout= --retries= -v -t --pipe --block= -S= --sshlogin=",
        0,
    ),
    deny(
        "xargs",
        "-0 --null -a< --arg-file< -d= --delimiter= -E= -e? --eof? -I= -i? --replace? -L= -l? --max-lines? -n= --max-args= -o --open-tty -P= --max-procs= -p --interactive -r --no-run-if-empty -s= --max-chars= -t --verbose -x --exit --process-slot-var= --show-limits",
        0,
    ),
];

const fn strip(name: &'static str, options: &'static str, operands: usize) -> Wrapper {
    Wrapper { name, options, operands, assignments: false, strippable: true }
}

const fn deny(name: &'static str, options: &'static str, operands: usize) -> Wrapper {
    Wrapper { name, options, operands, assignments: true, strippable: false }
}

fn wrapper(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}

/// The base name of a program.
pub(crate) fn base_name(name: &str) -> &str {
    memchr::memrchr(b'/', name.as_bytes()).map_or(name, |at| &name[at + 1..])
}

/// The command inside of a wrapper, or `None` where `words` is no wrapper with one.
pub(crate) fn inner(words: &[Word]) -> Option<Inner<'_>> {
    let name = words.first()?.known()?;
    let wrapper = wrapper(base_name(&name))?;
    let parsed = flags::parse(&words[1..], wrapper.options, Order::First);
    if matches!(wrapper.name, "command") && words.get(1).and_then(Word::known).is_some_and(|flag| is_query(&flag)) {
        return None;
    }
    // The first operand ends the options, so the operands are the last of the words.
    let mut rest = words.get(words.len() - parsed.operands.len()..)?;
    let mut strippable = wrapper.strippable && name == wrapper.name && parsed.is_plain();
    // xargs with flags changes what the inner command gets; without any it only appends.
    let bare_xargs = wrapper.name == "xargs" && name == "xargs" && parsed.options.is_empty() && parsed.is_plain();
    strippable |= bare_xargs;
    for _ in 0..wrapper.operands {
        let (first, others) = rest.split_first()?;
        strippable &= first.known().is_some_and(|value| is_duration(&value));
        rest = others;
    }
    if wrapper.assignments {
        while rest.first().is_some_and(is_assignment) {
            rest = &rest[1..];
        }
    }
    if rest.is_empty() {
        return None;
    }
    let files = parsed
        .options
        .iter()
        .filter_map(|given| {
            let access = match given.kind {
                OptionKind::ReadPath => Access::Read,
                OptionKind::WritePath => Access::Write,
                _ => return None,
            };
            Some((given.value.clone()?, access))
        })
        .collect();
    Some(Inner { words: rest, files, strippable })
}

fn is_query(flag: &str) -> bool {
    flag.starts_with('-') && flag.contains(['v', 'V'])
}

fn is_duration(value: &str) -> bool {
    let digits = value.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(value);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_assignment(word: &Word) -> bool {
    let text = word.fixed_prefix();
    text.find('=').is_some_and(|at| crate::read::is_name(&text[..at]))
}

/// The literal script of `sh -c '…'`, of `eval '…'`, or `None`.
pub(crate) fn script(words: &[Word]) -> Option<String> {
    let name = words.first()?.known()?;
    match base_name(&name) {
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "mksh" | "ash" | "fish" | "su" | "script" | "runuser" => {
            let mut rest = words[1..].iter();
            while let Some(word) = rest.next() {
                let text = word.known()?;
                if text == "--command" || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')) {
                    return rest.next().and_then(Word::known).map(Cow::into_owned);
                }
            }
            None
        }
        "eval" => join_known(&words[1..]),
        "watch" => {
            let parsed = flags::parse(&words[1..], wrapper("watch")?.options, Order::First);
            join_known(parsed.operands)
        }
        "env" => {
            let parsed = flags::parse(&words[1..], "-S= --split-string= -i -u= -v", Order::First);
            let split = parsed.value(&["-S", "--split-string"])?.known()?;
            let rest = join_known(parsed.operands.iter().copied()).unwrap_or_default();
            Some(format!("{split} {rest}"))
        }
        _ => None,
    }
}

fn join_known<'w>(words: impl IntoIterator<Item = &'w Word>) -> Option<String> {
    let known: Option<Vec<Cow<'_, str>>> = words.into_iter().map(Word::known).collect();
    known.filter(|words| !words.is_empty()).map(|words| words.join(" "))
}

/// A word that stands for arguments nobody knows yet (what xargs appends).
pub(crate) fn unknown_word(span: crate::syntax::Span) -> Word {
    Word {
        span,
        source: String::new(),
        pieces: vec![Piece::Expansion {
            kind: crate::syntax::ExpansionKind::Variable("@".to_owned()),
            source: APPENDED.to_owned(),
            quoted: false,
        }],
    }
}
