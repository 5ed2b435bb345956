use std::sync::LazyLock;

use axum::http::HeaderValue;

use crate::service::{CachedText, hash};

const STYLE: &str = include_str!("page/page.css");

/// A single script. Each file follows the ones that it depends on.
const SCRIPT: &str = concat!(
    include_str!("page/element.js"),
    include_str!("page/datatype.js"),
    include_str!("page/tensor.js"),
    include_str!("page/wire.js"),
    include_str!("page/access.js"),
    include_str!("page/image.js"),
    include_str!("page/plot.js"),
    include_str!("page/field.js"),
    include_str!("page/answer.js"),
    include_str!("page/snippet.js"),
    include_str!("page/tried.js"),
    include_str!("page/trial.js"),
    include_str!("page/calls.js"),
    include_str!("page/polled.js"),
    include_str!("page/live.js"),
    include_str!("page/overview.js"),
    include_str!("page/model.js"),
    include_str!("page/page.js"),
);

/// The assembled page.
pub(super) static PAGE: LazyLock<Page> = LazyLock::new(Page::new);

/// An HTML document that includes its style and script.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) html: CachedText,
    /// The content security policy: only this script may run, and only this server may be
    /// contacted.
    pub(super) policy: HeaderValue,
}

impl Page {
    fn new() -> Self {
        let html = include_str!("page/page.html")
            .replace("{style}", STYLE)
            .replace("{script}", SCRIPT);
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; connect-src 'self'; img-src data: blob:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            source(SCRIPT),
            source(STYLE),
        );
        let nothing = || HeaderValue::from_static("default-src 'none'");
        Self {
            html: CachedText::new(html),
            policy: HeaderValue::try_from(policy).unwrap_or_else(|_| nothing()),
        }
    }
}

/// Returns the policy source for an inline text.
fn source(text: &str) -> String {
    // The Base64 form of a hash of this size ends with a single padding character.
    format!("'sha256-{}='", hash(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_complete_and_has_no_external_links() {
        let html = str::from_utf8(&PAGE.html.plain).unwrap();
        assert!(html.len() < 120_000, "{}", html.len());
        for (tag, count) in [
            ("<script", 1),
            ("</script", 1),
            ("<style", 1),
            ("</style", 1),
        ] {
            assert_eq!(html.matches(tag).count(), count, "{tag}");
        }
        assert!(html.contains(&format!("<script>{SCRIPT}</script>")));
        assert!(html.contains(&format!("<style>{STYLE}</style>")));
        let markup = [
            "src=\"",
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "eval(",
        ];
        for place in markup {
            assert!(!html.contains(place), "{place}");
        }
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }

    #[test]
    fn policy_allows_only_the_script_of_the_page() {
        let policy = PAGE.policy.to_str().unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'sha256-"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        let empty = "'sha256-47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU='";
        assert_eq!(source(""), empty);
    }
}
