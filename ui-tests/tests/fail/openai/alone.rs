use pytriton::prelude::*;

#[openai(completions)]
fn f(prompt: String) -> String {
    prompt
}

fn main() {
    let _ = f;
}

//~ 3: #[pytriton::model(name = "m")] #[openai(completions)]
