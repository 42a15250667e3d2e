//! One permission rule: its grammar and its text form.

/// One rule, for example `Bash(git commit:*)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The tool's name, or a pattern over names.
    pub tool: String,
    /// The text between the first and the last parenthesis; `None` for the whole tool.
    pub content: Option<String>,
}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid permission rule {text:?}: {problem}")]
pub struct RuleError {
    /// The text as given.
    pub text: String,
    /// What is wrong and what would be right.
    pub problem: String,
    /// The byte at which it goes wrong.
    pub position: usize,
}

impl Rule {
    /// Parses one rule.
    ///
    /// # Errors
    /// If the text is empty or its parentheses do not match.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let error =
            |problem: &str, position| RuleError { text: text.to_owned(), problem: problem.to_owned(), position };
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(error("it is empty; write a tool name, as in `Bash(npm test)`", 0));
        }
        match trimmed.split_once('(') {
            None => Ok(Self { tool: trimmed.to_owned(), content: None }),
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some("" | "*") => Ok(Self { tool: tool.to_owned(), content: None }),
                Some(content) => Ok(Self { tool: tool.to_owned(), content: Some(content.to_owned()) }),
                None => Err(error("the closing parenthesis is missing", text.len())),
            },
        }
    }

    /// Whether the rule's tool part covers this tool name.
    pub fn names_tool(&self, tool: &str) -> bool {
        self.tool == tool
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.content {
            None => f.write_str(&self.tool),
            Some(content) => write!(f, "{}({content})", self.tool),
        }
    }
}
