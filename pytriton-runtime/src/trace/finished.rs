use std::borrow::Cow;
use std::time::SystemTime;

/// A finished span of a trace that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FinishedSpan {
    pub(crate) name: Cow<'static, str>,
    /// The index of the parent among the spans before it.
    pub(crate) parent: Option<usize>,
    pub(crate) begun: SystemTime,
    pub(crate) ended: SystemTime,
    pub(crate) attributes: Vec<(&'static str, Attribute)>,
    pub(crate) events: Vec<(&'static str, SystemTime)>,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Attribute {
    Number(i64),
    Text(String),
}
