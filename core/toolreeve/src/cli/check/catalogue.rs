//! What a report can name: the kinds of reasons and the 23 checks, each with a stable id, a name, one sentence, and what
//! to do about it. Owns the texts only.

/// One thing that can be named.
pub(super) struct Entry {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) short: &'static str,
    pub(super) help: &'static str,
}

/// The id of a check in reports.
pub(super) fn check_rule(id: u8) -> String {
    format!("check-{id}")
}

const fn entry(id: &'static str, name: &'static str, short: &'static str, help: &'static str) -> Entry {
    Entry { id, name, short, help }
}

const LITERAL: &str =
    "Write the command so that its text says plainly what runs, or approve exactly this text with a rule.";

/// Every entry: reasons first, then the checks by number.
#[rustfmt::skip] // One entry is easier to read on two lines.
pub(super) const ENTRIES: [Entry; 36] = [
    entry("rule-deny", "RuleDeny", "A deny rule covers the command.",
        "Leave the command out, or change the rule that is named in the message."),
    entry("rule-ask", "RuleAsk", "An ask rule covers the command.",
        "A person approves it each time; change the rule that is named in the message if that is not wanted."),
    entry("critical-path", "CriticalPath", "The command removes a path that nothing may approve silently.",
        "Name the files to remove; the root, the home directory, their neighbours and the working directory always ask."),
    entry("protected-path", "ProtectedPath", "The command writes a file or folder that configures tools or shells.",
        "Such files run code later. A person approves each change."),
    entry("outside-directory", "OutsideDirectory", "The command uses a path outside of the allowed directories.",
        "Work inside of the project, add the directory, or allow the path with a Read or Edit rule."),
    entry("too-complex", "TooComplex", "The command cannot be taken apart with certainty.",
        "Split it into plain commands, or approve exactly this text with a rule."),
    entry("parse-unavailable", "ParseUnavailable", "The command could not be parsed at all.",
        "Shorten it, or put it into a script and run the script."),
    entry("hook", "Hook", "A hook decided.", "The message is the hook's."),
    entry("tool", "Tool", "The tool's own check decided.", "The message says why."),
    entry("mode", "Mode", "The permission mode decided.", "Choose another mode, or a command that the mode lets through."),
    entry("non-interactive", "NonInteractive", "There is nobody to ask.", "Allow the command with a rule."),
    entry("no-rule", "NoRule", "No rule covers the command.", "Allow it with a rule; suggestions come with the decision."),
    entry("invalid-input", "InvalidInput", "The input cannot be judged.", "The message says what to give instead."),
    entry("check-1", "IncompleteCommands", "The text looks cut off, so what runs may not be what was meant.",
        "Write the whole command: it begins with a program and ends without an open operator."),
    entry("check-2", "JqSystemFunction", "A jq filter calls `system`, which some builds have and which runs commands.",
        "Leave `system` out of the filter."),
    entry("check-3", "JqFileArguments", "jq reads programs, modules or raw files by name, past its operands.",
        "Give the filter as text and the files as operands."),
    entry("check-4", "ObfuscatedFlags", "The name of an option is broken up by quotes or escapes.",
        "Write the option without quotes inside of its name."),
    entry("check-5", "ShellMetacharacters", "A quoted argument holds operators of the shell, which a program may hand to a shell.",
        LITERAL),
    entry("check-6", "DangerousVariables", "A variable stands next to a pipe or redirection, where its value may be a program or a file.",
        "Write the program or file itself."),
    entry("check-7", "Newlines", "A newline outside of quotes starts another command.",
        "Join commands with `&&` or run them one by one."),
    entry("check-8", "DangerousPatternsCommandSubstitution", "The shell runs a command to build a word.",
        "Run the inner command first and write its result."),
    entry("check-9", "DangerousPatternsInputRedirection", "A file is read past the arguments.",
        "Name the file as an argument."),
    entry("check-10", "DangerousPatternsOutputRedirection", "A file is written past the arguments.",
        "Write files with a tool that asks for the path, or allow the path with an Edit rule."),
    entry("check-11", "IfsInjection", "The separator variable is used to write blanks that nobody sees, or set to split words elsewhere.",
        "Write blanks as blanks and leave IFS alone."),
    entry("check-12", "GitCommitSubstitution", "A commit message is built by running something.",
        "Write the message in single quotes."),
    entry("check-13", "ProcEnvironAccess", "The environment of a process is read, where secrets live.",
        "Read the one variable that is needed by its name."),
    entry("check-14", "MalformedTokenInjection", "Brackets or quotes do not pair up in a text with several commands.",
        "Quote brackets that are meant as text."),
    entry("check-15", "BackslashEscapedWhitespace", "A blank stands behind a backslash: part of a word for the shell, a gap for a careless reader.",
        "Put the word in quotes."),
    entry("check-16", "BraceExpansion", "One word becomes several, options among them.", "Write the words out."),
    entry("check-17", "ControlCharacters", "The text holds bytes that a terminal does not show, or that move what it shows.",
        "Remove them, or write them as escapes in `$'…'`."),
    entry("check-18", "UnicodeWhitespace", "The text holds characters that look like a blank or like nothing.",
        "Write plain blanks."),
    entry("check-19", "MidWordHash", "A `#` stands inside of a word, where some readers start a comment.",
        "Put the word in quotes."),
    entry("check-20", "ZshDangerousCommands", "A builtin that only zsh has loads modules, opens files or sockets, or runs text.",
        "Use an ordinary program."),
    entry("check-21", "BackslashEscapedOperators", "An operator stands behind a backslash: text for the shell, an operator for a careless reader.",
        "Put it in quotes."),
    entry("check-22", "CommentQuoteDesync", "A comment holds a quote character, so a careless reader takes what follows for quoted text.",
        "Leave the comment or the quote out."),
    entry("check-23", "QuotedNewline", "Quotes hold a newline, so what follows looks like a line of its own.",
        "Write the text with `$'\\n'`, or put it into a file."),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// `NEWLINES` and `Newlines` are the same name.
    fn pascal(name: &str) -> String {
        name.split('_')
            .map(|word| word.chars().take(1).chain(word.to_lowercase().chars().skip(1)).collect::<String>())
            .collect()
    }

    #[test]
    fn every_check_is_listed_under_its_name() {
        let rows = include_str!("../../../../../tests/data/bash/checks.jsonl");
        let mut seen = BTreeSet::new();
        for row in rows.lines() {
            let row: Value = serde_json::from_str(row).unwrap();
            let Some(command) = row["command"].as_str() else { continue };
            for shell in [toolreeve_shell::Shell::Bash, toolreeve_shell::Shell::Zsh] {
                for finding in toolreeve_shell::analyze(command, shell).findings {
                    let entry = ENTRIES.iter().find(|entry| entry.id == check_rule(finding.id)).unwrap();
                    assert_eq!(entry.name, pascal(finding.name));
                    seen.insert(finding.id);
                }
            }
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), (1..=23).collect::<Vec<u8>>());
    }

    #[test]
    fn ids_are_unique() {
        let ids: BTreeSet<_> = ENTRIES.iter().map(|entry| entry.id).collect();
        assert_eq!(ids.len(), ENTRIES.len());
    }
}
