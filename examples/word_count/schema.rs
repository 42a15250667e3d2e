//! What WordCount takes and gives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The input. The comments become the descriptions that the model reads.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text to count.
    pub text: String,
    /// Count only words of at least this many letters.
    #[serde(default)]
    pub min_letters: Option<usize>,
}

/// The output: what hooks and hosts see.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct Output {
    /// How many words there are.
    pub words: usize,
}
