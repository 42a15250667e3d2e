//! Where a search takes place, and how the paths below it are shown: relative to the working directory where they
//! lie in it, absolute elsewhere.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolreeve_engine::{CallSubject, Context};
use toolreeve_permission::Access;

use super::Visible;
use crate::files::path::{self, ResolvedPath};

/// The folder or file that is searched.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    resolved: ResolvedPath,
    shown: String,
}

impl Place {
    /// The place that a path names, or the working directory.
    pub(crate) fn new(context: &Context, path: Option<&str>) -> Self {
        Self::at(context, path::absolute(context, path.unwrap_or(".")))
    }

    /// The place of an absolute and clean path.
    pub(crate) fn at(context: &Context, path: PathBuf) -> Self {
        let resolved = ResolvedPath { real: path::real_path(&path), path };
        let shown = match resolved.path.strip_prefix(context.cwd()) {
            Ok(below) => below.to_string_lossy().into_owned(),
            Err(_) => resolved.path.to_string_lossy().into_owned(),
        };
        Self { resolved, shown }
    }

    /// As named.
    pub(crate) fn path(&self) -> &Path {
        &self.resolved.path
    }

    /// What is opened: the path that permissions judged, links followed.
    pub(crate) fn real(&self) -> &Path {
        &self.resolved.real
    }

    /// What permission rules judge.
    pub(crate) fn subject(&self) -> CallSubject {
        CallSubject::Path { path: self.resolved.path.clone(), real: self.resolved.real.clone(), access: Access::Read }
    }

    /// Which files below the place a tool may show.
    pub(crate) fn visible(&self, tool: &'static str, context: &Arc<Context>) -> Visible {
        Visible::new(tool, context, self.resolved.clone())
    }

    /// How paths below the place are shown.
    pub(crate) fn shown(&self) -> Shown {
        Shown { real: self.resolved.real.clone(), prefix: PathBuf::from(&self.shown) }
    }
}

/// Turns the paths that a walk gives into those that are shown.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    real: PathBuf,
    prefix: PathBuf,
}

impl Shown {
    /// How a path at or below the place is shown.
    pub(crate) fn path(&self, real: &Path) -> String {
        match real.strip_prefix(&self.real) {
            Ok(below) if below.as_os_str().is_empty() => self.prefix.to_string_lossy().into_owned(),
            Ok(below) => self.prefix.join(below).to_string_lossy().into_owned(),
            Err(_) => real.to_string_lossy().into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_relative_to_the_working_directory() {
        let context = Context::new("/w");
        let rows = [
            (None, "/w/a/b", "a/b"),
            (Some("a"), "/w/a/b", "a/b"),
            (Some("/w/a"), "/w/a", "a"),
            (Some("/x"), "/x/y", "/x/y"),
            (Some("../x"), "/x/y", "/x/y"),
        ];
        for (path, below, shown) in rows {
            assert_eq!(Place::new(&context, path).shown().path(Path::new(below)), shown, "{path:?} {below}");
        }
    }
}
