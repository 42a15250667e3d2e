//! What the caller finds out about symbolic links for this crate, which looks at no file itself. Owns the questions and the
//! shape of the answers; what follows from them is up to `judge`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Functions of the caller that follow symbolic links. Without them, paths are judged by their text.
#[derive(Clone, Default)]
pub struct LinkResolver {
    resolve: Option<Resolve>,
    walk: Option<Walk>,
}

type Resolve = Arc<dyn Fn(&Path) -> PathBuf + Send + Sync>;
type Walk = Arc<dyn Fn(&LinkSearch<'_>) -> LinksFound + Send + Sync>;

/// Where to look for links: a command does not name all of the paths that it uses.
#[derive(Debug, Clone, Copy)]
pub struct LinkSearch<'a> {
    /// The folder to start in: absolute, `..` left in. It need not exist, and may be a file.
    pub folder: &'a Path,
    /// Patterns below the folder, as [`toolreeve_shell::PathUse::below`] has them.
    pub below: &'a [String],
    /// Whether links are wanted that lie below what the patterns match, or below the folder where there is no pattern, at
    /// any depth. Where such a link leads is not searched: if need be, that is a search of its own.
    pub follows: bool,
    /// How many entries of folders may be looked at.
    pub budget: usize,
}

/// The links that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinksFound {
    /// In any order.
    pub links: Vec<FoundLink>,
    /// Whether everything was looked at. False where the budget was too small or a folder could not be read.
    pub complete: bool,
    /// How many entries were looked at.
    pub looked_at: usize,
}

/// A symbolic link that a path of the command is or passes through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLink {
    /// The link, absolute.
    pub path: PathBuf,
    /// Where it leads in the end.
    pub real: PathBuf,
    /// Whether the path of the command ends in the link, which then can be removed itself. Otherwise it goes on behind it.
    pub is_end: bool,
}

impl LinkResolver {
    /// A resolver with this function: from an absolute path, `..` left in, to where it leads. It must not change anything
    /// and should answer fast. Patterns and trees are judged by their text still.
    pub fn new(resolve: impl Fn(&Path) -> PathBuf + Send + Sync + 'static) -> Self {
        Self { resolve: Some(Arc::new(resolve)), walk: None }
    }

    /// Adds a function that looks for links: those that a pattern matches, on every folder of the way, and those in a tree
    /// that is followed. It must look at no more entries than the search allows, and say so where it left something out:
    /// then the command is asked about.
    #[must_use]
    pub fn with_search(mut self, walk: impl Fn(&LinkSearch<'_>) -> LinksFound + Send + Sync + 'static) -> Self {
        self.walk = Some(Arc::new(walk));
        self
    }

    /// Where the path leads; `None` without a function.
    pub fn resolve(&self, path: &Path) -> Option<PathBuf> {
        self.resolve.as_ref().map(|resolve| resolve(path))
    }

    /// What a search finds; `None` without a function.
    pub(crate) fn search(&self, search: &LinkSearch<'_>) -> Option<LinksFound> {
        self.walk.as_ref().map(|walk| walk(search))
    }
}

impl fmt::Debug for LinkResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (&self.resolve, &self.walk) {
            (None, None) => "LinkResolver(none)",
            (Some(_), Some(_)) => "LinkResolver(paths and searches)",
            _ => "LinkResolver(paths)",
        })
    }
}
