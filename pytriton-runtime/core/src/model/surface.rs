use std::fmt;

/// An OpenAI route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Surface {
    /// `/v1/completions`: completes a prompt.
    Completions,
    /// `/v1/chat/completions`: responds to messages.
    Chat,
    /// `/v1/embeddings`: converts texts to vectors.
    Embeddings,
}

impl Surface {
    /// The path of the route.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Completions => "/v1/completions",
            Self::Chat => "/v1/chat/completions",
            Self::Embeddings => "/v1/embeddings",
        }
    }

    /// The member of the request that the response refers to.
    pub const fn subject(self) -> &'static str {
        match self {
            Self::Completions => "prompt",
            Self::Chat => "messages",
            Self::Embeddings => "input",
        }
    }

    /// Whether the model generates text, without a batch axis. The texts of other requests are rows
    /// of batches.
    pub const fn generates_text(self) -> bool {
        matches!(self, Self::Completions | Self::Chat)
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completions => "completions",
            Self::Chat => "chat",
            Self::Embeddings => "embeddings",
        })
    }
}
