use std::fmt;

/// Why a generated text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FinishReason {
    /// The text is complete.
    #[default]
    Stop,
    /// The text has reached its maximum length.
    Length,
    /// The rest was withheld by a content filter.
    ContentFilter,
}

impl FinishReason {
    const ALL: [Self; 3] = [Self::Stop, Self::Length, Self::ContentFilter];

    /// Returns the name in the OpenAI API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
        }
    }

    /// Returns the reason with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_the_names_of_the_api() {
        let names = ["stop", "length", "content_filter"];
        for (reason, name) in FinishReason::ALL.into_iter().zip(names) {
            assert_eq!(reason.name(), name);
            assert_eq!(FinishReason::named(name), Some(reason));
        }
        assert_eq!(FinishReason::named("Stop"), None);
        assert_eq!(FinishReason::default(), FinishReason::Stop);
    }
}
