use pytriton::openai::Messages;
use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[openai(chat)]
fn f(said: Messages) -> impl Iterator<Item = String> {
    said.into_iter().map(|message| message.content)
}

fn main() {}

//~ 6: fn f(messages: Messages) -> impl Iterator<Item = String> {
//~ 7:     messages.into_iter().map(|message| message.content)
