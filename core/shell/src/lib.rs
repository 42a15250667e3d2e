//! placeholder until the analyzer lands

/// What a command is and does.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Analysis {}
