//! A list of rules of one behaviour with an index, so that a decision looks at the few rules that can match instead of
//! all of them. Owns the index and nothing about what a match means.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::source::SourcedRule;
use crate::tools;

/// Rules of one behaviour. Reads like a slice.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    rules: Vec<SourcedRule>,
    index: OnceLock<Arc<Index>>,
}

/// Positions of rules, each list in ascending order.
#[derive(Debug, Default)]
struct Index {
    /// Rules without content, by their one tool.
    whole: HashMap<String, Vec<u32>>,
    /// Rules with content, by their one tool; command rules that have a fixed first word are not here.
    content: HashMap<String, Vec<u32>>,
    /// Rules on commands, by tool and first word.
    words: HashMap<String, HashMap<String, Vec<u32>>>,
    /// Rules whose tool part is a pattern or a server.
    patterns: Vec<u32>,
}

impl RuleSet {
    /// Adds a rule at the end.
    pub fn push(&mut self, rule: SourcedRule) {
        self.rules.push(rule);
        self.index = OnceLock::new();
    }

    /// Keeps the rules for which the test holds.
    pub fn retain(&mut self, keep: impl FnMut(&SourcedRule) -> bool) {
        self.rules.retain(keep);
        self.index = OnceLock::new();
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Arc::new(Index::new(&self.rules)))
    }

    fn at<'a>(&'a self, positions: Option<&'a Vec<u32>>) -> impl Iterator<Item = &'a SourcedRule> {
        positions.into_iter().flatten().filter_map(|at| self.rules.get(*at as usize))
    }

    /// Rules without content that may name the tool, a rule for a family of tools included.
    pub(crate) fn whole_tool<'a>(&'a self, tool: &str) -> impl Iterator<Item = &'a SourcedRule> {
        let index = self.index();
        let family =
            ["Edit", "Read", "Bash"].into_iter().filter(move |family| *family != tool && tools::covers(family, tool));
        self.at(index.whole.get(tool)).chain(family.flat_map(|family| self.at(self.index().whole.get(family)))).chain(
            self.at(Some(&index.patterns))
                .filter(move |sourced| sourced.rule.content().is_none() && sourced.rule.names_tool(tool)),
        )
    }

    /// Rules with content whose tool part is this name.
    pub(crate) fn with_content<'a>(&'a self, tool: &str) -> impl Iterator<Item = &'a SourcedRule> {
        let index = self.index();
        self.at(index.content.get(tool))
            .chain(index.words.get(tool).into_iter().flat_map(|words| words.values()).flat_map(|at| self.at(Some(at))))
            .chain(
                self.at(Some(&index.patterns))
                    .filter(move |sourced| sourced.rule.content().is_some() && sourced.rule.names_tool(tool)),
            )
    }

    /// Rules on commands that may match a text.
    pub(crate) fn for_command<'a, 't>(&'a self, tool: &'t str, text: &'t str) -> impl Iterator<Item = &'a SourcedRule> {
        let index = self.index();
        let word = text.split([' ', '\t', '\n']).next().unwrap_or("");
        let fixed = index.words.get(tool).and_then(|words| words.get(word));
        self.at(fixed).chain(self.at(index.content.get(tool)))
    }
}

impl Index {
    fn new(rules: &[SourcedRule]) -> Self {
        let mut index = Self::default();
        for (at, sourced) in rules.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let tool = sourced.rule.tool();
            let list = if !sourced.rule.names_one() {
                &mut index.patterns
            } else {
                match sourced.rule.compiled() {
                    None => index.whole.entry(tool.to_owned()).or_default(),
                    Some(content) => match content.pattern.first_word().filter(|_| tools::takes_commands(tool)) {
                        Some(word) => {
                            index.words.entry(tool.to_owned()).or_default().entry(word.to_owned()).or_default()
                        }
                        None => index.content.entry(tool.to_owned()).or_default(),
                    },
                }
            };
            list.push(at);
        }
        index
    }
}

impl Deref for RuleSet {
    type Target = [SourcedRule];

    fn deref(&self) -> &[SourcedRule] {
        &self.rules
    }
}

impl PartialEq for RuleSet {
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules
    }
}

impl FromIterator<SourcedRule> for RuleSet {
    fn from_iter<I: IntoIterator<Item = SourcedRule>>(rules: I) -> Self {
        Self { rules: rules.into_iter().collect(), index: OnceLock::new() }
    }
}

impl<'a> IntoIterator for &'a RuleSet {
    type Item = &'a SourcedRule;
    type IntoIter = std::slice::Iter<'a, SourcedRule>;

    fn into_iter(self) -> Self::IntoIter {
        self.rules.iter()
    }
}
