//! User-defined elements, on both engines.

mod isolation;
mod models;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use pytriton::Triton;
use pytriton::client::{ClientError, ModelClient, Typed};
use pytriton::elements::{Bytes, Json};
use pytriton::ndarray::{Array2, Ix2, array};
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};
use pytriton_tests::{Engine, triton_builder};

use models::{Digit, Digits, GroupedDigits, MAX_ROWS, Passthrough, RECEIVED, Weighted, sums};

type Result<T = ()> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The time limit of each step.
const DEADLINE: Duration = Duration::from_secs(20);

/// More than the server counts one by one.
const LARGE_BYTES: usize = 1 << 20;

/// Serves the registered models, and `RuntimeDigits`.
fn served(engine: Engine) -> Result<Triton> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let binary = Path::new(env!("CARGO_BIN_EXE_example_identity"));
    let builder = triton_builder(engine, binary, folder)?;
    // The statistics are restricted by default.
    let builder = builder.options(|options| options.access.restricted_endpoints.0.clear());
    let triton = builder.build()?;
    triton.bind_registered()?;
    let model = Model::new("RuntimeDigits")
        .max_batch_size(8)
        .preferred_batch_size([8])
        .max_queue_delay(Duration::from_millis(300))
        .input(Input::new::<Digit>("x", [-1]))
        .output(Output::new::<Digit>("y", [1]));
    let function = Function::new(PerBatch, |call| {
        let x = call.array::<Digit, Ix2>("x")?;
        Ok(sums(x.view()))
    });
    triton.bind(model, function)?;
    triton.run()?;
    Ok(triton)
}

fn url(triton: &Triton) -> Result<String> {
    let addresses = triton.addresses().ok_or("not running")?;
    Ok(format!("http://{}", addresses.http().ok_or("no HTTP")?))
}

fn client(url: &str, model: &str) -> Result<ModelClient> {
    Ok(ModelClient::builder(url, model)
        .inference_timeout(DEADLINE)
        .build()?)
}

/// Sends one row of texts and returns the output, or the text of the error.
fn request(url: &str, model: &str, key: Option<i32>, texts: &[&str]) -> Result<String> {
    let client = client(url, model)?;
    let row = texts.iter().map(|&text| text.to_owned()).collect();
    let row: Array2<String> = Array2::from_shape_vec((1, texts.len()), row)?;
    let response = match key {
        None => client.infer_batch(row),
        Some(key) => client.infer_batch((row, array![[key]])),
    };
    let output = if model == "RuntimeDigits" {
        "y"
    } else {
        "OUTPUT_1"
    };
    Ok(match response {
        Ok(outputs) => outputs.array::<String, Ix2>(output)?[[0, 0]].clone(),
        Err(ClientError::Server {
            status, message, ..
        }) => format!("{status}: {message}"),
        Err(error) => return Err(error.into()),
    })
}

/// A group, the texts of a row, and a part of the response.
type Case = (i32, &'static [&'static str], &'static str);

/// A batch in which requests fail before and after the call.
const MIXED: [Case; 8] = [
    (0, &["1", "2"], "3"),
    (
        1,
        &["3", "x"],
        "element 1 cannot be decoded: invalid digit found in string",
    ),
    (0, &["4", "5"], "9"),
    (
        0,
        &["4", "6"],
        "element 0 cannot be encoded: 10 has several digits",
    ),
    (1, &["7", "1"], "8"),
    (1, &["!", "1"], "an exclamation mark"),
    (
        0,
        &["1", "?"],
        "element 1 cannot be decoded: invalid digit found in string",
    ),
    (1, &["+1", "1"], "the server cannot hold"),
];

/// A batch that is called, in which two requests fail.
const CALLED: [Case; 8] = [
    (0, &["1", "2"], "3"),
    (
        0,
        &["4", "6"],
        "element 0 cannot be encoded: 10 has several digits",
    ),
    (1, &["4", "5"], "9"),
    (
        1,
        &["9", "9"],
        "element 0 cannot be encoded: 18 has several digits",
    ),
    (0, &["7", "1"], "8"),
    (1, &["1", "1"], "2"),
    (0, &["2", "2"], "4"),
    (1, &["0", "6"], "6"),
];

/// Sends one row for each case at the same time.
fn request_all(url: &str, model: &'static str, grouped: bool, cases: [Case; 8]) -> Result {
    let threads = cases.map(|(key, texts, expected)| {
        let url = url.to_owned();
        let key = grouped.then_some(key);
        let thread = thread::spawn(move || request(&url, model, key, texts));
        (thread, expected)
    });
    for (thread, expected) in threads {
        let response = thread.join().map_err(|_| "a client panicked")??;
        assert!(
            response.contains(expected),
            "{model}: {response}, expected {expected}"
        );
        let status = match expected {
            _ if expected.contains("decoded") => "400",
            _ if expected.contains("cannot hold") => "503",
            _ if expected.len() > 1 => "500",
            _ => expected,
        };
        assert!(
            response.starts_with(status),
            "{model}: {response}, expected {status}"
        );
    }
    Ok(())
}

