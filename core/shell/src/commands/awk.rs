//! `awk` runs a program text, which can run commands, write files and open others. It only reads where the program is
//! fixed and has none of the words and operators for that.

use super::{Context, Effects, Program};
use crate::analysis::Access;
use crate::flags::{self, Order};
use crate::syntax::Word;

pub(super) const PROGRAM: Program =
    Program { names: &["awk", "gawk", "mawk", "nawk", "original-awk"], custom: Some(effects), ..Program::READER };

const OPTIONS: &str =
    "-F= -v= -f< --field-separator= --assign= --file< --version --help --posix --traditional --re-interval";
/// Words of the language that reach outside of it.
const REACHING: [&str; 12] = [
    "system",
    "getline",
    "close",
    "ENVIRON",
    "PROCINFO",
    "ARGV",
    "ARGC",
    "fflush",
    "extension",
    "SYMTAB",
    "FUNCTAB",
    "case",
];

fn effects(words: &[Word], context: &Context) -> Effects {
    let parsed = flags::parse(words, OPTIONS, Order::First);
    let mut effects = Effects { complete: !parsed.unlisted && !parsed.uncertain, ..Effects::default() };
    effects.add_options(&parsed, context);
    let from_file = parsed.has(&["-f", "--file"]);
    let mut files = parsed.operands.as_slice();
    let mut sound = !from_file;
    if !from_file {
        let Some((program, rest)) = files.split_first() else { return effects };
        sound = program.known().is_some_and(|text| only_prints(&text));
        files = rest;
    }
    for word in files {
        let text = word.fixed_prefix();
        // `name=value` sets a variable; with an unknown start it could be either.
        if text.split('=').next().is_some_and(crate::read::is_name) && text.contains('=') {
            continue;
        }
        effects.add(word, Access::Read, context);
    }
    effects.read_only = sound && parsed.is_plain();
    effects.complete &= sound;
    effects
}

/// Whether an awk program has nothing that runs, writes or opens.
fn only_prints(program: &str) -> bool {
    let bytes = program.as_bytes();
    let mut at = 0;
    let mut printing = false;
    // Whether a `/` here would start a pattern: after an operand it divides.
    let mut operand = false;
    // Behind `)`, `++` and `--` it depends on the grammar: nobody needs it there.
    let mut doubtful = false;
    while let Some(&byte) = bytes.get(at) {
        if !matches!(byte, b' ' | b'\t' | b'/') {
            doubtful = byte == b')' || (matches!(byte, b'+' | b'-') && at > 0 && bytes[at - 1] == byte);
        }
        match byte {
            b'"' => {
                at = skip_to(bytes, at + 1, b'"');
                operand = true;
            }
            b'/' if doubtful => return false,
            b'/' if !operand => {
                at = skip_pattern(bytes, at + 1);
                operand = true;
            }
            b'#' => {
                while bytes.get(at + 1).is_some_and(|next| *next != b'\n') {
                    at += 1;
                }
            }
            b'|' => {
                if bytes.get(at + 1) != Some(&b'|') {
                    return false;
                }
                at += 1;
                operand = false;
            }
            b'>' if printing => return false,
            b'@' | b'\\' => return false,
            b';' | b'\n' | b'}' | b'{' => {
                printing = false;
                operand = false;
            }
            b' ' | b'\t' => {}
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                let start = at;
                while bytes.get(at + 1).is_some_and(|next| *next == b'_' || next.is_ascii_alphanumeric()) {
                    at += 1;
                }
                let word = &program[start..=at];
                if REACHING.contains(&word) {
                    return false;
                }
                let keyword =
                    matches!(word, "print" | "printf" | "return" | "in" | "if" | "while" | "else" | "do" | "exit");
                printing |= matches!(word, "print" | "printf");
                operand = !keyword;
            }
            b')' | b']' | b'0'..=b'9' | b'.' => operand = true,
            b'$' => operand = false,
            byte if byte.is_ascii_graphic() => operand = false,
            _ => return false,
        }
        at += 1;
    }
    // A text that ends inside of a string or pattern is no program.
    at == bytes.len()
}

/// The place of the slash that closes a pattern. A slash inside of brackets closes it for some awks and not for others:
/// then there is no place.
fn skip_pattern(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let mut bracket = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => break,
            b'[' if !bracket => {
                bracket = true;
                // A `]` that comes first is a member, not the end.
                at += usize::from(bytes.get(at + 1) == Some(&b'^'));
                at += usize::from(bytes.get(at + 1) == Some(&b']'));
            }
            b'[' if bytes.get(at + 1) == Some(&b':') => {
                at += 2;
                while bytes.get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b':')
                    && bytes.get(at + 1) != Some(&b']')
                {
                    at += 1;
                }
                at += 1;
            }
            b']' => bracket = false,
            b'/' if bracket => break,
            b'/' => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len() + 1
}

/// The place of the closing byte, with backslashes skipped; past the end where there is none.
fn skip_to(bytes: &[u8], from: usize, close: u8) -> usize {
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' {
            at += 1;
        } else if byte == close {
            return at;
        } else if byte == b'\n' {
            break;
        }
        at += 1;
    }
    bytes.len() + 1
}

#[cfg(test)]
mod tests {
    use super::only_prints;

    #[test]
    fn programs_that_only_print() {
        for program in [
            "{print $1}",
            "$3 > 100 {print $1}",
            "/^## /{p=1} p",
            "/[[:alpha:]]/ {print}",
            "{s+=$1} END {print s/NR}",
            "!/#/",
            "a ~ /x/ || b",
        ] {
            assert!(only_prints(program), "{program}");
        }
    }

    #[test]
    fn programs_that_reach_out_or_hide_it() {
        for program in [
            "BEGIN{system(\"id\")}",
            "{print > \"x\"}",
            "{print | \"sh\"}",
            "a++ / system(\"id\") / 1",
            "{if (1) /\"/ ; system(\"id\") #\"\n}",
            "/[/\"]/ { system(\"id\") } #\"",
            "/[]/\"]/ { system(\"id\") } #\"",
            "/[[:alpha:]/\"]/ { system(\"id\") } #\"",
            "{print ENVIRON[\"HOME\"]}",
            "@load \"x\"",
            "{print \"a",
        ] {
            assert!(!only_prints(program), "{program}");
        }
    }
}
