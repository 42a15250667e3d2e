//! The second opinion: tree-sitter's grammar of bash must find the same words at the same places as the own reader. The
//! grammar is known to misread some texts without an error, and so may the reader be; a text on which both agree word
//! for word is trusted, any other is too complex. Only places are compared: the meaning of every byte stays the reader's.

use std::cell::RefCell;

use tree_sitter::{Language, Node, Parser, Tree};

use crate::syntax::{Command, ExpansionKind, Piece, Program, Redirect, Script, Word};

/// A word's place, and whether it is the name of a command.
type Found = (usize, usize, bool);

/// Nesting of the tree above which it is not looked at.
const MAX_TREE_DEPTH: usize = 200;

/// Commands that the grammar shows in its own way, not as a name with arguments.
const NO_NAMES: [&str; 9] = ["[", "[[", "export", "declare", "typeset", "readonly", "local", "unset", "unsetenv"];

thread_local! {
    static GRAMMAR: RefCell<Option<Grammar>> = const { RefCell::new(None) };
}

/// The parser of this thread, and what its kinds of nodes are to the comparison.
struct Grammar {
    parser: Parser,
    /// By the number of the kind.
    kinds: Vec<Kind>,
}

/// What a kind of node is to the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word, or a part of the syntax that the reader takes for one.
    Word,
    /// A word that holds commands.
    Substitution,
    /// A word where it stands in a test: what opens and closes it, and its operators.
    TestMark,
    /// A word where it stands in front of an operand of a test.
    Negation,
    /// The name of a builtin that the grammar knows by itself.
    Builtin,
    Comment,
    CommandName,
    /// What a test is made of.
    Test,
    /// A negated operand of a test.
    Unary,
    Backtick,
    /// Looked through.
    Other,
}

impl Kind {
    fn of(name: &str, named: bool) -> Self {
        match name {
            "word"
            | "number"
            | "string"
            | "raw_string"
            | "ansi_c_string"
            | "translated_string"
            | "concatenation"
            | "simple_expansion"
            | "expansion"
            | "arithmetic_expansion"
            | "brace_expression"
            | "variable_assignment"
            | "heredoc_start"
            | "extglob_pattern"
            | "regex"
            | "variable_name"
            | "test_operator" => Self::Word,
            "command_substitution" | "process_substitution" => Self::Substitution,
            "[" | "]" | "[[" | "]]" | "=" | "==" | "!=" | "=~" => Self::TestMark,
            "!" => Self::Negation,
            "export" | "declare" | "typeset" | "readonly" | "local" | "unset" | "unsetenv" if !named => Self::Builtin,
            "comment" => Self::Comment,
            "command_name" => Self::CommandName,
            "test_command" | "binary_expression" => Self::Test,
            "unary_expression" => Self::Unary,
            "`" => Self::Backtick,
            _ => Self::Other,
        }
    }
}

/// How the two readings compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opinion {
    /// Both find the same words.
    Agrees,
    /// They differ from this byte on.
    Differs(usize),
    /// The parser is not usable.
    Unavailable,
}

/// Compares the reader's words with the grammar's.
pub(crate) fn second_opinion(text: &str, program: &Program) -> Opinion {
    let parsed = GRAMMAR.with_borrow_mut(|slot| {
        let grammar = Grammar::ready(slot)?;
        let tree = grammar.parser.parse(text, None)?;
        if tree.root_node().has_error() {
            return Some(Err(first_error(tree.root_node())));
        }
        let mut words = Vec::with_capacity(text.len() / 4);
        grammar.collect(&tree, &mut words)?;
        Some(Ok(words))
    });
    let mut theirs = match parsed {
        Some(Ok(words)) => words,
        Some(Err(at)) => return Opinion::Differs(at),
        None => return Opinion::Unavailable,
    };
    let mut ours = Vec::with_capacity(theirs.len());
    collect_script(&program.script, &mut ours);
    for body in &program.here_documents {
        if !body.source.is_empty() {
            collect_inside(body, &mut ours);
        }
    }
    for list in [&mut theirs, &mut ours] {
        list.sort_unstable();
        // The same place as a name and as part of something else is one name.
        list.dedup_by(|later, earlier| {
            let same = (later.0, later.1) == (earlier.0, earlier.1);
            earlier.2 |= same && later.2;
            same
        });
    }
    if theirs == ours {
        return Opinion::Agrees;
    }
    // `time` and its `-p` are no words of a command for bash, but they are for the grammar. A lone `-` in front of a
    // here-document is lost by the grammar.
    let shown = |found: &Found| text.get(found.0..found.1).unwrap_or("");
    let missing = |found: &Found, list: &[Found]| {
        list.binary_search_by_key(&(found.0, found.1), |other| (other.0, other.1)).is_err()
    };
    let timed = theirs.iter().any(|found| shown(found) == "time");
    theirs.retain(|found| !(matches!(shown(found), "time" | "-p") && missing(found, &ours)));
    ours.retain(|found| !(shown(found) == "-" && missing(found, &theirs)));
    let same = |their: &Found, our: &Found| {
        (their.0, their.1) == (our.0, our.1) && (their.2 == our.2 || timed || NO_NAMES.contains(&shown(our)))
    };
    match theirs.iter().zip(&ours).find(|(their, our)| !same(their, our)) {
        Some((their, our)) => Opinion::Differs(their.0.min(our.0)),
        None if theirs.len() == ours.len() => Opinion::Agrees,
        None => Opinion::Differs(theirs.get(ours.len()).or_else(|| ours.get(theirs.len())).map_or(0, |found| found.0)),
    }
}

