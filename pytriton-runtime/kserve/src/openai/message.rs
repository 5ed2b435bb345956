use std::fmt;

use pytriton_core::text::excerpt;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::json::{Limit, Object, Value, parse};

use super::elements::{at_most, for_each};

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The developer of the application.
    Developer,
    /// The older name of `Developer`.
    System,
    /// The end user.
    User,
    /// The model.
    Assistant,
    /// A tool called by the model.
    Tool,
}

impl Role {
    const ALL: [Self; 5] = [
        Self::Developer,
        Self::System,
        Self::User,
        Self::Assistant,
        Self::Tool,
    ];

    /// Returns the name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Developer => "developer",
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The author of the message.
    pub role: Role,
    /// The text of the message. Several parts are concatenated without a separator.
    pub content: String,
    /// Distinguishes authors with the same role.
    pub name: Option<String>,
}

/// Why a message is invalid: the member and the mistake.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{what}", path(member))]
pub struct MessageError {
    /// The member, such as `content[0].text`, or an empty string for the message itself.
    pub member: String,
    /// A description of the mistake.
    pub what: String,
}

fn path(member: &str) -> String {
    match member {
        "" => String::new(),
        member => format!("{member}: "),
    }
}

/// Members of a message that text cannot represent.
const NO_TEXT: [&str; 3] = ["tool_calls", "function_call", "audio"];

/// The members of a message that are read. Others are ignored.
const MESSAGE: Object<6> = Object {
    noun: "an object",
    names: [
        "role", "content", "name", NO_TEXT[0], NO_TEXT[1], NO_TEXT[2],
    ],
};

/// The members of a content part that are read.
const PART: Object<2> = Object {
    noun: "an object",
    names: ["type", "text"],
};

/// The maximum number of parts of a message.
const PARTS: Limit = Limit::new(1 << 12, "elements");

/// Returns the maximum memory for parsing a message of `length` bytes: its text, which grows by
/// doubling.
pub(super) fn parse_bytes(length: usize) -> usize {
    3 * length
}

impl Message {
    /// Creates a message.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            name: None,
        }
    }

    /// Parses a message of the OpenAI API.
    ///
    /// # Errors
    ///
    /// Returns a [`MessageError`] if the message is invalid or contains images, audio or tool
    /// calls.
    ///
    /// # Examples
    ///
    /// ```
    /// use pytriton_kserve::openai::{Message, Role};
    ///
    /// let message = Message::parse(br#"{"role": "user", "content": "Hi"}"#).unwrap();
    /// assert_eq!(message, Message::new(Role::User, "Hi"));
    /// ```
    pub fn parse(json: &[u8]) -> Result<Self, MessageError> {
        let json = str::from_utf8(json).map_err(|error| wrong("", error.to_string()))?;
        if !json.trim_start().starts_with('{') {
            return Err(wrong("", expected("an object", json.trim())));
        }
        let [role, content, name, calls @ ..] =
            parse(json, MESSAGE).map_err(|error| wrong("", excerpt(&error)))?;
        for (member, call) in NO_TEXT.into_iter().zip(calls) {
            if call.is_some_and(|call| !is_empty(call)) {
                return Err(wrong(member, "only text is supported".to_owned()));
            }
        }
        Ok(Self {
            role: read_role(role)?,
            content: read_content(content)?,
            name: match name {
                Some(name) if name.get() != "null" => Some(text("name", name)?),
                _ => None,
            },
        })
    }
}

/// Returns whether the value is `null` or an empty array.
fn is_empty(value: &RawValue) -> bool {
    let array = || value.get().strip_prefix('[')?.strip_suffix(']');
    value.get() == "null" || array().is_some_and(|inside| inside.trim().is_empty())
}

fn read_role(role: Option<&RawValue>) -> Result<Role, MessageError> {
    let names = || Role::ALL.map(Role::name).join("', '");
    let Some(role) = role else {
        let what = format!("is missing; it is one of '{}'", names());
        return Err(wrong("role", what));
    };
    let name = text("role", role)?;
    let mut roles = Role::ALL.into_iter();
    roles.find(|role| role.name() == name).ok_or_else(|| {
        let what = format!("expected one of '{}', found another string", names());
        wrong("role", what)
    })
}

/// Reads a string, or the text of several parts.
fn read_content(content: Option<&RawValue>) -> Result<String, MessageError> {
    let content = content.ok_or_else(|| wrong("content", "is missing".to_owned()))?;
    match content.get().as_bytes().first() {
        Some(b'"') => text("content", content),
        Some(b'[') => read_parts(content),
        _ => {
            let what = expected("a string or an array of parts", content.get());
            Err(wrong("content", what))
        }
    }
}

fn read_parts(content: &RawValue) -> Result<String, MessageError> {
    let (mut count, mut said, mut flaw) = (0, String::new(), None);
    let read = for_each(content, |part| {
        PARTS.check(count).map_err(at_most)?;
        let text = read_part(count, part).map_err(|error| {
            let text = error.to_string();
            flaw = Some(error);
            text
        })?;
        count += 1;
        said.push_str(&text);
        Ok(())
    });
    match (read, flaw) {
        (Ok(()), _) => Ok(said),
        (Err(_), Some(error)) => Err(error),
        (Err(what), None) => Err(wrong("content", what)),
    }
}

