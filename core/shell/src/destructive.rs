//! Warnings about commands that destroy work. They are shown beside a question and never change a decision.

use crate::analysis::{CommandFacts, DestructiveWarning};

const DISCARD: DestructiveWarning =
    DestructiveWarning { id: "discard-uncommitted", message: "may discard uncommitted changes" };
const OVERWRITE: DestructiveWarning =
    DestructiveWarning { id: "overwrite-remote-history", message: "may overwrite remote history" };
const SKIP_HOOKS: DestructiveWarning = DestructiveWarning { id: "skip-hooks", message: "may skip safety hooks" };
const AMEND: DestructiveWarning =
    DestructiveWarning { id: "rewrite-last-commit", message: "may rewrite the last commit" };
const REMOVE: DestructiveWarning =
    DestructiveWarning { id: "recursive-force-remove", message: "may recursively force-remove files" };
const DROP: DestructiveWarning =
    DestructiveWarning { id: "drop-or-truncate", message: "may drop or truncate database objects" };
const DELETE_ROWS: DestructiveWarning = DestructiveWarning { id: "delete-all-rows", message: "may delete all rows" };
const KUBERNETES: DestructiveWarning =
    DestructiveWarning { id: "delete-kubernetes", message: "may delete Kubernetes resources" };
const INFRASTRUCTURE: DestructiveWarning =
    DestructiveWarning { id: "destroy-infra", message: "may destroy Terraform infrastructure" };

/// Programs that take database statements as arguments or on standard input.
const DATABASES: [&str; 9] =
    ["psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "mysqlsh", "clickhouse-client", "duckdb", "cockroach"];

/// The warnings for one command, by its words after wrappers and assignments.
pub(crate) fn warnings(program: &str, words: &[&str], found: &mut Vec<DestructiveWarning>) {
    let mut add = |warning: DestructiveWarning| {
        if !found.contains(&warning) {
            found.push(warning);
        }
    };
    match program {
        "git" => git(words, &mut add),
        "rm" => {
            let flags = || words.iter().take_while(|word| **word != "--").filter(|word| word.starts_with('-'));
            let short = |letters: &[char]| flags().any(|flag| !flag.starts_with("--") && flag.contains(letters));
            let long = |name: &str| flags().any(|flag| flag.len() > 3 && name.starts_with(flag));
            if (short(&['r', 'R']) || long("--recursive")) && (short(&['f']) || long("--force")) {
                add(REMOVE);
            }
        }
        "kubectl" | "oc" if subcommand(words) == Some("delete") => add(KUBERNETES),
        "terraform" | "tofu" if subcommand(words) == Some("destroy") => add(INFRASTRUCTURE),
        "terraform" | "tofu" if subcommand(words) == Some("apply") && words.contains(&"-destroy") => {
            add(INFRASTRUCTURE)
        }
        _ if DATABASES.contains(&program) => {
            for word in words {
                statements(word, &mut add);
            }
        }
        _ => {}
    }
}

/// The first word that is no option.
fn subcommand<'w>(words: &[&'w str]) -> Option<&'w str> {
    words.iter().copied().find(|word| !word.starts_with('-'))
}

fn git(words: &[&str], add: &mut dyn FnMut(DestructiveWarning)) {
    let mut rest = words.iter().copied();
    let mut command = None;
    while let Some(word) = rest.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => {
                rest.next();
            }
            _ if word.starts_with('-') => {}
            _ => {
                command = Some(word);
                break;
            }
        }
    }
    let Some(command) = command else { return };
    // The value of `-m` is text, not an option.
    let mut flags = Vec::new();
    while let Some(word) = rest.next() {
        match word {
            "--" => break,
            "-m" | "-F" | "--message" | "-am" => {
                rest.next();
            }
            _ if word.starts_with('-') || (command == "push" && word.starts_with('+')) => flags.push(word),
            _ => {}
        }
    }
    let short = |letter: char| {
        flags.iter().any(|flag| !flag.starts_with("--") && flag.starts_with('-') && flag.contains(letter))
    };
    let has = |name: &str| flags.iter().any(|flag| *flag == name || flag.split('=').next() == Some(name));
    match command {
        "reset" if has("--hard") => add(DISCARD),
        "clean" if (short('f') || has("--force")) && !short('n') && !has("--dry-run") => add(DISCARD),
        "branch" if short('D') || (has("--delete") && has("--force")) => add(DISCARD),
        "checkout" | "restore" if words.iter().any(|word| *word == "." || *word == "--") && command == "checkout" => {
            add(DISCARD);
        }
        "restore" => add(DISCARD),
        "stash" if words.iter().any(|word| matches!(*word, "drop" | "clear")) => add(DISCARD),
        "push"
            if short('f')
                || has("--force")
                || has("--force-with-lease")
                || has("--mirror")
                || flags.iter().any(|flag| flag.starts_with('+')) =>
        {
            add(OVERWRITE);
        }
        "commit" if has("--amend") => add(AMEND),
        _ => {}
    }
    if has("--no-verify") || (command == "commit" && short('n') && !short('m')) {
        add(SKIP_HOOKS);
    }
}

fn statements(text: &str, add: &mut dyn FnMut(DestructiveWarning)) {
    let upper = text.to_ascii_uppercase();
    for statement in upper.split(';') {
        let words: Vec<&str> = statement.split_ascii_whitespace().collect();
        let pair =
            |first: &str, second: &[&str]| words.windows(2).any(|pair| pair[0] == first && second.contains(&pair[1]));
        if pair("DROP", &["TABLE", "DATABASE", "SCHEMA", "INDEX", "VIEW"]) || words.first() == Some(&"TRUNCATE") {
            add(DROP);
        }
        if pair("DELETE", &["FROM"]) && !words.contains(&"WHERE") {
            add(DELETE_ROWS);
        }
    }
}

/// The warnings of all commands.
pub(crate) fn all(commands: &[(CommandFacts, Vec<String>)]) -> Vec<DestructiveWarning> {
    let mut found = Vec::new();
    for (facts, words) in commands {
        if let Some(program) = &facts.program {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            warnings(program, &words, &mut found);
        }
    }
    found
}
