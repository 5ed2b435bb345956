use serde_json::Value;

use crate::model::ModelSpec;
use crate::request::{ParameterValue, Parameters};

use super::piece::TEXT_END;
use super::{OpenAiError, Piece};

/// Cuts a body of tritonserver's generate extension into the JSON of its events, however it comes.
#[derive(Debug, Default)]
pub(crate) struct Events {
    bytes: Vec<u8>,
    /// So many bytes have no end of an event.
    searched: usize,
}

/// What ends an event, and what begins its JSON.
const END: &[u8] = b"\n\n";
const DATA: &[u8] = b"data: ";

impl Events {
    /// Takes what has come.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next event that has come whole.
    pub(crate) fn next(&mut self) -> Option<Vec<u8>> {
        let from = self.searched.saturating_sub(END.len() - 1);
        let found = self.bytes[from..]
            .windows(END.len())
            .position(|end| end == END);
        let Some(at) = found.map(|at| from + at) else {
            self.searched = self.bytes.len();
            return None;
        };
        let rest = self.bytes.split_off(at + END.len());
        let mut event = std::mem::replace(&mut self.bytes, rest);
        self.searched = 0;
        event.truncate(at);
        if event.starts_with(DATA) {
            event.drain(..DATA.len());
        }
        Some(event)
    }

    /// How much has come of an event that is not whole.
    pub(crate) fn unfinished(&self) -> usize {
        self.bytes.len()
    }
}

/// The HTTP status code of a failure: tritonserver answers all with 400. What the function says may hold whatever clients
/// have said, so that only what stands before it tells one failure from another.
fn status(failure: &str, model: &str) -> u16 {
    if failure == "Request timeout expired" {
        return 503;
    }
    if failure.starts_with("input '") {
        return 400;
    }
    let of_the_model = |begin: &str| failure.strip_prefix(begin)?.strip_prefix(model);
    if let Some(rest) = of_the_model("the instance of model '") {
        return match rest {
            "' that had the request has ended" => 503,
            _ => 500,
        };
    }
    let Some(rest) = of_the_model("model '") else {
        return 500;
    };
    let hangs = |rest: &str| rest.contains(" cannot answer the request, another call takes longer");
    match rest {
        rest if rest.starts_with("' has no instance ") => 503,
        rest if rest.starts_with("': the call took longer than ") => 504,
        rest if rest.starts_with("': instance ") && hangs(rest) => 503,
        _ => 500,
    }
}

/// What one of those events is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Piece(Piece),
    /// The only piece, or what stands behind the last.
    Last(Piece),
}

