use std::fmt;

/// Why a text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FinishReason {
    /// It is complete.
    #[default]
    Stop,
    /// It is as long as it may be.
    Length,
    /// What would follow was held back.
    ContentFilter,
}

impl FinishReason {
    const ALL: [Self; 3] = [Self::Stop, Self::Length, Self::ContentFilter];

    /// As OpenAI's routes have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
        }
    }

    /// The reason of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
