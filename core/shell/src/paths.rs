//! From words to paths: what is known of a path, relative to what, and joined to the directory an earlier `cd` chose.
//! [`resolve`] gives the absolute path once the caller says where the shell starts and where home is. Nothing here
//! looks at the file system.

use crate::analysis::{Access, Anchor, Origin, PathUse};
use crate::syntax::{ExpansionKind, Piece, Word};

/// A directory or path as far as it is known: an anchor, a known part, and whether that is all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub anchor: Anchor,
    pub known: String,
    pub exact: bool,
    pub unquoted_variable: bool,
    /// For people.
    pub shown: String,
}

impl Place {
    pub(crate) fn start() -> Self {
        Self {
            anchor: Anchor::Start,
            known: String::new(),
            exact: true,
            unquoted_variable: false,
            shown: String::new(),
        }
    }

    pub(crate) fn home() -> Self {
        Self { anchor: Anchor::Home, shown: "~".to_owned(), ..Self::start() }
    }

    pub(crate) fn unknown(shown: &str) -> Self {
        Self { anchor: Anchor::Unknown, exact: false, shown: shown.to_owned(), ..Self::start() }
    }

    /// The path a word names. `assigned_home` says that the command text sets `HOME` itself.
    pub(crate) fn of_word(word: &Word, assigned_home: bool) -> Self {
        let shown = word.shown().into_owned();
        let mut place = Self { shown, ..Self::start() };
        let mut pieces = word.pieces.as_slice();
        if let Some(Piece::Expansion { kind, quoted, .. }) = pieces.first() {
            let home = match kind {
                ExpansionKind::Tilde(None) => true,
                ExpansionKind::Variable(name) => name == "HOME",
                _ => false,
            };
            let followed = match pieces.get(1) {
                None => true,
                Some(Piece::Literal { value, .. }) => value.starts_with('/') || (value.is_empty() && pieces.len() == 2),
                Some(Piece::Expansion { .. }) => false,
            };
            if home && followed && !assigned_home {
                place.anchor = Anchor::Home;
                place.unquoted_variable = !quoted && matches!(kind, ExpansionKind::Variable(_));
                pieces = &pieces[1..];
            }
        }
        let mut literal = String::new();
        let mut rest = pieces.iter();
        for piece in rest.by_ref() {
            match piece {
                Piece::Literal { value, .. } => literal.push_str(value),
                Piece::Expansion { kind: ExpansionKind::Glob, .. } => {
                    place.exact = false;
                    break;
                }
                Piece::Expansion { .. } => return Self::unknown(&place.shown),
            }
        }
        if place.anchor == Anchor::Start && literal.starts_with('/') {
            place.anchor = Anchor::Root;
        }
        if place.anchor == Anchor::Home {
            literal = literal.trim_start_matches('/').to_owned();
        }
        if place.exact {
            place.known = literal;
            return place;
        }
        // A pattern: it may match anything below the folder it starts in, unless `..` may stand behind it.
        let tail: String = rest
            .map(|piece| match piece {
                Piece::Literal { value, .. } => value.as_str(),
                Piece::Expansion { kind: ExpansionKind::Glob, .. } => "*",
                Piece::Expansion { .. } => "/../",
            })
            .collect();
        let (folder, stem) = match literal.rfind('/') {
            Some(0) => ("/", &literal[1..]),
            Some(at) => (&literal[..at], &literal[at + 1..]),
            None => ("", literal.as_str()),
        };
        // `.*` matches `..` in older shells; a component that starts with a dot behind the pattern may too.
        let climbs = stem.starts_with('.') || tail.contains("..") || tail.contains("/.");
        if climbs {
            return Self::unknown(&place.shown);
        }
        place.known = folder.to_owned();
        place
    }

    /// This path as seen from the directory `from`.
    pub(crate) fn under(&self, from: &Place) -> Place {
        if self.anchor != Anchor::Start || *from == Place::start() {
            return self.clone();
        }
        if from.anchor == Anchor::Unknown || !from.exact {
            return Place::unknown(&self.shown);
        }
        let join = |base: &str, tail: &str| match (base, tail) {
            ("", tail) => tail.to_owned(),
            (base, "") => base.to_owned(),
            (base, tail) => format!("{}/{tail}", base.trim_end_matches('/')),
        };
        Place {
            anchor: from.anchor,
            known: join(&from.known, &self.known),
            exact: self.exact,
            unquoted_variable: self.unquoted_variable || from.unquoted_variable,
            shown: if from.shown == "/" { format!("/{}", self.shown) } else { join(&from.shown, &self.shown) },
        }
    }

    /// The directory after `cd` to this one: bash takes `..` off by the text, not by the file system.
    pub(crate) fn as_directory(&self) -> Place {
        let mut place = self.clone();
        if place.exact && place.anchor != Anchor::Unknown {
            place.known = clean(&place.known, place.anchor == Anchor::Root);
            place.shown = match place.anchor {
                Anchor::Home if place.known.is_empty() => "~".to_owned(),
                Anchor::Home => format!("~/{}", place.known),
                _ => place.known.clone(),
            };
        }
        place
    }

    pub(crate) fn into_use(self, access: Access, origin: Origin) -> PathUse {
        PathUse {
            path: self.shown,
            access,
            anchor: self.anchor,
            known: self.known,
            exact: self.exact,
            unquoted_variable: self.unquoted_variable,
            origin,
        }
    }
}

/// Takes `.`, empty and `..` components out by the text alone.
pub fn clean(path: &str, absolute: bool) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                if kept.last().is_some_and(|last| *last != "..") {
                    kept.pop();
                } else if !absolute {
                    kept.push("..");
                }
            }
            other => kept.push(other),
        }
    }
    if absolute { format!("/{}", kept.join("/")) } else { kept.join("/") }
}

/// A path made absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPath {
    /// Absolute, without `.` and `..`, both taken off by the text.
    pub path: String,
    /// Absolute, with `..` left in: what the kernel is asked for. To follow symbolic links, resolve this one.
    pub raw: String,
    /// Whether this is the path itself. If not, it is that folder or something below it.
    pub exact: bool,
}

/// The absolute path of a use, given where the shell starts and where home is (both absolute). `None` where nothing
/// is known about it, which must be judged like a path anywhere.
pub fn resolve(path: &PathUse, cwd: &str, home: Option<&str>) -> Option<ResolvedPath> {
    let base = match path.anchor {
        Anchor::Start => cwd,
        Anchor::Root => "/",
        Anchor::Home => home?,
        Anchor::Unknown => return None,
    };
    if path.anchor == Anchor::Home && path.unquoted_variable && base.contains([' ', '\t', '\n', '*', '?', '[']) {
        return None;
    }
    let raw = match path.anchor {
        Anchor::Root => path.known.clone(),
        _ if path.known.is_empty() => base.to_owned(),
        _ => format!("{}/{}", base.trim_end_matches('/'), path.known),
    };
    Some(ResolvedPath { path: clean(&raw, true), raw, exact: path.exact })
}
