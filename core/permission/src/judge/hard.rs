//! The hard limits: removals that nothing approves silently, and files that configure tools and shells. Owns the two
//! lists. A hard limit turns an allow into a question, never the other way.

use std::path::Path;

use toolreeve_shell::{Access, Anchor, PathUse, clean};

use super::places::{Target, holds_a_root};
use crate::policy::Policy;

/// Folders whose content makes tools run code. Compared without regard to case, as some file systems do.
const PROTECTED_FOLDERS: [&str; 9] =
    [".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn", ".claude"];

/// Files that do the same.
#[rustfmt::skip] // One name a line says nothing more.
const PROTECTED_FILES: &[&str] = &[
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
    ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc",
    "config.fish", ".gitconfig", ".gitmodules", ".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnp.js",
    ".pnp.loader.mjs", ".pnpmfile.cjs", "bunfig.toml", ".bunfig.toml", ".bazelrc", ".bazelversion", ".bazeliskrc",
    ".bazelproject", ".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook.yml", "lefthook.yaml",
    ".lefthook.yml", ".lefthook.yaml", "gradle-wrapper.properties", "maven-wrapper.properties", ".devcontainer.json",
    ".ripgreprc", ".mcp.json", ".claude.json", "pyrightconfig.json", "lefthook-local.yml", "lefthook-local.yaml",
];

/// What is special about writing this target, if anything.
pub(crate) fn protected(target: &Target) -> Option<String> {
    let known = target.known.as_ref()?;
    [&known.path, &known.real]
        .into_iter()
        .find_map(|path| protected_path(path))
        .map(|name| format!("it writes to {}, and `{name}` configures tools that run code", target.absolute()))
}

fn protected_path(path: &Path) -> Option<String> {
    let names: Vec<String> = path.components().map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect();
    for (at, name) in names.iter().enumerate() {
        let next = names.get(at + 1).map(String::as_str);
        if name == ".claude" && next == Some("worktrees") {
            // The checkouts below are folders like any other; what is protected in them is found on its own.
            continue;
        }
        if PROTECTED_FOLDERS.contains(&name.as_str()) {
            return Some(name.clone());
        }
        if name == ".config" && next == Some("git") {
            return Some(".config/git".to_owned());
        }
    }
    let last = names.last()?;
    PROTECTED_FILES.contains(&last.as_str()).then(|| last.clone())
}

/// Why this removal is critical, if it is.
pub(crate) fn critical(policy: &Policy, path: &PathUse, target: &Target) -> Option<String> {
    if path.access != Access::Remove {
        return None;
    }
    let say = |what: &str| Some(format!("it would remove {what} ({})", path.path));
    let Some(known) = &target.known else {
        if path.anchor == Anchor::Home && (clean(&path.known, false).is_empty() || path.known.starts_with("..")) {
            return say("the home directory");
        }
        return empties_to_root(&path.path)
            .then(|| say("the root of the file system if the variable is empty"))
            .flatten();
    };
    if is_drive(&path.known) || is_drive(&path.path) {
        return say("a drive or a folder right below it");
    }
    for place in [&known.path, &known.real] {
        if known.exact {
            if let Some(what) = critical_place(policy, place) {
                return say(what);
            }
        } else if matches_everything(&path.path) {
            if critical_place(policy, place).is_some() || is_allowed_root(policy, place) {
                return say("everything in a folder that must stay");
            }
        } else if place == Path::new("/") {
            return say("folders right below the root of the file system");
        }
    }
    None
}

fn critical_place(policy: &Policy, path: &Path) -> Option<&'static str> {
    let depth = path.components().count();
    if depth <= 1 {
        return Some("the root of the file system");
    }
    if depth == 2 || (depth == 3 && path.starts_with("/private")) {
        return Some("a folder right below the root of the file system");
    }
    if let Some(home) = &policy.home
        && home.is_absolute()
        && home.starts_with(path)
    {
        return Some("the home directory");
    }
    if holds_a_root(policy, path) {
        return Some("the working directory or a folder above it");
    }
    None
}

fn is_allowed_root(policy: &Policy, path: &Path) -> bool {
    policy.additional_directories.iter().any(|root| root == path)
}

/// Whether the last component of a pattern takes everything: `*`, `.*`, `*.*`, `**`, `?*`.
fn matches_everything(shown: &str) -> bool {
    let name = shown.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    !name.is_empty() && name.contains('*') && name.chars().all(|c| matches!(c, '*' | '.' | '?'))
}

/// Whether a path with variables in it is the root, or everything in it, once they are empty.
fn empties_to_root(shown: &str) -> bool {
    if shown.starts_with('~') && !shown.contains('/') {
        return true;
    }
    let mut rest = String::new();
    let mut chars = shown.chars().peekable();
    let mut emptied = false;
    while let Some(c) = chars.next() {
        if c != '$' {
            rest.push(c);
            continue;
        }
        emptied = true;
        if chars.peek() == Some(&'{') {
            for inner in chars.by_ref() {
                if inner == '}' {
                    break;
                }
            }
        } else {
            while chars.peek().is_some_and(|next| next.is_ascii_alphanumeric() || *next == '_') {
                chars.next();
            }
        }
    }
    if !emptied || !rest.starts_with('/') {
        return false;
    }
    let rest = rest.replace("/./", "/");
    let tail = rest.trim_matches('/');
    tail.is_empty() || (!tail.contains('/') && matches_everything(tail)) || tail == "."
}

/// `C:`, `C:\`, `C:/Users`: a Windows drive or something right below it.
fn is_drive(text: &str) -> bool {
    let mut chars = text.chars();
    let lettered = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':');
    if !lettered {
        return false;
    }
    let rest = chars.as_str();
    rest.is_empty() || (rest.starts_with(['/', '\\']) && !rest.trim_matches(['/', '\\']).contains(['/', '\\']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_paths() {
        for (path, expected) in [
            ("/p/.git/config", true),
            ("/p/.GIT/hooks/x", true),
            ("/p/.gitignore", false),
            ("/p/.claude/settings.json", true),
            ("/p/.claude/worktrees/a/src/x.rs", false),
            ("/p/.claude/worktrees/a/.git", true),
            ("/home/u/.config/git/config", true),
            ("/home/u/.config/other", false),
            ("/home/u/.bashrc", true),
            ("/p/src/main.rs", false),
            ("/p/.mcp.json", true),
            ("/p/gradle/wrapper/gradle-wrapper.properties", true),
        ] {
            assert_eq!(protected_path(Path::new(path)).is_some(), expected, "{path}");
        }
    }

    #[test]
    fn what_empty_variables_leave() {
        for (shown, expected) in [
            ("$X/*", true),
            ("${X}/", true),
            ("/$X", true),
            ("$X/.", true),
            ("$X", false),
            ("$X/build", false),
            ("a/$X", false),
            ("~root", true),
            ("plain", false),
        ] {
            assert_eq!(empties_to_root(shown), expected, "{shown}");
        }
    }

    #[test]
    fn drives() {
        for (text, expected) in [("C:\\", true), ("c:/", true), ("C:/Users", true), ("C:/a/b", false), ("build", false)]
        {
            assert_eq!(is_drive(text), expected, "{text}");
        }
    }
}
