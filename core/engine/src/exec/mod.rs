//! Running calls: `gate` decides what may start (`claims` what conflicts), `ordered` in which order results leave, `cancel` what is stopped.
//! On top of them `streaming` runs calls while the model still streams, and `batch` runs a finished list.

pub mod batch;
pub mod cancel;
mod claims;
pub mod gate;
pub mod ordered;
pub mod partition;
pub mod streaming;
