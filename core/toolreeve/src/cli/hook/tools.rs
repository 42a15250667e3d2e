//! What the tools of the agents do, told from their names and inputs. Owns the table of names and fields; judges nothing.

use serde_json::Value;
use toolreeve_permission::Access;
use toolreeve_shell::Shell;

use super::shapes::Call;

/// What a call does, as far as rules can see.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// It runs a shell command, in this directory if the call names one.
    Command { text: String, shell: Shell, dir: Option<String> },
    /// It touches these paths, under the name that rules use for it.
    Paths { tool: &'static str, paths: Vec<String>, access: Access },
    /// It fetches from this address.
    Fetch { url: String },
    /// It is a tool that is known by its name only.
    Named { tool: String },
    /// What it does cannot be told; a person must look.
    Unclear { tool: &'static str, why: String },
}

/// Reads a call.
pub(super) fn act_of(call: &Call<'_>) -> Act {
    let input = &call.input;
    if let Some((server, tool)) = call.mcp {
        return Act::Named { tool: format!("mcp__{server}__{tool}") };
    }
    match call.tool.as_str() {
        "Bash" | "Monitor" | "Shell" | "shell" | "local_shell" | "exec_command" | "run_shell_command"
        | "run_terminal_cmd" => command(input),
        "PowerShell" => {
            Act::Unclear { tool: "PowerShell", why: "commands of PowerShell cannot be judged here".to_owned() }
        }
        "Read" | "NotebookRead" | "View" | "read_file" => {
            paths("Read", input, &["file_path", "notebook_path", "absolute_path", "path", "target_file"], Access::Read)
        }
        "Write" | "write_file" => paths("Write", input, &["file_path", "absolute_path", "path"], Access::Write),
        "Edit" | "MultiEdit" | "StrReplace" | "replace" | "edit_file" | "search_replace" => {
            paths("Edit", input, &["file_path", "absolute_path", "path", "target_file"], Access::Write)
        }
        "Delete" | "delete_file" => paths("Edit", input, &["file_path", "path", "target_file"], Access::Write),
        "NotebookEdit" | "EditNotebook" => {
            paths("NotebookEdit", input, &["notebook_path", "file_path", "target_notebook"], Access::Write)
        }
        "Glob" | "glob" => folder("Glob", input),
        "Grep" | "grep_search" | "search_file_content" => folder("Grep", input),
        "LS" | "list_directory" => folder("LS", input),
        "apply_patch" => patch(input),
        "WebFetch" => match input.get("url") {
            Some(Value::String(url)) => Act::Fetch { url: url.clone() },
            _ => Act::Unclear { tool: "WebFetch", why: "`url` is not a string".to_owned() },
        },
        other => Act::Named { tool: other.to_owned() },
    }
}

fn command(input: &Value) -> Act {
    let unclear = |why: &str| Act::Unclear { tool: "Bash", why: why.to_owned() };
    let dir = match ["dir_path", "directory", "working_directory", "workdir"].iter().find_map(|name| input.get(*name)) {
        None | Some(Value::Null) => None,
        Some(Value::String(dir)) if dir.is_empty() => None,
        Some(Value::String(dir)) => Some(dir.clone()),
        Some(_) => return unclear("the directory of the command is not a string"),
    };
    match input.get("command").or_else(|| input.get("cmd")) {
        Some(Value::String(text)) => Act::Command { text: text.clone(), shell: Shell::Bash, dir },
        Some(Value::Array(words)) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            match words.as_deref() {
                None | Some([]) => unclear("`command` is a list, and not of strings"),
                Some(words) => {
                    let (text, shell) = of_words(words);
                    Act::Command { text, shell, dir }
                }
            }
        }
        _ => unclear("`command` is not a string"),
    }
}

/// A list of words as a command text: the script of a shell that is called for it, else the words, quoted.
fn of_words(words: &[&str]) -> (String, Shell) {
    if let [program, "-c" | "-lc", script] = words {
        let shell = match program.strip_prefix("/bin/").or_else(|| program.strip_prefix("/usr/bin/")).unwrap_or(program)
        {
            "bash" => Some(Shell::Bash),
            "zsh" => Some(Shell::Zsh),
            "sh" => Some(Shell::Sh),
            _ => None,
        };
        if let Some(shell) = shell {
            return ((*script).to_owned(), shell);
        }
    }
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    (quoted.join(" "), Shell::Bash)
}

/// A call that names one path in one of these fields. All that are there count: which one the tool reads is its own
/// affair.
fn paths(tool: &'static str, input: &Value, fields: &[&str], access: Access) -> Act {
    let mut paths = Vec::new();
    for field in fields {
        match input.get(*field) {
            None | Some(Value::Null) => {}
            Some(Value::String(path)) if !path.is_empty() && !path.contains('\0') => paths.push(path.clone()),
            Some(_) => return Act::Unclear { tool, why: format!("`{field}` is not a path") },
        }
    }
    match paths.is_empty() {
        true => Act::Unclear { tool, why: format!("no path is given; `{}` is missing", fields[0]) },
        false => Act::Paths { tool, paths, access },
    }
}

/// A call that searches below a folder, the working directory if it names none.
fn folder(tool: &'static str, input: &Value) -> Act {
    let fields = ["path", "dir_path", "target_directory"];
    match fields.iter().any(|field| input.get(*field).is_some_and(|value| !value.is_null() && value != "")) {
        true => paths(tool, input, &fields, Access::Read),
        false => Act::Paths { tool, paths: vec![".".to_owned()], access: Access::Read },
    }
}

/// The files that a patch of the public `apply_patch` grammar names.
fn patch(input: &Value) -> Act {
    let text = ["command", "input", "patch"].iter().find_map(|field| input.get(*field)).and_then(Value::as_str);
    let Some(text) = text else {
        return Act::Unclear { tool: "Edit", why: "the patch is not a string".to_owned() };
    };
    const HEADS: [&str; 4] = ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"];
    let paths: Vec<String> = text
        .lines()
        .filter_map(|line| HEADS.iter().find_map(|head| line.trim().strip_prefix(head)))
        .map(|path| path.trim().to_owned())
        .collect();
    match paths.is_empty() || paths.iter().any(|path| path.is_empty() || path.contains('\0')) {
        true => Act::Unclear { tool: "Edit", why: "the patch names no file".to_owned() },
        false => Act::Paths { tool: "Edit", paths, access: Access::Write },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_words_become_commands() {
        assert_eq!(of_words(&["bash", "-lc", "ls -la"]), ("ls -la".to_owned(), Shell::Bash));
        assert_eq!(of_words(&["/bin/sh", "-c", "ls"]), ("ls".to_owned(), Shell::Sh));
        assert_eq!(of_words(&["./bash", "-c", "ls"]).0, "'./bash' '-c' 'ls'");
        assert_eq!(of_words(&["echo", "it's; rm x"]).0, r"'echo' 'it'\''s; rm x'");
    }
}
