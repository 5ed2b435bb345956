//! A sequence: each request continues a conversation, whose state is on the server.

use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton::{ErrorKind, Sequence};

#[derive(Default)]
struct Conversation(Vec<String>);

/// Answers with all messages so far.
#[pytriton::model(name = "Remember", client = Remember, max_batch_size = 8)]
fn remember(#[sequence] conversation: &mut Conversation, text: Array2<String>) -> Array2<String> {
    conversation.0.extend(text);
    array![[conversation.0.join(" ")]]
}

#[pytriton::test]
async fn conversations_are_separate(remember: Call<Remember>) -> Result<(), CallError> {
    let message = |text: &str| array![[text.to_owned()]];
    let say = async |id: u64, text: &str, start: bool, end: bool| {
        let sequence = Sequence::new(id).expect("an ID above 0");
        let sequence = sequence.start(start).end(end);
        remember.sequence(sequence).call(message(text)).await
    };
    assert_eq!(say(1, "a", true, false).await?, message("a"));
    assert_eq!(say(2, "b", true, false).await?, message("b"));
    assert_eq!(say(1, "c", false, true).await?, message("a c"));
    assert_eq!(say(2, "d", false, true).await?, message("b d"));
    for error in [
        say(1, "e", false, true).await,
        remember.call(message("e")).await,
    ] {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
    Ok(())
}
