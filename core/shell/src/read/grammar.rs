//! Lists, pipelines and compound commands. Owns which words are reserved and where.

use super::{MAX_DEPTH, Reader, is_meta};
use crate::Shell;
use crate::syntax::{Assignment, Command, Piece, Redirect, Script, Separator, SimpleCommand, Span, Statement, Word};

/// Words with a meaning of their own where a command may start.
pub(crate) const RESERVED: [&str; 24] = [
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
    "function", "time", "coproc", "{", "}", "!", "[[", "]]", "((", "))",
];

/// Where a list ends.
#[derive(Clone, Copy)]
enum Stop<'s> {
    End,
    Parenthesis,
    Words(&'s [&'s str]),
    CaseItem,
}

impl Reader<'_> {
    /// The whole text.
    pub(super) fn script_to_end(&mut self) -> Script {
        let mut script = self.list(Stop::End);
        while self.pos < self.src.len() {
            // Something that closes nothing: record it, and go on so that deny rules see the rest.
            self.issue("something is closed that was not opened", self.pos);
            self.pos += 1;
            while !self.text.is_char_boundary(self.pos) {
                self.pos += 1;
            }
            script.statements.extend(self.list(Stop::End).statements);
        }
        if !self.pending.is_empty() {
            self.issue("a here-document has no body", self.pos);
            self.pending.clear();
        }
        script
    }

    pub(super) fn script_until_parenthesis(&mut self) -> Script {
        self.list(Stop::Parenthesis)
    }

    fn list(&mut self, stop: Stop<'_>) -> Script {
        let mut script = Script::default();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.issue("the command is nested too deeply", self.pos);
            self.pos = self.src.len();
        }
        loop {
            self.skip_newlines();
            if self.at_stop(stop) {
                break;
            }
            let before = self.pos;
            let Some((pipeline, negated)) = self.pipeline() else {
                if self.pos == before {
                    break;
                }
                continue;
            };
            let separator = self.separator();
            let open = matches!(separator, Separator::And | Separator::Or);
            script.statements.push(Statement { pipeline, negated, separator });
            if open {
                self.skip_newlines();
                if self.at_stop(stop) {
                    self.issue("an operator has no command after it", before);
                    break;
                }
            }
        }
        self.depth -= 1;
        script
    }

    fn at_stop(&mut self, stop: Stop<'_>) -> bool {
        let Some(byte) = self.peek() else { return true };
        match stop {
            Stop::End => byte == b')',
            Stop::Parenthesis => byte == b')',
            Stop::Words(words) => byte == b')' || self.peek_reserved().is_some_and(|word| words.contains(&word)),
            Stop::CaseItem => {
                byte == b')'
                    || (byte == b';' && matches!(self.peek_second(), Some(b';' | b'&')))
                    || self.peek_reserved() == Some("esac")
            }
        }
    }

    /// The reserved word at the position, if there is one. Does not move.
    fn peek_reserved(&mut self) -> Option<&'static str> {
        self.skip_continuations();
        let keep = self.pos;
        let mut text = [0u8; 9];
        let mut length = 0;
        let end = loop {
            match self.peek() {
                Some(byte) if !is_meta(byte) => {
                    if length == text.len() {
                        break false;
                    }
                    text[length] = byte;
                    length += 1;
                    self.pos += 1;
                }
                _ => break true,
            }
        };
        self.pos = keep;
        if !end {
            return None;
        }
        RESERVED.iter().copied().find(|word| word.as_bytes() == &text[..length])
    }

    /// Takes a reserved word if it is the next one.
    fn take_reserved(&mut self, word: &str) -> bool {
        if self.peek_reserved() != Some(RESERVED.iter().copied().find(|known| *known == word).unwrap_or("")) {
            return false;
        }
        for _ in 0..word.len() {
            self.skip_continuations();
            self.pos += 1;
        }
        true
    }

    fn expect_reserved(&mut self, word: &str, from: usize) {
        self.skip_newlines();
        if !self.take_reserved(word) {
            self.issue("a compound command is not complete", from);
        }
    }

    fn separator(&mut self) -> Separator {
        self.skip_blanks();
        let from = self.pos;
        match self.peek() {
            Some(b'\n') => {
                self.take_newline();
                Separator::Sequence
            }
            Some(b'#') => {
                self.skip_comment();
                Separator::Sequence
            }
            Some(b';') if !matches!(self.peek_second(), Some(b';' | b'&')) => {
                self.pos += 1;
                Separator::Sequence
            }
            Some(b'&') => {
                self.pos += 1;
                if self.take(b'&') { Separator::And } else { Separator::Background }
            }
            Some(b'|') => {
                self.pos += 1;
                if !self.take(b'|') {
                    self.issue("a pipe has no command before it", from);
                }
                Separator::Or
            }
            _ => Separator::Sequence,
        }
    }

    fn pipeline(&mut self) -> Option<(Vec<Command>, bool)> {
        let start = self.pos;
        let mut negated = false;
        loop {
            match self.peek_reserved() {
                Some("!") => {
                    self.take_reserved("!");
                    negated = true;
                    if !matches!(self.peek(), Some(b' ' | b'\t')) {
                        self.issue("a negation is glued to what follows", start);
                    }
                }
                Some("time") => {
                    self.take_reserved("time");
                    self.skip_blanks();
                    if self.peek() == Some(b'-')
                        && self.peek_second() == Some(b'p')
                        && self.peek_at(2).is_none_or(is_meta)
                    {
                        self.take(b'-');
                        self.take(b'p');
                    }
                    if self.shell == Shell::Sh {
                        self.bash_only("time", start);
                    }
                }
                _ => break,
            }
            self.skip_blanks();
        }
        let mut commands = Vec::new();
        loop {
            let before = self.pos;
            match self.command() {
                Some(command) => commands.push(command),
                None => {
                    self.issue("a command is missing", before);
                    if self.pos == before && !matches!(self.peek(), None | Some(b')')) {
                        // An operator without a command: step over it.
                        self.pos += 1;
                    }
                    break;
                }
            }
            self.skip_blanks();
            if self.peek() == Some(b'|') && self.peek_second() != Some(b'|') {
                self.pos += 1;
                if self.take(b'&') {
                    self.bash_only("|&", before);
                }
                self.skip_newlines();
                continue;
            }
            break;
        }
        if commands.is_empty() { None } else { Some((commands, negated)) }
    }

    fn command(&mut self) -> Option<Command> {
        self.skip_blanks();
        let start = self.pos;
        match self.peek()? {
            b'(' => return Some(self.parenthesised(start)),
            b'\n' | b';' | b'|' | b')' => return None,
            b'&' if self.peek_second() != Some(b'>') => return None,
            b'#' => return None,
            _ => {}
        }
        if let Some(word) = self.peek_reserved() {
            return Some(self.reserved_command(word, start));
        }
        Some(self.simple_command(start))
    }

    fn parenthesised(&mut self, start: usize) -> Command {
        if self.peek_second() == Some(b'(') {
            if let Some(end) = self.arithmetic_end() {
                self.take(b'(');
                self.take(b'(');
                self.issue("it uses an arithmetic command", start);
                self.arithmetic_body(end, start);
                self.pos = end;
                let words = self.trailing_redirects();
                return Command::Group(Script::default(), words);
            }
            self.issue("two opening parentheses are ambiguous", start);
        }
        self.take(b'(');
        let script = self.script_in_parentheses(start);
        if script.statements.is_empty() {
            self.issue("a list is empty", start);
        }
        let redirects = self.trailing_redirects();
        Command::Subshell(script, redirects)
    }

    /// Redirections after a compound command; anything else there is an issue.
    fn trailing_redirects(&mut self) -> Vec<Redirect> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            if self.at_redirect() {
                redirects.push(self.redirect(None));
                continue;
            }
            let Some(byte) = self.peek() else { break };
            if byte.is_ascii_digit() {
                let keep = self.pos;
                let word = self.word();
                if let Some(fd) = self.as_descriptor(&word) {
                    redirects.push(self.redirect(Some((fd, keep))));
                    continue;
                }
                self.issue("a word follows a compound command", keep);
                continue;
            }
            if !is_meta(byte) && byte != b'#' {
                if self.peek_reserved().is_some() {
                    // `fi done`: a reserved word may follow without a separator.
                    self.issue("a reserved word follows without a separator", self.pos);
                    break;
                }
                let keep = self.pos;
                self.word();
                self.issue("a word follows a compound command", keep);
                continue;
            }
            if byte == b'(' {
                self.issue("a word follows a compound command", self.pos);
            }
            break;
        }
        redirects
    }

    fn reserved_command(&mut self, word: &str, start: usize) -> Command {
        match word {
            "{" => {
                self.take_reserved("{");
                let script = self.body(&["}"], start);
                self.expect_reserved("}", start);
                Command::Group(script, self.trailing_redirects())
            }
            "if" => self.if_command(start),
            "while" | "until" => {
                self.take_reserved(word);
                let condition = self.body(&["do"], start);
                let body = self.do_body(start);
                let redirects = self.trailing_redirects();
                Command::Branches {
                    lists: vec![condition, body],
                    words: Vec::new(),
                    variable: None,
                    variable_span: None,
                    redirects,
                }
            }
            "for" | "select" => self.for_command(word, start),
            "case" => self.case_command(start),
            "[[" if self.shell != Shell::Sh => self.test_command(start),
            "function" => {
                self.take_reserved("function");
                self.issue("it defines a function", start);
                self.skip_blanks();
                if self.peek().is_some_and(|byte| !is_meta(byte)) {
                    self.word();
                }
                self.skip_blanks();
                if self.take(b'(') {
                    self.skip_blanks();
                    self.take(b')');
                }
                self.skip_newlines();
                self.function_body()
            }
            "coproc" => {
                self.take_reserved("coproc");
                self.issue("it starts a coprocess", start);
                self.skip_blanks();
                self.function_body()
            }
            _ => {
                self.issue("a reserved word is out of place", start);
                self.simple_command(start)
            }
        }
    }

    fn function_body(&mut self) -> Command {
        self.depth += 1;
        let command = if self.depth > MAX_DEPTH { None } else { self.command() };
        self.depth -= 1;
        match command {
            Some(command) => Command::Group(
                Script {
                    statements: vec![Statement {
                        pipeline: vec![command],
                        negated: false,
                        separator: Separator::Sequence,
                    }],
                },
                Vec::new(),
            ),
            None => {
                self.issue("a command is missing", self.pos);
                Command::Group(Script::default(), Vec::new())
            }
        }
    }

    /// A list that ends at one of `words` and must not be empty.
    fn body(&mut self, words: &[&str], from: usize) -> Script {
        let script = self.list(Stop::Words(words));
        if script.statements.is_empty() {
            self.issue("a list is empty", from);
        }
        script
    }

    fn do_body(&mut self, start: usize) -> Script {
        self.expect_reserved("do", start);
        let body = self.body(&["done"], start);
        self.expect_reserved("done", start);
        body
    }

    fn if_command(&mut self, start: usize) -> Command {
        self.take_reserved("if");
        let mut lists = vec![self.body(&["then"], start)];
        self.expect_reserved("then", start);
        lists.push(self.body(&["elif", "else", "fi"], start));
        loop {
            if self.take_reserved("elif") {
                lists.push(self.body(&["then"], start));
                self.expect_reserved("then", start);
                lists.push(self.body(&["elif", "else", "fi"], start));
            } else if self.take_reserved("else") {
                lists.push(self.body(&["fi"], start));
                self.expect_reserved("fi", start);
                break;
            } else {
                self.expect_reserved("fi", start);
                break;
            }
        }
        let redirects = self.trailing_redirects();
        Command::Branches { lists, words: Vec::new(), variable: None, variable_span: None, redirects }
    }

    fn for_command(&mut self, word: &str, start: usize) -> Command {
        self.take_reserved(word);
        if word == "select" {
            self.issue("it uses select", start);
        }
        self.skip_blanks();
        if self.peek() == Some(b'(') {
            self.issue("it uses an arithmetic loop", start);
            if let Some(end) = self.arithmetic_end() {
                self.take(b'(');
                self.take(b'(');
                self.arithmetic_body(end, start);
                self.pos = end;
            } else {
                self.pos += 1;
            }
            self.skip_blanks();
            self.take(b';');
            let body = self.do_body(start);
            let redirects = self.trailing_redirects();
            return Command::Branches {
                lists: vec![body],
                words: Vec::new(),
                variable: None,
                variable_span: None,
                redirects,
            };
        }
        let mut variable = None;
        let mut variable_span = None;
        if self.peek().is_some_and(|byte| !is_meta(byte)) {
            let name = self.word();
            variable_span = Some(name.span);
            variable = name.bare().filter(|name| is_name(name)).map(str::to_owned);
        }
        match &variable {
            None => self.issue("a loop has no plain variable", start),
            // The loop assigns to it, and what is exported reaches every program that the loop runs.
            Some(name) if may_matter_to_programs(name) => {
                self.issue("a loop sets a variable that may matter to the shell or to programs", start);
            }
            Some(_) => {}
        }
        self.skip_newlines();
        let mut words = Vec::new();
        if self.take_reserved("in") {
            loop {
                self.skip_blanks();
                match self.peek() {
                    Some(b'#') | None => break,
                    Some(b'<' | b'>') if self.peek_second() == Some(b'(') => words.push(self.word()),
                    Some(byte) if !is_meta(byte) => words.push(self.word()),
                    _ => break,
                }
            }
        } else {
            self.issue("a loop runs over the arguments of the shell", start);
        }
        self.skip_blanks();
        if !self.take(b';') && !matches!(self.peek(), Some(b'\n' | b'#')) {
            self.issue("a compound command is not complete", start);
        }
        let body = self.do_body(start);
        let redirects = self.trailing_redirects();
        Command::Branches { lists: vec![body], words, variable, variable_span, redirects }
    }

    fn case_command(&mut self, start: usize) -> Command {
        self.take_reserved("case");
        self.skip_blanks();
        let mut words = Vec::new();
        if self.peek().is_some_and(|byte| !is_meta(byte)) {
            words.push(self.word());
        }
        self.expect_reserved("in", start);
        let mut lists = Vec::new();
        loop {
            self.skip_newlines();
            if self.peek().is_none() || self.take_reserved("esac") {
                break;
            }
            let before = self.pos;
            self.take(b'(');
            loop {
                self.skip_blanks();
                if self.peek().is_some_and(|byte| !is_meta(byte)) {
                    words.push(self.word());
                } else {
                    self.issue("a case pattern is missing", before);
                }
                self.skip_blanks();
                if !self.take(b'|') {
                    break;
                }
            }
            if !self.take(b')') {
                self.issue("a case pattern is not closed", before);
            }
            lists.push(self.list(Stop::CaseItem));
            self.skip_newlines();
            if self.peek() == Some(b';') {
                self.pos += 1;
                if self.take(b';') {
                    if self.peek() == Some(b'&') {
                        self.pos += 1;
                    }
                } else {
                    self.take(b'&');
                }
            } else if self.take_reserved("esac") {
                break;
            }
            if self.pos == before {
                self.issue("a compound command is not complete", before);
                break;
            }
        }
        let redirects = self.trailing_redirects();
        Command::Branches { lists, words, variable: None, variable_span: None, redirects }
    }

    fn simple_command(&mut self, start: usize) -> Command {
        let mut command = SimpleCommand::default();
        let mut end = start;
        loop {
            self.skip_blanks();
            if self.at_redirect() {
                let redirect = self.redirect(None);
                command.redirects.push(redirect);
                end = self.pos;
                continue;
            }
            match self.peek() {
                None | Some(b'#') => break,
                Some(b'(') => {
                    if let Some(function) = self.function_or_array(&mut command, start) {
                        return function;
                    }
                    end = self.pos;
                    continue;
                }
                Some(b'<' | b'>') => {}
                Some(byte) if is_meta(byte) => break,
                Some(_) => {}
            }
            let at = self.pos;
            let word = self.word();
            if self.pos == at {
                break;
            }
            if let Some(fd) = self.as_descriptor(&word) {
                let redirect = self.redirect(Some((fd, at)));
                command.redirects.push(redirect);
                end = self.pos;
                continue;
            }
            if command.words.is_empty() {
                if let Some(assignment) = self.assignment(&word) {
                    command.assignments.push(assignment);
                    end = self.pos;
                    continue;
                }
                self.check_subscript(&word, at);
            }
            command.words.push(word);
            end = self.pos;
        }
        command.span = self.fixed_span.unwrap_or(Span::new(start, end));
        Command::Simple(command)
    }

    /// `name()` starts a function, `name=(` an array; anything else is a syntax error.
    fn function_or_array(&mut self, command: &mut SimpleCommand, start: usize) -> Option<Command> {
        let at = self.pos;
        self.take(b'(');
        self.skip_blanks();
        if command.words.len() == 1 && command.assignments.is_empty() && self.take(b')') {
            self.issue("it defines a function", start);
            self.skip_newlines();
            return Some(self.function_body());
        }
        let array = command.words.is_empty()
            && command.assignments.last().is_some_and(|assignment| assignment.source.ends_with('='));
        self.issue(if array { "it assigns an array" } else { "a parenthesis is out of place" }, at);
        // Read on as words, so that substitutions inside stay visible.
        loop {
            self.skip_newlines();
            match self.peek() {
                None => break,
                Some(b')') => {
                    self.pos += 1;
                    break;
                }
                Some(byte) if is_meta(byte) && !matches!(byte, b'<' | b'>') => {
                    if !array {
                        break;
                    }
                    self.pos += 1;
                }
                Some(_) => {
                    let before = self.pos;
                    let word = self.word();
                    if self.pos == before {
                        self.pos += 1;
                        continue;
                    }
                    if word.scripts().next().is_some() {
                        self.here_documents.push(word);
                    }
                }
            }
        }
        None
    }

    /// A word that bash takes as an assignment.
    fn assignment(&mut self, word: &Word) -> Option<Assignment> {
        let Some(Piece::Literal { value, quoted: false }) = word.pieces.first() else { return None };
        let equals = value.find('=')?;
        let (mut name, append) = (&value[..equals], false);
        let mut append = append;
        if let Some(stripped) = name.strip_suffix('+') {
            name = stripped;
            append = true;
        }
        if !is_name(name) {
            return None;
        }
        if append {
            self.bash_only("+=", word.span.start);
        }
        let mut pieces = word.pieces.clone();
        let rest = value[equals + 1..].to_owned();
        if rest.is_empty() {
            pieces.remove(0);
        } else {
            pieces[0] = Piece::Literal { value: rest, quoted: false };
        }
        let source = word.source.clone();
        let from = source.find('=').map_or(source.len(), |at| at + 1);
        let value = Word { span: word.span, source: source[from..].to_owned(), pieces };
        Some(Assignment { name: name.to_owned(), append, value, source, span: word.span })
    }

    /// `name[…]=` before the command: bash evaluates the subscript.
    fn check_subscript(&mut self, word: &Word, at: usize) {
        let Some(open) = word.source.find('[') else { return };
        if is_name(&word.source[..open]) {
            self.issue("it may assign an array element", at);
        }
    }

    /// Records that a construct is not known to the plain shell.
    pub(super) fn bash_only(&mut self, _what: &'static str, start: usize) {
        if self.shell == Shell::Sh {
            self.issue("it uses syntax that not every sh knows", start);
        }
    }
}

/// Whether the text is a variable name.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// Whether setting a variable may change what programs do: those that bash knows, and by convention all whose names are in
/// capitals. Loops commonly use small letters, or one capital.
fn may_matter_to_programs(name: &str) -> bool {
    let in_capitals = name.len() > 1 && !name.bytes().any(|byte| byte.is_ascii_lowercase());
    in_capitals || name.ends_with("_proxy") || crate::builtins::is_special_variable(name)
}
