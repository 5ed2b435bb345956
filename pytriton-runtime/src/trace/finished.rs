use std::borrow::Cow;
use std::time::SystemTime;

/// An ended span of a trace that was collected completely before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FinishedSpan {
    pub(crate) name: Cow<'static, str>,
    /// The index of its parent among the previous spans.
    pub(crate) parent: Option<usize>,
    pub(crate) begun: SystemTime,
    pub(crate) ended: SystemTime,
    pub(crate) attributes: Vec<(&'static str, Attribute)>,
    pub(crate) events: Vec<(&'static str, SystemTime)>,
}

/// The attributes of a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Attribute {
    Number(i64),
    Text(String),
}
