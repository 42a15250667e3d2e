//! What a call reads and writes, by name: the refinement of the start rule that lets two calls run beside each other
//! which the simple rule would keep apart. Decides nothing; `exec/gate` does.
//!
//! A key is a text that is divided by `/`, for example `file:/home/u/a.txt` or `table:users`. A key contains every key
//! that goes on behind it with a further part: `file:/a` contains `file:/a/b` and not `file:/ab`. Two keys overlap if
//! they are equal or one contains the other. Two calls conflict if one writes what overlaps with something that the
//! other reads or writes.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use crate::context::Context;

/// The beginning of keys that name files.
const FILE: &str = "file:";

/// One resource, and everything below it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceKey(Box<str>);

impl ResourceKey {
    /// A key from its text. Empty parts do not count: `a//b/` is `a/b`. The empty key contains all others:
    /// who writes it runs alone.
    ///
    /// ```
    /// use toolreeve_engine::ResourceKey;
    /// let folder = ResourceKey::new("file:/a/");
    /// assert!(folder.overlaps(&ResourceKey::new("file:/a/b")));
    /// assert!(!folder.overlaps(&ResourceKey::new("file:/ab")));
    /// ```
    pub fn new(text: impl AsRef<str>) -> Self {
        let parts: Vec<&str> = text.as_ref().split('/').filter(|part| !part.is_empty()).collect();
        Self(parts.join("/").into())
    }

    /// The key of a file or of a folder with all that is in it. The path must be absolute and lead to the real place
    /// (links followed), as otherwise one file has two names. Names that differ only in letter case are one key where
    /// file systems usually see it so.
    pub fn file(real: &Path) -> Self {
        let text = real.to_string_lossy();
        let text = if cfg!(target_os = "macos") { text.to_lowercase().into() } else { text };
        Self::new(format!("{FILE}/{text}"))
    }

    /// Whether one of both is the other or contains it.
    pub fn overlaps(&self, other: &Self) -> bool {
        let (mut own, mut others) = (self.parts(), other.parts());
        loop {
            match (own.next(), others.next()) {
                (Some(one), Some(two)) if one == two => {}
                (Some(_), Some(_)) => return false,
                _ => return true,
            }
        }
    }

    /// The parts, the most general first.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }
}

/// All that a call reads and writes. One without keys touches nothing that another call could notice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// What is looked at and must not change meanwhile.
    pub reads: Vec<ResourceKey>,
    /// What is changed, and may be looked at too.
    pub writes: Vec<ResourceKey>,
}

impl Resources {
    /// Reads one resource.
    pub fn reading(key: ResourceKey) -> Self {
        Self { reads: vec![key], writes: Vec::new() }
    }

    /// Writes one resource.
    pub fn writing(key: ResourceKey) -> Self {
        Self { reads: Vec::new(), writes: vec![key] }
    }

    /// Whether two calls must not run beside each other.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        let meet = |some: &[ResourceKey], others: &[ResourceKey]| {
            some.iter().any(|key| others.iter().any(|other| key.overlaps(other)))
        };
        meet(&self.writes, &other.writes) || meet(&self.writes, &other.reads) || meet(&self.reads, &other.writes)
    }
}

/// Keys written with the fields of an input in them, for tools that cannot run code to name theirs: `file:{path}`,
/// `table:{name}`. A field that holds a list gives a key for each of its items. The path behind `file:` may be
/// relative or begin with `~`, and links on its way are followed.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResourceTemplates {
    pub(crate) reads: Vec<String>,
    pub(crate) writes: Vec<String>,
}

impl ResourceTemplates {
    /// The resources of an input. `None`, which means undeclared, if a field is missing or no text, number or list of
    /// them.
    pub(crate) fn fill(&self, input: &Value, context: &Context) -> Option<Resources> {
        let fill_all = |templates: &[String]| {
            let mut keys = Vec::new();
            for template in templates {
                fill(template, input, context, &mut keys)?;
            }
            Some(keys)
        };
        Some(Resources { reads: fill_all(&self.reads)?, writes: fill_all(&self.writes)? })
    }
}

