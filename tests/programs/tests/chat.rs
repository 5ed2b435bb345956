//! A chat model at OpenAI's route, streamed word by word.

use pytriton::openai::{Messages, Piece};
use pytriton::prelude::*;
use pytriton::testing;

mod http;

/// Counts down from the number in the last message.
#[pytriton::model(name = "countdown")]
#[openai(chat)]
fn countdown(
    messages: Messages,
    max_tokens: Option<u32>,
) -> Result<impl Iterator<Item = Piece>, pytriton::Error> {
    let last = messages.last().map_or("", |message| &message.content);
    let number: u32 = last
        .parse()
        .map_err(|_| pytriton::Error::invalid_argument(format!("'{last}' is not a number")))?;
    let most = max_tokens.unwrap_or(u32::MAX);
    Ok((0..=number)
        .rev()
        .take(most as usize)
        .map(|number| Piece::from(format!("{number} "))))
}

#[test]
fn messages_are_answered_at_once_or_as_events() {
    let served = testing::serve_registered().unwrap();
    let ask = |content: &str, more: &str| {
        let message = format!(r#"{{"role": "user", "content": "{content}"}}"#);
        let body = format!(r#"{{"model": "countdown", "messages": [{message}]{more}}}"#);
        http::request(served.http(), "POST", "/v1/chat/completions", &body)
    };
    let response = ask("3", "");
    assert!(response.contains(r#""content":"3 2 1 0 ""#), "{response}");
    let response = ask("3", r#", "max_tokens": 2, "stream": true"#);
    assert!(response.contains(r#""content":"2 ""#), "{response}");
    assert!(!response.contains(r#""content":"1 ""#), "{response}");
    assert!(response.contains("data: [DONE]"), "{response}");
    let response = ask("many", "");
    assert!(response.starts_with("HTTP/1.1 400"), "{response}");
    assert!(response.contains("'many' is not a number"), "{response}");
}
