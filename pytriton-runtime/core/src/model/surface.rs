use std::fmt;

/// An OpenAI route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// `/v1/completions`: completes a prompt.
    Completions,
    /// `/v1/chat/completions`: responds to messages.
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

    /// The member of the request that the response refers to.
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
