use crate::model::{Argument, Declared, InputType, Surface};
use crate::tensor::DataType;
use crate::text::equal;

use super::violation::Violation;
use super::{Kind, Member, ModelOptions, Signature};

const OWN: &str =
    "the server handles this member of OpenAI requests itself: rename the parameter, or remove it";
const NO_PARAMETER: &str =
    "this member of OpenAI requests cannot be a parameter: rename the parameter, or remove it";

impl Signature {
    /// The missing parts of a function under `#[openai]`.
    pub const fn openai_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        let surface = match options.openai {
            None => return None,
            Some(surface) if surface.generates_text() => surface,
            Some(_) => return self.rows_flaw(options),
        };
        let mut index = 0;
        while index < self.arguments.len() {
            // A member of the other route is reported on its parameter.
            if let Some(name) = self.arguments[index].input_name()
                && matches!(name.as_bytes(), b"prompt" | b"messages")
            {
                return None;
            }
            index += 1;
        }
        Some(match surface {
            Surface::Completions => "the prompt is missing: take `prompt: String`",
            _ => "the messages are missing: take `messages: Messages`",
        })
    }
}

impl Argument {
    /// The reason why an input cannot be a member of a request for text.
    pub(super) const fn text_flaw(&self, surface: Surface) -> Violation {
        let Some(name) = self.input_name() else {
            return None;
        };
        let own = surface.subject();
        match (name.as_bytes(), surface) {
            (_, Surface::Completions) if equal(name, own) => match self.declared {
                Declared::Value(InputType {
                    datatype: DataType::Bytes,
                    optional: false,
                    ..
                }) => None,
                _ => Some("a prompt is one string: take `prompt: String`"),
            },
            (_, Surface::Chat) if equal(name, own) => match self.declared {
                Declared::Input(InputType {
                    datatype: DataType::Bytes,
                    optional: false,
                    ..
                }) => None,
                _ => Some("`messages` contains the conversation: take `messages: Messages`"),
            },
            (b"prompt", _) => Some(
                "chat requests have no prompt: write `#[openai(completions)]`, or take `messages: Messages`",
            ),
            (b"messages", _) => Some(
                "completion requests have no messages: write `#[openai(chat)]`, or take `prompt: String`",
            ),
            _ if Member::is_own(name) => Some(OWN),
            _ => match Member::named(name, surface) {
                Some(member) => self.kind_flaw(member.kind()),
                None => None,
            },
        }
    }

    const fn kind_flaw(&self, kind: Kind) -> Violation {
        let (datatype, one) = match self.declared {
            Declared::Value(input) => (input.datatype, true),
            Declared::Input(input) => (input.datatype, false),
            _ => return None,
        };
        let fits = match (kind, datatype) {
            (Kind::Other, _) => return Some(NO_PARAMETER),
            (Kind::Integer, DataType::Bool | DataType::Bytes) => false,
            (Kind::Integer, DataType::Fp16 | DataType::Bf16) => false,
            (Kind::Integer, DataType::Fp32 | DataType::Fp64) => false,
            (Kind::Integer, _) => one,
            (Kind::Number, DataType::Fp16 | DataType::Bf16) => one,
            (Kind::Number, DataType::Fp32 | DataType::Fp64) => one,
            (Kind::Boolean, DataType::Bool) => one,
            (Kind::Text, DataType::Bytes) => one,
            (Kind::Texts, DataType::Bytes) => !one,
            _ => false,
        };
        match (fits, kind) {
            (true, _) => None,
            (_, Kind::Integer) => {
                Some("in OpenAI requests, this is an integer: take `Option<i64>`")
            }
            (_, Kind::Number) => Some("in OpenAI requests, this is a number: take `Option<f32>`"),
            (_, Kind::Boolean) => {
                Some("in OpenAI requests, this is a boolean: take `Option<bool>`")
            }
            (_, Kind::Texts) => {
                Some("in OpenAI requests, this is a list of strings: take `Option<Vec<String>>`")
            }
            _ => Some("in OpenAI requests, this is a string: take `Option<String>`"),
        }
    }
}
