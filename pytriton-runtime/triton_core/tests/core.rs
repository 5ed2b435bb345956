//! Tests with the real library, which `install` downloads.

#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{TestCore, alone, library};
use pytriton_core::request::{InferRequest, ParameterValue, RequestedOutput, Sequence};
use pytriton_core::tensor::{DataType, encode_bytes_elements};
use pytriton_triton_core::{Code, Core, CoreError, CoreOptions, Library, LibraryError, Responses};
use tokio::time::timeout;

const MIB: usize = 1 << 20;

/// The time limit for a response, and for the end of a cancelled request.
const TIMEOUT: Duration = Duration::from_secs(10);

fn code(error: &CoreError) -> Option<Code> {
    match error {
        CoreError::Triton { code, .. } => Some(*code),
        _ => None,
    }
}

/// Waits until the server has completed and released all requests.
fn wait_for_requests(core: &Core) {
    let deadline = Instant::now() + TIMEOUT;
    while core.requests() > 0 {
        assert!(Instant::now() < deadline, "{} requests", core.requests());
        std::thread::sleep(Duration::from_millis(1));
    }
}

async fn only(responses: Responses) -> Result<pytriton_triton_core::CoreResponse, CoreError> {
    timeout(TIMEOUT, responses.only()).await.unwrap()
}

#[tokio::test]
async fn response_contains_the_buffers_of_the_backend() {
    let test = TestCore::start(&["Echo", "Text"], MIB, 10);
    let mut request = test.request(&[1.0, 2.5]);
    request.id = "my id".to_owned();
    let response = only(test.core.infer("Echo", None, request).unwrap()).await;
    let response = response.unwrap();
    assert_eq!((&*response.model_name, response.model_version), ("Echo", 1));
    assert_eq!(response.id, "my id");
    let y = response.output("y").unwrap();
    assert_eq!((y.datatype(), y.shape()), (DataType::Fp32, &[1, 2][..]));
    assert_eq!(y.elements::<f32>().unwrap(), vec![1.0, 2.5]);
    assert_eq!(y.data().as_ptr().align_offset(64), 0);

    let data = encode_bytes_elements(["ä", "", "long"].map(str::as_bytes)).unwrap();
    let request = test.bytes(DataType::Bytes, &[1, 3], data.to_vec());
    let response = only(test.core.infer("Text", Some(1), request).unwrap()).await;
    assert_eq!(response.unwrap().output("y").unwrap().data(), &data);

    let request = test.bytes(DataType::Fp32, &[1, 0], Vec::new());
    let response = only(test.core.infer("Echo", None, request).unwrap()).await;
    assert_eq!(response.unwrap().output("y").unwrap().shape(), [1, 0]);
}

#[tokio::test]
async fn memory_of_inputs_and_outputs_is_reserved() {
    let test = TestCore::start(&["Echo"], MIB, 10);
    let row = vec![1.0; 64 << 10];
    let response = only(test.core.infer("Echo", None, test.request(&row)).unwrap()).await;
    let y = response.unwrap().output("y").unwrap().clone();
    wait_for_requests(&test.core);
    assert_eq!(test.budget.reserved(), 256 << 10);
    drop(y);
    assert_eq!(test.budget.reserved(), 0);

    let row = vec![1.0; 160 << 10];
    let responses = test.core.infer("Echo", None, test.request(&row)).unwrap();
    let error = only(responses).await.unwrap_err();
    assert_eq!(code(&error), Some(Code::Unavailable));
    assert!(
        error.to_string().contains("cannot hold 655360 more"),
        "{error}"
    );
    wait_for_requests(&test.core);
    assert_eq!(test.budget.reserved(), 0);
}

