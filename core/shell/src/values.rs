//! What words may turn out to be: variables that the text sets, braces, defaults, and what a few commands print. A guess in
//! the careful direction, made for hard limits alone: it may name values that never occur, and keeps as unknown what it
//! does not follow. Owns the guess; it never makes anything allowed.

use std::cell::Cell;

use crate::analysis::Shell;
use crate::read;
use crate::syntax::{Command, ExpansionKind, Piece, Program, Script, Separator, SimpleCommand, Span, Word};
use crate::upstream;
use crate::walk::{Site, SiteCommand};
use crate::{flags, unwrap};

/// More values than this are not told apart: an unknown one stands for the rest, or the word stays as it is.
const MAX_VALUES: usize = 64;
/// The work on the values of one text, scripts in it included. Values refer to values, and the number of ways through them
/// has no other bound.
const MAX_WORK: usize = 20_000;
/// Values inside of values are followed this deep.
const MAX_DEPTH: usize = 6;
/// Stands for a value that nobody knows, in what is shown of it.
pub(crate) const UNKNOWN: &str = "…";
/// Stands for names that are known to be some below a folder, none of which matters.
pub(crate) const SOME_NAME: &str = "some-name";

/// The work that is left for one text. Once it is spent, words stay as they are, so nobody knows what was missed.
pub(crate) struct Budget(Cell<usize>);

