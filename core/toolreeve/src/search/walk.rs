//! Walking a tree in parallel with the rules that both searching tools share. Follows no links and never goes into
//! the stores of version control.

use std::path::Path;

use ignore::overrides::Override;
use ignore::types::Types;
use ignore::{DirEntry, WalkBuilder, WalkParallel};

/// The stores of version control: large, and never what a search is after.
const STORES: [&str; 6] = [".git", ".hg", ".svn", ".jj", ".bzr", ".sl"];

/// More threads than this only wait for each other.
const MAX_THREADS: usize = 12;

/// What a walk leaves out.
#[derive(Debug, Clone, Default)]
pub(crate) struct WalkOptions {
    /// Whether files and folders whose names begin with a dot are seen.
    pub(crate) hidden: bool,
    /// Whether `.gitignore`, `.ignore` and git's own exclude files are followed.
    pub(crate) ignore_files: bool,
    /// How deep it goes; 1 sees only what lies directly in the root.
    pub(crate) max_depth: Option<usize>,
    /// Patterns that select or exclude files.
    pub(crate) overrides: Option<Override>,
    /// Kinds of files that are selected.
    pub(crate) types: Option<Types>,
}

impl WalkOptions {
    /// Prepares the walk below a folder.
    pub(crate) fn walk(self, root: &Path) -> WalkParallel {
        let in_repository = root.ancestors().any(|folder| folder.join(".git").exists());
        let mut builder = WalkBuilder::new(root);
        builder
            .standard_filters(self.ignore_files)
            .hidden(!self.hidden)
            // Outside of a repository a `.gitignore` in the tree is still the author's wish, but one far above it
            // (in a home folder, say) is not about this tree.
            .require_git(in_repository)
            .parents(self.ignore_files && in_repository)
            .follow_links(false)
            .max_depth(self.max_depth)
            .threads(std::thread::available_parallelism().map_or(2, |threads| threads.get().min(MAX_THREADS)))
            .filter_entry(|entry| !is_store(entry));
        if let Some(overrides) = self.overrides {
            builder.overrides(overrides);
        }
        if let Some(types) = self.types {
            builder.types(types);
        }
        builder.build_parallel()
    }
}

/// Whether an entry below the root is a store of version control. A root that is one was asked for.
fn is_store(entry: &DirEntry) -> bool {
    entry.depth() > 0
        && entry.file_type().is_some_and(|kind| kind.is_dir())
        && entry.file_name().to_str().is_some_and(|name| STORES.contains(&name))
}