#[tokio::test]
async fn request_arrives_with_its_parameters() {
    let test = TestCore::start(&["Echo"], MIB, 10);
    let mut request = test.request(&[1.0]);
    request.timeout_microseconds = 5_000_000;
    request.priority = 0;
    request.sequence = Some(Sequence::new("a").unwrap().start(true).end(true));
    request.outputs.push(RequestedOutput {
        name: "y".to_owned(),
        ..RequestedOutput::default()
    });
    let sent = [
        ("text", ParameterValue::from("value")),
        ("int", ParameterValue::Int64(-3)),
        ("unsigned", ParameterValue::Uint64(7)),
        ("bool", ParameterValue::Bool(true)),
        ("double", ParameterValue::Double(0.5)),
    ];
    for (name, value) in &sent {
        request.parameters.insert(*name, value.clone());
    }
    let response = only(test.core.infer("Echo", None, request).unwrap()).await;
    let parameters = response.unwrap().parameters;
    assert_eq!(parameters.int("timeout"), Some(5_000_000));
    assert_eq!(parameters.int("flags"), Some(3));
    assert_eq!(parameters.str("correlation"), Some("a"));
    assert_eq!(parameters.int("outputs"), Some(1));
    for (name, value) in sent {
        let received = parameters.get(name).cloned();
        let expected = match value {
            ParameterValue::Uint64(7) => ParameterValue::Int64(7),
            other => other,
        };
        assert_eq!(received, Some(expected), "{name}");
    }
    let mut request = test.request(&[1.0]);
    request.sequence = Sequence::new(42);
    let response = only(test.core.infer("Echo", None, request).unwrap()).await;
    assert_eq!(response.unwrap().parameters.int("correlation"), Some(42));
}

#[tokio::test]
async fn invalid_requests_are_refused_before_they_are_queued() {
    let test = TestCore::start(&["Echo"], MIB, 10);
    type Change = fn(&mut InferRequest);
    let table: [(&str, Option<i64>, Change, Code, &str); 7] = [
        ("Unknown", None, |_| {}, Code::NotFound, "unknown model"),
        ("Slow", None, |_| {}, Code::NotFound, "unknown model"),
        ("Echo", Some(7), |_| {}, Code::NotFound, "version 7"),
        (
            "Echo",
            None,
            |request| request.inputs[0].shape = vec![1, 2, 3],
            Code::InvalidArgument,
            "unexpected shape",
        ),
        (
            "Echo",
            None,
            |request| request.inputs[0].shape = vec![1, 3],
            Code::InvalidArgument,
            "",
        ),
        (
            "Echo",
            None,
            |request| request.inputs[0].datatype = DataType::Int32,
            Code::InvalidArgument,
            "data-type",
        ),
        (
            "Echo",
            None,
            |request| request.inputs.clear(),
            Code::InvalidArgument,
            "expected 1 inputs but got 0",
        ),
    ];
    for (model, version, change, expected, text) in table {
        let mut request = test.request(&[1.0, 2.0]);
        change(&mut request);
        let error = test.core.infer(model, version, request).unwrap_err();
        assert_eq!(code(&error), Some(expected), "{model} {text}: {error}");
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(test.core.requests(), 0);
    }
    let mut request = test.request(&[1.0]);
    request.id = "a\0b".to_owned();
    let error = test.core.infer("Echo", None, request).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the ID of the request contains a zero byte"
    );
    let mut request = test.request(&[1.0]);
    request.outputs.push(RequestedOutput {
        name: "y".to_owned(),
        classification: 3,
        ..RequestedOutput::default()
    });
    let error = test.core.infer("Echo", None, request).unwrap_err();
    assert!(matches!(error, CoreError::Unsupported { .. }), "{error}");
    let mut request = test.request(&[1.0]);
    request.parameters.insert("x", u64::MAX);
    let error = test.core.infer("Echo", None, request).unwrap_err();
    assert!(matches!(error, CoreError::Unsupported { .. }), "{error}");
    assert_eq!(test.budget.reserved(), 0);
}

#[tokio::test]
async fn error_of_the_model_has_its_code() {
    let test = TestCore::start(&["Fail", "Short"], MIB, 10);
    let responses = test.core.infer("Fail", None, test.request(&[1.0])).unwrap();
    let error = only(responses).await.unwrap_err();
    assert_eq!(code(&error), Some(Code::Unavailable));
    assert_eq!(error.status().http(), 503);
    assert!(error.to_string().starts_with("no capacity"), "{error}");
    // The shape of the output does not match its size.
    let request = test.request(&[1.0, 2.0]);
    let error = only(test.core.infer("Short", None, request).unwrap()).await;
    let error = error.unwrap_err();
    assert!(matches!(error, CoreError::Response { .. }), "{error}");
    assert!(
        error.to_string().contains("output 'y' is invalid"),
        "{error}"
    );
}

