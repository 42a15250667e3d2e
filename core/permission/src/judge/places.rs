//! Directories: what lies inside of the allowed ones, and what a path in a command stands for. Owns no rule.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use toolreeve_shell::{ANY_DEPTH, Follows, PathUse, Shell};

use crate::links::{LinkSearch, LinksFound};
use crate::policy::Policy;

/// How many entries of folders the searches for links of one command text may look at: some hundredths of a second.
const MAX_ENTRIES: usize = 50_000;

/// Paths that hold nothing and keep nothing.
const HARMLESS_DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/// A path that is judged: as named, and where it leads.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// For people.
    pub(crate) shown: String,
    /// Absolute and clean; `None` where nobody knows it.
    pub(crate) known: Option<Known>,
    /// It stands for links that nobody looked for, or not for all.
    pub(crate) unseen: bool,
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
        Self { shown: path.display().to_string(), known: Some(known), unseen: false }
    }

    /// The link and the place it leads to, each as a path of its own; `None` where no link is involved.
    pub(crate) fn parts(&self) -> Option<[Self; 2]> {
        let known = self.known.as_ref().filter(|known| known.path != known.real)?;
        let part = |path: &PathBuf| Self {
            shown: self.shown.clone(),
            known: Some(Known { path: path.clone(), real: path.clone(), exact: known.exact }),
            unseen: false,
        };
        Some([part(&known.path), part(&known.real)])
    }

    /// A path that a command uses, without the links below it.
    pub(crate) fn of_use(policy: &Policy, path: &PathUse) -> Self {
        let cwd = policy.cwd.to_string_lossy();
        let home = policy.home.as_ref().map(|home| home.to_string_lossy());
        let known = toolreeve_shell::resolve(path, &cwd, home.as_deref()).map(|resolved| {
            let named = PathBuf::from(&resolved.path);
            let real =
                policy.links.resolve(Path::new(&resolved.raw)).map_or_else(|| named.clone(), |real| clean(&real));
            Known { path: named, real, exact: resolved.exact }
        });
        Self { shown: path.path.clone(), known, unseen: false }
    }

    /// The links of this use that nobody saw.
    fn unseen(path: &PathUse) -> Self {
        Self { shown: path.path.clone(), known: None, unseen: true }
    }

    /// A word that may be a path.
    pub(crate) fn of_text(policy: &Policy, text: &str) -> Self {
        let raw = match (text.strip_prefix("~/"), &policy.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => policy.cwd.join(text),
        };
        let path = clean(&raw);
        let real = policy.links.resolve(&raw).map_or_else(|| path.clone(), |real| clean(&real));
        Self { shown: text.to_owned(), known: Some(Known { path, real, exact: true }), unseen: false }
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

/// The searches for links that the paths of one command text need. They share a budget, and none is made twice.
pub(crate) struct Searches<'a> {
    policy: &'a Policy,
    shell: Shell,
    left: Cell<usize>,
    made: RefCell<HashMap<Wanted, Rc<LinksFound>>>,
}

#[derive(PartialEq, Eq, Hash, Clone)]
struct Wanted {
    folder: PathBuf,
    below: Vec<String>,
    follows: bool,
}

impl<'a> Searches<'a> {
    pub(crate) fn new(policy: &'a Policy, shell: Shell) -> Self {
        Self { policy, shell, left: Cell::new(MAX_ENTRIES), made: RefCell::default() }
    }

    /// What a use of a path stands for: the path, and where the links lead that it reaches besides.
    pub(crate) fn targets(&self, path: &PathUse) -> Vec<Target> {
        let base = Target::of_use(self.policy, path);
        let follows = path.follows != Follows::No;
        if base.known.is_none() || (path.below.is_empty() && !follows) {
            return vec![base];
        }
        let Some(first) = self.first(path, follows) else { return vec![base] };
        let (mut targets, mut complete) = (vec![base], true);
        let (mut wanted, mut asked) = (vec![first], HashSet::new());
        while let Some(next) = wanted.pop() {
            if !asked.insert(next.clone()) {
                continue;
            }
            let Some(found) = self.search(&next) else {
                // Nobody can look. What the text does not say is not held against it, but what it asks for is.
                complete = path.follows != Follows::ByOption;
                break;
            };
            complete &= found.complete;
            let tree = if follows && next.below.is_empty() { self.policy.links.resolve(&next.folder) } else { None };
            for link in &found.links {
                // Removing a link leaves alone what it points at.
                if link.is_end && path.access == toolreeve_shell::Access::Remove {
                    continue;
                }
                let target = Target::resolved(&link.path, &link.real);
                // A place outside is asked about anyway. One inside that was not searched yet may have further links.
                let searched = tree.as_ref().is_some_and(|tree| link.real.starts_with(tree));
                if follows && !searched && is_readable(self.policy, &target) {
                    wanted.push(Wanted { folder: clean(&link.real), below: Vec::new(), follows });
                }
                targets.push(target);
            }
        }
        if !complete {
            targets.push(Target::unseen(path));
        }
        targets
    }

    /// The search that a use of a path starts with.
    fn first(&self, path: &PathUse, follows: bool) -> Option<Wanted> {
        let cwd = self.policy.cwd.to_string_lossy();
        let home = self.policy.home.as_ref().map(|home| home.to_string_lossy());
        let folder = PathBuf::from(toolreeve_shell::resolve(path, &cwd, home.as_deref())?.raw);
        let mut below = path.below.clone();
        if self.shell != Shell::Zsh && !path.exact {
            for pattern in &mut below {
                let depth =
                    |component: &str| if component == ANY_DEPTH { "*".to_owned() } else { component.to_owned() };
                *pattern = pattern.split('/').map(depth).collect::<Vec<_>>().join("/");
            }
        }
        Some(Wanted { folder, below, follows })
    }

    fn search(&self, wanted: &Wanted) -> Option<Rc<LinksFound>> {
        if let Some(found) = self.made.borrow().get(wanted) {
            return Some(Rc::clone(found));
        }
        let budget = self.left.get();
        let Wanted { folder, below, follows } = wanted;
        let search = LinkSearch { folder, below, follows: *follows, budget };
        let found = Rc::new(self.policy.links.search(&search)?);
        self.left.set(budget.saturating_sub(found.looked_at));
        self.made.borrow_mut().insert(wanted.clone(), Rc::clone(&found));
        Some(found)
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
