use std::borrow::Cow;
use std::time::SystemTime;

/// A span that has ended, one of a trace that was kept until it was whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FinishedSpan {
    pub(crate) name: Cow<'static, str>,
    /// The one among those before it in which it stands.
    pub(crate) parent: Option<usize>,
    pub(crate) begun: SystemTime,
    pub(crate) ended: SystemTime,
    pub(crate) attributes: Vec<(&'static str, Attribute)>,
    pub(crate) events: Vec<(&'static str, SystemTime)>,
}

/// What is said of a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Attribute {
    Number(i64),
    Text(String),
}
