//! JUnit XML, as continuous integration systems read it: one test case for each command, a failure for one that is asked
//! about or denied, an error for one that cannot be judged. The counts stand in front, so the cases wait in a temporary
//! file.

use std::io::{self, Read, Seek, SeekFrom, Write};

use toolreeve_permission::Behavior;

use super::input::Case;
use super::report::remarks;
use crate::cli::style::excerpt;

/// Up to this many bytes wait in memory.
const IN_MEMORY: usize = 1 << 20;

/// The state of a report.
pub(super) struct Junit {
    cases: tempfile::SpooledTempFile,
    tests: usize,
    failures: usize,
    errors: usize,
}

impl Junit {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { cases: tempfile::spooled_tempfile(IN_MEMORY), tests: 0, failures: 0, errors: 0 })
    }

    pub(super) fn case(&mut self, case: &Case) -> io::Result<()> {
        self.tests += 1;
        let out = &mut self.cases;
        let label = if case.label.is_empty() { String::new() } else { format!("{}: ", case.label) };
        let name = match &case.outcome {
            Ok(judged) if case.file.is_none() => format!("{label}{}", excerpt(judged.request.command.trim(), 120)),
            _ if case.label.is_empty() => "command".to_owned(),
            _ => case.label.clone(),
        };
        write!(out, "    <testcase classname=\"toolreeve.check\" name=\"{}\"", escaped(&name))?;
        match &case.outcome {
            Ok(judged) if judged.decision.behavior == Behavior::Allow => writeln!(out, "/>"),
            Ok(judged) => {
                self.failures += 1;
                let behavior = judged.decision.behavior.as_str();
                let message = escaped(&excerpt(&judged.decision.reason.message, 600));
                write!(out, ">\n      <failure type=\"{behavior}\" message=\"{behavior}: {message}\">")?;
                for remark in remarks(judged) {
                    let line = format!(
                        "{} [{}] bytes {} to {}\n",
                        excerpt(remark.message, 600),
                        remark.rule,
                        remark.span.0,
                        remark.span.1
                    );
                    write!(out, "{}", escaped(&line))?;
                }
                write!(out, "</failure>\n    </testcase>\n")
            }
            Err(problem) => {
                self.errors += 1;
                let message = escaped(&problem.message);
                write!(out, ">\n      <error type=\"{}\" message=\"{message}\"/>\n    </testcase>\n", problem.kind)
            }
        }
    }

    pub(super) fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let counts =
            format!("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\"", self.tests, self.failures, self.errors);
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites name=\"toolreeve check\" {counts}>")?;
        writeln!(out, "  <testsuite name=\"toolreeve check\" {counts}>")?;
        self.cases.seek(SeekFrom::Start(0))?;
        let mut piece = [0; 8192];
        loop {
            match self.cases.read(&mut piece)? {
                0 => break,
                read => out.write_all(&piece[..read])?,
            }
        }
        writeln!(out, "  </testsuite>\n</testsuites>")
    }
}

/// The text for XML. Characters that XML 1.0 does not have are written out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}
