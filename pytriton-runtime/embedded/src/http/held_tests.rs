//! Memory reservations of requests and their responses.

use axum::body::{Body, to_bytes};
use axum::http::Request;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_engine::Limits;

use crate::testing::{IDENTITY, app_state, settles};

use super::response::{HttpResponse, JSON, held};
use super::tests::{INFER, send};

/// A binary request of this size for `Identity`.
fn binary(bytes: usize) -> Request<Body> {
    let json = format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"FP32","shape":[1,{}],"parameters":{{"binary_data_size":{bytes}}}}}],"parameters":{{"binary_data_output":true}}}}"#,
        bytes / 4
    );
    let length = json.len();
    let mut body = json.into_bytes();
    body.resize(length + bytes, 0);
    let request = Request::builder().method("POST").uri(INFER);
    let request = request.header("inference-header-content-length", length);
    request.body(body.into()).unwrap()
}

#[tokio::test]
async fn requests_and_responses_stay_within_the_budget() {
    const KIB: usize = 1 << 10;
    let limits = Limits {
        max_bytes_in_flight: 200 * KIB,
        ..Limits::default()
    };
    let app = app_state(&[&IDENTITY], limits).await;
    let budget = app.models.budget();
    let ask =
        |bytes: usize| super::handle(&app, pytriton_engine::port::Port::Http, binary(bytes * KIB));
    let unread = ask(80).await;
    assert_eq!(unread.status(), 200);
    settles(budget, 80 * KIB).await;
    // The request fits, but not together with its response; or the request does not fit.
    for bytes in [70, 130] {
        let refused = ask(bytes).await;
        assert_eq!(refused.status(), 503);
        let text = to_bytes(Body::new(refused.into_body()), usize::MAX)
            .await
            .unwrap();
        let text = String::from_utf8(text.to_vec()).unwrap();
        assert!(
            text.contains("the limit is 204800 bytes. Use --max-bytes-in-flight"),
            "{text}"
        );
        settles(budget, 80 * KIB).await;
    }
    let tensor = to_bytes(Body::new(unread.into_body()), usize::MAX)
        .await
        .unwrap();
    let tensor = tensor.slice(tensor.len() - 4..);
    settles(budget, 0).await;
    drop(tensor);
    assert_eq!(ask(95).await.status(), 200);
    settles(budget, 0).await;
}

