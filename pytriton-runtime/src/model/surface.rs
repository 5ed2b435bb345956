use std::fmt;

/// Over which of OpenAI's routes a model is served besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// `/v1/completions`: a prompt, and the text behind it.
    Completions,
    /// `/v1/chat/completions`: messages, and the next one.
    Chat,
}

impl Surface {
    /// The path of the route.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Completions => "/v1/completions",
            Self::Chat => "/v1/chat/completions",
        }
    }

    /// The member of a request that the answer is to.
    pub const fn subject(self) -> &'static str {
        match self {
            Self::Completions => "prompt",
            Self::Chat => "messages",
        }
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completions => "completions",
            Self::Chat => "chat",
        })
    }
}
