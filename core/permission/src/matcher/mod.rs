//! What the content of a rule matches, one file for each kind of subject. Owns the compiled forms, made once for each
//! rule; who asks which form is in `judge`.

pub(crate) mod domain;
pub(crate) mod param;
pub(crate) mod path;
pub(crate) mod pattern;

pub(crate) use domain::DomainPattern;
pub(crate) use param::ParamPattern;
pub(crate) use path::{PathAnchor, PathPattern, Reading};
pub(crate) use pattern::Pattern;
