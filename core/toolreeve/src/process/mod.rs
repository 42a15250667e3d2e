//! Running programs under supervision: a process group of their own, output straight into files, a time limit, and an
//! end that takes everything with it. Knows no tool and reads no output but to show it.
//!
//! Nothing here forks inside of the host: programs start by `posix_spawn`, so that a host with a large heap pays no
//! more than a small one.

mod capture;
mod supervise;
mod text;
mod tree;

pub(crate) use capture::Captured;
pub(crate) use supervise::{End, Finished, LeftOver, Order, Stream, TooMuch, run};
