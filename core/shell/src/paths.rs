//! From words to paths: what is known of a path, relative to what, and joined to the directory an earlier `cd` chose.
//! [`resolve`] gives the absolute path once the caller says where the shell starts and where home is. Nothing here
//! looks at the file system.

use crate::analysis::{Access, Anchor, Follows, Origin, PathUse};
use crate::pattern::{self, Mark};
use crate::syntax::{ExpansionKind, Piece, Word};

/// A directory or path as far as it is known: an anchor, a known part, and whether that is all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub anchor: Anchor,
    pub known: String,
    pub exact: bool,
    pub below: Vec<String>,
    pub follows: Follows,
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
            below: Vec::new(),
            follows: Follows::No,
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
        let mut first_glob = "";
        let mut rest = pieces.iter();
        for piece in rest.by_ref() {
            match piece {
                Piece::Literal { value, .. } => literal.push_str(value),
                Piece::Expansion { kind: ExpansionKind::Glob, source, .. } => {
                    place.exact = false;
                    first_glob = source;
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
        // A pattern: it matches what lies below the folder it starts in, unless it can be taken for `..`.
        let folder = literal.rfind('/').map_or(0, |at| at + 1);
        let mut marks: Vec<Mark> = literal[folder..].chars().map(|ch| (ch, false)).collect();
        marks.extend(first_glob.chars().map(|ch| (ch, true)));
        for piece in rest {
            match piece {
                Piece::Literal { value, .. } => marks.extend(value.chars().map(|ch| (ch, false))),
                Piece::Expansion { kind: ExpansionKind::Glob, source, .. } => {
                    marks.extend(source.chars().map(|ch| (ch, true)));
                }
                Piece::Expansion { .. } => return Self::unknown(&place.shown),
            }
        }
        let components = pattern::components(&marks);
        if components.iter().any(|component| pattern::climbs(component)) {
            return Self::unknown(&place.shown);
        }
        place.below = vec![components.join("/")];
        place.known = match folder {
            0 => String::new(),
            1 => "/".to_owned(),
            end => literal[..end - 1].to_owned(),
        };
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
            below: self.below.clone(),
            follows: self.follows,
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
            below: self.below,
            follows: self.follows,
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
