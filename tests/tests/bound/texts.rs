//! Models over OpenAI's routes, on both engines.

use pytriton::ndarray::Ix1;
use pytriton::openai::{FinishReason, Message, Piece, Surface, Usage};
use pytriton::{Function, Input, Model, Output};
use pytriton_tests::Engine;
use serde_json::json;

use crate::ask::{get, send};
use crate::{Result, triton};

fn text(name: &str) -> Model {
    Model::new(name).output(Output::new::<String>("text", [1]))
}

#[test]
fn a_text_is_served_over_openai_s_routes() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        let letters = Function::sample_iter(|inputs| {
            let prompt: String = inputs.scalar("prompt")?;
            let most: Option<i64> = inputs.optional_scalar("max_tokens")?;
            let letters: Vec<String> = prompt.chars().map(String::from).collect();
            let count = most.map_or(letters.len(), |most| usize::try_from(most).unwrap_or(0));
            let usage = Usage {
                prompt_tokens: 1,
                completion_tokens: 2,
            };
            let last = Piece::default().finished(FinishReason::Length).used(usage);
            let letters = letters.into_iter().take(count).map(Piece::from);
            Ok(letters.chain([last]).map(Ok))
        });
        let prompt = Input::new::<String>("prompt", [1]);
        let most = Input::new::<i64>("max_tokens", [1]).optional();
        let model = text("letters").input(prompt).input(most);
        triton.bind(model.openai(Surface::Completions), letters)?;
        let last = Function::sample(|inputs| {
            let messages = inputs.array::<String, Ix1>("messages")?;
            let last = messages.last().ok_or("no message")?;
            let last = Message::parse(last.as_bytes()).map_err(|error| error.to_string())?;
            Ok(Piece::from(last.content))
        });
        let messages = Input::new::<String>("messages", [-1]);
        triton.bind(text("last").input(messages).openai(Surface::Chat), last)?;
        let addresses = triton.run()?;
        let at = addresses.openai.or(addresses.http).ok_or("no port")?;
        let body = json!({"model": "letters", "prompt": "hello", "max_tokens": 3}).to_string();
        let answer = send(at, "POST", "/v1/completions", &body)?.answer()?;
        let choice = &answer.body["choices"][0];
        assert_eq!(choice["text"], "hel", "{engine:?} {answer:?}");
        assert_eq!(choice["finish_reason"], "length", "{engine:?}");
        assert_eq!(answer.body["usage"]["total_tokens"], 3, "{engine:?}");
        let message = json!({"role": "user", "content": "hi"});
        let body = json!({"model": "last", "messages": [message]}).to_string();
        let answer = send(at, "POST", "/v1/chat/completions", &body)?.answer()?;
        let said = &answer.body["choices"][0]["message"]["content"];
        assert_eq!(said, "hi", "{engine:?} {answer:?}");
        assert_eq!(get(at, "/v1/models")?.body["data"][0]["id"], "last");
        triton.stop()?;
    }
    Ok(())
}