/// Reads one of those events.
pub(crate) fn reply(event: &[u8], spec: &ModelSpec) -> Result<Reply, OpenAiError> {
    let no_text = || OpenAiError::NoText {
        model: spec.name.clone(),
    };
    let Ok(Value::Object(mut members)) = serde_json::from_slice(event) else {
        return Err(no_text());
    };
    // Beside an answer it is a parameter of that name.
    if members.len() == 1
        && let Some(Value::String(message)) = members.get_mut("error").map(Value::take)
    {
        let status = status(&message, &spec.name);
        return Err(OpenAiError::Failed { status, message });
    }
    let output = spec.outputs.first().map(|output| &*output.name);
    let text = output.and_then(|name| members.remove(name));
    let Some(Value::String(text)) = text else {
        return Err(no_text());
    };
    let last = !spec.decoupled || members.remove(TEXT_END) == Some(Value::Bool(true));
    let mut parameters = Parameters::default();
    for (name, value) in members {
        let value = match value {
            Value::String(text) => ParameterValue::String(text),
            Value::Number(number) => match number.as_i64() {
                Some(number) => ParameterValue::Int64(number),
                None => continue,
            },
            _ => continue,
        };
        parameters.insert(name, value);
    }
    let piece = Piece::heard(text, &parameters);
    Ok(match last {
        true => Reply::Last(piece),
        false => Reply::Piece(piece),
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Display;
    use std::sync::Arc;
    use std::time::Duration;

    use crate::call::ModelError;
    use crate::model::Surface;
    use crate::openai::{FinishReason, Usage};
    use crate::scheduler::SchedulerError;
    use crate::testing::IDENTITY;

    use super::*;

    #[test]
    fn events_are_cut_wherever_the_body_is() {
        let body = b"data: {\"a\":1}\n\ndata: \n\ndata: {\"b\":\"\\n\"}\n\n: x";
        for cut in 0..body.len() {
            let (mut events, mut seen) = (Events::default(), Vec::new());
            for part in [&body[..cut], &body[cut..]] {
                events.feed(part);
                while let Some(event) = events.next() {
                    seen.push(String::from_utf8(event).unwrap());
                }
            }
            assert_eq!(seen, [r#"{"a":1}"#, "", r#"{"b":"\n"}"#], "{cut}");
            assert_eq!(events.unfinished(), 3);
        }
    }

    #[test]
    fn a_reply_is_a_piece_or_a_failure() {
        let mut spec = IDENTITY.spec().unwrap();
        spec.openai = Some(Surface::Completions);
        spec.decoupled = true;
        let failed = |status, message: &str| {
            let message = message.to_owned();
            Err(OpenAiError::Failed { status, message })
        };
        let table = [
            (
                r#"{"OUTPUT_1":"é","model_name":"m","model_version":"1"}"#,
                Ok(Reply::Piece(Piece::from("é"))),
            ),
            (
                r#"{"OUTPUT_1":"","completion_tokens":3,"finish_reason":"length","prompt_tokens":2}"#,
                Ok(Reply::Piece(
                    Piece::default().finished(FinishReason::Length).used(Usage {
                        prompt_tokens: 2,
                        completion_tokens: 3,
                    }),
                )),
            ),
            (
                r#"{"OUTPUT_1":"","pytriton.text_end":true}"#,
                Ok(Reply::Last(Piece::default())),
            ),
            (
                r#"{"OUTPUT_1":"a","end":true,"error":"x","model_name":"m"}"#,
                Ok(Reply::Piece(Piece::from("a"))),
            ),
            (
                r#"{"error":"Request timeout expired"}"#,
                failed(503, "Request timeout expired"),
            ),
            (r#"{"error":"input 'x' of"}"#, failed(400, "input 'x' of")),
            (
                r#"{"OUTPUT_1":[1]}"#,
                Err(OpenAiError::NoText {
                    model: spec.name.clone(),
                }),
            ),
        ];
        for (event, expected) in table {
            assert_eq!(reply(event.as_bytes(), &spec), expected, "{event}");
        }
        assert!(reply(b"[]", &spec).is_err() && reply(b"", &spec).is_err());
    }

    #[test]
    fn a_failure_has_the_status_that_it_has_here() {
        let model: Arc<str> = "m".into();
        let limit = Duration::from_secs(1);
        let function = |message: &str| ModelError::Function {
            model: model.clone(),
            message: message.to_owned(),
        };
        let panic = ModelError::Panic {
            model: model.clone(),
            message: "model 'm' has no instance".to_owned(),
        };
        let hanging = ModelError::Hanging {
            model: model.clone(),
            instance: 3,
            limit,
        };
        let table: [(&dyn Display, u16); 11] = [
            (&function("x"), 500),
            (&function("' has no instance left"), 500),
            (&function("': the call took longer than 1 s"), 500),
            (&panic, 500),
            (&hanging, 503),
            (
                &ModelError::CallTooLong {
                    model: model.clone(),
                    limit,
                },
                504,
            ),
            (&SchedulerError::Timeout, 503),
            (
                &SchedulerError::Hanging {
                    model: model.clone(),
                    limit,
                },
                503,
            ),
            (
                &SchedulerError::NoInstance {
                    model: model.clone(),
                },
                503,
            ),
            (
                &SchedulerError::InstanceEnded {
                    model: model.clone(),
                },
                503,
            ),
            (
                &"the instance of model 'other' that had the request has ended",
                500,
            ),
        ];
        for (failure, expected) in table {
            assert_eq!(status(&failure.to_string(), "m"), expected, "{failure}");
        }
    }
}
