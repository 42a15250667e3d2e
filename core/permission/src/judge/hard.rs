//! The hard limits: losses that nothing approves silently, and files that configure tools and shells. Owns the two
//! lists. A hard limit turns an allow into a question, never the other way. Losses ask in every mode; the files do not in
//! the mode that allows everything, as the public contract has it.

use std::path::Path;

use toolreeve_shell::{Anchor, Loss, PathUse, Removal, clean};

use super::places::{self, Target, holds_a_root};
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

/// Why this loss is critical, if it is.
pub(crate) fn critical(policy: &Policy, removal: &Removal) -> Option<String> {
    let path = &removal.path;
    let target = Target::of_use(policy, path);
    let does = match removal.loss {
        Loss::Tree | Loss::Entry => "remove",
        Loss::Moved => "move away",
        Loss::Changed => "change the modes or owners of",
        Loss::Untracked => "remove what is not tracked in",
        Loss::Device => {
            let open = target.known.is_none() && path.anchor == Anchor::Unknown && lasting(&path.path).is_empty();
            return match device(&target) {
                None if !open => None,
                None => Some(format!("it would write over a device, and nobody knows which ({})", path.path)),
                found => found,
            };
        }
    };
    let say = |what: &str| Some(format!("it would {does} {what} ({})", path.path));
    let removes = matches!(removal.loss, Loss::Tree | Loss::Entry);
    let Some(known) = &target.known else {
        if path.anchor == Anchor::Home && (clean(&path.known, false).is_empty() || path.known.starts_with("..")) {
            return say("the home directory");
        }
        if removal.loss != Loss::Moved && empties_to_root(&path.path) {
            return say("the root of the file system if the variable is empty");
        }
        return (removal.loss == Loss::Tree && is_open(policy, path)).then(|| say("what nobody knows")).flatten();
    };
    if removes && (is_drive(&path.known) || is_drive(&path.path)) {
        return say("a drive or a folder right below it");
    }
    for place in [&known.path, &known.real] {
        // The working directory may be moved, changed and tidied up; what is above it may not.
        let critical = match (removal.loss, known.exact) {
            (Loss::Untracked | Loss::Moved, true) if is_root(policy, place) => None,
            (Loss::Changed, _) => system_place(policy, place),
            (Loss::Moved | Loss::Untracked, false) => outer_place(policy, place),
            _ => critical_place(policy, place),
        };
        if known.exact {
            if let Some(what) = critical {
                return say(what);
            }
        } else if path.below.is_empty() || matches_everything(&path.path) {
            if critical.is_some() || (removes && is_allowed_root(policy, place)) {
                return say("everything in a folder that must stay");
            }
        } else if place == Path::new("/") {
            return say("folders right below the root of the file system");
        }
    }
    None
}

/// Why writing to this target would destroy a device, if it is one.
pub(crate) fn device(target: &Target) -> Option<String> {
    let known = target.known.as_ref().filter(|known| known.exact)?;
    let is_disk = |path: &Path| {
        let name = path.strip_prefix("/dev").ok().and_then(|rest| rest.to_str()).unwrap_or_default();
        DISKS.iter().any(|disk| name.starts_with(disk)) || name == "mem" || name == "kmem"
    };
    [&known.path, &known.real]
        .into_iter()
        .any(|path| is_disk(path))
        .then(|| format!("it would write over the device {}", target.absolute()))
}

/// How the names of disks and their parts start, below `/dev`.
const DISKS: [&str; 14] =
    ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "dm-", "md", "loop", "nbd", "zd"];

/// Whether a path that starts with something unknown may be any path: nothing that is fixed in it stays, or what stays
/// is itself critical.
fn is_open(policy: &Policy, path: &PathUse) -> bool {
    let rest = lasting(&path.path);
    if rest == "./" {
        // Something right below the folder; where nothing is left, rm does not remove the folder itself.
        return false;
    }
    let relative = clean(rest.trim_start_matches('~').trim_start_matches('/'), false);
    if relative.split('/').all(|part| part.is_empty() || part == ".." || matches_everything(part)) {
        return true;
    }
    // `/usr/$X` is `/usr/` where the variable is empty. Names below `/tmp` come and go.
    let fixed = places::clean(Path::new(&rest));
    path.path.starts_with('/')
        && rest.ends_with('/')
        && fixed != Path::new("/tmp")
        && critical_place(policy, &fixed).is_some()
}

/// A path without the parts that nobody knows.
fn lasting(shown: &str) -> String {
    let mut rest = String::new();
    let mut chars = shown.chars().peekable();
    while let Some(ch) = chars.next() {
        match ch {
            '`' => {
                chars.by_ref().find(|next| *next == '`');
            }
            '…' => {}
            '$' => match chars.peek() {
                Some(open @ ('{' | '(')) => {
                    let (open, close) = if *open == '{' { ('{', '}') } else { ('(', ')') };
                    let mut depth = 0;
                    for inner in chars.by_ref() {
                        depth += i32::from(inner == open) - i32::from(inner == close);
                        if depth == 0 {
                            break;
                        }
                    }
                }
                Some(first) if first.is_ascii_alphabetic() || *first == '_' => {
                    while chars.peek().is_some_and(|next| next.is_ascii_alphanumeric() || *next == '_') {
                        chars.next();
                    }
                }
                _ => {
                    chars.next();
                }
            },
            other => rest.push(other),
        }
    }
    rest
}

/// A place whose modes and owners the machine relies on, or the home directory.
fn system_place(policy: &Policy, path: &Path) -> Option<&'static str> {
    const FOLDERS: [&str; 22] = [
        "bin",
        "boot",
        "dev",
        "etc",
        "home",
        "lib",
        "lib32",
        "lib64",
        "opt",
        "proc",
        "root",
        "run",
        "sbin",
        "sys",
        "usr",
        "var",
        "System",
        "Library",
        "Users",
        "Applications",
        "private",
        "Volumes",
    ];
    let name = path.strip_prefix("/").unwrap_or(path);
    let is_system = name.as_os_str().is_empty() || FOLDERS.iter().any(|folder| name == Path::new(folder));
    let is_home = policy.home.as_ref().is_some_and(|home| home.is_absolute() && home == path);
    if is_system || is_home { critical_place(policy, path) } else { None }
}

/// A place that is critical and not the working directory or an ordinary folder above it.
fn outer_place(policy: &Policy, path: &Path) -> Option<&'static str> {
    let is_home = policy.home.as_ref().is_some_and(|home| home.is_absolute() && home.starts_with(path));
    let shallow = path.components().count() <= 2;
    if is_home || shallow { critical_place(policy, path) } else { None }
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

fn is_root(policy: &Policy, path: &Path) -> bool {
    [&policy.cwd, &policy.project_root].iter().any(|root| **root == path) || is_allowed_root(policy, path)
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
    let rest = lasting(shown);
    if rest == shown || !rest.starts_with('/') {
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
