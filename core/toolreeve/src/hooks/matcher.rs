//! Which tools, sources or reasons a group of hooks wants to hear of: the three forms of a `matcher`.

/// A compiled `matcher`. Case matters.
#[derive(Debug, Clone, Default)]
pub enum Matcher {
    /// Absent, empty or `*`: everything.
    #[default]
    All,
    /// One name, or several divided by `|` or `,`.
    Names(Vec<String>),
    /// Anything else is a regular expression that may match anywhere in the name.
    Pattern(Box<fancy_regex::Regex>),
}

impl Matcher {
    /// Compiles the matcher of a hook for `event`.
    ///
    /// # Errors
    /// If it is meant as a regular expression but is none; the text says where it goes wrong.
    ///
    /// ```
    /// use toolreeve::hooks::Matcher;
    ///
    /// let matcher = Matcher::parse(Some("Edit|Write"), "PreToolUse").unwrap();
    /// assert!(matcher.matches("Write") && !matcher.matches("MultiEdit") && !matcher.matches("write"));
    /// assert!(Matcher::parse(Some("mcp__.*"), "PreToolUse").unwrap().matches("mcp__files__read"));
    /// ```
    pub fn parse(matcher: Option<&str>, event: &str) -> Result<Self, String> {
        let text = matcher.unwrap_or_default();
        if text.is_empty() || text == "*" {
            return Ok(Self::All);
        }
        // For these two a comma, a blank or a hyphen is part of what is matched: file names and error texts hold them.
        let list_characters = if matches!(event, "FileChanged" | "StopFailure") { "_|" } else { "_- ,|" };
        if text.chars().all(|c| c.is_ascii_alphanumeric() || list_characters.contains(c)) {
            let names = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return Ok(Self::Names(names.map(str::to_owned).collect()));
        }
        match fancy_regex::Regex::new(text) {
            Ok(regex) => Ok(Self::Pattern(Box::new(regex))),
            Err(error) => Err(format!("{text:?} is not a regular expression: {error}")),
        }
    }

    /// Whether it wants to hear of this. An expression that takes too long to match counts as yes.
    pub fn matches(&self, subject: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.iter().any(|name| name == subject),
            Self::Pattern(regex) => regex.is_match(subject).unwrap_or(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms() {
        let rows: [(Option<&str>, &str, bool); 20] = [
            (None, "Bash", true),
            (Some(""), "Bash", true),
            (Some("*"), "Bash", true),
            (Some("Bash"), "Bash", true),
            (Some("Bash"), "BashOutput", false),
            (Some("bash"), "Bash", false),
            (Some("Edit|Write"), "Write", true),
            (Some("Edit, Write"), "Write", true),
            (Some(" Edit | Write "), "Edit", true),
            (Some("Edit|Write"), "MultiEdit", false),
            (Some("mcp__files"), "mcp__files__read", false),
            (Some("mcp__files__.*"), "mcp__files__read", true),
            (Some("mcp__.*__write.*"), "mcp__files__write_all", true),
            (Some("Notebook.*"), "NotebookEdit", true),
            (Some("^Notebook"), "MyNotebook", false),
            (Some("Edit$"), "NotebookEdit", true),
            (Some("^(?!Bash$)"), "Read", true),
            (Some("^(?!Bash$)"), "Bash", false),
            (Some("claude-opus"), "claude-opus", true),
            (Some("(Edit|Write)"), "MultiEdit", true),
        ];
        for (matcher, tool, expected) in rows {
            let compiled = Matcher::parse(matcher, "PreToolUse").unwrap();
            assert_eq!(compiled.matches(tool), expected, "{matcher:?} {tool}");
        }
        assert!(Matcher::parse(Some("Edit, Write"), "FileChanged").unwrap().matches("an Edit, Write b"));
        let error = Matcher::parse(Some("Edit("), "PreToolUse").unwrap_err();
        assert!(error.contains("\"Edit(\" is not a regular expression"), "{error}");
    }

    #[test]
    fn an_expression_without_end_counts_as_a_match() {
        let matcher = Matcher::parse(Some(r"^(?:(?=a)a|a)*$"), "PreToolUse").unwrap();
        assert!(matcher.matches(&format!("{}b", "a".repeat(64))));
    }
}
