//! The second opinion: tree-sitter's grammar of bash must find the same words at the same places as the own reader. The
//! grammar is known to misread some texts without an error, and so may the reader be; a text on which both agree word
//! for word is trusted, any other is too complex. Only places are compared: the meaning of every byte stays the reader's.

use std::cell::RefCell;

use tree_sitter::{Node, Parser, Tree};

use crate::syntax::{Command, ExpansionKind, Piece, Program, Redirect, Script, Word};

/// A word's place, and whether it is the name of a command.
type Found = (usize, usize, bool);

/// Nesting of the tree above which it is not looked at.
const MAX_TREE_DEPTH: usize = 200;

/// Commands that the grammar shows in its own way, not as a name with arguments.
const NO_NAMES: [&str; 9] = ["[", "[[", "export", "declare", "typeset", "readonly", "local", "unset", "unsetenv"];

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
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
    let Some(tree) = parse(text) else { return Opinion::Unavailable };
    if tree.root_node().has_error() {
        return Opinion::Differs(first_error(tree.root_node()));
    }
    let mut theirs = Vec::new();
    if collect_tree(tree.root_node(), &mut theirs, 0).is_none() {
        return Opinion::Unavailable;
    }
    let mut ours = Vec::new();
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

fn parse(text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
            *slot = Some(parser);
        }
        slot.as_mut()?.parse(text, None)
    })
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

/// The words of the tree. `None` where it is too deep.
fn collect_tree(node: Node<'_>, words: &mut Vec<Found>, depth: usize) -> Option<()> {
    if depth > MAX_TREE_DEPTH {
        return None;
    }
    let inside = match node.kind() {
        "word"
        | "number"
        | "string"
        | "raw_string"
        | "ansi_c_string"
        | "translated_string"
        | "concatenation"
        | "simple_expansion"
        | "expansion"
        | "command_substitution"
        | "process_substitution"
        | "arithmetic_expansion"
        | "brace_expression"
        | "variable_assignment"
        | "heredoc_start"
        | "extglob_pattern"
        | "regex"
        | "variable_name"
        | "test_operator" => {
            let name = node.parent().is_some_and(|parent| parent.kind() == "command_name");
            words.push((node.start_byte(), node.end_byte(), name));
            true
        }
        // `[` and `[[` are words for the reader, and so is what closes them.
        "[" | "]" | "[[" | "]]" | "=" | "==" | "!=" | "=~"
            if node.parent().is_some_and(|parent| matches!(parent.kind(), "test_command" | "binary_expression")) =>
        {
            words.push((node.start_byte(), node.end_byte(), false));
            return Some(());
        }
        "export" | "declare" | "typeset" | "readonly" | "local" | "unset" | "unsetenv" if !node.is_named() => {
            words.push((node.start_byte(), node.end_byte(), false));
            return Some(());
        }
        "!" if node.parent().is_some_and(|parent| parent.kind() == "unary_expression") => {
            words.push((node.start_byte(), node.end_byte(), false));
            return Some(());
        }
        "comment" => return Some(()),
        _ => false,
    };
    let mut cursor = node.walk();
    if is_backtick(node) {
        return Some(());
    }
    let inside = inside && !matches!(node.kind(), "command_substitution" | "process_substitution");
    for child in node.children(&mut cursor) {
        if inside {
            collect_substitutions(child, words, depth + 1)?;
        } else {
            collect_tree(child, words, depth + 1)?;
        }
    }
    Some(())
}

/// Places inside of backticks are not compared: the reader reads a copy of that text with a reader of its own.
fn is_backtick(node: Node<'_>) -> bool {
    node.kind() == "command_substitution" && node.child(0).is_some_and(|first| first.kind() == "`")
}

/// Inside of a word only the commands of substitutions count.
fn collect_substitutions(node: Node<'_>, words: &mut Vec<Found>, depth: usize) -> Option<()> {
    if depth > MAX_TREE_DEPTH {
        return None;
    }
    if is_backtick(node) {
        return Some(());
    }
    let mut cursor = node.walk();
    let substitution = matches!(node.kind(), "command_substitution" | "process_substitution");
    for child in node.children(&mut cursor) {
        if substitution {
            collect_tree(child, words, depth + 1)?;
        } else {
            collect_substitutions(child, words, depth + 1)?;
        }
    }
    Some(())
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
