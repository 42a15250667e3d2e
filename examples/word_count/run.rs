//! The work of WordCount. Knows nothing of the engine, so it is tested without one.

use super::schema::{Input, Output};

/// Counts what white space separates.
pub fn count(input: &Input) -> Output {
    let at_least = input.min_letters.unwrap_or(1);
    Output { words: input.text.split_whitespace().filter(|word| word.chars().count() >= at_least).count() }
}
