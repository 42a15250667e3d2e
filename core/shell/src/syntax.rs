//! The syntax the analyzer works on: words with their quotes resolved, redirections, simple commands and how they are
//! joined. Plain data, made by `read` and judged elsewhere; nothing here decides anything.

use std::borrow::Cow;

use serde::Serialize;

/// A range of bytes in the command text, end exclusive. Serialised as `[start, end]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A span from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

impl Serialize for Span {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.start, self.end].serialize(serializer)
    }
}

/// What an expansion is; it says what its value could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpansionKind {
    /// A pathname pattern character: `*`, `?` or `[`.
    Glob,
    /// Brace expansion such as `{a,b}`: one word becomes several.
    Brace,
    /// A tilde prefix. `None` is `~` itself (the home directory), `Some` anything after it (`~user`, `~+`).
    Tilde(Option<String>),
    /// `$name` or `${name}`, and the special parameters (`$?`, `$@`, `$1`, …) by their one character.
    Variable(String),
    /// Any other `${…}` form.
    Parameter,
    /// `$(…)` or backticks.
    Command(Script),
    /// `<(…)` or `>(…)`.
    Process(Script),
    /// `$((…))` or `$[…]`.
    Arithmetic,
    /// A literal that has no fixed text form (bytes that depend on the locale).
    Undecodable,
}

/// One piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text with a fixed value.
    Literal {
        /// The value after quote removal.
        value: String,
        /// Whether it stood in quotes or behind a backslash.
        quoted: bool,
    },
    /// Something bash replaces by a value that cannot be known here.
    Expansion {
        /// What it is.
        kind: ExpansionKind,
        /// Its text in the command.
        source: String,
        /// Whether it stood inside of double quotes (then it stays one word).
        quoted: bool,
    },
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Where it stands.
    pub span: Span,
    /// Its text with line continuations removed.
    pub source: String,
    /// Its pieces in order.
    pub pieces: Vec<Piece>,
}

impl Word {
    /// The value, if it is fixed.
    pub fn known(&self) -> Option<Cow<'_, str>> {
        match self.pieces.as_slice() {
            [] => return Some(Cow::Borrowed("")),
            [Piece::Literal { value, .. }] => return Some(Cow::Borrowed(value)),
            pieces if pieces.iter().any(|piece| matches!(piece, Piece::Expansion { .. })) => return None,
            _ => {}
        }
        Some(self.fixed_prefix())
    }

    /// The fixed text before the first expansion.
    pub fn fixed_prefix(&self) -> Cow<'_, str> {
        let literal = |piece: &'_ Piece| matches!(piece, Piece::Literal { .. });
        match self.pieces.as_slice() {
            [] | [Piece::Expansion { .. }, ..] => return Cow::Borrowed(""),
            [Piece::Literal { value, .. }, rest @ ..] if !rest.first().is_some_and(literal) => {
                return Cow::Borrowed(value);
            }
            _ => {}
        }
        let mut out = String::with_capacity(self.source.len());
        for piece in &self.pieces {
            match piece {
                Piece::Literal { value, .. } => out.push_str(value),
                Piece::Expansion { .. } => break,
            }
        }
        Cow::Owned(out)
    }

    /// Whether it has no fixed value.
    pub fn is_unknown(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Expansion { .. }))
    }

    /// The value or, if it is not fixed, the source text.
    pub fn known_or_source(&self) -> Cow<'_, str> {
        self.known().unwrap_or(Cow::Borrowed(&self.source))
    }

    /// The fixed parts by their values, the others by their text in the command.
    pub fn shown(&self) -> Cow<'_, str> {
        if let Some(known) = self.known() {
            return known;
        }
        let text = |piece: &'_ Piece| match piece {
            Piece::Literal { value, .. } => value.clone(),
            Piece::Expansion { source, .. } => source.clone(),
        };
        Cow::Owned(self.pieces.iter().map(text).collect())
    }

    /// Whether the fixed text before the first expansion starts with a dash.
    pub fn may_start_with_dash(&self) -> bool {
        let text = |piece: &'_ Piece| matches!(piece, Piece::Literal { value, .. } if !value.is_empty());
        match self.pieces.iter().find(|piece| text(piece) || matches!(piece, Piece::Expansion { .. })) {
            Some(Piece::Literal { value, .. }) => value.starts_with('-'),
            _ => false,
        }
    }

    /// Whether the word may become any number of words, or none.
    pub fn may_split(&self) -> bool {
        self.splits_freely()
            || self
                .pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Expansion { kind: ExpansionKind::Glob | ExpansionKind::Brace, .. }))
    }

    /// Whether an unquoted value may break it up into words that share nothing with its fixed start.
    pub fn splits_freely(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            Piece::Literal { .. } => false,
            Piece::Expansion { kind, source, quoted } => match kind {
                ExpansionKind::Variable(name) => !quoted || name == "@",
                ExpansionKind::Parameter => !quoted || source.contains('@'),
                ExpansionKind::Command(_) | ExpansionKind::Arithmetic => !quoted,
                _ => false,
            },
        })
    }

    /// The bare text, if the word is one unquoted literal.
    pub fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Literal { value, quoted: false }] => Some(value),
            _ => None,
        }
    }

    /// The scripts of the substitutions inside of the word.
    pub fn scripts(&self) -> impl Iterator<Item = &Script> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Expansion { kind: ExpansionKind::Command(script) | ExpansionKind::Process(script), .. } => {
                Some(script)
            }
            _ => None,
        })
    }
}