fn read_part(index: usize, part: &RawValue) -> Result<String, MessageError> {
    let member = |name: &str| format!("content[{index}]{name}");
    if !Value::new(part).is_object() {
        return Err(wrong(&member(""), expected("an object", part.get())));
    }
    let [kind, said] =
        parse(part.get(), PART).map_err(|error| wrong(&member(""), excerpt(&error)))?;
    if kind.and_then(|kind| Value::new(kind).string()).as_deref() != Some("text") {
        let what = "expected 'text': only text is supported".to_owned();
        return Err(wrong(&member(".type"), what));
    }
    match said {
        Some(said) => text(&member(".text"), said),
        None => Err(wrong(&member(".text"), "is missing".to_owned())),
    }
}

fn text(member: &str, value: &RawValue) -> Result<String, MessageError> {
    if !value.get().starts_with('"') {
        return Err(wrong(member, expected("a string", value.get())));
    }
    let text = Value::new(value).string();
    // JSON can encode an unpaired surrogate.
    let text = text.ok_or_else(|| wrong(member, "is not valid Unicode".to_owned()))?;
    Ok(text.into_owned())
}

fn wrong(member: &str, what: String) -> MessageError {
    MessageError {
        member: member.to_owned(),
        what,
    }
}

fn expected(what: &str, found: &str) -> String {
    let found = Value::from_text(found).describe();
    format!("expected {what}, found {found}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_content_is_refused_by_name() {
        let ok = |role, text: &str| Ok(Message::new(role, text));
        let err = |text: &str| Err(text.to_owned());
        let roles = "'developer', 'system', 'user', 'assistant', 'tool'";
        let table = [
            (
                r#"{"role":"user","content":"Hé\n"}"#,
                ok(Role::User, "Hé\n"),
            ),
            (
                r#"{"role":"system","content":[{"type":"text","text":"a"},{"text":"b","type":"text"}]}"#,
                ok(Role::System, "ab"),
            ),
            (
                r#"{"role":"developer","content":[],"x":{}}"#,
                ok(Role::Developer, ""),
            ),
            (
                r#"{"role":"assistant","content":"x","tool_calls":null,"refusal":null,"function_call":null,"audio":null}"#,
                ok(Role::Assistant, "x"),
            ),
            (
                r#"{"role":"assistant","content":"x","tool_calls":[]}"#,
                ok(Role::Assistant, "x"),
            ),
            (
                r#"{"role":"tool","content":"x","tool_call_id":"1"}"#,
                ok(Role::Tool, "x"),
            ),
            (
                r#"{"role":"me","content":"x"}"#,
                err(&format!(
                    "role: expected one of {roles}, found another string"
                )),
            ),
            (
                r#"{"role":7,"content":"x"}"#,
                err("role: expected a string, found 7"),
            ),
            (
                r#"{"content":"x"}"#,
                err(&format!("role: is missing; it is one of {roles}")),
            ),
            (r#"{"role":"user"}"#, err("content: is missing")),
            (
                r#"{"role":"user","content":null}"#,
                err("content: expected a string or an array of parts, found null"),
            ),
            (
                r#"{"role":"user","content":["x"]}"#,
                err("content[0]: expected an object, found a string"),
            ),
            (
                r#"{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{}}]}"#,
                err("content[1].type: expected 'text': only text is supported"),
            ),
            (
                r#"{"role":"user","content":[{"type":"text"}]}"#,
                err("content[0].text: is missing"),
            ),
            (
                r#"{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]}"#,
                err("tool_calls: only text is supported"),
            ),
            (
                r#"{"role":"user","content":"x","name":1}"#,
                err("name: expected a string, found 1"),
            ),
            ("[]", err("expected an object, found an array")),
            (
                r#"{"role":"user","role":"system","content":"x"}"#,
                err("member 'role' occurs twice at line 1 column 21"),
            ),
            (
                r#"{"role":"user","content":"x","content":[]}"#,
                err("member 'content' occurs twice at line 1 column 38"),
            ),
            (
                r#"{"role":"user","content":[{"type":"text","text":"x","text":"y"}]}"#,
                err("content[0]: member 'text' occurs twice at line 1 column 32"),
            ),
            (
                r#"{"role":"user","content":"\ud800"}"#,
                err("content: is not valid Unicode"),
            ),
            (
                r#"{"role":"assistant","content":"x","tool_calls":[ ]}"#,
                ok(Role::Assistant, "x"),
            ),
        ];
        for (json, expected) in table {
            let got = Message::parse(json.as_bytes()).map_err(|error| error.to_string());
            assert_eq!(got, expected, "{json}");
        }
        let named = Message::parse(br#"{"role":"user","content":"x","name":"Ann"}"#).unwrap();
        let unnamed = Message::parse(br#"{"role":"user","content":"x","name":null}"#).unwrap();
        assert_eq!(unnamed.name, None);
        assert_eq!(named.name.as_deref(), Some("Ann"));
        assert!(Message::parse(b"{").is_err() && Message::parse(b"\xff").is_err());
        let deep = format!(
            r#"{{"role":"user","content":"x","y":{}}}"#,
            "[".repeat(100_000)
        );
        assert!(Message::parse(deep.as_bytes()).is_err());
        let parts = |count| {
            let item = r#"{"type":"text","text":"a"}"#;
            let parts = vec![item; count].join(",");
            format!(r#"{{"role":"user","content":[{parts}]}}"#)
        };
        let most = Message::parse(parts(PARTS.items).as_bytes()).unwrap();
        assert_eq!(most.content.len(), PARTS.items);
        let error = Message::parse(parts(PARTS.items + 1).as_bytes()).unwrap_err();
        assert!(error.what.contains("at most 4096 elements"), "{error}");
    }
}
