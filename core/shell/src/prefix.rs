//! The two-word prefix of a command, for rules that people save (`git commit` of `git commit -m x`). Owns which words
//! may make a rule; a prefix that would allow any program is never offered.

use crate::analysis::Arg;

/// Programs that run what their arguments say: a rule on them would cover everything.
const NEVER: [&str; 58] = [
    "bash",
    "sh",
    "zsh",
    "dash",
    "ksh",
    "mksh",
    "fish",
    "csh",
    "tcsh",
    "ash",
    "busybox",
    "pwsh",
    "powershell",
    "sudo",
    "doas",
    "su",
    "env",
    "exec",
    "eval",
    "source",
    ".",
    "command",
    "builtin",
    "xargs",
    "parallel",
    "nohup",
    "nice",
    "ionice",
    "timeout",
    "time",
    "stdbuf",
    "setsid",
    "chroot",
    "watch",
    "flock",
    "taskset",
    "unshare",
    "nsenter",
    "strace",
    "ltrace",
    "script",
    "ssh",
    "trap",
    "coproc",
    "noglob",
    "nocorrect",
    "runuser",
    "pkexec",
    "systemd-run",
    "tmux",
    "screen",
    "expect",
    "osascript",
    "cmd",
    "wsl",
    "find",
    "fd",
    "at",
];

/// Programs whose second word is data even where it looks like a sub-command.
const DATA: [&str; 24] = [
    "echo", "printf", "cd", "which", "whereis", "type", "man", "test", "[", "mkdir", "rmdir", "touch", "rm", "cp",
    "mv", "cat", "ls", "grep", "rg", "kill", "pkill", "basename", "dirname", "export",
];

/// The prefix of `argv`, which starts with the program, or `None` where the words make no sensible rule.
pub(crate) fn two_words(argv: &[Arg]) -> Option<String> {
    let program = argv.first()?.known()?;
    let second = argv.get(1)?.known()?;
    let base = program.rsplit('/').next().unwrap_or(program);
    if NEVER.contains(&base) || DATA.contains(&base) || !is_program_word(program) || !is_subcommand(second) {
        return None;
    }
    Some(format!("{program} {second}"))
}

fn is_program_word(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('-')
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+'))
}

/// A sub-command is a short word of letters, digits, `-`, `_` and `:`; not a flag, a number or a path.
fn is_subcommand(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.len() <= 32
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':'))
}
