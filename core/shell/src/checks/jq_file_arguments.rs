//! Check 3, `JQ_FILE_ARGUMENTS`: jq options that read programs, modules or raw files by name, past the
//! operands. Bad: `jq -f x.jq a.json`, `jq --rawfile k /etc/shadow .`. Good: `jq -r .a b.json`.

use super::{Check, Hit, Subject};

pub(super) const CHECK: Check = Check { id: 3, name: "JQ_FILE_ARGUMENTS", find };

/// The options, in their long and short forms.
const LONG: [&str; 5] = ["--from-file", "--rawfile", "--slurpfile", "--library-path", "--argfile"];

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.may_name("jq") {
        return None;
    }
    subject.programs(&["jq", "gojq", "jaq"]).find_map(|(_, words)| {
        let options = words.iter().take_while(|word| word.known().as_deref() != Some("--"));
        let mut values = 0;
        for word in options {
            let text = word.fixed_prefix();
            if values > 0 {
                values -= 1;
                continue;
            }
            values = match &*text {
                "--arg" | "--argjson" => 2,
                "--indent" => 1,
                _ => 0,
            };
            let long = LONG.iter().any(|name| text.split('=').next() == Some(name));
            let short = text.starts_with('-') && !text.starts_with("--") && text.contains(['f', 'L']);
            if long || short {
                return Some(Hit::decisive(format!("jq reads a file by the option {text}"), word.span));
            }
        }
        None
    })
}
