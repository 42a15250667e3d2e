//! Input that is no command: nothing panics, spans stay inside of the text, and the work grows with the length.

use proptest::prelude::*;
use toolreeve_shell::{Anchor, Loss, ParseOutcome, Shell, analyze, interpret_exit, security_checks};

/// Pieces that readers of bash stumble over.
const PIECES: [&str; 64] = [
    "ls",
    "a",
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "<",
    ">",
    "<<E",
    "\nE\n",
    "<<<",
    ">&",
    "'",
    "\"",
    "`",
    "$",
    "$(",
    "${",
    "$((",
    "))",
    "\\",
    "\\\n",
    "#",
    "!",
    "=",
    "a=",
    "~",
    "*",
    "?",
    "é",
    "\u{2003}",
    "\r",
    "-",
    "--",
    "-é",
    "--é=",
    "jq ",
    "git commit -m ",
    "rm -",
    "sed ",
    "if",
    "then",
    "fi",
    "for i in",
    "do",
    "done",
    "case x in",
    "esac",
    "sudo ",
    "xargs ",
    "find . -exec ",
    "git -C ",
    "2>",
];

fn check(text: &str, shell: Shell) {
    let analysis = analyze(text, shell);
    let inside = |start: usize, end: usize| start <= end && end <= text.len();
    for finding in analysis.findings.iter().chain(&security_checks(text, shell)) {
        assert!(inside(finding.span.start, finding.span.end), "{text:?} {finding:?}");
    }
    for command in &analysis.commands {
        assert!(inside(command.span.start, command.span.end), "{text:?} {command:?}");
    }
    if let ParseOutcome::TooComplex { span, .. } = analysis.outcome {
        assert!(inside(span.start, span.end), "{text:?} {span:?}");
    }
    let _ = interpret_exit(&analysis, 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn pieces_of_shell_never_panic(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..24)) {
        let text = pieces.concat();
        for shell in [Shell::Bash, Shell::Zsh, Shell::Sh] {
            check(&text, shell);
        }
    }

    #[test]
    fn any_text_never_panics(text in "\\PC{0,60}") {
        check(&text, Shell::Bash);
    }
}

#[test]
fn limits_are_never_simple() {
    let long = format!("echo {}", "x".repeat(10_000));
    assert!(!analyze(&long, Shell::Bash).is_simple());
    let parts = vec!["a"; 51].join("; ");
    let analysis = analyze(&parts, Shell::Bash);
    assert!(!analysis.is_simple());
    assert_eq!(analysis.commands.len(), 51);
    assert!(analyze(&vec!["a"; 50].join("; "), Shell::Bash).is_simple());
    for empty in ["", " ", "\n", "\0"] {
        assert!(!analyze(empty, Shell::Bash).is_simple(), "{empty:?}");
    }
    let huge = "a".repeat(1_000_001);
    assert!(matches!(analyze(&huge, Shell::Bash).outcome, ParseOutcome::Unavailable { .. }));
}

/// Both once took minutes: this test is about coming back, and about what is said of values that were not followed.
#[test]
fn work_is_bounded() {
    assert!(!analyze(&"[".repeat(100_000), Shell::Bash).is_simple());
    let analysis = analyze(&format!("a=b;{}rm $a", "a=$a$a;".repeat(40)), Shell::Bash);
    let removals = &analysis.commands.last().unwrap().removals;
    assert!(removals.iter().any(|removal| removal.loss == Loss::Tree && removal.path.anchor == Anchor::Unknown));
}

#[test]
fn deep_nesting_is_refused_and_returns() {
    for (open, close) in
        [("(", ")"), ("{ ", " }"), ("$(", ")"), ("\"$(", ")\""), ("if ", ""), ("`", "`"), ("${x:-", "}"), ("f() ", "")]
    {
        let text = format!("{}a{}", open.repeat(5_000), close.repeat(5_000));
        assert!(!analyze(&text, Shell::Bash).is_simple(), "{open:?}");
    }
}
