//! The integration tests of the engine, in one binary: stub tools and stub hosts through the public API, on tokio's
//! paused clock, so that no test waits and none depends on timing.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests may panic, and clippy sees only #[test] functions as tests"
)]

mod batch;
mod cancel;
mod classifier;
mod denials;
mod failures;
mod hooks;
mod input;
mod lookup;
mod model;
mod order;
mod overlap;
mod pool;
mod prompt;
mod resources;
mod results;
mod support;
