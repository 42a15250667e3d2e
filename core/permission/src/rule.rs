//! One permission rule: its grammar, its text form, and the compiled form of its content. Owns parsing and printing; what
//! a match means for a call is in `judge`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::matcher::{DomainPattern, ParamPattern, PathPattern, Pattern};
use crate::tools;

/// One rule, for example `Bash(git commit:*)`. Cheap to clone: the compiled form is shared.
///
/// ```
/// use toolreeve_permission::Rule;
///
/// let rule = Rule::parse("Bash(git commit:*)").unwrap();
/// assert_eq!((rule.tool(), rule.content()), ("Bash", Some("git commit:*")));
/// assert_eq!(Rule::parse("Bash(*)").unwrap(), Rule::parse("Bash").unwrap());
/// assert_eq!(Rule::parse("Bash(ls").unwrap_err().position, 7);
/// ```
#[derive(Clone)]
pub struct Rule(Arc<Parsed>);

struct Parsed {
    /// As it was written.
    text: String,
    tool: String,
    names: Names,
    content: Option<Content>,
}

/// Which tools a rule names.
#[derive(Debug, PartialEq)]
enum Names {
    One,
    /// `mcp__server` and `mcp__server__*`: every tool of a server. The text up to and with the second `__`.
    Server(String),
    /// A pattern over names.
    Glob(Pattern),
}

