//! Host patterns of `WebFetch(domain:…)`. Owns how a host name is read from the subject and compared; it never
//! resolves a name.

/// A compiled host pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum DomainPattern {
    /// `*`: every host.
    Any,
    /// `*.h`: every host below `h`, but not `h`.
    Below(String),
    /// A `*` stays within its label.
    Labels(String),
}

impl DomainPattern {
    /// Compiles the text after `domain:`.
    pub(crate) fn new(text: &str) -> Self {
        let text = normal(text.trim());
        if text == "*" {
            return Self::Any;
        }
        match text.strip_prefix("*.") {
            Some(rest) => Self::Below(rest.to_owned()),
            None => Self::Labels(text),
        }
    }

    /// The text that every host it matches ends with, at a label's start, where that is fixed.
    pub(crate) fn literal_end(&self) -> Option<&str> {
        match self {
            Self::Any => None,
            Self::Below(text) | Self::Labels(text) => (!text.contains('*')).then_some(text),
        }
    }

    /// Whether a host, or the host of a URL, matches.
    pub(crate) fn matches(&self, subject: &str) -> bool {
        let host = normal(host_of(subject));
        if host.is_empty() {
            return false;
        }
        let labels: Vec<&str> = host.split('.').collect();
        let (wanted, below) = match self {
            Self::Any => return true,
            Self::Below(wanted) => (wanted, true),
            Self::Labels(wanted) => (wanted, false),
        };
        let wanted: Vec<&str> = wanted.split('.').collect();
        let Some(above) = labels.len().checked_sub(wanted.len()) else { return false };
        (above > 0) == below && equal(&wanted, &labels[above..])
    }
}

/// The host of a subject and every end of it that starts at a label: what [`DomainPattern::literal_end`] may be.
pub(crate) fn ends(subject: &str) -> Vec<String> {
    let host = normal(host_of(subject));
    let starts = std::iter::once(0).chain(host.match_indices('.').map(|(at, _)| at + 1));
    starts.map(|start| host[start..].to_owned()).collect()
}

fn normal(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

fn equal(wanted: &[&str], labels: &[&str]) -> bool {
    wanted.iter().zip(labels).all(|(pattern, label)| super::pattern::Pattern::plain(pattern).matches(label))
}

/// The host of a URL; any other text is taken for a host.
fn host_of(subject: &str) -> &str {
    let Some((_, rest)) = subject.split_once("://") else { return subject };
    // Browsers end the authority at a backslash too; the stricter reading of what the host is.
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or("");
    let host = authority.rsplit('@').next().unwrap_or("");
    if host.starts_with('[') {
        return host.split_inclusive(']').next().unwrap_or(host);
    }
    host.split(':').next().unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_match_as_documented() {
        for (pattern, subject, expected) in [
            ("example.com", "example.com", true),
            ("example.com", "EXAMPLE.com.", true),
            ("example.com", "www.example.com", false),
            ("*.example.com", "www.example.com", true),
            ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", false),
            ("*.example.com", "badexample.com", false),
            ("*", "anything.test", true),
            ("api-*.example.com", "api-1.example.com", true),
            ("api-*.example.com", "api-1.x.example.com", false),
            ("example.com", "https://example.com:8443/x?y", true),
            ("example.com", "https://example.com@evil.test/", false),
            ("evil.test", "https://example.com@evil.test/", true),
            ("example.com", "https://example.com.evil.test/", false),
            ("example.com", "", false),
        ] {
            let compiled = DomainPattern::new(pattern);
            assert_eq!(compiled.matches(subject), expected, "{pattern} on {subject}");
            if expected && let Some(end) = compiled.literal_end() {
                assert!(ends(subject).iter().any(|found| found == end), "{pattern} on {subject}");
            }
        }
    }
}
