//! A list of rules of one behaviour with an index, so that a decision looks at the few rules that can match instead of
//! all of them. Owns the index and nothing about what a match means: whatever it leaves out cannot match.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::rule::Content;
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
    /// Rules with content, by their one tool.
    content: HashMap<String, ByKey>,
    /// Rules whose content may stand for a parameter, by their one tool.
    params: HashMap<String, Vec<u32>>,
    /// Rules whose tool part is a pattern or a server.
    patterns: Vec<u32>,
}

#[derive(Debug, Default)]
struct ByKey {
    /// Rules that can only match what has this key: the first word of a command, a component of a path, the end of a host.
    keyed: HashMap<String, Vec<u32>>,
    /// Rules that have no key.
    open: Vec<u32>,
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

    fn patterns<'a>(&'a self, tool: &str, content: bool) -> impl Iterator<Item = &'a SourcedRule> {
        self.at(Some(&self.index().patterns))
            .filter(move |sourced| sourced.rule.content().is_some() == content && sourced.rule.names_tool(tool))
    }

    /// Rules without content that may name the tool, a rule for a family of tools included.
    pub(crate) fn whole_tool<'a>(&'a self, tool: &str) -> impl Iterator<Item = &'a SourcedRule> {
        let whole = &self.index().whole;
        let family =
            ["Edit", "Read", "Bash"].into_iter().filter(move |family| *family != tool && tools::covers(family, tool));
        self.at(whole.get(tool))
            .chain(family.flat_map(|family| self.at(self.index().whole.get(family))))
            .chain(self.patterns(tool, false))
    }

    /// Rules for the tool whose content may stand for a parameter.
    pub(crate) fn for_params<'a>(&'a self, tool: &str) -> impl Iterator<Item = &'a SourcedRule> {
        self.at(self.index().params.get(tool)).chain(self.patterns(tool, true))
    }

    /// Rules with content for the tool that may match something with one of these keys.
    pub(crate) fn with_keys<'a, 'k>(
        &'a self,
        tool: &str,
        keys: impl Iterator<Item = &'k str>,
    ) -> impl Iterator<Item = &'a SourcedRule> {
        let lists = self.index().content.get(tool);
        let keyed = keys.filter_map(move |key| lists.and_then(|lists| lists.keyed.get(key)));
        keyed
            .flat_map(|list| self.at(Some(list)))
            .chain(self.at(lists.map(|lists| &lists.open)))
            .chain(self.patterns(tool, true))
    }

    /// All rules with content for the tool.
    pub(crate) fn with_content<'a>(&'a self, tool: &str) -> impl Iterator<Item = &'a SourcedRule> {
        let lists = self.index().content.get(tool);
        lists
            .into_iter()
            .flat_map(|lists| lists.keyed.values().chain([&lists.open]))
            .flat_map(|list| self.at(Some(list)))
            .chain(self.patterns(tool, true))
    }

    /// Rules on commands that may match a text.
    pub(crate) fn for_command<'a>(&'a self, tool: &str, text: &str) -> impl Iterator<Item = &'a SourcedRule> {
        let word = text.split([' ', '\t', '\n']).next();
        self.with_keys(tool, word.into_iter())
    }
}

impl Index {
    fn new(rules: &[SourcedRule]) -> Self {
        let mut index = Self::default();
        for (at, sourced) in rules.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let tool = sourced.rule.tool();
            if !sourced.rule.names_one() {
                index.patterns.push(at);
                continue;
            }
            let Some(content) = sourced.rule.compiled() else {
                index.whole.entry(tool.to_owned()).or_default().push(at);
                continue;
            };
            if content.param.is_some() {
                index.params.entry(tool.to_owned()).or_default().push(at);
            }
            let lists = index.content.entry(tool.to_owned()).or_default();
            match key(tool, content) {
                Some(key) => lists.keyed.entry(key.to_owned()).or_default().push(at),
                None => lists.open.push(at),
            }
        }
        index
    }
}

/// What everything that the rule matches has.
fn key<'a>(tool: &str, content: &'a Content) -> Option<&'a str> {
    if tools::takes_commands(tool) {
        return content.pattern.first_word();
    }
    if tools::takes_paths(tool) {
        return content.path.as_ref().and_then(|path| path.literal_component());
    }
    content.domain.as_ref().and_then(|domain| domain.literal_end())
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
