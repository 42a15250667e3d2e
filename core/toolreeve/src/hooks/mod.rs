//! Hooks that are declared in settings files: what is declared (`config`, `matcher`). Owns no event and no decision:
//! when hooks run and how their answers merge is the engine's.

mod config;
mod matcher;

pub use config::{Handler, HookDeclaration, HookProblem, HookShell, HooksConfig};
pub use matcher::Matcher;