impl Budget {
    pub(crate) fn new() -> Self {
        Self(Cell::new(MAX_WORK))
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    /// Whether there is enough left for this much work; it counts as done.
    fn spend(&self, work: usize) -> bool {
        let left = self.0.get().checked_sub(work);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// A variable that the text sets.
struct Assigned {
    name: String,
    value: Word,
    /// It is set whenever a later word is reached.
    definite: bool,
    at: usize,
}

/// The values that a text gives to its variables.
pub(crate) struct Values<'p> {
    assigned: Vec<Assigned>,
    program: &'p Program,
    shell: Shell,
    /// The values of the shell that runs the text, where it is the same one.
    outer: Option<&'p Values<'p>>,
    budget: &'p Budget,
}

/// What a command prints, as far as that is known.
type Output = Option<Vec<Word>>;

impl<'p> Values<'p> {
    pub(crate) fn new(
        program: &'p Program,
        sites: &[Site<'p>],
        shell: Shell,
        outer: Option<&'p Values<'p>>,
        budget: &'p Budget,
    ) -> Self {
        let definite = definite(&program.script);
        let mut assigned = Vec::new();
        for site in sites {
            let SiteCommand::Simple(simple) = &site.command else { continue };
            let reached = definite.iter().any(|known| std::ptr::eq(*known, *simple));
            // In front of a command it is set for that command alone, whose words do not see it.
            let alone = simple.words.is_empty();
            let mut add = |name: &str, value: Word, whole: bool| {
                let (definite, at) = (reached && whole, simple.span.start);
                assigned.push(Assigned { name: name.to_owned(), value, definite, at });
            };
            for assignment in &simple.assignments {
                add(&assignment.name, assignment.value.clone(), alone && !assignment.append);
            }
            match simple.words.first().and_then(Word::known).as_deref() {
                Some("export" | "declare" | "typeset" | "local" | "readonly") => {
                    for word in &simple.words[1..] {
                        let text = word.fixed_prefix();
                        if let Some(at) = text.find('=').filter(|at| read::is_name(&text[..*at])) {
                            add(&text[..at], flags::word_after(word, at + 1), true);
                        }
                    }
                }
                Some("read") => {
                    for redirect in simple.redirects.iter().filter(|redirect| redirect.op.as_str() == "<<<") {
                        for word in simple.words[1..].iter().filter(|word| !word.may_start_with_dash()) {
                            add(&word.fixed_prefix(), redirect.target.clone(), false);
                        }
                    }
                }
                _ => {}
            }
        }
        Self { assigned, program, shell, outer, budget }
    }

    /// The words that these words may become, all values side by side.
    pub(crate) fn words<'w>(&self, words: impl IntoIterator<Item = &'w Word>, site: &Site<'_>) -> Vec<Word> {
        words.into_iter().flat_map(|word| self.values(word, site, MAX_DEPTH)).collect()
    }

    fn values(&self, word: &Word, site: &Site<'_>, depth: usize) -> Vec<Word> {
        if depth == 0 || !word.is_unknown() || !self.budget.spend(1) {
            return vec![word.clone()];
        }
        if word.pieces.iter().any(|piece| matches!(piece, Piece::Expansion { kind: ExpansionKind::Brace, .. })) {
            let Some(texts) = braces(&word.source) else { return vec![word.clone()] };
            let words = texts.iter().flat_map(|text| self.reread(text, word.span));
            return few(words.flat_map(|word| self.values(&word, site, depth - 1)), word.span);
        }
        let mut found: Vec<Vec<Piece>> = vec![Vec::new()];
        for piece in &word.pieces {
            let others = self.alternatives(piece, word.span, site, depth);
            let count = found.len() * others.len();
            // One more than that is an unknown one that stands for the rest.
            if count > MAX_VALUES + 1 || !self.budget.spend(count) {
                return vec![word.clone()];
            }
            // A piece with one value, as most have, must not copy all pieces before it: a word may have as many as bytes.
            if let [only] = others.as_slice() {
                found.iter_mut().for_each(|start| start.extend_from_slice(only));
                continue;
            }
            found = found
                .iter()
                .flat_map(|start| others.iter().map(move |other| [start.as_slice(), other.as_slice()].concat()))
                .collect();
        }
        found.into_iter().map(|pieces| Word { span: word.span, source: word.source.clone(), pieces }).collect()
    }

    /// What may stand for one piece.
    fn alternatives(&self, piece: &Piece, span: Span, site: &Site<'_>, depth: usize) -> Vec<Vec<Piece>> {
        let as_it_is = || vec![vec![piece.clone()]];
        let Piece::Expansion { kind, source, quoted } = piece else { return as_it_is() };
        let words = match kind {
            ExpansionKind::Variable(name) => match self.variable(name, span, site, depth) {
                (words, true) => words,
                (words, false) if words.is_empty() => return as_it_is(),
                (words, false) => return [as_it_is(), spread(&words, *quoted)].concat(),
            },
            ExpansionKind::Parameter => match self.parameter(source, span, site, depth) {
                Some(words) => words,
                None => return as_it_is(),
            },
            ExpansionKind::Command(script) => match self.printed(script, site, depth) {
                Some(words) if *quoted && words.len() > 1 => {
                    // All of it in one word, or one value of several.
                    let all: Vec<_> = words.iter().map(Word::shown).collect();
                    let all = literal(&all.join(" "), span);
                    std::iter::once(all).chain(words).collect()
                }
                Some(words) => words,
                None => return as_it_is(),
            },
            _ => return as_it_is(),
        };
        spread(&words, *quoted)
    }

    /// The values of a variable, and whether it has no other.
    fn variable(&self, name: &str, span: Span, site: &Site<'_>, depth: usize) -> (Vec<Word>, bool) {
        let bound = site.bindings.iter().rev().find(|(variable, _)| *variable == name);
        let mut values: Vec<Word> = Vec::new();
        let mut definite = bound.is_some();
        if let Some((_, words)) = bound {
            values.extend(words.iter().flat_map(|word| self.values(word, site, depth - 1)));
        }
        // Looking through the names is far less work than following a value.
        if self.budget.spend(1 + self.assigned.len() / 64) {
            for assigned in self.assigned.iter().filter(|assigned| assigned.name == name) {
                definite |= assigned.definite && assigned.at < span.start;
                if values.len() <= MAX_VALUES {
                    values.extend(self.values(&assigned.value, site, depth - 1));
                }
            }
        }
        if values.is_empty() {
            // The text runs some time after or between the words around it, so their order says nothing.
            let outer = self.outer.filter(|_| depth > 1);
            return match outer {
                Some(outer) => outer.variable(name, Span { start: usize::MAX, ..span }, site, depth - 1),
                None if name == "PWD" => (vec![literal(".", span)], true),
                None => (values, definite),
            };
        }
        (few(values, span), definite)
    }

    /// The values of `${name…}`: those of the variable, and the default.
    fn parameter(&self, source: &str, span: Span, site: &Site<'_>, depth: usize) -> Option<Vec<Word>> {
        let inner = source.strip_prefix("${")?.strip_suffix('}')?;
        let end = inner.find(|ch: char| ch != '_' && !ch.is_ascii_alphanumeric()).unwrap_or(inner.len());
        let (name, rest) = inner.split_at(end);
        if !read::is_name(name) {
            return None;
        }
        let (mut words, definite) = self.variable(name, span, site, depth);
        let default = [":-", "-", ":=", "=", ":+", "+"].iter().find_map(|operator| rest.strip_prefix(operator));
        match default {
            Some(text) => {
                words.extend(self.reread(text, span).iter().flat_map(|word| self.values(word, site, depth - 1)))
            }
            // A part of the value: nearly all of it, for what matters here.
            None if definite => {}
            None => return None,
        }
        Some(words)
    }

    /// The words of another text.
    fn reread(&self, text: &str, span: Span) -> Vec<Word> {
        let program = read::read_program(&format!("x {text}"), self.shell);
        let mut words = Vec::new();
        for command in program.script.statements.into_iter().flat_map(|statement| statement.pipeline) {
            if let Command::Simple(simple) = command {
                words.extend(simple.words.into_iter().skip(1).map(|word| Word { span, ..word }));
            }
        }
        words
    }

    /// What a substitution prints.
    fn printed(&self, script: &Script, site: &Site<'_>, depth: usize) -> Output {
        let [statement] = script.statements.as_slice() else { return None };
        let commands: Option<Vec<&SimpleCommand>> = statement
            .pipeline
            .iter()
            .map(|command| match command {
                Command::Simple(simple) => Some(simple),
                _ => None,
            })
            .collect();
        self.piped(&commands?, site, depth)
    }

    /// What comes out of the last of these commands, each of which reads what the one before it prints.
    pub(crate) fn output(&self, commands: &[&SimpleCommand], site: &Site<'_>) -> Output {
        self.piped(commands, site, MAX_DEPTH)
    }

    fn piped(&self, commands: &[&SimpleCommand], site: &Site<'_>, depth: usize) -> Output {
        let (first, filters) = commands.split_first()?;
        if depth == 0 || !filters.iter().all(|command| upstream::only_selects(command)) {
            return None;
        }
        let mut words: Vec<Word> = first.words.iter().flat_map(|word| self.values(word, site, depth - 1)).collect();
        while let Some(inner) = unwrap::inner(&words) {
            words = inner.words.to_vec();
        }
        let name = words.first()?.known()?;
        let is_listing = matches!(unwrap::base_name(&name), "find" | "bfs" | "gfind" | "ls");
        if is_listing && filters.iter().any(|command| picks_some(command)) {
            return Some(vec![literal(SOME_NAME, first.span)]);
        }
        let operands = || words[1..].iter().filter(|word| !word.may_start_with_dash());
        let some_name = || Some(vec![literal(SOME_NAME, first.span)]);
        match unwrap::base_name(&name) {
            "echo" | "printf" => Some(words[1..].iter().flat_map(lines).collect()),
            "cat" if operands().next().is_none() => self.input(first, site),
            "pwd" => Some(vec![literal(".", first.span)]),
            "mktemp" => Some(vec![literal("/tmp/tmp.name", first.span)]),
            "realpath" | "readlink" => Some(operands().cloned().collect()),
            // Of patterns it prints what they match; of folders what is in them.
            "ls" if operands().next().is_some() && operands().all(Word::may_split) => {
                Some(operands().cloned().collect())
            }
            "ls" => Some(vec![glob("*", first.span)]),
            "git" => match words.get(1).and_then(Word::known).as_deref() {
                Some("rev-parse") if words.iter().any(|word| word.known().as_deref() == Some("--show-toplevel")) => {
                    Some(vec![literal(".", first.span)])
                }
                Some("ls-files" | "diff" | "status" | "ls-tree" | "grep") => some_name(),
                _ => None,
            },
            "find" | "bfs" | "gfind" => {
                let search = Search::new(&words[1..]);
                if search.narrow { some_name() } else { Some(search.starts()) }
            }
            "fd" | "fdfind" if operands().next().is_some_and(|word| word.known().is_none_or(|text| text.len() > 1)) => {
                some_name()
            }
            "rg" | "grep" if words[1..].iter().any(|word| word.may_start_with_dash() && word.source.contains('l')) => {
                some_name()
            }
            _ => None,
        }
    }

    /// What a command reads from a here-document or a here-string of its own.
    pub(crate) fn input(&self, command: &SimpleCommand, site: &Site<'_>) -> Output {
        let redirect = command.redirects.iter().rev().find(|redirect| redirect.op.as_str().starts_with("<<"))?;
        let word = match redirect.here_document {
            Some(at) => self.program.here_documents.get(at)?,
            None => &redirect.target,
        };
        Some(self.values(word, site, MAX_DEPTH).iter().flat_map(lines).collect())
    }
}

/// Whether a filter lets only some lines through that it asks for, not all but a few.
fn picks_some(command: &SimpleCommand) -> bool {
    match command.words.first().and_then(Word::known).as_deref() {
        Some("head" | "tail") => true,
        Some("grep" | "egrep" | "fgrep") => !command.words.iter().any(|word| {
            let text = word.fixed_prefix();
            text.starts_with("--inv") || (text.starts_with('-') && !text.starts_with("--") && text.contains('v'))
        }),
        _ => false,
    }
}

/// The commands that have run wherever a later one is reached: the first of every list on the top level, and all of the
/// last list where only `&&` joins it.
fn definite(script: &Script) -> Vec<&SimpleCommand> {
    let mut found = Vec::new();
    let joins = script.statements.get(..script.statements.len().saturating_sub(1)).unwrap_or_default();
    let tail = joins.iter().rposition(|statement| statement.separator != Separator::And).map_or(0, |at| at + 1);
    let mut before = Separator::Sequence;
    for (at, statement) in script.statements.iter().enumerate() {
        let reached = match before {
            Separator::Sequence | Separator::Background => true,
            Separator::And => at >= tail,
            Separator::Or => false,
        };
        if reached
            && statement.separator != Separator::Background
            && let [Command::Simple(simple)] = statement.pipeline.as_slice()
        {
            found.push(simple);
        }
        before = statement.separator;
    }
    found
}

/// The first of too many values, and an unknown one for the rest.
fn few(values: impl IntoIterator<Item = Word>, span: Span) -> Vec<Word> {
    let mut values: Vec<Word> = values.into_iter().take(MAX_VALUES + 1).collect();
    if values.len() > MAX_VALUES {
        let rest = Piece::Expansion { kind: ExpansionKind::Parameter, source: UNKNOWN.to_owned(), quoted: false };
        values[MAX_VALUES] = Word { span, source: UNKNOWN.to_owned(), pieces: vec![rest] };
    }
    values
}

pub(crate) fn literal(text: &str, span: Span) -> Word {
    let pieces = vec![Piece::Literal { value: text.to_owned(), quoted: true }];
    Word { span, source: text.to_owned(), pieces }
}

fn glob(text: &str, span: Span) -> Word {
    Word { span, source: text.to_owned(), pieces: unquoted(text) }
}

/// The pieces of a value that is not in quotes: characters of patterns count.
fn unquoted(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    for ch in text.chars() {
        if !matches!(ch, '*' | '?' | '[') {
            plain.push(ch);
            continue;
        }
        if !plain.is_empty() {
            pieces.push(Piece::Literal { value: std::mem::take(&mut plain), quoted: false });
        }
        pieces.push(Piece::Expansion { kind: ExpansionKind::Glob, source: ch.to_string(), quoted: false });
    }
    if !plain.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Literal { value: plain, quoted: false });
    }
    pieces
}

