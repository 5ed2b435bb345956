use std::sync::Arc;

use crate::kserve::JsonWriter;
use crate::model::Surface;

use super::{FinishReason, Usage};

/// Writes the answer to one request.
#[derive(Debug, Clone)]
pub(crate) struct Format {
    surface: Surface,
    id: String,
    /// When the request came, in seconds since 1970.
    created: u64,
    model: Arc<str>,
    /// Whether an event at the end tells what it has taken, so that the others say that they do not.
    include_usage: bool,
}

/// One of the texts of an answer.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) text: String,
    pub(crate) reason: FinishReason,
}

impl Format {
    /// The answer of a model to a request of that number, which no other one has.
    pub(crate) fn new(
        surface: Surface,
        number: u128,
        created: u64,
        model: &Arc<str>,
        include_usage: bool,
    ) -> Self {
        let kind = match surface {
            Surface::Completions => "cmpl",
            Surface::Chat => "chatcmpl",
        };
        Self {
            surface,
            id: format!("{kind}-{number:032x}"),
            created,
            model: Arc::clone(model),
            include_usage,
        }
    }

    /// The event at the beginning of a choice, where there is one.
    pub(crate) fn begin(&self, choice: usize) -> Option<Vec<u8>> {
        let role = |json: &mut JsonWriter| {
            json.name("role").text("assistant");
            json.name("content").text("");
        };
        (self.surface == Surface::Chat)
            .then(|| self.event(|json| self.delta(json, choice, role, None)))
    }

    /// The event of a piece.
    pub(crate) fn piece(&self, choice: usize, text: &str) -> Vec<u8> {
        self.event(|json| match self.surface {
            Surface::Completions => completion(json, choice, text, None),
            Surface::Chat => {
                let content = |json: &mut JsonWriter| json.name("content").text(text);
                self.delta(json, choice, content, None);
            }
        })
    }

    /// The event at the end of a choice.
    pub(crate) fn end(&self, choice: usize, reason: FinishReason) -> Vec<u8> {
        self.event(|json| match self.surface {
            Surface::Completions => completion(json, choice, "", Some(reason)),
            Surface::Chat => self.delta(json, choice, |_| {}, Some(reason)),
        })
    }

    /// The event that tells what the request has taken, where it was asked for.
    pub(crate) fn used(&self, usage: Option<Usage>) -> Option<Vec<u8>> {
        self.include_usage.then(|| {
            self.object(true, |json| {
                json.name("choices").array([(); 0], |_, ()| {});
                write_usage(json, usage);
            })
        })
    }