/// Waits until the statistics contain a batch of this size.
fn wait_for_batch(client: &ModelClient, size: usize) -> Result {
    let begun = Instant::now();
    loop {
        let models = client.statistics()?;
        let mut batches = models.iter().flat_map(|model| &model.batches);
        if batches.any(|batch| batch.batch_size == size as u64) {
            return Ok(());
        }
        assert!(begun.elapsed() < DEADLINE, "{models:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn only_the_invalid_request_fails(engine: Engine) -> Result {
    let triton = served(engine)?;
    let url = url(&triton)?;
    let mut mixed = MIXED;
    if matches!(engine, Engine::Tritonserver) {
        // Only the embedded engine has a memory budget.
        mixed[7].2 = "2";
    }
    // The rows of the largest call of a batch without invalid elements.
    for (model, grouped, rows) in [
        ("Digits", false, 8),
        ("RuntimeDigits", false, 8),
        ("GroupedDigits", true, 4),
    ] {
        request_all(&url, model, grouped, mixed)?;
        wait_for_batch(&client(&url, model)?, mixed.len())?;
        MAX_ROWS.store(0, Ordering::Relaxed);
        request_all(&url, model, grouped, CALLED)?;
        assert_eq!(MAX_ROWS.load(Ordering::Relaxed), rows, "{model}");
    }
    for model in ["Digits", "RuntimeDigits"] {
        isolation::one_invalid_request(&url, model)?;
    }
    isolation::outputs_not_requested(&url)?;
    let grpc = triton.addresses().and_then(|addresses| addresses.grpc());
    isolation::streams(&format!("grpc://{}", grpc.ok_or("no gRPC")?))?;
    let error = request(&url, "Digits", None, &["1", "12"])?;
    let expected =
        "input 'x' of model 'Digits': element 1 cannot be decoded: 12 has several digits";
    assert!(error.ends_with(expected), "{error}");
    triton.stop()?;
    Ok(())
}

fn every_position_takes_user_types(engine: Engine) -> Result {
    let triton = served(engine)?;
    let url = url(&triton)?;
    MAX_ROWS.store(0, Ordering::Relaxed);
    let digits = Typed::<Digits>::connect(&url)?;
    assert_eq!(
        digits.call(array![[Digit(1), Digit(2)], [Digit(3), Digit(4)]])?,
        array![[Digit(3)], [Digit(7)]]
    );
    assert_eq!(MAX_ROWS.load(Ordering::Relaxed), 2);

    let grouped = Typed::<GroupedDigits>::connect(&url)?;
    assert_eq!(
        grouped.call(array![[Digit(1)]], array![[7]])?,
        array![[Digit(1)]]
    );

    let weights = BTreeMap::from([("a".to_owned(), 2.0), ("b".to_owned(), 1.0)]);
    let weighted = Typed::<Weighted>::connect(&url)?;
    let (y, back) = weighted.call(array![[1.0_f32]], Json(weights.clone()), None::<Digit>)?;
    assert_eq!((y, back), (array![[3.0]], array![[Json(weights.clone())]]));
    let (y, _) = weighted.call(array![[1.0_f32]], Json(weights), Digit(2))?;
    assert_eq!(y, array![[5.0]]);

    let large = Bytes::from(vec![7; LARGE_BYTES]);
    let passthrough = Typed::<Passthrough>::connect(&url)?;
    let (back, lengths) = passthrough.call(array![[large.clone(), Bytes::from_static(b"ab")]])?;
    assert_eq!(back, array![[large.clone(), Bytes::from_static(b"ab")]]);
    assert_eq!(lengths, array![[LARGE_BYTES as u64, 2]]);
    // The elements share the memory of the request.
    let mut received = RECEIVED.lock().map_err(|_| "a model panicked")?;
    let (first, second) = (&received[0], &received[1]);
    assert_eq!(first, &large);
    assert_eq!(second.as_ptr(), first.as_ptr_range().end.wrapping_add(4));
    received.clear();
    triton.stop()?;
    Ok(())
}

/// One test, because the servers share the counters of the models.
#[test]
fn elements_of_user_types() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        every_position_takes_user_types(engine)?;
        only_the_invalid_request_fails(engine)?;
    }
    Ok(())
}