fn fill(template: &str, input: &Value, context: &Context, keys: &mut Vec<ResourceKey>) -> Option<()> {
    let mut texts = vec![String::new()];
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        let (field, after) = behind.split_once('}')?;
        let values = words(input.get(field)?)?;
        texts =
            texts.iter().flat_map(|text| values.iter().map(move |value| format!("{text}{before}{value}"))).collect();
        rest = after;
    }
    for text in texts {
        let text = text + rest;
        keys.push(match text.strip_prefix(FILE) {
            Some(path) => ResourceKey::file(&real_place(path, context)),
            None => ResourceKey::new(text),
        });
    }
    Some(())
}

fn words(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Number(number) => Some(vec![number.to_string()]),
        Value::Array(items) => items.iter().map(words).collect::<Option<Vec<_>>>().map(|words| words.concat()),
        _ => None,
    }
}

/// Where a path of an input leads.
fn real_place(text: &str, context: &Context) -> PathBuf {
    let path = match (text.strip_prefix("~/"), &context.policy.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => context.cwd().join(text),
    };
    let path = context.policy.links.resolve(&path).unwrap_or(path);
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_overlap_by_whole_parts() {
        let rows = [
            ("file:/a", "file:/a", true),
            ("file:/a", "file:/a/b/c", true),
            ("file:/a/b", "file:/a/c", false),
            ("file:/a", "file:/ab", false),
            ("file:", "file:/x", true),
            ("table:a", "file:/a", false),
            ("", "anything", true),
            ("a//b/", "a/b", true),
        ];
        for (one, two, overlap) in rows {
            let (one, two) = (ResourceKey::new(one), ResourceKey::new(two));
            assert_eq!((one.overlaps(&two), two.overlaps(&one)), (overlap, overlap), "{one:?} {two:?}");
        }
    }

    #[test]
    fn only_a_write_conflicts() {
        let (a, b) = (ResourceKey::new("file:/d/a"), ResourceKey::new("file:/d/b"));
        let folder = Resources::reading(ResourceKey::new("file:/d"));
        assert!(!Resources::writing(a.clone()).conflicts_with(&Resources::writing(b.clone())));
        assert!(!Resources::reading(a.clone()).conflicts_with(&folder));
        assert!(Resources::writing(a).conflicts_with(&folder) && folder.conflicts_with(&Resources::writing(b)));
        assert!(!Resources::default().conflicts_with(&folder));
    }

    #[test]
    fn templates_take_fields_of_the_input() {
        let templates = |read: &str| ResourceTemplates { reads: vec![read.to_owned()], writes: Vec::new() };
        let context = Context::new("/project");
        let keys = |template: &str, input: Value| templates(template).fill(&input, &context).map(|found| found.reads);
        let wanted = |texts: &[&str]| Some(texts.iter().map(ResourceKey::new).collect::<Vec<_>>());
        assert_eq!(keys("table:{name}", json!({"name": "users"})), wanted(&["table:users"]));
        assert_eq!(keys("{a}:{b}", json!({"a": "x", "b": [1, "y"]})), wanted(&["x:1", "x:y"]));
        assert_eq!(keys("clock", json!({})), wanted(&["clock"]));
        assert_eq!(keys("file:{p}", json!({"p": "a/../b"})), wanted(&["file:/project/b"]));
        assert_eq!(keys("file:{p}", json!({"p": ["/x", "y"]})), wanted(&["file:/x", "file:/project/y"]));
        for broken in [json!({}), json!({"name": null}), json!({"name": {"a": 1}}), json!({"name": [true]})] {
            assert_eq!(keys("table:{name}", broken.clone()), None, "{broken}");
        }
        assert_eq!(keys("table:{name", json!({"name": "x"})), None, "a brace that is never closed");
    }
}
