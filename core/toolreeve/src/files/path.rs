//! From the text of a path to the two paths that permissions judge: as named, and where it really leads.
//! Only looks (never opens, never creates); opening what was judged is the business of the caller.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use toolreeve_engine::Context;

/// How many links a path may go through before it counts as a loop; the kernel's own limit.
const MAX_LINKS: usize = 40;

/// A path in both of its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPath {
    /// As named: absolute, without `.`, `..` and doubled slashes.
    pub path: PathBuf,
    /// Where it leads once symbolic links are followed, as far as it exists. A dangling link is followed to the place
    /// that a write through it would create. Equal to `path` where no link is involved.
    pub real: PathBuf,
}

impl ResolvedPath {
    /// Whether a symbolic link lies on the way.
    pub fn goes_through_link(&self) -> bool {
        self.path != self.real
    }
}

/// Resolves a path as the model wrote it: `~` is the home directory, a relative path starts in the working directory.
/// Never fails: what cannot be looked at stays as named, and opening it fails then. Texts that name nothing are for
/// [`misfit`] to refuse.
pub fn resolve(context: &Context, text: &str) -> ResolvedPath {
    let path = absolute(context, text);
    let real = real_path(&path);
    ResolvedPath { path, real }
}

/// The path as named: absolute and lexically clean. Touches no file.
pub fn absolute(context: &Context, text: &str) -> PathBuf {
    let home = context.policy.home.as_deref();
    let path = match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_path_buf(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => context.cwd().join(text),
    };
    clean(&path)
}

/// Makes the path in a field of an input absolute, for observers. Leaves anything that is no text alone.
pub fn backfill(input: &mut Value, field: &str, context: &Context) {
    if let Some(Value::String(text)) = input.get_mut(field)
        && !text.is_empty()
    {
        *text = absolute(context, text).display().to_string();
    }
}

/// Why a text cannot be a path, in words for the model; `None` if it can.
pub fn misfit(context: &Context, field: &str, text: &str) -> Option<String> {
    if text.is_empty() {
        return Some(format!("`{field}` is empty: give the absolute path of a file"));
    }
    if text.contains('\0') {
        return Some(format!("`{field}` contains a NUL byte, which no path can: remove it"));
    }
    if (text == "~" || text.starts_with("~/")) && context.policy.home.is_none() {
        return Some(format!("`{field}` starts with ~, but no home directory is known: give the absolute path"));
    }
    None
}

/// Whether the text of a path can only name a folder: it ends in a slash or a dot name.
pub fn names_folder(text: &str) -> bool {
    matches!(text.rsplit('/').next(), Some("" | "." | ".."))
}

/// Removes `.`, `..` and doubled slashes by looking at the text alone; `..` at the root stays there.
pub fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Where an absolute, clean path leads once symbolic links are followed, as far as it exists.
pub fn real_path(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match follow(&path) {
            Followed::End(real) => return real,
            Followed::Link(next) => path = next,
        }
    }
    // A loop of links leads nowhere: it stays as named and cannot be opened.
    path
}

enum Followed {
    /// Every link is resolved.
    End(PathBuf),
    /// A dangling link lies on the way; its target takes its place.
    Link(PathBuf),
}

fn follow(path: &Path) -> Followed {
    let mut ancestor = path.to_path_buf();
    // The names below the deepest ancestor that exists, the last one first.
    let mut missing: Vec<OsString> = Vec::new();
    loop {
        match ancestor.canonicalize() {
            Ok(mut real) => {
                real.extend(missing.iter().rev());
                return Followed::End(real);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if let Ok(target) = ancestor.read_link() {
                    return Followed::Link(link_target(&ancestor, &target, &missing));
                }
            }
            // Not allowed to look, a loop, a file used as a folder, a name too long: go up and keep the names.
            Err(_) => {}
        }
        match ancestor.file_name() {
            Some(name) => missing.push(name.to_owned()),
            None => return Followed::End(path.to_path_buf()),
        }
        ancestor.pop();
    }
}

/// The path that a dangling link stands for, with the names below it. `..` in the target counts from where the link
/// really is.
fn link_target(link: &Path, target: &Path, below: &[OsString]) -> PathBuf {
    let folder = link.parent().unwrap_or(Path::new("/"));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let mut path = clean(&folder.join(target));
    path.extend(below.iter().rev());
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn context(cwd: &Path) -> Context {
        let mut context = Context::new(cwd);
        context.policy.home = Some(PathBuf::from("/home/u"));
        context
    }

    #[test]
    fn texts_become_absolute_and_clean() {
        let context = context(Path::new("/w"));
        let rows = [
            ("/a/b", "/a/b"),
            ("a/b", "/w/a/b"),
            ("./a//b/./c/", "/w/a/b/c"),
            ("../x", "/x"),
            ("/../../x", "/x"),
            ("/a/b/../c", "/a/c"),
            ("~", "/home/u"),
            ("~/x", "/home/u/x"),
            ("~//x", "/home/u/x"),
            ("~/../../etc", "/etc"),
            ("~other/x", "/w/~other/x"),
            ("a~", "/w/a~"),
            ("/", "/"),
            (".", "/w"),
        ];
        for (text, expected) in rows {
            assert_eq!(absolute(&context, text), Path::new(expected), "{text}");
        }
    }

    #[test]
    fn texts_that_name_nothing_are_refused() {
        let mut context = context(Path::new("/w"));
        assert!(misfit(&context, "file_path", "").is_some_and(|m| m.contains("`file_path` is empty")));
        assert!(misfit(&context, "file_path", "a\0b").is_some_and(|m| m.contains("NUL")));
        assert_eq!(misfit(&context, "file_path", "~/a"), None);
        context.policy.home = None;
        assert!(misfit(&context, "file_path", "~/a").is_some_and(|m| m.contains("home")));
        assert_eq!(misfit(&context, "file_path", "~a"), None);
    }

    #[test]
    fn links_are_followed_as_far_as_the_path_exists() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let at = |text: &str| root.join(text);
        std::fs::create_dir_all(at("real/deep")).unwrap();
        std::fs::write(at("real/file"), "x").unwrap();
        symlink("real", at("link")).unwrap();
        symlink("nowhere/new", at("dangling")).unwrap();
        symlink("../escape", at("real/deep/up")).unwrap();
        symlink("loop", at("loop")).unwrap();
        symlink("dangling", at("chain")).unwrap();
        let rows = [
            ("real/file", "real/file"),
            ("link/file", "real/file"),
            ("link/new/x", "real/new/x"),
            ("dangling", "nowhere/new"),
            ("dangling/x", "nowhere/new/x"),
            ("chain", "nowhere/new"),
            ("link/deep/up", "real/escape"),
            ("loop", "loop"),
            ("loop/x", "loop/x"),
            ("real/file/x", "real/file/x"),
            ("link/file/x", "real/file/x"),
        ];
        for (named, real) in rows {
            assert_eq!(real_path(&at(named)), at(real), "{named}");
        }
        let through = resolve(&context(&root), "link/file");
        assert!(through.goes_through_link());
        assert!(!resolve(&context(&root), "real/file").goes_through_link());
    }

    #[test]
    fn what_cannot_be_looked_at_stays_as_named() {
        let long = format!("/{}", "x".repeat(5000));
        assert_eq!(real_path(Path::new(&long)), Path::new(&long));
        if cfg!(target_os = "linux") {
            assert_eq!(real_path(Path::new("/proc/self/root")), Path::new("/"));
        }
    }
}
