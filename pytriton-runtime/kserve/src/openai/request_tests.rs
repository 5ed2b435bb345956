use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::{ModelSpec, Surface, TensorSpec};
use pytriton_core::testing::IDENTITY;
use pytriton_protocol::tensor::DataType;

use super::{OpenAiError, OpenAiRequest, TextRequest};

/// Creates a model with these inputs.
fn spec(surface: Surface, inputs: &[(&str, DataType, i64, bool)]) -> ModelSpec {
    let inputs = inputs.iter().map(|&(name, datatype, dim, optional)| {
        TensorSpec::new(name, datatype, [dim]).optional(optional)
    });
    let mut spec = IDENTITY.spec().unwrap();
    spec.inputs = inputs.collect();
    spec.openai = Some(surface);
    spec.max_batch_size = 0;
    spec
}

fn completions() -> ModelSpec {
    spec(
        Surface::Completions,
        &[
            ("prompt", DataType::Bytes, 1, false),
            ("max_tokens", DataType::Int64, 1, true),
            ("temperature", DataType::Fp32, 1, true),
        ],
    )
}

fn chat() -> ModelSpec {
    spec(Surface::Chat, &[("messages", DataType::Bytes, -1, false)])
}

fn ask(spec: &ModelSpec, json: &str) -> Result<TextRequest, OpenAiError> {
    let surface = spec.openai.unwrap();
    OpenAiRequest::read(json.as_bytes(), &mut MemoryPermit::unlimited())?.of(
        spec,
        surface,
        1000,
        &mut MemoryPermit::unlimited(),
    )
}

fn bodies(spec: &ModelSpec, json: &str) -> Vec<String> {
    let request = ask(spec, json).unwrap_or_else(|error| panic!("{json}: {error}"));
    let bodies = request.bodies(&mut MemoryPermit::unlimited()).unwrap();
    bodies
        .iter()
        .map(|body| String::from_utf8(body.to_vec()).unwrap())
        .collect()
}

