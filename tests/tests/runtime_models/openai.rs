//! Models with OpenAI routes, on both engines.

use std::net::SocketAddr;
use std::time::Instant;

use pytriton::config::VersionPolicy;
use pytriton::ndarray::Ix1;
use pytriton::openai::{FinishReason, Message, Piece, Surface, Usage};
use pytriton::runtime_models::{Function, Input, Model, Output, PerRequest};
use pytriton::server::Port;
use pytriton_tests::Engine;
use serde_json::{Value, json};

use crate::http::{get, send};
use crate::{DEADLINE, Result, builder, triton};

fn text(name: &str) -> Model {
    Model::new(name).output(Output::new::<String>("text", [1]))
}

#[test]
fn text_model_is_served_over_openai_routes() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        let letters = Function::new(PerRequest, |call| {
            let prompt: String = call.scalar("prompt")?;
            let most: Option<i64> = call.optional_scalar("max_tokens")?;
            let letters: Vec<String> = prompt.chars().map(String::from).collect();
            let count = most.map_or(letters.len(), |most| usize::try_from(most).unwrap_or(0));
            let usage = Usage::new(1, 2);
            let last = Piece::default().finished(FinishReason::Length).used(usage);
            let letters = letters.into_iter().take(count).map(Piece::from);
            Ok(letters.chain([last]).map(Ok))
        });
        let prompt = Input::new::<String>("prompt", [1]);
        let most = Input::new::<i64>("max_tokens", [1]).optional();
        let model = text("letters").input(prompt).input(most);
        triton.bind(model.openai(Surface::Completions), letters)?;
        let last = Function::new(PerRequest, |call| {
            let messages = call.array::<String, Ix1>("messages")?;
            let last = messages.last().ok_or("no message")?;
            let last = Message::parse(last.as_bytes()).map_err(|error| error.to_string())?;
            Ok(Piece::from(last.content))
        });
        let messages = Input::new::<String>("messages", [-1]);
        triton.bind(text("last").input(messages).openai(Surface::Chat), last)?;
        let addresses = triton.run()?;
        let at = addresses.get(Port::OpenAi).ok_or("no port")?.address;
        let body = json!({"model": "letters", "prompt": "hello", "max_tokens": 3}).to_string();
        let answer = send(at, "POST", "/v1/completions", &body)?.answer()?;
        let choice = &answer.body["choices"][0];
        assert_eq!(choice["text"], "hel", "{engine:?} {answer:?}");
        assert_eq!(choice["finish_reason"], "length", "{engine:?}");
        assert_eq!(answer.body["usage"]["total_tokens"], 3, "{engine:?}");
        let message = json!({"role": "user", "content": "hi"});
        let body = json!({"model": "last", "messages": [message]}).to_string();
        let answer = send(at, "POST", "/v1/chat/completions", &body)?.answer()?;
        let content = &answer.body["choices"][0]["message"]["content"];
        assert_eq!(content, "hi", "{engine:?} {answer:?}");
        assert_eq!(get(at, "/v1/models")?.body["data"][0]["id"], "last");
        triton.stop()?;
    }
    Ok(())
}

/// Creates a version of a model that always returns its number.
fn version(number: u32) -> (Model, Function) {
    let says = Function::new(PerRequest, move |_| Ok(Piece::from(number.to_string())));
    let prompt = Input::new::<String>("prompt", [1]);
    let model = text("many").version(number).input(prompt);
    (model.openai(Surface::Completions), says)
}

/// Returns the response of the model or the error code, and the list of models.
fn completion_and_models(at: SocketAddr) -> Result<(Value, Value)> {
    let body = json!({"model": "many", "prompt": "x"}).to_string();
    let mut answer = send(at, "POST", "/v1/completions", &body)?.answer()?.body;
    let content = match answer["error"]["code"].take() {
        Value::Null => answer["choices"][0]["text"].take(),
        code => code,
    };
    let models = get(at, "/v1/models")?.body["data"].take();
    let names = models.as_array().into_iter().flatten();
    Ok((content, names.map(|model| model["id"].clone()).collect()))
}

#[test]
fn the_latest_served_version_responds() -> Result<()> {
    let table = [
        (VersionPolicy::All, "2"),
        (VersionPolicy::Latest(1), "2"),
        (VersionPolicy::Specific(vec![1]), "1"),
    ];
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        for (policy, expected) in &table {
            let triton = triton(engine)?;
            for number in [1, 2] {
                let (model, says) = version(number);
                triton.bind(model.version_policy(policy.clone()), says)?;
            }
            let addresses = triton.run()?;
            let at = addresses.get(Port::OpenAi).ok_or("no port")?.address;
            let found = completion_and_models(at)?;
            assert_eq!(found, (json!(expected), json!(["many"])), "{engine:?}");
        }
    }
    Ok(())
}

#[test]
fn openai_models_follow_loads_and_unloads() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let explicit = [
            "--restricted-endpoints=",
            "--model-control-mode=explicit",
            "--load-model=*",
        ];
        let triton = builder(engine)?.arguments(explicit).build()?;
        for number in [1, 2] {
            let (model, says) = version(number);
            triton.bind(model, says)?;
        }
        let addresses = triton.run()?;
        let http = addresses.http().ok_or("no HTTP")?;
        let at = addresses.get(Port::OpenAi).map_or(http, |at| at.address);
        let control = |action: &str, body: Value| -> Result<()> {
            let path = format!("/v2/repository/models/many/{action}");
            let answer = send(http, "POST", &path, &body.to_string())?.answer()?;
            assert_eq!(answer.status, 200, "{engine:?} {answer:?}");
            Ok(())
        };
        let there = |content: &str| (json!(content), json!(["many"]));
        assert_eq!(completion_and_models(at)?, there("2"), "{engine:?}");
        let mut config = get(http, "/v2/models/many/config")?.body;
        config["version_policy"] = json!({"specific": {"versions": [1]}});
        let first = json!({"parameters": {"config": config.to_string()}});
        control("load", first)?;
        let begun = Instant::now();
        // tritonserver reports the load of one version before it has unloaded the other.
        while completion_and_models(at)? != there("1") {
            assert!(begun.elapsed() < DEADLINE, "{engine:?}");
        }
        control("unload", json!({}))?;
        let absent = (json!("model_not_found"), json!([]));
        while completion_and_models(at)? != absent {
            assert!(
                begun.elapsed() < DEADLINE,
                "{engine:?} {:?}",
                completion_and_models(at)?
            );
        }
        control("load", json!({}))?;
        let (content, models) = completion_and_models(at)?;
        assert!(["1", "2"].contains(&content.as_str().unwrap_or_default()));
        assert_eq!(models, json!(["many"]), "{engine:?}");
    }
    Ok(())
}