/// The compiled forms of a rule's content.
pub(crate) struct Content {
    pub(crate) text: String,
    /// As a command, an agent type, a skill, …
    pub(crate) pattern: Pattern,
    /// As a path, for the tools whose content may be one.
    pub(crate) path: Option<PathPattern>,
    pub(crate) domain: Option<DomainPattern>,
    pub(crate) param: Option<ParamPattern>,
}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid permission rule {text:?} at byte {position}: {problem}")]
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
    /// If the text is empty, its parentheses do not match, the tool's name is none, or the content is not a valid pattern
    /// for that tool. The error names the byte and the fix.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let error = |problem: String, position| Err(RuleError { text: text.to_owned(), problem, position });
        let trimmed = text.trim();
        let start = text.len() - text.trim_start().len();
        if trimmed.is_empty() {
            return error("it is empty; write a tool name, as in `Bash(npm test)`".to_owned(), 0);
        }
        let (tool, inside) = match trimmed.split_once('(') {
            None => (trimmed, None),
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(inside) => (tool, Some(inside)),
                None if rest.contains(')') => {
                    let at = start + tool.len() + 1 + rest.rfind(')').unwrap_or(0) + 1;
                    return error("text follows the closing parenthesis; end the rule there".to_owned(), at);
                }
                None => return error("the closing parenthesis is missing".to_owned(), start + trimmed.len()),
            },
        };
        if tool.is_empty() {
            return error("the tool's name is missing in front of the parenthesis".to_owned(), start);
        }
        if let Some((at, c)) = tool.char_indices().find(|(_, c)| !is_name_char(*c)) {
            let problem = match c {
                ',' => "one rule names one tool; write a list of rules instead of a comma".to_owned(),
                c if c.is_whitespace() => "a tool's name holds no blank; write one rule for each tool".to_owned(),
                c => format!("a tool's name holds no {c:?}"),
            };
            return error(problem, start + at);
        }
        let tool = tools::canonical(tool);
        let at = start + trimmed.find('(').map_or(0, |at| at + 1);
        let content = match inside {
            None | Some("" | "*") => None,
            Some(inside) => match Content::new(tool, inside) {
                Ok(content) => Some(content),
                Err((problem, offset)) => return error(problem, at + offset),
            },
        };
        Ok(Self(Arc::new(Parsed { text: trimmed.to_owned(), tool: tool.to_owned(), names: Names::new(tool), content })))
    }

    /// The tool's name, or a pattern over names. Old names are replaced by the current ones.
    pub fn tool(&self) -> &str {
        &self.0.tool
    }

    /// The text between the first and the last parenthesis; `None` for the whole tool.
    pub fn content(&self) -> Option<&str> {
        self.0.content.as_ref().map(|content| content.text.as_str())
    }

    /// The rule as it was written, for messages and for finding it in its file.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether the rule's tool part covers this tool name, as a deny or ask rule reads it: exactly, as a pattern, or as
    /// the MCP server that the tool belongs to.
    pub fn names_tool(&self, tool: &str) -> bool {
        match &self.0.names {
            Names::One => self.0.tool == tool,
            Names::Server(prefix) => {
                tool.strip_prefix(prefix.as_str()).is_some_and(|rest| !rest.is_empty()) || tool == self.0.tool
            }
            Names::Glob(pattern) => pattern.matches(tool),
        }
    }

    /// What is odd about the rule if it stands in a list of this behaviour: it is accepted, but it does not do what it
    /// seems to say.
    pub fn warning(&self, behavior: crate::Behavior) -> Option<String> {
        let text = self.text();
        if behavior == crate::Behavior::Allow && !self.usable_as_allow() {
            return Some(format!(
                "the allow rule `{text}` is ignored: a pattern over tool names may only stand after `mcp__server__`"
            ));
        }
        let content = self.0.content.as_ref()?;
        if let Some(param) = &content.param
            && tools::main_field(self.tool()) == Some(param.name.as_str())
        {
            return Some(format!(
                "the rule `{text}` is ignored: `{}` is the main field of {}, write `{}(…)` with its value",
                param.name,
                self.tool(),
                tools::path_rule_home(self.tool()).unwrap_or(self.tool())
            ));
        }
        if let Some(home) = tools::path_rule_home(self.tool())
            && (behavior == crate::Behavior::Allow || content.param.is_none())
        {
            return Some(format!(
                "the rule `{text}` never matches: paths are looked up in {home} rules, write `{home}({})`",
                content.text
            ));
        }
        None
    }

    /// Whether an allow rule with this tool part may count.
    pub(crate) fn usable_as_allow(&self) -> bool {
        match &self.0.names {
            Names::One | Names::Server(_) => true,
            Names::Glob(pattern) => pattern
                .literal_start()
                .strip_prefix("mcp__")
                .and_then(|rest| rest.find("__").filter(|at| *at > 0))
                .is_some(),
        }
    }

    /// Whether the tool part is one plain name.
    pub(crate) fn names_one(&self) -> bool {
        self.0.names == Names::One
    }

    pub(crate) fn compiled(&self) -> Option<&Content> {
        self.0.content.as_ref()
    }
}

impl Names {
    fn new(tool: &str) -> Self {
        if let Some(server) = tool.strip_prefix("mcp__") {
            let server = server.strip_suffix("__*").unwrap_or(server);
            if !server.is_empty() && !server.contains("__") && !server.contains('*') {
                return Self::Server(format!("mcp__{server}__"));
            }
        }
        if tool.contains('*') { Self::Glob(Pattern::plain(tool)) } else { Self::One }
    }
}

impl Content {
    fn new(tool: &str, text: &str) -> Result<Self, (String, usize)> {
        if text.trim().is_empty() {
            return Err(("the parentheses hold only blanks; leave them out to mean the whole tool".to_owned(), 0));
        }
        if tools::takes_commands(tool) && matches!(text.trim(), ":*") {
            return Err((
                "there is no text in front of `:*`; write the tool's name alone to mean every command".to_owned(),
                0,
            ));
        }
        let path = match PathPattern::new(text) {
            Ok(path) => Some(path),
            Err(problem) if tools::takes_paths(tool) => return Err(problem),
            Err(_) => None,
        };
        let is_command = tools::takes_commands(tool);
        Ok(Self {
            text: text.to_owned(),
            pattern: Pattern::new(text),
            path: path.filter(|_| !is_command),
            domain: text.strip_prefix("domain:").filter(|_| tool == "WebFetch").map(DomainPattern::new),
            // `Bash(timeout:*)` means the command.
            param: if is_command && text.trim_end().ends_with(":*") { None } else { ParamPattern::new(text) },
        })
    }
}

