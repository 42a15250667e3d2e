//! Check 11, `IFS_INJECTION`: the separator variable, used to write blanks that nobody sees or set to split words elsewhere. Bad:
//! `cat$IFS/etc/passwd`, `IFS=: read a b`. Good: `echo "IFS is special"`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};

pub(super) const CHECK: Check = Check { id: 11, name: "IFS_INJECTION", find };

static IFS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"\$\{?IFS\b|(?:^|[\s;&|(])IFS\+?="#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !b"IFS".iter().all(|byte| subject.has(*byte)) {
        return None;
    }
    let view = &subject.views().with_double_quotes;
    memchr::memmem::find(view.text.as_bytes(), b"IFS")?;
    let span = subject.first(view, IFS.as_ref()?)?;
    Some(Hit::decisive("the variable IFS is used", span))
}