#[tokio::test]
async fn responses_of_a_stream_arrive_in_order_with_a_final_flag() {
    let test = TestCore::start(&["Stream"], MIB, 10);
    for count in [0.0_f32, 1.0, 4.0, 5.0, 100.0] {
        let request = test.request(&[count]);
        let mut responses = test.core.infer("Stream", None, request).unwrap();
        let mut received = Vec::new();
        loop {
            let event = timeout(TIMEOUT, responses.next()).await.unwrap().unwrap();
            if let Some(response) = event.response {
                let response = response.unwrap();
                let y = response.output("y").unwrap();
                received.push(y.elements::<f32>().unwrap()[0]);
            }
            if event.is_final {
                break;
            }
        }
        assert!(responses.next().await.is_none());
        let expected = (0_u8..).map(f32::from).take_while(|index| *index < count);
        assert_eq!(received, expected.collect::<Vec<_>>());
    }
    let responses = test
        .core
        .infer("Stream", None, test.request(&[2.0]))
        .unwrap();
    let error = only(responses).await.unwrap_err().to_string();
    assert!(error.contains("more than one"), "{error}");
    wait_for_requests(&test.core);
}

#[tokio::test]
async fn stream_of_a_slow_reader_is_cut_off_by_the_budget() {
    let test = TestCore::start(&["Stream"], MIB, 10);
    // Even, so that the backend sees the cancellation.
    let request = test.request(&[1_000_000.0]);
    let mut responses = test.core.infer("Stream", None, request).unwrap();
    wait_for_requests(&test.core);
    let (mut count, mut last) = (0, None);
    while let Some(event) = responses.next().await {
        count += 1;
        last = event.response;
    }
    let error = last.unwrap().unwrap_err();
    assert!(matches!(error, CoreError::Memory(_)), "{error}");
    assert!((1000..20_000).contains(&count), "{count}");
    assert_eq!(test.budget.reserved(), 0);
}

#[tokio::test]
async fn dropping_the_responses_cancels_the_request() {
    let test = TestCore::start(&["Slow", "Stream"], MIB, 10);
    let begun = Instant::now();
    let running = test.core.infer("Slow", None, test.request(&[1.0])).unwrap();
    let queued = test.core.infer("Slow", None, test.request(&[1.0])).unwrap();
    assert_eq!(test.core.requests(), 2);
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop((running, queued));
    wait_for_requests(&test.core);
    let mut responses = test
        .core
        .infer("Stream", None, test.request(&[16_000_000.0]))
        .unwrap();
    for _ in 0..10 {
        responses.next().await.unwrap();
    }
    drop(responses);
    wait_for_requests(&test.core);
    assert!(begun.elapsed() < TIMEOUT, "{:?}", begun.elapsed());
    assert_eq!(test.budget.reserved(), 0);
}

