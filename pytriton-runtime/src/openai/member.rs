//! The members of OpenAI's requests: what each is, and what becomes of one that a model does not take.

use crate::model::Surface;

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A text.
    Text,
    /// A text, or a list of them.
    Texts,
    /// What no parameter of a function is.
    Other,
}

/// A member of OpenAI's requests that a function may take as a parameter, or that has to be understood.
#[derive(Debug)]
pub struct Member {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Where a model does not take it: the values that then say nothing, as JSON; `None` where whatever it says may be
    /// passed over.
    #[cfg_attr(
        not(feature = "embedded"),
        expect(dead_code, reason = "the routes are read with that engine alone")
    )]
    pub(super) nothing: Option<&'static [&'static str]>,
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

/// The member that the number of tokens is bounded by, of which the second is the newer name.
pub(super) const MOST_TOKENS: [&str; 2] = ["max_tokens", "max_completion_tokens"];

/// The parameter with which the routes ask tritonserver.
pub(crate) const CLAIM: &str = "pytriton.claim";

/// The member at which a text is cut.
pub(super) const STOP: &str = "stop";

const BOTH: [Member; 12] = [
    refused(MOST_TOKENS[0], Kind::Integer, &[]),
    refused(MOST_TOKENS[1], Kind::Integer, &[]),
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

/// What the server itself reads, and what has a meaning of its own where a model is asked.
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
    }
}

impl Member {
    /// The member of that name, where it means something.
    pub const fn named(name: &str, surface: Surface) -> Option<&'static Self> {
        match find(&BOTH, name) {
            Some(member) => Some(member),
            None => find(members(surface), name),
        }
    }

    /// Whether the server itself reads the member of that name.
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

    /// What it is.
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

/// Whether two texts are the same.
const fn equal(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}
