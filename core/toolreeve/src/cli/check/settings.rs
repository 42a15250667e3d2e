//! `toolreeve check --settings-files`: says what is wrong with settings files, place by place. Owns the report; finding the
//! problems is in `crate::settings`.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::cli::style::{Role, Style, visible};
use crate::settings::{FlagSettings, SettingSources, SettingsOptions, Severity, load};

/// Reports on each file. Returns whether all of them count as they are written.
pub(super) fn write(names: &[OsString], style: Style, out: &mut dyn Write) -> io::Result<bool> {
    let mut all_count = true;
    for name in names {
        let mut options = SettingsOptions::new("/", None);
        options.sources = SettingSources::NONE;
        options.managed_directory = None;
        options.flag = Some(FlagSettings::File(std::path::absolute(PathBuf::from(name))?));
        let shown = visible(&name.to_string_lossy());
        let report = load(&options).report;
        for problem in &report.problems {
            all_count &= problem.severity == Severity::Warning;
            let (role, weight) = match problem.severity {
                Severity::Warning => (Role::Ask, "warning"),
                _ => (Role::Deny, "error"),
            };
            let place = match (problem.line, problem.column) {
                (Some(line), Some(column)) => format!(":{line}:{column}"),
                _ => String::new(),
            };
            let key = if problem.key.is_empty() { String::new() } else { format!("{}: ", visible(&problem.key)) };
            let message = visible(&problem.message);
            writeln!(out, "{shown}{place}: {}: {key}{message}", style.paint(role, weight))?;
        }
    }
    out.flush()?;
    Ok(all_count)
}