/// The pieces that a value puts in place of a variable; without quotes each of its words on its own.
fn spread(words: &[Word], quoted: bool) -> Vec<Vec<Piece>> {
    let mut all = Vec::new();
    for word in words {
        match word.known() {
            Some(text) if !quoted => all.extend(text.split_ascii_whitespace().map(unquoted)),
            _ => all.push(word.pieces.clone()),
        }
    }
    if all.is_empty() {
        all.push(vec![Piece::Literal { value: String::new(), quoted: true }]);
    }
    all
}

/// The words of a printed text.
fn lines(word: &Word) -> Vec<Word> {
    match word.known() {
        Some(text) => text
            .replace("\\n", " ")
            .replace("\\0", " ")
            .split_ascii_whitespace()
            .map(|part| literal(part, word.span))
            .collect(),
        None => vec![word.clone()],
    }
}

/// The texts that braces make of one, as bash does before anything else: `None` where there are none or too many.
fn braces(text: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        if done.len() + open.len() > MAX_VALUES {
            return None;
        }
        match first_braces(&text) {
            None => done.push(text),
            Some((start, end, parts)) => {
                for part in parts.iter().rev() {
                    open.push(format!("{}{part}{}", &text[..start], &text[end..]));
                }
            }
        }
    }
    Some(done)
}

