//! What a Bash call is, for rules and for the scheduler: everything is read off the analysis of its command.

use toolreeve_shell::Analysis;

use super::schema::BashInput;

/// The longest command: Linux passes no longer argument to a program.
const MAX_COMMAND_BYTES: usize = 131_071;

/// Programs that print nothing when all is well.
const SILENT: [&str; 14] =
    ["cp", "mv", "rm", "mkdir", "rmdir", "touch", "chmod", "chown", "chgrp", "ln", "cd", "export", "unset", "wait"];

/// Why an input makes no sense, in words for the model.
pub(super) fn misfit(input: &BashInput) -> Option<String> {
    let command = &input.command;
    if input.run_in_background == Some(true) {
        return Some(
            "`run_in_background` is not available yet: run the command without it, with a `timeout` that is long enough"
                .to_owned(),
        );
    }
    if command.trim().is_empty() {
        return Some("`command` is empty: give the command to run".to_owned());
    }
    if command.contains('\0') {
        return Some("`command` contains a NUL byte, which no command can: remove it".to_owned());
    }
    if command.len() > MAX_COMMAND_BYTES {
        return Some(format!(
            "`command` has {} bytes, at most {MAX_COMMAND_BYTES} can be passed to bash: write a script with Write and run it",
            command.len()
        ));
    }
    if input.timeout.is_some_and(|timeout| timeout < 0.0) {
        return Some("`timeout` is negative: give milliseconds, or leave it out".to_owned());
    }
    None
}

/// Whether the call may run beside others: it changes nothing, not even the working directory.
pub(super) fn is_concurrency_safe(analysis: &Analysis) -> bool {
    analysis.read_only && !analysis.commands.iter().any(|command| command.changes_directory)
}

/// Whether the command normally prints nothing.
pub(super) fn is_silent(analysis: &Analysis) -> bool {
    analysis.is_simple()
        && !analysis.commands.is_empty()
        && analysis.commands.iter().all(|command| {
            command.argv.is_empty() || command.program.as_deref().is_some_and(|program| SILENT.contains(&program))
        })
}