#[tokio::test]
async fn named_outputs_are_counted_and_bounded() {
    const MIB: usize = 1 << 20;
    let limits = Limits {
        // Enough for a body and one copy of its text.
        max_bytes_in_flight: 7 * MIB,
        ..Limits::default()
    };
    let small = app_state(&[&IDENTITY], limits).await;
    let large = app_state(&[&IDENTITY], Limits::default()).await;
    let input = r#"{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":[1]}"#;
    let text = "x".repeat(3 * MIB);
    // This number of inputs with this number of dimensions.
    let shapes = |inputs: usize, dims: usize| {
        let shape = vec!["1"; dims].join(",");
        let input =
            format!(r#"{{"name":"INPUT_1","datatype":"FP32","shape":[{shape}],"data":[1]}}"#);
        format!(r#"{{"inputs":[{}]}}"#, vec![input; inputs].join(","))
    };
    let table = [
        (
            format!(r#"{{"inputs":[{input}],"id":"{text}"}}"#),
            503,
            "the limit is 7340032 bytes",
        ),
        (
            format!(r#"{{"inputs":[{input}],"parameters":{{"p":"{text}"}}}}"#),
            200,
            "",
        ),
        (
            format!(r#"{{"inputs":[{}]}}"#, ["{}"; 65_537].join(",")),
            400,
            "more than 65536 items",
        ),
        (
            format!(r#"{{"inputs":[{}]}}"#, vec![input; 65_537].join(",")),
            400,
            "more than 65536 items",
        ),
        (shapes(1, 65_537), 400, "more than 65536 dimensions"),
        (shapes(257, 256), 400, "more than 65536 dimensions"),
        // This number is processed.
        (shapes(256, 256), 400, "already exists in request"),
    ];
    for (body, status, words) in table {
        // A request that is refused for its number of items needs enough memory.
        let app = if status == 400 { &large } else { &small };
        let got = send(app, "POST", INFER, &[], body).await;
        assert_eq!(got.status, status, "{}", got.text());
        assert!(got.text().contains(words), "{}", got.text());
        settles(app.models.budget(), 0).await;
    }
}

#[tokio::test]
async fn model_lists_are_counted_until_they_are_sent() {
    const KIB: usize = 1 << 10;
    let limits = Limits {
        max_bytes_in_flight: 20 * KIB,
        ..Limits::default()
    };
    let app = app_state(&[&IDENTITY], limits).await;
    let reserve = |kib: usize| held(&app, JSON, "x".repeat(kib * KIB));
    let budget = app.models.budget();
    let first = reserve(12).ok();
    assert!(first.is_some() && budget.reserved() == 12 * KIB);
    assert_eq!(
        reserve(12)
            .err()
            .map(|failure| HttpResponse::from(failure).status().as_u16()),
        Some(503)
    );
    drop(first);
    assert_eq!(budget.reserved(), 0);
    assert!(reserve(12).is_ok());
}

#[tokio::test]
async fn parameters_are_bounded_in_number_and_in_memory() {
    const MIB: usize = 1 << 20;
    let limits = Limits {
        max_bytes_in_flight: 8 * MIB,
        ..Limits::default()
    };
    let app = app_state(&[&IDENTITY], limits).await;
    let input = r#"{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":[1]}"#;
    let body = |count: usize| {
        let members: Vec<String> = (0..count).map(|name| format!(r#""{name}":0"#)).collect();
        format!(
            r#"{{"inputs":[{input}],"parameters":{{{}}}}}"#,
            members.join(",")
        )
    };
    // Few are read, more exceed the budget, and even more are refused regardless of the budget.
    for (count, status, words) in [
        (1, 200, ""),
        (5000, 200, ""),
        (65_536, 503, "the limit is 8388608 bytes"),
        (200_000, 503, "the limit is 8388608 bytes"),
    ] {
        let got = send(&app, "POST", INFER, &[], body(count)).await;
        assert_eq!(got.status, status, "{count}: {}", got.text());
        assert!(got.text().contains(words), "{count}: {}", got.text());
        settles(app.models.budget(), 0).await;
    }
    let app = app_state(&[&IDENTITY], Limits::default()).await;
    for (count, status, words) in [(65_536, 200, ""), (65_537, 400, "more than 65536 members")] {
        let got = send(&app, "POST", INFER, &[], body(count)).await;
        assert_eq!(got.status, status, "{count}: {}", got.text());
        assert!(got.text().contains(words), "{count}: {}", got.text());
        settles(app.models.budget(), 0).await;
    }
}

#[tokio::test]
async fn classifications_fit_the_budget_or_are_refused() {
    const MIB: usize = 1 << 20;
    let limits = Limits {
        max_bytes_in_flight: 16 * MIB,
        ..Limits::default()
    };
    let app = app_state(&[&IDENTITY], limits).await;
    let zeros = vec!["0"; 256 << 10].join(",");
    for (classes, status) in [(1, 200), (1000, 200), (1_000_000_000, 503)] {
        let body = format!(
            r#"{{"inputs":[{{"name":"INPUT_1","datatype":"FP32","shape":[1,262144],"data":[{zeros}]}}],"outputs":[{{"name":"OUTPUT_1","parameters":{{"classification":{classes}}}}}]}}"#
        );
        let got = send(&app, "POST", INFER, &[], body).await;
        assert_eq!(got.status, status, "{classes}: {}", got.text());
        settles(app.models.budget(), 0).await;
    }
}

#[tokio::test]
async fn a_configuration_is_counted_until_it_is_sent() {
    const TEXT_BYTES: usize = 8 << 10;
    let text: &'static str = "x".repeat(TEXT_BYTES).leak();
    let model = ModelDeclaration {
        options: ModelOptions {
            parameters: vec![("text", text)].leak(),
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let limits = Limits {
        max_bytes_in_flight: 2 * TEXT_BYTES,
        ..Limits::default()
    };
    let app = app_state(&[&model], limits).await;
    let ask = |path: &str| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        super::handle(&app, pytriton_engine::port::Port::Http, request)
    };
    let unread = ask("/v2/models/Identity/config").await;
    assert_eq!(unread.status(), 200);
    let reserved = app.models.budget().reserved();
    assert!(reserved > TEXT_BYTES, "{reserved}");
    assert_eq!(ask("/v2/models/Identity/config").await.status(), 503);
    for path in ["/v2", "/v2/health/ready", "/v2/models/Identity"] {
        assert_eq!(ask(path).await.status(), 200, "{path}");
    }
    drop(unread);
    assert_eq!(app.models.budget().reserved(), 0);
}