impl Grammar {
    /// The grammar in the slot, made if it is not there.
    fn ready(slot: &mut Option<Self>) -> Option<&mut Self> {
        if slot.is_none() {
            let language: Language = tree_sitter_bash::LANGUAGE.into();
            let mut parser = Parser::new();
            parser.set_language(&language).ok()?;
            let kinds = (0..language.node_kind_count())
                .map(|kind| {
                    let kind = u16::try_from(kind).unwrap_or(u16::MAX);
                    let name = language.node_kind_for_id(kind).unwrap_or_default();
                    Kind::of(name, language.node_kind_is_named(kind))
                })
                .collect();
            *slot = Some(Self { parser, kinds });
        }
        slot.as_mut()
    }

    fn kind(&self, node: &Node<'_>) -> Kind {
        self.kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Other)
    }

    /// The words of the tree. `None` where it is too deep.
    fn collect(&self, tree: &Tree, words: &mut Vec<Found>) -> Option<()> {
        let mut cursor = tree.walk();
        // The nodes above the cursor, outermost first, with whether they are inside of a word: there only the commands
        // of substitutions count.
        let mut above: Vec<(Kind, bool)> = Vec::with_capacity(32);
        loop {
            if above.len() > MAX_TREE_DEPTH {
                return None;
            }
            let node = cursor.node();
            let kind = self.kind(&node);
            let (parent, within) = above.last().copied().unwrap_or((Kind::Other, false));
            let inside = if within { Some(kind != Kind::Substitution) } else { visit(&node, kind, parent, words) };
            if let Some(inside) = inside
                && cursor.goto_first_child()
            {
                // Places inside of backticks are not compared: the reader reads a copy of that text with a reader of
                // its own.
                if kind == Kind::Substitution && self.kind(&cursor.node()) == Kind::Backtick {
                    cursor.goto_parent();
                } else {
                    above.push((kind, inside));
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Some(());
                }
                above.pop();
            }
        }
    }
}

/// Adds a node outside of words. The answer is whether what is below it is inside of a word; `None` where nothing below
/// it counts.
fn visit(node: &Node<'_>, kind: Kind, parent: Kind, words: &mut Vec<Found>) -> Option<bool> {
    let mut add = |name| words.push((node.start_byte(), node.end_byte(), name));
    match kind {
        Kind::Word => {
            add(parent == Kind::CommandName);
            Some(true)
        }
        Kind::Substitution => {
            add(parent == Kind::CommandName);
            Some(false)
        }
        Kind::TestMark if parent == Kind::Test => {
            add(false);
            None
        }
        Kind::Negation if parent == Kind::Unary => {
            add(false);
            None
        }
        Kind::Builtin => {
            add(false);
            None
        }
        Kind::Comment => None,
        _ => Some(false),
    }
}

fn first_error(node: Node<'_>) -> usize {
    let mut node = node;
    'down: loop {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.is_error() || child.is_missing() {
                return child.start_byte();
            }
            if child.has_error() {
                node = child;
                continue 'down;
            }
        }
        return node.start_byte();
    }
}

fn collect_script(script: &Script, words: &mut Vec<Found>) {
    for command in script.statements.iter().flat_map(|statement| &statement.pipeline) {
        match command {
            Command::Simple(simple) | Command::Test(simple) => {
                for assignment in &simple.assignments {
                    words.push((assignment.span.start, assignment.span.end, false));
                    collect_inside(&assignment.value, words);
                }
                for (at, word) in simple.words.iter().enumerate() {
                    if !word.source.is_empty() {
                        collect_word(word, at == 0, words);
                    }
                }
                collect_redirects(&simple.redirects, words);
            }
            Command::Subshell(script, redirects) | Command::Group(script, redirects) => {
                collect_script(script, words);
                collect_redirects(redirects, words);
            }
            Command::Branches { lists, words: list, variable_span, redirects, .. } => {
                words.extend(variable_span.map(|span| (span.start, span.end, false)));
                for word in list {
                    collect_word(word, false, words);
                }
                for list in lists {
                    collect_script(list, words);
                }
                collect_redirects(redirects, words);
            }
        }
    }
}

fn collect_redirects(redirects: &[Redirect], words: &mut Vec<Found>) {
    for redirect in redirects {
        collect_word(&redirect.target, false, words);
    }
}

fn collect_word(word: &Word, name: bool, words: &mut Vec<Found>) {
    words.push((word.span.start, word.span.end, name));
    collect_inside(word, words);
}

fn collect_inside(word: &Word, words: &mut Vec<Found>) {
    for piece in &word.pieces {
        if let Piece::Expansion {
            kind: ExpansionKind::Command(script) | ExpansionKind::Process(script), source, ..
        } = piece
            && !source.starts_with('`')
        {
            collect_script(script, words);
        }
    }
}
