use pytriton::openai::Messages;
use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(completions)]
fn f(messages: Messages) -> String {
    messages.len().to_string()
}

fn main() {}

//~ 5: #[openai(chat)]