    /// All of it at once.
    pub(crate) fn whole(&self, choices: &[Whole], usage: Option<Usage>) -> Vec<u8> {
        self.object(false, |json| {
            let choices = choices.iter().enumerate();
            json.name("choices")
                .array(choices, |json, (index, choice)| {
                    let reason = Some(choice.reason);
                    match self.surface {
                        Surface::Completions => completion(json, index, &choice.text, reason),
                        Surface::Chat => message(json, index, &choice.text, reason),
                    }
                });
            if usage.is_some() {
                write_usage(json, usage);
            }
        })
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

    fn event(&self, choice: impl Fn(&mut JsonWriter)) -> Vec<u8> {
        self.object(true, |json| {
            json.name("choices").array([()], |json, ()| choice(json));
            if self.include_usage {
                json.name("usage").written(b"null");
            }
        })
    }

    fn object(&self, part: bool, members: impl FnOnce(&mut JsonWriter)) -> Vec<u8> {
        let mut json = JsonWriter::with_capacity(256);
        json.object(|json| {
            json.name("id").text(&self.id);
            json.name("object").text(match (self.surface, part) {
                (Surface::Completions, _) => "text_completion",
                (Surface::Chat, true) => "chat.completion.chunk",
                (Surface::Chat, false) => "chat.completion",
            });
            json.name("created").integer(self.created);
            json.name("model").text(&self.model);
            members(json);
        });
        json.finish()
    }
}

fn completion(json: &mut JsonWriter, choice: usize, text: &str, reason: Option<FinishReason>) {
    json.object(|json| {
        json.name("text").text(text);
        json.name("index").integer(choice);
        write_end(json, reason);
    });
}

fn message(json: &mut JsonWriter, choice: usize, text: &str, reason: Option<FinishReason>) {
    json.object(|json| {
        json.name("index").integer(choice);
        json.name("message").object(|json| {
            json.name("role").text("assistant");
            json.name("content").text(text);
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
    use super::*;

    fn text(json: Vec<u8>) -> String {
        String::from_utf8(json).unwrap()
    }

    const USAGE: Usage = Usage {
        prompt_tokens: 2,
        completion_tokens: 3,
    };

    #[test]
    fn a_completion_is_written_as_openai_does() {
        let format = Format::new(Surface::Completions, 7, 9, &"m".into(), false);
        let head = r#"{"id":"cmpl-00000000000000000000000000000007","object":"text_completion","created":9,"model":"m","choices":["#;
        assert_eq!(format.begin(0), None);
        assert_eq!(
            text(format.piece(1, "a\"")),
            format!(r#"{head}{{"text":"a\"","index":1,"logprobs":null,"finish_reason":null}}]}}"#)
        );
        assert_eq!(
            text(format.end(0, FinishReason::Length)),
            format!(r#"{head}{{"text":"","index":0,"logprobs":null,"finish_reason":"length"}}]}}"#)
        );
        assert_eq!(format.used(Some(USAGE)), None);
        let whole = [
            ("a", FinishReason::Stop),
            ("b", FinishReason::ContentFilter),
        ];
        let whole = whole.map(|(text, reason)| Whole {
            text: text.to_owned(),
            reason,
        });
        assert_eq!(
            text(format.whole(&whole, Some(USAGE))),
            format!(
                r#"{head}{{"text":"a","index":0,"logprobs":null,"finish_reason":"stop"}},{{"text":"b","index":1,"logprobs":null,"finish_reason":"content_filter"}}],"usage":{{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}}}}"#
            )
        );
    }

    #[test]
    fn a_chat_is_written_as_openai_does() {
        let format = Format::new(Surface::Chat, 7, 9, &"m".into(), true);
        let head = |object| {
            format!(
                r#"{{"id":"chatcmpl-00000000000000000000000000000007","object":"{object}","created":9,"model":"m","choices":["#
            )
        };
        let part = head("chat.completion.chunk");
        assert_eq!(
            text(format.begin(0).unwrap()),
            format!(
                r#"{part}{{"index":0,"delta":{{"role":"assistant","content":""}},"logprobs":null,"finish_reason":null}}],"usage":null}}"#
            )
        );
        assert_eq!(
            text(format.piece(0, "x")),
            format!(
                r#"{part}{{"index":0,"delta":{{"content":"x"}},"logprobs":null,"finish_reason":null}}],"usage":null}}"#
            )
        );
        assert_eq!(
            text(format.end(0, FinishReason::Stop)),
            format!(
                r#"{part}{{"index":0,"delta":{{}},"logprobs":null,"finish_reason":"stop"}}],"usage":null}}"#
            )
        );
        assert_eq!(
            text(format.used(Some(USAGE)).unwrap()),
            format!(
                r#"{part}],"usage":{{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}}}}"#
            )
        );
        assert_eq!(
            text(format.used(None).unwrap()),
            format!(r#"{part}],"usage":null}}"#)
        );
        let whole = [Whole {
            text: "x".to_owned(),
            reason: FinishReason::Stop,
        }];
        assert_eq!(
            text(format.whole(&whole, None)),
            format!(
                r#"{}{{"index":0,"message":{{"role":"assistant","content":"x","refusal":null}},"logprobs":null,"finish_reason":"stop"}}]}}"#,
                head("chat.completion")
            )
        );
    }
}
