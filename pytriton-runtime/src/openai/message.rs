use std::fmt;

use serde_json::{Map, Value};
use thiserror::Error;

/// Who has said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Whoever wrote the program.
    Developer,
    /// The same, under its older name.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
    /// A tool that the model has called.
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

    /// As it stands in a message.
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
    /// Who has said it.
    pub role: Role,
    /// What was said; parts of text without what stood between them.
    pub content: String,
    /// Who that is among others of the role.
    pub name: Option<String>,
}

/// Why something is no message: the member, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{what}", path(member))]
pub struct MessageError {
    /// The member, such as `content[0].text`; empty for the message itself.
    pub member: String,
    /// What is wrong.
    pub what: String,
}

fn path(member: &str) -> String {
    match member {
        "" => String::new(),
        member => format!("{member}: "),
    }
}

/// What a message may have that a text cannot tell.
const NO_TEXT: [&str; 3] = ["tool_calls", "function_call", "audio"];

impl Message {
    /// A message.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            name: None,
        }
    }

    /// Reads a message of OpenAI's form.
    ///
    /// # Errors
    ///
    /// [`MessageError`], also for what would be lost: pictures, sounds and calls of tools.
    ///
    /// # Examples
    ///
    /// ```
    /// use pytriton_runtime::openai::{Message, Role};
    ///
    /// let message = Message::parse(br#"{"role": "user", "content": "Hi"}"#).unwrap();
    /// assert_eq!(message, Message::new(Role::User, "Hi"));
    /// ```
    pub fn parse(json: &[u8]) -> Result<Self, MessageError> {
        let value = serde_json::from_slice(json).map_err(|error| wrong("", error.to_string()))?;
        let Value::Object(mut members) = value else {
            return Err(wrong("", expected("an object", &value)));
        };
        for name in NO_TEXT {
            let empty = match members.get(name) {
                None | Some(Value::Null) => true,
                Some(Value::Array(calls)) => calls.is_empty(),
                Some(_) => false,
            };
            if !empty {
                return Err(wrong(name, "only text is supported".to_owned()));
            }
        }
        Ok(Self {
            role: role(members.get("role"))?,
            content: content(members.get_mut("content"))?,
            name: name(&mut members)?,
        })
    }
}

fn role(role: Option<&Value>) -> Result<Role, MessageError> {
    let names = || Role::ALL.map(Role::name).join("', '");
    let name = match role {
        Some(Value::String(name)) => name,
        Some(other) => return Err(wrong("role", expected("a string", other))),
        None => {
            return Err(wrong(
                "role",
                format!("is missing; it is one of '{}'", names()),
            ));
        }
    };
    let mut roles = Role::ALL.into_iter();
    roles.find(|role| role.name() == name).ok_or_else(|| {
        let what = format!("expected one of '{}', found another string", names());
        wrong("role", what)
    })
}

fn name(members: &mut Map<String, Value>) -> Result<Option<String>, MessageError> {
    match members.get_mut("name").map(Value::take) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name)),
        Some(other) => Err(wrong("name", expected("a string", &other))),
    }
}

/// A text, or parts of it.
fn content(content: Option<&mut Value>) -> Result<String, MessageError> {
    match content.map(Value::take) {
        Some(Value::String(text)) => Ok(text),
        Some(Value::Array(parts)) => {
            let parts = parts.into_iter().enumerate();
            parts.map(|(index, part)| text(index, part)).collect()
        }
        Some(other) => Err(wrong(
            "content",
            expected("a string or an array of parts", &other),
        )),
        None => Err(wrong("content", "is missing".to_owned())),
    }
}

fn text(index: usize, mut part: Value) -> Result<String, MessageError> {
    let member = |name: &str| format!("content[{index}]{name}");
    if !part.is_object() {
        return Err(wrong(&member(""), expected("an object", &part)));
    }
    if part.get("type").and_then(Value::as_str) != Some("text") {
        let what = "expected 'text': only text is supported".to_owned();
        return Err(wrong(&member(".type"), what));
    }
    match part.get_mut("text").map(Value::take) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(wrong(&member(".text"), expected("a string", &other))),
        None => Err(wrong(&member(".text"), "is missing".to_owned())),
    }
}

fn wrong(member: &str, what: String) -> MessageError {
    MessageError {
        member: member.to_owned(),
        what,
    }
}

fn expected(what: &str, found: &Value) -> String {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("expected {what}, found {found}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_refused_by_its_name() {
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
                err("role: expected a string, found a number"),
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
                err("name: expected a string, found a number"),
            ),
            ("[]", err("expected an object, found an array")),
        ];
        for (json, expected) in table {
            let got = Message::parse(json.as_bytes()).map_err(|error| error.to_string());
            assert_eq!(got, expected, "{json}");
        }
        let named = Message::parse(br#"{"role":"user","content":"x","name":"Ann"}"#).unwrap();
        assert_eq!(named.name.as_deref(), Some("Ann"));
        assert!(Message::parse(b"{").is_err() && Message::parse(b"\xff").is_err());
        let deep = format!(
            r#"{{"role":"user","content":"x","y":{}}}"#,
            "[".repeat(100_000)
        );
        assert!(Message::parse(deep.as_bytes()).is_err());
    }
}
