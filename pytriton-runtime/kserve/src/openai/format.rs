use std::sync::Arc;

use pytriton_core::model::Surface;
use pytriton_core::tracked_buffer::TrackedBuffer;

use crate::json::JsonWriter;

use super::{FinishReason, Usage};

/// Encodes the response to one request.
#[derive(Debug, Clone)]
pub struct Format {
    surface: Surface,
    id: String,
    /// When the request arrived, in seconds since 1970.
    created: u64,
    model: Arc<str>,
    /// Whether an event at the end reports the usage. The other events then contain a null usage.
    include_usage: bool,
}

/// One of the complete texts of a response.
#[derive(Debug)]
pub struct CompleteText {
    /// The text.
    pub text: TrackedBuffer,
    /// Why it ends.
    pub reason: FinishReason,
}

impl Format {
    /// Creates the format of a response. `number` is unique to the request.
    pub fn new(
        surface: Surface,
        number: u128,
        created: u64,
        model: &Arc<str>,
        include_usage: bool,
    ) -> Self {
        let kind = match surface {
            Surface::Chat => "chatcmpl",
            _ => "cmpl",
        };
        Self {
            surface,
            id: format!("{kind}-{number:032x}"),
            created,
            model: Arc::clone(model),
            include_usage,
        }
    }

    /// Returns whether each choice begins with its own event.
    pub fn begins(&self) -> bool {
        self.surface == Surface::Chat
    }

    /// Writes the event at the beginning of a choice.
    pub fn begin(&self, json: &mut JsonWriter, choice: usize) {
        let role = |json: &mut JsonWriter| {
            json.name("role").text("assistant");
            json.name("content").text("");
        };
        self.event(json, |json| self.delta(json, choice, role, None));
    }

    /// Writes the event of a piece.
    pub fn piece(&self, json: &mut JsonWriter, choice: usize, text: &str) {
        self.event(json, |json| match self.surface {
            Surface::Chat => {
                let content = |json: &mut JsonWriter| json.name("content").text(text);
                self.delta(json, choice, content, None);
            }
            _ => completion(json, choice, text.as_bytes(), None),
        });
    }

    /// Writes the event at the end of a choice.
    pub fn end(&self, json: &mut JsonWriter, choice: usize, reason: FinishReason) {
        self.event(json, |json| match self.surface {
            Surface::Chat => self.delta(json, choice, |_| {}, Some(reason)),
            _ => completion(json, choice, b"", Some(reason)),
        });
    }

    /// Returns whether an event reports the usage.
    pub fn includes_usage(&self) -> bool {
        self.include_usage
    }

    /// Writes the event that reports the usage.
    pub fn used(&self, json: &mut JsonWriter, usage: Option<Usage>) {
        self.object(json, true, |json| {
            json.name("choices").array([(); 0], |_, ()| {});
            write_usage(json, usage);
        });
    }

    /// Writes the complete response.
    pub fn complete(&self, json: &mut JsonWriter, choices: &[CompleteText], usage: Option<Usage>) {
        self.object(json, false, |json| {
            let choices = choices.iter().enumerate();
            json.name("choices")
                .array(choices, |json, (index, choice)| {
                    let (text, reason) = (choice.text.as_slice(), Some(choice.reason));
                    match self.surface {
                        Surface::Chat => message(json, index, text, reason),
                        _ => completion(json, index, text, reason),
                    }
                });
            if usage.is_some() {
                write_usage(json, usage);
            }
        });
    }

    fn delta(
        &self,
        json: &mut JsonWriter,
        choice: usize,
        delta: impl FnOnce(&mut JsonWriter),
        reason: Option<FinishReason>,
    ) {
        json.object(|json| {
            json.name("index").integer(choice);
            json.name("delta").object(delta);
            write_end(json, reason);
        });
    }

    fn event(&self, json: &mut JsonWriter, choice: impl Fn(&mut JsonWriter)) {
        self.object(json, true, |json| {
            json.name("choices").array([()], |json, ()| choice(json));
            if self.include_usage {
                json.name("usage").written(b"null");
            }
        });
    }

    fn object(&self, json: &mut JsonWriter, part: bool, members: impl FnOnce(&mut JsonWriter)) {
        json.object(|json| {
            json.name("id").text(&self.id);
            json.name("object").text(match (self.surface, part) {
                (Surface::Chat, true) => "chat.completion.chunk",
                (Surface::Chat, false) => "chat.completion",
                _ => "text_completion",
            });
            json.name("created").integer(self.created);
            json.name("model").text(&self.model);
            members(json);
        });
    }
}

fn completion(json: &mut JsonWriter, choice: usize, text: &[u8], reason: Option<FinishReason>) {
    json.object(|json| {
        json.name("text").string(text);
        json.name("index").integer(choice);
        write_end(json, reason);
    });
}