#[tokio::test]
async fn server_describes_itself_and_its_models() {
    let test = TestCore::start(&["Echo"], MIB, 10);
    let core = &test.core;
    assert!(core.is_live().unwrap() && core.is_ready().unwrap());
    assert!(core.model_is_ready("Echo", None).unwrap());
    assert!(!core.model_is_ready("Slow", None).unwrap_or(false));
    let metadata = core.metadata().unwrap();
    assert!(metadata.contains(r#""version":"2.51.0""#), "{metadata}");
    assert!(metadata.contains("model_repository"), "{metadata}");
    let model = core.model_metadata("Echo", None).unwrap();
    assert!(model.contains(r#""name":"x","datatype":"FP32""#), "{model}");
    let config = core.config("Echo", Some(1)).unwrap();
    assert!(config.contains(r#""max_batch_size":8"#), "{config}");
    only(core.infer("Echo", None, test.request(&[1.0])).unwrap())
        .await
        .unwrap();
    wait_for_requests(core);
    let statistics = core.statistics(Some("Echo"), None).unwrap();
    assert!(
        statistics.contains(r#""inference_count":1"#),
        "{statistics}"
    );
    assert!(core.statistics(None, None).unwrap().contains("Echo"));
    let metrics = core.metrics().unwrap();
    assert!(
        metrics.contains("nv_inference_request_success"),
        "{metrics}"
    );
    let error = core.config("Slow", None).unwrap_err();
    assert!(error.to_string().contains("Slow"), "{error}");
}

#[tokio::test]
async fn models_are_loaded_and_unloaded() {
    let test = TestCore::start(&[], MIB, 10);
    let core = &test.core;
    assert!(!core.model_is_ready("Echo", None).unwrap_or(false));
    core.load("Echo", None).unwrap();
    let infer = || core.infer("Echo", None, test.request(&[1.0]));
    only(infer().unwrap()).await.unwrap();
    let config = r#"{"backend":"test","max_batch_size":2,
        "input":[{"name":"x","data_type":"TYPE_FP32","dims":[-1]}],
        "output":[{"name":"y","data_type":"TYPE_FP32","dims":[-1]}]}"#;
    core.load("Echo", Some(config)).unwrap();
    let config = core.config("Echo", None).unwrap();
    assert!(config.contains(r#""max_batch_size":2"#), "{config}");
    let index = core.index().unwrap();
    assert!(
        index.contains(r#""name":"Echo","version":"1","state":"READY""#),
        "{index}"
    );
    core.unload("Echo", false).unwrap();
    let deadline = Instant::now() + TIMEOUT;
    while core.model_is_ready("Echo", None).unwrap_or(false) {
        assert!(Instant::now() < deadline);
    }
    infer().unwrap_err();
    assert!(core.load("Missing", None).is_err());
    let error = core.load("Broken", None).unwrap_err().to_string();
    assert!(error.contains("Broken"), "{error}");
    assert!(core.is_live().unwrap());
}

#[test]
fn request_that_outlives_its_model_is_deleted_after_a_pause() {
    let test = TestCore::start(&["Slow"], MIB, 10);
    for _ in 0..3 {
        let running = test.core.infer("Slow", None, test.request(&[1.0])).unwrap();
        // Its first pause ends before the request does.
        test.core.unload("Slow", false).unwrap();
        drop(running);
        wait_for_requests(&test.core);
        test.core.load("Slow", None).unwrap();
    }
    let running = test.core.infer("Slow", None, test.request(&[1.0])).unwrap();
    test.core.load("Slow", None).unwrap();
    let begun = Instant::now();
    drop(running);
    wait_for_requests(&test.core);
    assert!(
        begun.elapsed() >= Duration::from_millis(300),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn stop_waits_for_requests_and_refuses_others() {
    let test = TestCore::start(&["Echo", "Slow"], MIB, 3);
    let running = test.core.infer("Slow", None, test.request(&[1.0])).unwrap();
    let error = test.core.stop().unwrap_err();
    assert_eq!(error, CoreError::Unfinished { requests: 1 });
    let error = test.core.infer("Echo", None, test.request(&[1.0]));
    assert_eq!(error.unwrap_err(), CoreError::Stopping);
    assert!(!test.core.is_ready().unwrap() && !test.core.is_live().unwrap());
    drop(running);
    wait_for_requests(&test.core);
    test.core.stop().unwrap();
}

#[test]
fn stop_is_quick_if_no_request_is_running() {
    let test = TestCore::start(&["Echo", "Slow"], MIB, 10);
    test.core.stop().unwrap();
    test.core.stop().unwrap();
    let begun = Instant::now();
    drop(test);
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn invalid_options_are_errors_of_the_start() {
    let _only = alone();
    let options = CoreOptions::new("/nonexistent");
    let error = Core::start(library(), &options, None).unwrap_err();
    assert!(matches!(error, CoreError::Repository { .. }), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let mut options = CoreOptions::new(folder.path());
    options.server_id = "a\0".to_owned();
    let error = Core::start(library(), &options, None).unwrap_err();
    assert!(matches!(error, CoreError::ZeroByte { .. }), "{error}");
    let mut options = CoreOptions::new(folder.path());
    let cache = ("missing".to_owned(), "{}".to_owned());
    options.cache_configs.push(cache);
    let error = Core::start(library(), &options, None).unwrap_err();
    assert!(matches!(error, CoreError::Triton { .. }), "{error}");
    // The failed starts leave nothing behind.
    let options = CoreOptions::new(folder.path());
    let core = Core::start(library(), &options, None).unwrap();
    // It is refused before its options are read, which would change the log of the first.
    let mut invalid = options.clone();
    invalid.server_id = "a\0".to_owned();
    let error = Core::start(library(), &invalid, None).unwrap_err();
    assert_eq!(error, CoreError::Another);
    drop(core);
    Core::start(library(), &options, None).unwrap();
}

#[test]
fn other_files_are_not_opened_as_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path| Library::open(path).unwrap_err();
    let text = folder.path().join("libtritonserver.so");
    fs::write(&text, "no library").unwrap();
    library();
    // Once a library is open, every other one is refused.
    let error = open(&text);
    assert!(matches!(error, LibraryError::Another { .. }), "{error}");
    let error = open(&folder.path().join("missing.so"));
    assert!(matches!(error, LibraryError::Open { .. }), "{error}");
    let error = Library::of_installation(folder.path()).unwrap_err();
    assert!(matches!(error, LibraryError::Missing { .. }), "{error}");
    assert_eq!(library().api_version(), "1.34");
    assert_eq!(library().path(), library().path());
}
