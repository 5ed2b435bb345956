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

/// What begins the text of a failure that is not the function's, and its HTTP status code: tritonserver answers all with 400.
const FAILURES: [(&str, &str, u16); 4] = [
    ("Request timeout expired", "", 503),
    ("input '", "", 400),
    ("model '", "has no instance", 503),
    ("model '", "the call took longer than", 504),
];

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
    if let Some(Value::String(message)) = members.get_mut("error").map(Value::take) {
        let mut failures = FAILURES.iter();
        let known = failures
            .find(|(begin, inside, _)| message.starts_with(begin) && message.contains(inside));
        let status = known.map_or(500, |(_, _, status)| *status);
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
    use crate::model::Surface;
    use crate::openai::{FinishReason, Usage};
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
                r#"{"OUTPUT_1":"","end":true}"#,
                Ok(Reply::Last(Piece::default())),
            ),
            (
                r#"{"error":"model 'm' failed: x"}"#,
                failed(500, "model 'm' failed: x"),
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
}