fn message(json: &mut JsonWriter, choice: usize, text: &[u8], reason: Option<FinishReason>) {
    json.object(|json| {
        json.name("index").integer(choice);
        json.name("message").object(|json| {
            json.name("role").text("assistant");
            json.name("content").string(text);
            json.name("refusal").written(b"null");
        });
        write_end(json, reason);
    });
}

fn write_end(json: &mut JsonWriter, reason: Option<FinishReason>) {
    json.name("logprobs").written(b"null");
    json.name("finish_reason");
    match reason {
        Some(reason) => json.text(reason.name()),
        None => json.written(b"null"),
    }
}

fn write_usage(json: &mut JsonWriter, usage: Option<Usage>) {
    json.name("usage");
    let Some(usage) = usage else {
        return json.written(b"null");
    };
    json.object(|json| {
        json.name("prompt_tokens").integer(usage.prompt_tokens);
        json.name("completion_tokens")
            .integer(usage.completion_tokens);
        json.name("total_tokens").integer(usage.total_tokens());
    });
}

#[cfg(test)]
mod tests {
    use pytriton_core::memory_budget::MemoryPermit;

    use super::*;

    fn text(write: impl FnOnce(&mut JsonWriter)) -> String {
        let mut json = JsonWriter::default();
        write(&mut json);
        String::from_utf8(json.finish()).unwrap()
    }

    fn written(text: &str, reason: FinishReason) -> CompleteText {
        let mut buffer = TrackedBuffer::new(MemoryPermit::unlimited());
        buffer.extend_from_slice(text.as_bytes()).unwrap();
        CompleteText {
            text: buffer,
            reason,
        }
    }

    const USAGE: Usage = Usage {
        prompt_tokens: 2,
        completion_tokens: 3,
    };

    #[test]
    fn completion_matches_the_openai_format() {
        let format = Format::new(Surface::Completions, 7, 9, &"m".into(), false);
        let head = r#"{"id":"cmpl-00000000000000000000000000000007","object":"text_completion","created":9,"model":"m","choices":["#;
        assert!(!format.begins());
        assert_eq!(
            text(|json| format.piece(json, 1, "a\"")),
            format!(r#"{head}{{"text":"a\"","index":1,"logprobs":null,"finish_reason":null}}]}}"#)
        );
        assert_eq!(
            text(|json| format.end(json, 0, FinishReason::Length)),
            format!(r#"{head}{{"text":"","index":0,"logprobs":null,"finish_reason":"length"}}]}}"#)
        );
        assert!(!format.includes_usage());
        let choices = [
            ("a", FinishReason::Stop),
            ("b", FinishReason::ContentFilter),
        ];
        let choices = choices.map(|(text, reason)| written(text, reason));
        assert_eq!(
            text(|json| format.complete(json, &choices, Some(USAGE))),
            format!(
                r#"{head}{{"text":"a","index":0,"logprobs":null,"finish_reason":"stop"}},{{"text":"b","index":1,"logprobs":null,"finish_reason":"content_filter"}}],"usage":{{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}}}}"#
            )
        );
    }

    #[test]
    fn chat_matches_the_openai_format() {
        let format = Format::new(Surface::Chat, 7, 9, &"m".into(), true);
        let head = |object| {
            format!(
                r#"{{"id":"chatcmpl-00000000000000000000000000000007","object":"{object}","created":9,"model":"m","choices":["#
            )
        };
        let chunk = head("chat.completion.chunk");
        assert_eq!(
            text(|json| format.begin(json, 0)),
            format!(
                r#"{chunk}{{"index":0,"delta":{{"role":"assistant","content":""}},"logprobs":null,"finish_reason":null}}],"usage":null}}"#
            )
        );
        assert_eq!(
            text(|json| format.piece(json, 0, "x")),
            format!(
                r#"{chunk}{{"index":0,"delta":{{"content":"x"}},"logprobs":null,"finish_reason":null}}],"usage":null}}"#
            )
        );
        assert_eq!(
            text(|json| format.end(json, 0, FinishReason::Stop)),
            format!(
                r#"{chunk}{{"index":0,"delta":{{}},"logprobs":null,"finish_reason":"stop"}}],"usage":null}}"#
            )
        );
        assert_eq!(
            text(|json| format.used(json, Some(USAGE))),
            format!(
                r#"{chunk}],"usage":{{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}}}}"#
            )
        );
        assert_eq!(
            text(|json| format.used(json, None)),
            format!(r#"{chunk}],"usage":null}}"#)
        );
        assert!(format.begins() && format.includes_usage());
        let choices = [written("x", FinishReason::Stop)];
        assert_eq!(
            text(|json| format.complete(json, &choices, None)),
            format!(
                r#"{}{{"index":0,"message":{{"role":"assistant","content":"x","refusal":null}},"logprobs":null,"finish_reason":"stop"}}]}}"#,
                head("chat.completion")
            )
        );
    }
}
