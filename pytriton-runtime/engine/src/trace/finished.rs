use std::borrow::Cow;
use std::time::SystemTime;

/// A finished span of a trace that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedSpan {
    /// The name.
    pub name: Cow<'static, str>,
    /// The index of the parent among the spans before it.
    pub parent: Option<usize>,
    /// The start.
    pub begun: SystemTime,
    /// The end.
    pub ended: SystemTime,
    /// The attributes.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// The names and times of its events.
    pub events: Vec<(&'static str, SystemTime)>,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// An integer.
    Number(i64),
    /// A string.
    Text(String),
}
