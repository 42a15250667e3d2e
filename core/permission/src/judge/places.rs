//! Directories: what lies inside of the allowed ones, and what a path in a command stands for. Owns no rule.

use std::path::{Component, Path, PathBuf};

use toolreeve_shell::PathUse;

use crate::policy::Policy;

/// Paths that hold nothing and keep nothing.
const HARMLESS_DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/// A path that is judged: as named, and where it leads.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// For people.
    pub(crate) shown: String,
    /// Absolute and clean; `None` where nobody knows it.
    pub(crate) known: Option<Known>,
}

/// The known part of a target.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    /// As named.
    pub(crate) path: PathBuf,
    /// Where links lead. Equal to `path` where none is involved, or where nobody said.
    pub(crate) real: PathBuf,
    /// Whether this is all of it. If not, it is that folder or something below it.
    pub(crate) exact: bool,
}

impl Target {
    /// A path that the caller resolved.
    pub(crate) fn resolved(path: &Path, real: &Path) -> Self {
        let known = Known { path: clean(path), real: clean(real), exact: true };
        Self { shown: path.display().to_string(), known: Some(known) }
    }

    /// A path that a command uses.
    pub(crate) fn of_use(policy: &Policy, path: &PathUse) -> Self {
        let cwd = policy.cwd.to_string_lossy();
        let home = policy.home.as_ref().map(|home| home.to_string_lossy());
        let known = toolreeve_shell::resolve(path, &cwd, home.as_deref()).map(|resolved| {
            let named = PathBuf::from(&resolved.path);
            let real =
                policy.links.resolve(Path::new(&resolved.raw)).map_or_else(|| named.clone(), |real| clean(&real));
            Known { path: named, real, exact: resolved.exact }
        });
        Self { shown: path.path.clone(), known }
    }

    /// A word that may be a path.
    pub(crate) fn of_text(policy: &Policy, text: &str) -> Self {
        let raw = match (text.strip_prefix("~/"), &policy.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => policy.cwd.join(text),
        };
        let path = clean(&raw);
        let real = policy.links.resolve(&raw).map_or_else(|| path.clone(), |real| clean(&real));
        Self { shown: text.to_owned(), known: Some(Known { path, real, exact: true }) }
    }

    /// Whether reading it shows nothing and writing it keeps nothing.
    pub(crate) fn is_harmless_device(&self) -> bool {
        self.known
            .as_ref()
            .is_some_and(|known| known.exact && HARMLESS_DEVICES.iter().any(|device| known.path == Path::new(device)))
    }

    /// The path for messages: absolute where it is known.
    pub(crate) fn absolute(&self) -> String {
        self.known.as_ref().map_or_else(|| self.shown.clone(), |known| known.path.display().to_string())
    }
}

/// The allowed directories of a policy. Without a project root the current directory stands in for it.
fn roots(policy: &Policy) -> impl Iterator<Item = &Path> {
    let root = if policy.project_root.as_os_str().is_empty() { &policy.cwd } else { &policy.project_root };
    std::iter::once(root)
        .chain(&policy.additional_directories)
        .map(PathBuf::as_path)
        // An empty path is a prefix of every path.
        .filter(|root| root.is_absolute())
}

/// Whether a path lies in an allowed directory, both as named and where it leads.
pub(crate) fn is_inside(policy: &Policy, target: &Target) -> bool {
    is_below(policy, target, || roots(policy))
}

/// Whether a path may be read unasked: it lies in an allowed directory, or in one that is open for reading only.
pub(crate) fn is_readable(policy: &Policy, target: &Target) -> bool {
    let open = || policy.readable_directories.iter().map(PathBuf::as_path).filter(|dir| dir.is_absolute());
    is_below(policy, target, || roots(policy).chain(open()))
}

fn is_below<'a, I: Iterator<Item = &'a Path>>(policy: &Policy, target: &Target, roots: impl Fn() -> I) -> bool {
    let Some(known) = &target.known else { return false };
    let below = |path: &Path| {
        roots().any(|root| {
            path.starts_with(root) || policy.links.resolve(root).is_some_and(|real| path.starts_with(clean(&real)))
        })
    };
    below(&known.path) && (known.path == known.real || below(&known.real))
}

/// Whether removing this path would take away an allowed directory, or one above it or above the current one.
pub(crate) fn holds_a_root(policy: &Policy, path: &Path) -> bool {
    roots(policy).chain([policy.cwd.as_path()]).any(|root| root.is_absolute() && root.starts_with(path))
}

/// Takes `.` and `..` off by the text.
pub(crate) fn clean(path: &Path) -> PathBuf {
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