/// The first braces with a comma or a range in them: where they are, and what stands for them.
fn first_braces(text: &str) -> Option<(usize, usize, Vec<String>)> {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(start) = next(bytes, from, |byte| byte == b'{') {
        let (mut depth, mut at, mut part, mut parts) = (1, start + 1, start + 1, Vec::new());
        while let Some(found) = next(bytes, at, |byte| matches!(byte, b'{' | b'}' | b',')) {
            match bytes[found] {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ if depth == 1 => {
                    parts.push(text[part..found].to_owned());
                    part = found + 1;
                }
                _ => {}
            }
            at = found + 1;
            if depth == 0 {
                let last = &text[part..found];
                if parts.is_empty() {
                    // A range: its ends are as good as any.
                    parts.extend(last.split_once("..").map(|(first, _)| first.to_owned()));
                    if parts.is_empty() {
                        break;
                    }
                    parts.extend(last.rsplit("..").next().map(str::to_owned));
                } else {
                    parts.push(last.to_owned());
                }
                // `${x}` is no such thing.
                if start > 0 && bytes[start - 1] == b'$' {
                    break;
                }
                return Some((start, at, parts));
            }
        }
        from = start + 1;
    }
    None
}

/// The next byte that is wanted and stands in no quotes.
fn next(bytes: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let mut at = from;
    let mut quote = None;
    while let Some(&byte) = bytes.get(at) {
        match (quote, byte) {
            (None | Some(b'"'), b'\\') => at += 1,
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, _) if wanted(byte) => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Patterns of names that leave nothing out.
const TAKES_ALL: [&str; 6] = ["*", "**", "*.*", "?*", "*?", "./*"];

/// A `find`: where it starts, whether its tests leave out most, and what it does with what it finds.
pub(crate) struct Search<'w> {
    starts: &'w [Word],
    pub expression: &'w [Word],
    /// Only some of what lies below the starts is found.
    pub narrow: bool,
}

impl<'w> Search<'w> {
    /// Tests that pick out some files by their names.
    const NAME_TESTS: [&'static str; 9] =
        ["name", "iname", "path", "ipath", "wholename", "iwholename", "regex", "iregex", "lname"];
    /// Tests that pick out some files by what else is known of them.
    const OTHER_TESTS: [&'static str; 11] =
        ["size", "user", "group", "perm", "uid", "gid", "inum", "nouser", "nogroup", "samefile", "used"];

    pub(crate) fn new(words: &'w [Word]) -> Self {
        let option = |word: &Word| matches!(word.known().as_deref(), Some("-H" | "-L" | "-P" | "-O1" | "-O2" | "-O3"));
        let options = words.iter().take_while(|word| option(word)).count();
        let is_expression = |word: &Word| word.fixed_prefix().starts_with(['-', '(', '!', ',']);
        let end = words[options..].iter().position(is_expression).map_or(words.len(), |at| options + at);
        let (mut tests, mut choices, mut negated) = (0, 1, false);
        for (at, word) in words[end..].iter().enumerate() {
            let text = word.known_or_source();
            let value = words.get(end + at + 1).map(Word::known_or_source);
            match &*text {
                "-o" | "-or" | "," => choices += 1,
                "!" | "-not" => {
                    negated = true;
                    continue;
                }
                "-empty" => tests += usize::from(!negated),
                "-exec" | "-execdir" | "-ok" | "-okdir" => break,
                other => {
                    let name = other.trim_start_matches('-');
                    let takes_all = value.as_deref().is_some_and(|value| TAKES_ALL.contains(&value));
                    let by_age = name.ends_with("time") || name.ends_with("min") || name.starts_with("newer");
                    let links = matches!(name, "type" | "xtype") && value.as_deref() == Some("l");
                    let other = by_age || links || Self::OTHER_TESTS.contains(&name);
                    tests += usize::from(!negated && (other || (Self::NAME_TESTS.contains(&name) && !takes_all)));
                }
            }
            negated = false;
        }
        Self { starts: &words[options..end], expression: &words[end..], narrow: tests >= choices }
    }

    /// Where it starts.
    pub(crate) fn starts(&self) -> Vec<Word> {
        if self.starts.is_empty() { vec![literal(".", Span::default())] } else { self.starts.to_vec() }
    }

    /// The words that `{}` may stand for.
    pub(crate) fn found(&self) -> Vec<Word> {
        if self.narrow { vec![literal(SOME_NAME, Span::default())] } else { self.starts() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_make_several_texts() {
        for (text, expected) in [
            ("{/,x}", Some(&["/", "x"][..])),
            ("a{b,c{d,e}}f", Some(&["abf", "acdf", "acef"])),
            ("/{usr,etc}", Some(&["/usr", "/etc"])),
            ("{1..3}", Some(&["1", "3"])),
            ("'{a,b}'", Some(&["'{a,b}'"])),
            ("{a}", Some(&["{a}"])),
            ("${x}{a,}", Some(&["${x}a", "${x}"])),
            ("\\{a,b}", Some(&["\\{a,b}"])),
        ] {
            let expected: Option<Vec<String>> =
                expected.map(|texts| texts.iter().map(|&text| text.to_owned()).collect());
            assert_eq!(braces(text), expected, "{text}");
        }
        assert_eq!(braces(&"{a,b}".repeat(20)), None);
    }
}
