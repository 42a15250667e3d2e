//! What the searching tools share: walking a tree in parallel, stopping in time, and keeping only the results that
//! will be shown. Knows no tool and decides no permission.

mod newest;
mod place;
mod stop;
mod visible;
mod walk;

pub(crate) use newest::Newest;
pub(crate) use place::{Place, Shown};
pub(crate) use stop::{Stop, run_blocking};
pub(crate) use visible::Visible;
pub(crate) use walk::WalkOptions;

/// How long one search may take before it answers with what it has.
pub(crate) const SEARCH_LIMIT: std::time::Duration = std::time::Duration::from_secs(20);
