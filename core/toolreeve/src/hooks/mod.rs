//! Hooks that are declared in settings files: what is declared (`config`, `matcher`), when one runs and in which way
//! (`declared`, `condition`), programs (`command`), addresses (`http`), what their ends mean (`exit`, `answer`), and hooks that others answer
//! (`question`). Owns no event and no decision: when events are raised and how answers merge is the engine's.

mod answer;
mod command;
mod condition;
mod config;
mod declared;
mod exit;
mod http;
mod label;
mod matcher;
mod question;

pub(crate) use answer::{Reading, read_answer};
pub use config::{Handler, HookDeclaration, HookProblem, HookShell, HooksConfig};
pub use declared::HookWorld;
pub use http::HttpLimits;
pub use matcher::Matcher;
pub use question::{HookJudge, HookMcp, HookQuestion, MAX_AGENT_HOOK_TURNS};
