use std::collections::HashMap;

use pytriton_core::memory_budget::{MIN_TRACKED_BYTES, MemoryBudgetError, MemoryPermit};
use pytriton_core::model::{ModelSpec, Surface};
use pytriton_core::registry::{Member, STOP, TOKEN_LIMITS};
use pytriton_core::text::excerpt;
use pytriton_core::tracked_bytes::TrackedBytes;
use serde_json::value::RawValue;

use crate::json::JsonWriter;
use crate::json::{
    Bounded, Bounds, Limit, MAX_ITEMS, Names, Object, ReadError, Value, members, parse,
};

use super::OpenAiError;
use super::elements::elements;
use super::member_value::{self, invalid, invalid_elements};
use super::message::{Message, parse_bytes};
use super::strings::strings;
use super::text_request::{TextOptions, TextRequest};

/// The maximum number of prompts in a request.
const MAX_PROMPTS: usize = 128;

/// The memory of the request that is made of a prompt, in addition to its texts and tensors.
pub(super) const REQUEST_BYTES: usize = 1 << 10;

/// A parsed OpenAI request.
#[derive(Debug)]
pub struct OpenAiRequest<'a> {
    /// The name of the model.
    pub model: String,
    /// The size of the body.
    pub(super) bytes: usize,
    pub(super) members: Bounded<HashMap<String, &'a RawValue>>,
}

impl<'a> OpenAiRequest<'a> {
    /// Parses the body of a request.
    ///
    /// # Errors
    ///
    /// Returns an [`OpenAiError`] if the body is not a JSON object, has a duplicate member or names
    /// no model.
    pub fn read(body: &'a [u8], permit: &mut MemoryPermit) -> Result<Self, OpenAiError> {
        let json = |message| OpenAiError::Json { message };
        let text = std::str::from_utf8(body).map_err(|error| json(excerpt(&error)))?;
        let noun = "the request to be an object";
        let read = members(text, noun, Names::Any, permit)?;
        let mut found = Bounded::<HashMap<_, _>>::new(Limit::of("members"));
        for (name, value) in read {
            if found.contains(&name) {
                return Err(json(format!("member '{}' occurs twice", excerpt(&name))));
            }
            let pushed = found.push((name, value), permit);
            pushed.map_err(ReadError::from)?;
        }
        // A null member counts as missing.
        found.retain(|value| value.get() != "null");
        let model = match found.remove("model") {
            Some(model) => {
                permit.grow(model.get().len())?;
                member_value::text("model", model)?
            }
            None => return Err(missing("model")),
        };
        Ok(Self {
            model,
            bytes: body.len(),
            members: found,
        })
    }

    /// Converts the request for its model.
    ///
    /// # Errors
    ///
    /// Returns an [`OpenAiError`] if a member is missing, invalid or not supported, or
    /// [`OpenAiError::Invalid`] if the resulting requests are larger than `most` in total.
    pub fn of(
        mut self,
        spec: &ModelSpec,
        surface: Surface,
        most: usize,
        permit: &mut MemoryPermit,
    ) -> Result<TextRequest, OpenAiError> {
        let (stream, include_usage) = self.streaming(permit)?;
        let subjects = self.subjects(surface, permit)?;
        self.token_limit(spec, permit)?;
        let options = TextOptions {
            stream,
            include_usage,
            stops: self.stops(spec, permit)?,
        };
        let mut shared = JsonWriter::reserving(permit.sibling(), 0);
        shared.begin(b'{');
        for input in &spec.inputs {
            match self.members.remove(&input.name) {
                Some(value) => {
                    member_value::check(input, value, surface)?;
                    shared.key(&input.name).written(value.get().as_bytes());
                }
                None if *input.name == *surface.subject() || input.optional => {}
                None => return Err(missing(&input.name)),
            }
        }
        for (name, value) in self.members.into_sorted(permit)? {
            if let Some(member) = Member::named(&name, surface) {
                match spec.takes_parameters && TOKEN_LIMITS.contains(&member.name) {
                    true => member_value::check_token_limit(&name, value)?,
                    false => member_value::pass_over(member, value)?,
                }
            }
            if spec.takes_parameters && !Member::is_own(&name) {
                parameter(shared.key(&name), value);
            }
        }
        let request = TextRequest {
            options,
            subject: surface.subject(),
            subjects,
            shared: shared.finish_reserved()?,
        };
        if request.bytes() > most {
            let what = format!("together, its requests are larger than {most} bytes");
            return Err(invalid(surface.subject(), what));
        }
        Ok(request)
    }

