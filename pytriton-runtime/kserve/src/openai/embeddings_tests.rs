use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::model::TensorSpec;
use pytriton_core::testing::IDENTITY;
use pytriton_protocol::tensor::DataType;

use super::super::rows::MAX_REPEATED_BYTES;
use super::*;

/// A model with these inputs, all but the first optional.
fn spec(max_batch_size: u32, inputs: &[(&str, DataType)]) -> ModelSpec {
    let inputs = inputs.iter().enumerate();
    let inputs = inputs
        .map(|(index, &(name, datatype))| TensorSpec::new(name, datatype, [1]).optional(index > 0));
    let mut spec = IDENTITY.spec().unwrap();
    spec.inputs = inputs.collect();
    spec.openai = Some(Surface::Embeddings);
    spec.max_batch_size = max_batch_size;
    spec
}

/// The values of a request.
#[derive(Debug)]
struct Parsed {
    encoding: VectorEncoding,
    dimensions: Option<NonZeroUsize>,
    bodies: Vec<TrackedBytes>,
}

fn ask(spec: &ModelSpec, members: &str) -> Result<Parsed, OpenAiError> {
    let json = format!(r#"{{"model":"m",{members}}}"#);
    let budget = MemoryBudget::new(1 << 20);
    let mut permit = budget.empty_permit();
    let request = OpenAiRequest::read(json.as_bytes(), &mut permit)?;
    let request = request.embeddings(spec, 1000, &mut permit)?;
    let bodies = request.bodies(&mut permit)?;
    let written = bodies.iter().map(|body| body.len()).sum::<usize>();
    assert!(written <= request.bytes(), "{members}");
    Ok(Parsed {
        encoding: request.encoding,
        dimensions: request.dimensions,
        bodies,
    })
}

fn bodies(spec: &ModelSpec, members: &str) -> Vec<String> {
    let request = ask(spec, members).unwrap_or_else(|error| panic!("{members}: {error}"));
    let bodies = request.bodies.into_iter();
    bodies
        .map(|body| String::from_utf8(body.to_vec()).unwrap())
        .collect()
}

#[test]
fn texts_are_divided_into_batches() {
    let table: [(&str, &[&str]); 6] = [
        (r#""input":"a\"\u00e9""#, &[r#"{"texts":["a\"\u00e9"]}"#]),
        (r#""input":["a"]"#, &[r#"{"texts":["a"]}"#]),
        (r#""input":["a",""]"#, &[r#"{"texts":["a",""]}"#]),
        (
            r#""input":["a","b","c"]"#,
            &[r#"{"texts":["a","b"]}"#, r#"{"texts":["c"]}"#],
        ),
        (
            r#""input":["a","b","c","d"],"user":"x""#,
            &[r#"{"texts":["a","b"]}"#, r#"{"texts":["c","d"]}"#],
        ),
        (r#""texts":["x"],"input":"a""#, &[r#"{"texts":["a"]}"#]),
    ];
    for (members, expected) in table {
        assert_eq!(
            bodies(&spec(2, &[("texts", DataType::Bytes)]), members),
            expected
        );
    }
}

#[test]
fn batch_costs_at_most_as_much_as_a_call() {
    let mut spec = spec(4, &[("texts", DataType::Bytes)]);
    spec.cost_input = Some(0);
    spec.call_options.max_batch_cost = 5;
    let table: [(&str, &[&str]); 4] = [
        (r#"["ab","abc"]"#, &[r#"["ab","abc"]"#]),
        (r#"["ab","abcd"]"#, &[r#"["ab"]"#, r#"["abcd"]"#]),
        // A single text that costs more is left to the scheduler.
        (
            r#"["abcdefg","a","b"]"#,
            &[r#"["abcdefg"]"#, r#"["a","b"]"#],
        ),
        (r#"["","","","",""]"#, &[r#"["","","",""]"#, r#"[""]"#]),
    ];
    for (texts, expected) in table {
        let expected: Vec<_> = expected
            .iter()
            .map(|texts| format!(r#"{{"texts":{texts}}}"#))
            .collect();
        assert_eq!(bodies(&spec, &format!(r#""input":{texts}"#)), expected);
    }
    spec.cost_input = None;
    assert_eq!(bodies(&spec, r#""input":["abcd","abcd"]"#).len(), 1);
}

#[test]
fn other_inputs_and_parameters_are_members() {
    let mut spec = spec(
        2,
        &[
            ("texts", DataType::Bytes),
            ("task", DataType::Bytes),
            ("k", DataType::Int64),
        ],
    );
    let members = r#""input":["a","b","c"],"task":"query","k":3,"x":{"y":1},"user":"u""#;
    let inputs = [
        r#""texts":["a","b"],"task":["query","query"],"k":[3,3]}"#,
        r#""texts":["c"],"task":["query"],"k":[3]}"#,
    ];
    assert_eq!(
        bodies(&spec, members),
        inputs.map(|inputs| format!("{{{inputs}"))
    );
    spec.takes_parameters = true;
    let parameters = r#"{"user":"u","x":"{\"y\":1}","#;
    assert_eq!(
        bodies(&spec, members),
        inputs.map(|inputs| format!("{parameters}{inputs}"))
    );
    let wrong = ask(&spec, r#""input":"a","k":"3""#).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "Invalid value for 'k': expected an integer, found a string."
    );
    spec.inputs[1].optional = false;
    let missing = ask(&spec, r#""input":"a""#).unwrap_err();
    assert_eq!(missing.to_string(), "Missing required parameter: 'task'.");
}

#[test]
fn encoding_and_dimensions_are_read() {
    let spec = spec(2, &[("texts", DataType::Bytes)]);
    let table = [
        ("", VectorEncoding::Float, None),
        (r#","encoding_format":"float""#, VectorEncoding::Float, None),
        (
            r#","encoding_format":null,"dimensions":null"#,
            VectorEncoding::Float,
            None,
        ),
        (
            r#","encoding_format":"base64","dimensions":1"#,
            VectorEncoding::Base64,
            Some(1),
        ),
        (r#","dimensions":384"#, VectorEncoding::Float, Some(384)),
    ];
    for (members, encoding, dimensions) in table {
        let request = ask(&spec, &format!(r#""input":"a"{members}"#)).unwrap();
        let found = request.dimensions.map(NonZeroUsize::get);
        assert_eq!(
            (request.encoding, found),
            (encoding, dimensions),
            "{members}"
        );
    }
}

#[test]
fn mistakes_name_the_member() {
    let spec = spec(2, &[("texts", DataType::Bytes)]);
    let long = format!(r#""input":"{}""#, "x".repeat(1000));
    let many = format!(r#""input":[{}"a"]"#, r#""","#.repeat(MAX_TEXTS));
    let table = [
        (r#""user":"x""#, "Missing required parameter: 'input'."),
        (
            r#""input":7"#,
            "Invalid value for 'input': expected a string or an array of strings, found 7.",
        ),
        (
            r#""input":[]"#,
            "Invalid value for 'input': expected at least one.",
        ),
        (
            r#""input":[1,2]"#,
            "Invalid value for 'input': tokens are not supported, expected a string, found 1.",
        ),
        (
            r#""input":["a",[1,2]]"#,
            "Invalid value for 'input': tokens are not supported, expected a string, found an array.",
        ),
        (
            &many,
            "Invalid value for 'input': expected at most 2048 elements at line 1 column 6149.",
        ),
        (
            &long,
            "Invalid value for 'input': together, its requests are larger than 1000 bytes.",
        ),
        (
            r#""input":"a","encoding_format":"int8""#,
            "Invalid value for 'encoding_format': expected \"float\" or \"base64\", found a string.",
        ),
        (
            r#""input":"a","dimensions":0"#,
            "Invalid value for 'dimensions': expected an integer of at least 1, found 0.",
        ),
        (
            r#""input":"a","dimensions":1.5"#,
            "Invalid value for 'dimensions': expected an integer of at least 1, found 1.5.",
        ),
    ];
    for (members, expected) in table {
        let error = ask(&spec, members).unwrap_err();
        assert_eq!((error.status(), &*error.to_string()), (400, expected));
    }
}

#[test]
fn requests_are_reserved_before_they_are_made() {
    let spec = spec(1, &[("texts", DataType::Bytes)]);
    let json = format!(r#"{{"model":"m","input":[{}"a"]}}"#, r#""a","#.repeat(1000));
    let ask = |budget: usize| {
        let budget = MemoryBudget::new(budget);
        let mut permit = budget.empty_permit();
        let request = OpenAiRequest::read(json.as_bytes(), &mut permit)?;
        let request = request.embeddings(&spec, usize::MAX, &mut permit)?;
        Ok::<_, OpenAiError>(request.bodies(&mut permit)?.len())
    };
    assert_eq!(ask(4 << 20), Ok(1001));
    assert_eq!(ask(1 << 20).unwrap_err().status(), 503);
}

#[test]
fn repeated_values_are_limited() {
    let inputs = [("texts", DataType::Bytes), ("task", DataType::Bytes)];
    let table = [(1, inputs.as_slice(), false), (2048, &inputs, false)];
    // Parameters are repeated for each batch.
    let table = table.into_iter().chain([(1, &inputs[..1], true)]);
    for (max_batch_size, inputs, takes_parameters) in table {
        let mut spec = spec(max_batch_size, inputs);
        spec.takes_parameters = takes_parameters;
        for (length, is_allowed) in [(100, true), (8000, true), (9000, false)] {
            let texts = [r#""a""#; MAX_TEXTS].join(",");
            let task = "x".repeat(length);
            let json = format!(r#"{{"model":"m","input":[{texts}],"task":"{task}"}}"#);
            let mut permit = MemoryPermit::unlimited();
            let request = OpenAiRequest::read(json.as_bytes(), &mut permit).unwrap();
            let got = request.embeddings(&spec, usize::MAX, &mut permit);
            match got {
                Ok(request) => assert!(is_allowed && request.bytes() > length * MAX_TEXTS),
                Err(error) => {
                    let most = json.len() + MAX_REPEATED_BYTES;
                    let text = format!("together, its requests are larger than {most} bytes");
                    assert!(!is_allowed && error.to_string().contains(&text), "{error}");
                    assert_eq!(error.status(), 400);
                }
            }
        }
    }
}
