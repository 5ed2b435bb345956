//! The members of OpenAI requests: their types, and how to handle those that a model does not
//! support.

use crate::model::Surface;
use crate::text::equal;

/// The type of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An integer.
    Integer,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A string.
    Text,
    /// A string or a list of strings.
    Texts,
    /// A type that no function parameter has.
    Other,
}

/// A member of OpenAI requests that a function may take as a parameter, or that the server must
/// understand.
#[derive(Debug)]
pub struct Member {
    /// The name.
    pub name: &'static str,
    kind: Kind,
    /// If the model does not support it: the values, as JSON, that have no effect. `None` if any
    /// value can be ignored.
    pub nothing: Option<&'static [&'static str]>,
}

const fn passed_over(name: &'static str, kind: Kind) -> Member {
    Member {
        name,
        kind,
        nothing: None,
    }
}

const fn refused(name: &'static str, kind: Kind, but: &'static [&'static str]) -> Member {
    Member {
        name,
        kind,
        nothing: Some(but),
    }
}

/// The limits on the number of tokens. The second one is the newer name.
pub const TOKEN_LIMITS: [&str; 2] = ["max_tokens", "max_completion_tokens"];

/// The parameter by which the OpenAI routes identify their requests to tritonserver.
pub const CLAIM: &str = "pytriton.claim";

/// The output, or the response parameter, with the number of tokens of a request.
pub const PROMPT_TOKENS: &str = "prompt_tokens";

/// The member with the encoding of vectors.
pub const ENCODING_FORMAT: &str = "encoding_format";

/// The member with the length of vectors.
pub const DIMENSIONS: &str = "dimensions";

/// The member with the stop sequences.
pub const STOP: &str = "stop";

const BOTH: [Member; 12] = [
    refused(TOKEN_LIMITS[0], Kind::Integer, &[]),
    refused(TOKEN_LIMITS[1], Kind::Integer, &[]),
    passed_over("temperature", Kind::Number),
    passed_over("top_p", Kind::Number),
    passed_over("presence_penalty", Kind::Number),
    passed_over("frequency_penalty", Kind::Number),
    passed_over("seed", Kind::Integer),
    passed_over(STOP, Kind::Texts),
    passed_over("user", Kind::Text),
    refused("n", Kind::Other, &["1"]),
    refused("logit_bias", Kind::Other, &["{}"]),
    refused("logprobs", Kind::Other, &["false"]),
];

const COMPLETIONS: [Member; 3] = [
    refused("suffix", Kind::Text, &["\"\""]),
    refused("echo", Kind::Boolean, &["false"]),
    refused("best_of", Kind::Other, &["1"]),
];

const CHAT: [Member; 9] = [
    refused("top_logprobs", Kind::Other, &["0"]),
    refused("tools", Kind::Other, &["[]"]),
    refused("tool_choice", Kind::Other, &["\"none\"", "\"auto\""]),
    refused("functions", Kind::Other, &["[]"]),
    refused("function_call", Kind::Other, &["\"none\"", "\"auto\""]),
    refused("response_format", Kind::Other, &["{\"type\":\"text\"}"]),
    refused("modalities", Kind::Other, &["[\"text\"]"]),
    refused("audio", Kind::Other, &[]),
    refused("web_search_options", Kind::Other, &[]),
];

/// Members that the server reads itself, and names with a special meaning in requests.
const OWN: [&str; 6] = [
    "model",
    "stream",
    "stream_options",
    "id",
    "parameters",
    CLAIM,
];

const fn members(surface: Surface) -> &'static [Member] {
    match surface {
        Surface::Completions => &COMPLETIONS,
        Surface::Chat => &CHAT,
        Surface::Embeddings => &[],
    }
}

impl Member {
    /// Returns a member by its name.
    pub const fn named(name: &str, surface: Surface) -> Option<&'static Self> {
        match find(&BOTH, name) {
            Some(member) => Some(member),
            None => find(members(surface), name),
        }
    }

    /// Returns whether the server reads the member itself.
    pub const fn is_own(name: &str) -> bool {
        let mut index = 0;
        while index < OWN.len() {
            if equal(OWN[index], name) {
                return true;
            }
            index += 1;
        }
        false
    }

    /// Like [`is_own`](Self::is_own), for requests whose texts are rows of batches.
    pub const fn is_own_of_rows(name: &str) -> bool {
        matches!(
            name.as_bytes(),
            b"input" | b"encoding_format" | b"dimensions"
        ) || Self::is_own(name)
    }

    /// Returns the type of the member.
    pub const fn kind(&self) -> Kind {
        self.kind
    }
}

const fn find(members: &'static [Member], name: &str) -> Option<&'static Member> {
    let mut index = 0;
    while index < members.len() {
        if equal(members[index].name, name) {
            return Some(&members[index]);
        }
        index += 1;
    }
    None
}