    /// Returns whether the response is streamed, and whether an event at its end reports the usage.
    fn streaming(&mut self, permit: &mut MemoryPermit) -> Result<(bool, bool), OpenAiError> {
        let stream = match self.members.remove("stream") {
            Some(stream) => member_value::boolean("stream", stream)?,
            None => false,
        };
        let Some(options) = self.members.remove("stream_options") else {
            return Ok((stream, false));
        };
        if !stream {
            let what = "it is only allowed when 'stream' is true".to_owned();
            return Err(invalid("stream_options", what));
        }
        let object = Object {
            noun: "an object",
            names: ["include_usage"],
        };
        Bounds::new(options.get(), permit)?;
        let [usage] = parse(options.get(), object)
            .map_err(|error| invalid("stream_options", excerpt(&error)))?;
        let include_usage = match usage.filter(|usage| usage.get() != "null") {
            Some(usage) => member_value::boolean("stream_options.include_usage", usage)?,
            None => false,
        };
        Ok((stream, include_usage))
    }

    /// Returns the prompts or the conversation, each as JSON.
    fn subjects(
        &mut self,
        surface: Surface,
        permit: &mut MemoryPermit,
    ) -> Result<Vec<TrackedBytes>, OpenAiError> {
        let name = surface.subject();
        let value = self.members.remove(name).ok_or_else(|| missing(name))?;
        match surface {
            Surface::Chat => messages(value, permit).map(|messages| vec![messages]),
            _ => prompts(value, permit),
        }
    }

    /// Renames the token limit to the name that the model uses.
    fn token_limit(
        &mut self,
        spec: &ModelSpec,
        permit: &mut MemoryPermit,
    ) -> Result<(), OpenAiError> {
        let [older, newer] = TOKEN_LIMITS;
        for (name, other) in [(older, newer), (newer, older)] {
            if spec.input_index(name).is_some() || spec.input_index(other).is_none() {
                continue;
            }
            let Some(value) = self.members.remove(name) else {
                continue;
            };
            if self.members.contains(other) {
                let what = format!("'{other}' has the same meaning");
                return Err(invalid(name, what));
            }
            let pushed = self.members.push((other.to_owned(), value), permit);
            pushed.map_err(ReadError::from)?;
        }
        Ok(())
    }

    fn stops(
        &self,
        spec: &ModelSpec,
        permit: &mut MemoryPermit,
    ) -> Result<Vec<String>, OpenAiError> {
        if spec.input_index(STOP).is_some() {
            return Ok(Vec::new());
        }
        match self.members.get(STOP) {
            Some(value) => member_value::stops(value, permit),
            None => Ok(Vec::new()),
        }
    }
}

/// Reserves the memory of buffers that are too small to be tracked one by one. A request has many of
/// them.
pub(super) fn reserve_small(
    sizes: impl Iterator<Item = usize>,
    permit: &mut MemoryPermit,
) -> Result<(), MemoryBudgetError> {
    let small = sizes.filter(|size| *size < MIN_TRACKED_BYTES);
    permit.grow(small.sum())
}

fn prompts(value: &RawValue, permit: &mut MemoryPermit) -> Result<Vec<TrackedBytes>, OpenAiError> {
    let buffers = permit.sibling();
    let copied = |text: &str| {
        // With the byte that the writer keeps for a comma.
        let mut json = JsonWriter::reserving(buffers.sibling(), text.len() + 1);
        json.written(text.as_bytes());
        json.finish_reserved()
    };
    let prompts = strings(Surface::Completions.subject(), value, MAX_PROMPTS, permit)?;
    reserve_small(prompts.iter().map(|prompt| prompt.get().len()), permit)?;
    let prompts = prompts.into_iter().map(|prompt| copied(prompt.get()));
    Ok(prompts.collect::<Result<_, _>>()?)
}

/// Encodes the messages as an array of strings.
fn messages(value: &RawValue, permit: &mut MemoryPermit) -> Result<TrackedBytes, OpenAiError> {
    let member = Surface::Chat.subject();
    if !value.get().starts_with('[') {
        let found = Value::new(value).describe();
        return Err(invalid(member, format!("expected an array, found {found}")));
    }
    let messages =
        elements(value, MAX_ITEMS, permit).map_err(|error| invalid_elements(member, error))?;
    if messages.is_empty() {
        return Err(invalid(member, "expected at least one".to_owned()));
    }
    // One message is parsed at a time.
    let longest = messages.iter().map(|message| message.get().len()).max();
    permit.grow(parse_bytes(longest.unwrap_or_default()))?;
    for (index, message) in messages.iter().enumerate() {
        Message::parse(message.get().as_bytes()).map_err(|error| {
            let inner = match error.member.as_str() {
                "" => String::new(),
                inner => format!(".{inner}"),
            };
            invalid(&format!("{member}[{index}]{inner}"), error.what)
        })?;
    }
    let mut json = JsonWriter::reserving(permit.sibling(), value.get().len() * 5 / 4);
    json.array(messages, |json, message| json.text(message.get()));
    Ok(json.finish_reserved()?)
}

/// Writes a value that becomes a parameter of the request. Lists and objects become strings with
/// their JSON.
pub(super) fn parameter(json: &mut JsonWriter, value: &RawValue) {
    match value.get().as_bytes().first() {
        Some(b'[' | b'{') => json.text(value.get()),
        _ => json.written(value.get().as_bytes()),
    }
}

pub(super) fn missing(member: &str) -> OpenAiError {
    let member = member.to_owned();
    OpenAiError::Missing { member }
}