#[test]
fn other_members_become_parameters() {
    let mut spec = chat();
    spec.takes_parameters = true;
    let messages = r#"[{"role":"user","content":"a"}]"#;
    let inputs = r#","messages":["{\"role\":\"user\",\"content\":\"a\"}"]}"#;
    let table = [
        ("", ""),
        (
            r#","temperature":0.5,"max_tokens":7,"stop":["x","y"],"user":"é\n","top_k":3,"x":{"a":null}"#,
            r#""max_tokens":7,"stop":"[\"x\",\"y\"]","temperature":0.5,"top_k":3,"user":"é\n","x":"{\"a\":null}""#,
        ),
        (r#","stop":"x","seed":null"#, r#""stop":"x""#),
        (
            r#","stream":true,"id":"7","parameters":{"a":1},"pytriton.claim":"7","best":true"#,
            r#""best":true"#,
        ),
    ];
    for (members, expected) in table {
        let json = format!(r#"{{"model":"m","messages":{messages}{members}}}"#);
        let expected = format!("{{{expected}{inputs}").replace("{,", "{");
        assert_eq!(bodies(&spec, &json), [expected], "{json}");
    }
    assert_eq!(
        ask(
            &spec,
            &format!(r#"{{"model":"m","messages":{messages},"stop":"x"}}"#)
        )
        .unwrap()
        .options
        .stops,
        ["x"]
    );
    for wrong in [
        r#""max_tokens":-1"#,
        r#""max_tokens":"7""#,
        r#""temperature":"x""#,
        r#""n":2"#,
    ] {
        let json = format!(r#"{{"model":"m","messages":{messages},{wrong}}}"#);
        assert!(ask(&spec, &json).is_err(), "{json}");
    }
}

#[test]
fn completion_becomes_a_generate_request() {
    let completions = completions();
    let table: [(&str, &[&str]); 7] = [
        (
            r#"{"model":"m","prompt":"a\"\u00e9"}"#,
            &[r#"{"prompt":"a\"\u00e9"}"#],
        ),
        (
            r#"{"temperature":0.5,"prompt":"a","max_tokens":7,"model":"m"}"#,
            &[r#"{"max_tokens":7,"temperature":0.5,"prompt":"a"}"#],
        ),
        (
            r#"{"model":"m","max_completion_tokens":7,"prompt":["a","b"]}"#,
            &[
                r#"{"max_tokens":7,"prompt":"a"}"#,
                r#"{"max_tokens":7,"prompt":"b"}"#,
            ],
        ),
        (
            r#"{"model":"m","prompt":"a","temperature":null,"max_tokens":null,"n":null}"#,
            &[r#"{"prompt":"a"}"#],
        ),
        (
            r#"{"model":"m","prompt":"a","n":1,"echo":false,"x":[[{}]],"seed":5,"logit_bias":{ }}"#,
            &[r#"{"prompt":"a"}"#],
        ),
        (
            r#"{"model":"m","prompt": [ "a" ] ,"stream":false}"#,
            &[r#"{"prompt":"a"}"#],
        ),
        (
            "\u{feff}{\"model\":\"m\",\"prompt\":\"\"}",
            &[r#"{"prompt":""}"#],
        ),
    ];
    for (json, expected) in table {
        assert_eq!(bodies(&completions, json), expected, "{json}");
    }
    let json = r#"{"model":"m","messages":[{"role":"user","content":"é\n"},{"role":"tool","content":[]}]}"#;
    let expected = r#"{"messages":["{\"role\":\"user\",\"content\":\"é\\n\"}","{\"role\":\"tool\",\"content\":[]}"]}"#;
    assert_eq!(bodies(&chat(), json), [expected]);
}

#[test]
fn members_for_the_server_are_read() {
    let json = r#"{"model":"m","prompt":"a","stream":true,"stream_options":{"include_usage":true,"x":1},"stop":["\u00e9","b"]}"#;
    let request = ask(&completions(), json).unwrap();
    assert!(request.options.stream && request.options.include_usage);
    assert_eq!(request.options.stops, ["é", "b"]);
    let mut own = completions();
    let datatype = own.inputs[0].datatype;
    own.inputs
        .push(TensorSpec::new("stop", datatype, [-1]).optional(true));
    let request = ask(&own, json).unwrap();
    assert!(request.options.stops.is_empty());
    let bodies = request.bodies(&mut MemoryPermit::unlimited()).unwrap();
    assert_eq!(bodies.len(), 1);
    assert_eq!(
        bodies[0][..],
        br#"{"stop":["\u00e9","b"],"prompt":"a"}"#[..]
    );
}

#[test]
fn decoded_stop_is_limited_to_256_bytes() {
    let ask = |stop: &str| {
        let json = format!(r#"{{"model":"m","prompt":"x","stop":"{stop}"}}"#);
        ask(&completions(), &json).map(|request| request.options.stops)
    };
    let stops = ask(&"\\u0061".repeat(256)).unwrap();
    assert_eq!(stops, ["a".repeat(256)]);
    for long in ["\\u0061".repeat(257), "a".repeat(257), "a".repeat(5000)] {
        let error = ask(&long).unwrap_err().to_string();
        assert!(
            error.contains("expected strings of 1 to 256 bytes"),
            "{error}"
        );
    }
}

#[test]
fn list_of_the_function_is_not_limited() {
    let lists = spec(
        Surface::Completions,
        &[
            ("prompt", DataType::Bytes, 1, false),
            ("words", DataType::Bytes, -1, false),
        ],
    );
    let words = vec![r#""a""#; 100].join(",");
    let asked = |words: &str| format!(r#"{{"model":"m","prompt":"x","words":[{words}]}}"#);
    let expected = format!(r#"{{"words":[{words}],"prompt":"x"}}"#);
    assert_eq!(bodies(&lists, &asked(&words)), [expected]);
    let error = ask(&lists, &asked("\"a\",5")).unwrap_err().to_string();
    assert!(
        error.contains("'words': expected a string or an array of strings"),
        "{error}"
    );
    let stops = format!(r#"{{"model":"m","prompt":"x","stop":[{words}]}}"#);
    let error = ask(&completions(), &stops).unwrap_err().to_string();
    assert!(
        error.contains("'stop': expected at most 16 elements"),
        "{error}"
    );
}

#[test]
fn errors_are_reported_by_name() {
    let completions = completions();
    let invalid = |member: &str, what: &str| format!("Invalid value for '{member}': {what}.");
    let missing = |member: &str| format!("Missing required parameter: '{member}'.");
    let unsupported = |member: &str| {
        format!("Unsupported parameter: '{member}' is not supported with this model.")
    };
    let table = [
        (r#"{"prompt":"a"}"#, missing("model")),
        (r#"{"model":null,"prompt":"a"}"#, missing("model")),
        (
            r#"{"model":5}"#,
            invalid("model", "expected a string, found 5"),
        ),
        (r#"{"model":"m"}"#, missing("prompt")),
        (
            r#"{"model":"m","prompt":{}}"#,
            invalid(
                "prompt",
                "expected a string or an array of strings, found an object",
            ),
        ),
        (
            r#"{"model":"m","prompt":[]}"#,
            invalid("prompt", "expected at least one"),
        ),
        (
            r#"{"model":"m","prompt":[1]}"#,
            invalid(
                "prompt",
                "tokens are not supported, expected a string, found 1",
            ),
        ),
        (
            r#"{"model":"m","prompt":"a","stream":1}"#,
            invalid("stream", "expected a boolean, found 1"),
        ),
        (
            r#"{"model":"m","prompt":"a","stream_options":{}}"#,
            invalid("stream_options", "it is only allowed when 'stream' is true"),
        ),
        (
            r#"{"model":"m","prompt":"a","max_tokens":1.5}"#,
            invalid("max_tokens", "expected an integer, found 1.5"),
        ),
        (
            r#"{"model":"m","prompt":"a","max_tokens":9223372036854775808}"#,
            invalid(
                "max_tokens",
                "expected an integer that fits INT64, found 9223372036854775808",
            ),
        ),
        (
            r#"{"model":"m","prompt":"a","max_tokens":-1}"#,
            invalid("max_tokens", "expected an integer of at least 0, found -1"),
        ),
        (
            r#"{"model":"m","prompt":"a","max_completion_tokens":-9}"#,
            invalid("max_tokens", "expected an integer of at least 0, found -9"),
        ),
        (
            r#"{"model":"m","prompt":"a","max_tokens":1,"max_completion_tokens":1}"#,
            invalid("max_completion_tokens", "'max_tokens' has the same meaning"),
        ),
        (
            r#"{"model":"m","prompt":"a","temperature":"x"}"#,
            invalid("temperature", "expected a number, found a string"),
        ),
        (
            r#"{"model":"m","prompt":"a","seed":"x"}"#,
            invalid("seed", "expected an integer, found a string"),
        ),
        (
            r#"{"model":"m","prompt":"a","stop":[""]}"#,
            invalid("stop", "expected strings of 1 to 256 bytes"),
        ),
        (r#"{"model":"m","prompt":"a","n":2}"#, unsupported("n")),
        (r#"{"model":"m","prompt":"a","n":"1"}"#, unsupported("n")),
        (
            r#"{"model":"m","prompt":"a","echo":true}"#,
            unsupported("echo"),
        ),
        (
            r#"{"model":"m","prompt":"a","logprobs":0}"#,
            unsupported("logprobs"),
        ),
        (
            r#"{"model":"m","prompt":"a","suffix":"x"}"#,
            unsupported("suffix"),
        ),
    ];
    for (json, expected) in table {
        let error = ask(&completions, json).unwrap_err();
        assert_eq!(
            (error.to_string(), error.status()),
            (expected, 400),
            "{json}"
        );
    }
    let table = [
        (
            r#"{"model":"m","messages":"x"}"#,
            invalid("messages", "expected an array, found a string"),
        ),
        (
            r#"{"model":"m","messages":[5]}"#,
            invalid("messages[0]", "expected an object, found 5"),
        ),
        (
            r#"{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":5}"#,
            unsupported("max_tokens"),
        ),
        (
            r#"{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema"}}"#,
            unsupported("response_format"),
        ),
        (
            r#"{"model":"m","messages":[{"role":"user","content":"x","content":"y"}]}"#,
            invalid(
                "messages[0]",
                "member 'content' occurs twice at line 1 column 38",
            ),
        ),
    ];
    for (json, expected) in table {
        assert_eq!(
            ask(&chat(), json).unwrap_err().to_string(),
            expected,
            "{json}"
        );
    }
    for json in [
        "",
        "[]",
        "{",
        r#"{"model":"m","prompt":"a","prompt":"a"}"#,
        "{\"model\":\"m\"} x",
    ] {
        let error = ask(&completions, json).unwrap_err();
        assert!(matches!(error, OpenAiError::Json { .. }), "{json}");
    }
}

#[test]
fn size_of_all_prompts_is_limited() {
    let prompts = format!("[{}]", vec![r#""aaaaaaaaaa""#; 100].join(","));
    let json = format!(r#"{{"model":"m","prompt":{prompts}}}"#);
    let error = ask(&completions(), &json).unwrap_err().to_string();
    assert!(error.contains("are larger than 1000 bytes"), "{error}");
    let json = format!(
        r#"{{"model":"m","prompt":[{}]}}"#,
        vec!["1"; 1_000_000].join(",")
    );
    let error = ask(&completions(), &json).unwrap_err().to_string();
    assert!(error.contains("at most 128 elements"), "{error}");
}
