//! Reads a sed script as far as it takes to know that it only prints: lines by number with `-n`, or one substitution
//! with harmless flags. Everything else, harmless or not, is left to a person.

/// Whether the script does nothing but print. `quiet` says that `-n` was given.
pub(crate) fn only_prints(script: &str, quiet: bool) -> bool {
    script.is_ascii() && !script.contains(['\n', '\r', '\0']) && (substitution(script) || (quiet && prints(script)))
}

/// `5p`, `1,10p`, and several of them with `;` between.
fn prints(script: &str) -> bool {
    script.split(';').all(|command| {
        command.trim_matches(' ').strip_suffix('p').is_some_and(|address| {
            let mut ends = address.splitn(2, ',');
            let number =
                |text: &str| !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
            ends.next().is_some_and(number) && ends.next().is_none_or(number)
        })
    })
}

/// `s/pattern/replacement/flags` with exactly three slashes that are not escaped.
fn substitution(script: &str) -> bool {
    let Some(rest) = script.trim_matches(' ').strip_prefix("s/") else { return false };
    let mut bytes = rest.bytes().enumerate();
    let mut slashes = 0;
    let mut flags = rest.len();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'/' => {
                slashes += 1;
                if slashes == 2 {
                    flags = at + 1;
                    break;
                }
            }
            _ => {}
        }
    }
    let flags = rest.get(flags..).unwrap_or("");
    slashes == 2
        && flags.bytes().all(|flag| matches!(flag, b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'1'..=b'9'))
        && flags.bytes().filter(u8::is_ascii_digit).count() <= 1
}