/// An assignment in front of a command, or standing alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// Whether it appends (`+=`).
    pub append: bool,
    /// The value. Its source does not include the name.
    pub value: Word,
    /// The whole text, `name=value`.
    pub source: String,
    /// Where it stands.
    pub span: Span,
}

/// The kind of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RedirectOp {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&` with a descriptor or `-`
    DupIn,
    /// `>&` with a descriptor or `-`
    DupOut,
    /// `&>`, and `>&` with a file
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<` or `<<-`
    HereDoc,
    /// `<<<`
    HereString,
}

impl RedirectOp {
    /// The operator as written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "<",
            Self::Write => ">",
            Self::Append => ">>",
            Self::Clobber => ">|",
            Self::ReadWrite => "<>",
            Self::DupIn => "<&",
            Self::DupOut => ">&",
            Self::WriteBoth => "&>",
            Self::AppendBoth => "&>>",
            Self::HereDoc => "<<",
            Self::HereString => "<<<",
        }
    }

    /// Whether it opens its target for writing.
    pub fn writes(self) -> bool {
        matches!(
            self,
            Self::Write | Self::Append | Self::Clobber | Self::ReadWrite | Self::WriteBoth | Self::AppendBoth
        )
    }
}

/// One redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The operator.
    pub op: RedirectOp,
    /// The descriptor in front of the operator, if one is given.
    pub fd: Option<u32>,
    /// The word behind the operator; for a here-document its delimiter.
    pub target: Word,
    /// For a here-document, the index of its body in [`Program::here_documents`].
    pub here_document: Option<usize>,
    /// Where it stands.
    pub span: Span,
}

/// A program or builtin with its arguments, assignments and redirections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimpleCommand {
    /// From the first to the last byte of its words and redirections.
    pub span: Span,
    /// Assignments in front.
    pub assignments: Vec<Assignment>,
    /// The words, the name first. Empty where there are only assignments or redirections.
    pub words: Vec<Word>,
    /// The redirections, in order.
    pub redirects: Vec<Redirect>,
}

/// How a statement ends or is joined to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Separator {
    /// `;` or a newline, or the end.
    Sequence,
    /// `&`
    Background,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// A pipeline and what joins it to the pipeline after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The commands of the pipeline; one where there is no `|`.
    pub pipeline: Vec<Command>,
    /// Whether `!` stands in front, so that success and failure change places.
    pub negated: bool,
    /// What follows it.
    pub separator: Separator,
}

/// A list of statements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// In order.
    pub statements: Vec<Statement>,
}

/// A whole command text as read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The statements.
    pub script: Script,
    /// The bodies of all here-documents. A body is literal where the delimiter is quoted, else it has expansions.
    pub here_documents: Vec<Word>,
    /// What could not be proven, in the order it was met. Empty means that every byte is accounted for.
    pub issues: Vec<Issue>,
}

/// Something the reader does not vouch for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Why, as part of a sentence.
    pub reason: &'static str,
    /// Where.
    pub span: Span,
}

/// A command: simple, or made of lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A simple command.
    Simple(SimpleCommand),
    /// `( … )`, with its own copy of the shell's state.
    Subshell(Script, Vec<Redirect>),
    /// `{ … }` and every construct that runs all of its lists in order.
    Group(Script, Vec<Redirect>),
    /// `if`, loops, `case`: lists of which some may run, any number of times, after the words were expanded.
    Branches {
        /// The lists, in the order of the text.
        lists: Vec<Script>,
        /// Words that are expanded (`for x in …`, `case … in`).
        words: Vec<Word>,
        /// The variable a loop sets.
        variable: Option<String>,
        /// Where that variable stands.
        variable_span: Option<Span>,
        /// Redirections of the whole construct.
        redirects: Vec<Redirect>,
    },
    /// `[[ … ]]` or `(( … ))`: its words.
    Test(SimpleCommand),
}
