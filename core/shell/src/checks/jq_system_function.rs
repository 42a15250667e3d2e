//! Check 2, `JQ_SYSTEM_FUNCTION`: a jq filter that calls `system`, which some builds have and which runs
//! commands. Bad: `jq 'system("id")' a.json`. Good: `jq .system a.json`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};

pub(super) const CHECK: Check = Check { id: 2, name: "JQ_SYSTEM_FUNCTION", find };

static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?:^|[^.$\w])system\s*(?:\(|;|\||$)"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.may_name("q") || !subject.may_name("system") {
        return None;
    }
    let call = CALL.as_ref()?;
    subject.programs(&["jq", "gojq", "jaq", "yq"]).find_map(|(_, words)| {
        let word = words.iter().find(|word| word.known().is_some_and(|text| call.is_match(&text)))?;
        Some(Hit::decisive("a jq filter calls system", word.span))
    })
}
