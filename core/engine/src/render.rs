//! What a tool shows, as a tree of meanings: never colours, never terminal codes. Renderers turn it into text or
//! anything else; this file has the plain text one. Nothing here runs a tool.

use serde::{Deserialize, Serialize};

/// One node of what is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RenderNode {
    /// Running text.
    Text {
        /// The text.
        text: String,
    },
    /// One line that names a call or a result, for example `Read(src/lib.rs)`.
    Title {
        /// The text.
        text: String,
    },
    /// Something that went wrong.
    Error {
        /// The text.
        text: String,
    },
    /// Source code or file content.
    Code {
        /// The language or file extension, if known.
        #[serde(skip_serializing_if = "Option::is_none")]
        language: Option<String>,
        /// The text.
        text: String,
    },
    /// Output of a command.
    Terminal {
        /// The text, as the command wrote it.
        text: String,
        /// The exit status, once there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
    },
    /// A change of a file.
    Diff {
        /// The file.
        path: String,
        /// The hunks.
        hunks: Vec<Hunk>,
    },
    /// Several nodes, one below the other.
    Group {
        /// The nodes.
        children: Vec<RenderNode>,
    },
}

/// One hunk of a diff, in the shape of the public `structuredPatch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// First line in the old text, from 1.
    pub old_start: usize,
    /// Number of lines in the old text.
    pub old_lines: usize,
    /// First line in the new text, from 1.
    pub new_start: usize,
    /// Number of lines in the new text.
    pub new_lines: usize,
    /// The lines, each with its mark: ` `, `-` or `+`.
    pub lines: Vec<String>,
}

impl RenderNode {
    /// A text node.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// A title node.
    pub fn title(text: impl Into<String>) -> Self {
        Self::Title { text: text.into() }
    }

    /// An error node.
    pub fn error(text: impl Into<String>) -> Self {
        Self::Error { text: text.into() }
    }

    /// Plain text, with control and bidi characters made visible.
    pub fn to_plain_text(&self) -> String {
        let mut out = String::new();
        self.write_plain(&mut out);
        sanitize(&out)
    }

    fn write_plain(&self, out: &mut String) {
        match self {
            Self::Text { text } | Self::Title { text } | Self::Code { text, .. } | Self::Terminal { text, .. } => {
                out.push_str(text);
            }
            Self::Error { text } => {
                out.push_str("Error: ");
                out.push_str(text);
            }
            Self::Diff { path, hunks } => {
                out.push_str(path);
                for hunk in hunks {
                    let Hunk { old_start, old_lines, new_start, new_lines, lines } = hunk;
                    out.push_str(&format!("\n@@ -{old_start},{old_lines} +{new_start},{new_lines} @@"));
                    for line in lines {
                        out.push('\n');
                        out.push_str(line);
                    }
                }
            }
            Self::Group { children } => {
                for (at, child) in children.iter().enumerate() {
                    if at > 0 {
                        out.push('\n');
                    }
                    child.write_plain(out);
                }
            }
        }
    }
}

/// Makes control characters, escape sequences and bidi controls visible, so that what is shown cannot lie. Newlines
/// and tabs stay.
pub fn sanitize(text: &str) -> String {
    if !text.chars().any(is_deceptive) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_deceptive(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

fn is_deceptive(c: char) -> bool {
    let invisible = matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    (c.is_control() && c != '\n' && c != '\t') || invisible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_bidi_are_made_visible() {
        assert_eq!(sanitize("a\u{1b}[31mb\u{202e}c\td\n"), "a\\u{1b}[31mb\\u{202e}c\td\n");
    }
}