fn is_name_char(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !matches!(c, ')' | ',' | '"' | '\'' | '`')
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.tool() == other.tool() && self.content() == other.content()
    }
}

impl Eq for Rule {}

impl Hash for Rule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.tool(), self.content()).hash(state);
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({self})")
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.content() {
            None => f.write_str(self.tool()),
            Some(content) => write!(f, "{}({content})", self.tool()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Behavior;

    #[test]
    fn well_formed_rules() {
        for (text, tool, content) in [
            ("Bash", "Bash", None),
            ("Bash(*)", "Bash", None),
            ("Bash()", "Bash", None),
            ("  Read(./a b)  ", "Read", Some("./a b")),
            ("Bash(echo (a) b)", "Bash", Some("echo (a) b")),
            ("Task(reviewer)", "Agent", Some("reviewer")),
            ("KillShell", "TaskStop", None),
            ("mcp__git__*", "mcp__git__*", None),
            ("WebFetch(domain:*.test)", "WebFetch", Some("domain:*.test")),
            ("*", "*", None),
        ] {
            let rule = Rule::parse(text).unwrap();
            assert_eq!((rule.tool(), rule.content()), (tool, content), "{text:?}");
            assert_eq!(Rule::parse(&rule.to_string()).unwrap(), rule);
        }
    }

    #[test]
    fn malformed_rules_name_the_byte() {
        for (text, position) in [
            ("", 0),
            ("   ", 0),
            ("Bash(ls", 7),
            ("Bash(ls) x", 8),
            ("(ls)", 0),
            ("Read, Write", 4),
            ("Read Write", 4),
            ("Bash)", 4),
            ("Bash( )", 5),
            ("Bash(:*)", 5),
            ("Read(../x)", 5),
            ("Read(!x)", 5),
            ("  Edit([a)", 7),
        ] {
            let error = Rule::parse(text).unwrap_err();
            assert_eq!(error.position, position, "{text:?}: {error}");
        }
    }

    #[test]
    fn tool_names_and_patterns() {
        for (rule, tool, expected) in [
            ("Bash", "Bash", true),
            ("Bash", "bash", false),
            ("mcp__git", "mcp__git__log", true),
            ("mcp__git", "mcp__github__log", false),
            ("mcp__git__*", "mcp__git__log", true),
            ("mcp__git__log", "mcp__git__log", true),
            ("mcp__git__log", "mcp__git__log2", false),
            ("mcp__git__l*", "mcp__git__log", true),
            ("mcp__*", "mcp__any__tool", true),
            ("mcp__*", "Bash", false),
            ("*", "Bash", true),
            ("Task*", "TaskStop", true),
        ] {
            assert_eq!(Rule::parse(rule).unwrap().names_tool(tool), expected, "{rule} on {tool}");
        }
    }

    #[test]
    fn odd_rules_are_reported() {
        for (text, behavior, odd) in [
            ("*", Behavior::Allow, true),
            ("*", Behavior::Deny, false),
            ("mcp__git__l*", Behavior::Allow, false),
            ("mcp__g*__x", Behavior::Allow, true),
            ("mcp__*", Behavior::Allow, true),
            ("Write(./a)", Behavior::Deny, true),
            ("Glob(./a)", Behavior::Allow, true),
            ("Grep(output_mode:count)", Behavior::Deny, false),
            ("Bash(command:rm *)", Behavior::Deny, true),
            ("Bash(rm:*)", Behavior::Deny, false),
        ] {
            assert_eq!(Rule::parse(text).unwrap().warning(behavior).is_some(), odd, "{text} as {behavior:?}");
        }
    }
}
