//! The rows of the 23 checks: texts on which each fires, and near misses on which it does not.

use toolreeve_shell::{Severity, Shell, analyze, security_checks};

use crate::rows;

#[test]
fn every_check_fires_on_its_rows_and_not_on_the_near_misses() {
    let mut failures = Vec::new();
    let mut counts = [[0usize; 2]; 24];
    for row in rows::read("checks.jsonl") {
        let command = row["command"].as_str().unwrap_or_default();
        let id = row["check"].as_u64().unwrap_or(0) as usize;
        let expected = row["fires"].as_bool().unwrap_or(false);
        counts[id][usize::from(expected)] += 1;
        let findings = security_checks(command, Shell::Bash);
        let fires = findings.iter().any(|finding| usize::from(finding.id) == id);
        if fires != expected {
            failures.push(format!("{} check {id} on {command:?}: fires {fires}", row["id"]));
        }
        for finding in findings {
            assert!(
                finding.span.start <= finding.span.end && finding.span.end <= command.len(),
                "{command:?} {finding:?}"
            );
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!((1..=23).all(|id| counts[id].iter().all(|count| *count >= 8)), "{counts:?}");
}

#[test]
fn checks_never_speak_softer_without_a_reading() {
    for row in rows::read("checks.jsonl") {
        let command = row["command"].as_str().unwrap_or_default();
        let analysis = analyze(command, Shell::Bash);
        if !analysis.is_simple() {
            assert!(analysis.findings.iter().all(|finding| finding.severity == Severity::Ask), "{command:?}");
        }
    }
}

#[test]
fn benign_rows_have_no_finding_that_asks() {
    let mut asked = Vec::new();
    for row in rows::read("benign.jsonl") {
        let command = row["command"].as_str().unwrap_or_default();
        if row["expect"] == "allow" {
            for finding in analyze(command, Shell::Bash).findings {
                if finding.severity == Severity::Ask {
                    asked.push(format!("{command:?}: {} {}", finding.id, finding.message));
                }
            }
        }
    }
    assert!(asked.is_empty(), "{}", asked.join("\n"));
}
