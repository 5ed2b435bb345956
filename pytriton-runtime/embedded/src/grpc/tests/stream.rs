use std::time::Duration;

use futures_util::StreamExt;
use ndarray::Ix2;
use pytriton_core::call::{Call, Execution, Instance};
use pytriton_core::model::TensorDeclaration;
use pytriton_core::registry::{ModelDeclaration, ModelOptions, SequenceScheduling};
use pytriton_core::tensor::DataType;
use pytriton_engine::Limits;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use pytriton_protocol::proto::*;
use tokio::time::{sleep, timeout};
use tonic::Code;

use crate::testing::IDENTITY;

use super::{Client, TEST_TIMEOUT, client, message, serve_models, serve_within};

#[tokio::test]
async fn stream_responses_are_in_order_and_errors_do_not_end_it() {
    let (_models, mut client) = client().await;
    let unknown = ModelInferRequest {
        model_name: "Nope".to_owned(),
        ..message("3", &[1.0])
    };
    let messages = [
        message("1", &[-4.0]),
        message("2", &[1.0]),
        unknown,
        message("4", &[-3.0]),
        message("5", &[1.0]),
    ];
    let messages = futures_util::stream::iter(messages);
    let responses = client
        .model_stream_infer(messages)
        .await
        .unwrap()
        .into_inner();
    let responses: Vec<_> = timeout(
        TEST_TIMEOUT,
        responses.map(Result::unwrap).collect::<Vec<_>>(),
    )
    .await
    .unwrap();
    let received: Vec<_> = responses
        .iter()
        .map(|response| {
            (
                response.infer_response.as_ref().unwrap().id.as_str(),
                response.error_message.as_str(),
            )
        })
        .collect();
    let expected = [
        ("1", ""),
        ("2", ""),
        ("3", "Request for unknown model: 'Nope' is not found"),
        ("4", "model 'Identity' failed: asked to fail"),
        ("5", ""),
    ];
    assert_eq!(received, expected);
}

#[tokio::test]
async fn a_strict_stream_ends_with_the_status_of_the_execution_that_failed() {
    let (_models, mut client) = client().await;
    let messages = futures_util::stream::iter([message("1", &[-3.0]), message("2", &[1.0])]);
    let mut request = tonic::Request::new(messages);
    request
        .metadata_mut()
        .insert("triton_grpc_error", "true".parse().unwrap());
    let mut responses = client
        .model_stream_infer(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        responses.message().await.unwrap_err().code(),
        Code::Internal
    );
}

#[tokio::test]
async fn stopping_server_completes_accepted_requests_and_refuses_others() {
    let (models, mut client) = client().await;
    let (more, messages) = open_stream(40);
    let mut responses = client
        .model_stream_infer(messages)
        .await
        .unwrap()
        .into_inner();
    responses.next().await.unwrap().unwrap();
    models.stop_being_ready();
    let mut result = 1;
    let status = loop {
        match timeout(TEST_TIMEOUT, responses.next()).await.unwrap() {
            Some(Ok(response)) => {
                assert_eq!(response.error_message, "");
                result += 1;
            }
            Some(Err(status)) => break status,
            None => panic!("the stream ended as if nothing had happened"),
        }
    };
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(result, 40);
    drop(more);
}

/// Returns a stream of requests, and a handle that keeps it open.
fn open_stream(
    count: usize,
) -> (
    tokio::sync::mpsc::Sender<ModelInferRequest>,
    impl futures_util::Stream<Item = ModelInferRequest> + Send + 'static,
) {
    let (more, mut messages) = tokio::sync::mpsc::channel(count);
    for _ in 0..count {
        more.try_send(message("1", &[1.0])).unwrap();
    }
    let stream = futures_util::stream::poll_fn(move |context| messages.poll_recv(context));
    (more, stream)
}

/// A request of a sequence.
fn of_sequence(id: i64, step: usize, steps: usize) -> ModelInferRequest {
    let parameter = |choice| InferParameter {
        parameter_choice: Some(choice),
    };
    let flag = |name: &str, is: bool| (name.to_owned(), parameter(ParameterChoice::BoolParam(is)));
    ModelInferRequest {
        parameters: [
            flag("sequence_start", step == 0),
            flag("sequence_end", step + 1 == steps),
            (
                "sequence_id".to_owned(),
                parameter(ParameterChoice::Int64Param(id)),
            ),
        ]
        .into(),
        ..message(&format!("{id} {step}"), &[1.0])
    }
}

#[tokio::test]
async fn sequences_that_share_a_stream_do_not_starve_each_other() {
    const SEQUENCES: i64 = 12;
    const STEPS: usize = 6;
    let strategies = [1, 4, 8].map(|slots| {
        [SequenceScheduling::Direct, SequenceScheduling::Oldest].map(|strategy| (slots, strategy))
    });
    for (slots, strategy) in strategies.concat() {
        let model = ModelDeclaration {
            options: ModelOptions {
                max_batch_size: slots,
                sequence_batching: Some(strategy),
                max_sequence_idle_microseconds: 3_000_000,
                max_candidate_sequences: slots,
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let (_models, channel) = serve_models(&[&model]).await;
        let steps = (0..STEPS).flat_map(|step| (1..=SEQUENCES).map(move |id| (id, step)));
        let messages = steps.clone().map(|(id, step)| of_sequence(id, step, STEPS));
        let messages: Vec<_> = messages.collect();
        let responses = Client::new(channel)
            .model_stream_infer(futures_util::stream::iter(messages))
            .await
            .unwrap()
            .into_inner();
        let responses = timeout(
            TEST_TIMEOUT,
            responses.map(Result::unwrap).collect::<Vec<_>>(),
        );
        let responses = responses.await.unwrap();
        let responses: Vec<_> = responses
            .into_iter()
            .map(|response| (response.infer_response.unwrap().id, response.error_message))
            .collect();
        let expected = steps.map(|(id, step)| (format!("{id} {step}"), String::new()));
        assert_eq!(responses, expected.collect::<Vec<_>>(), "{model:?}");
    }
}

#[tokio::test]
async fn sequences_that_share_a_stream_continue_when_the_budget_is_freed() {
    // The number of messages that are read without a reservation.
    const UNRESERVED: usize = 16;
    // Enough for all messages, but not for the reservation of a further request.
    const FREE_BYTES: usize = 8 << 10;
    const STEPS: usize = 12;
    let model = ModelDeclaration {
        options: ModelOptions {
            max_batch_size: 1,
            sequence_batching: Some(SequenceScheduling::Direct),
            max_sequence_idle_microseconds: 20_000_000,
            max_candidate_sequences: 1,
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let (models, channel) = serve_models(&[&model]).await;
    let steps = (0..STEPS).flat_map(|step| [(1, step), (2, step)]);
    let mut messages = steps.clone().map(|(id, step)| of_sequence(id, step, STEPS));
    let (sender, mut receiver) = tokio::sync::mpsc::channel(2 * STEPS);
    for message in messages.by_ref().take(UNRESERVED) {
        sender.send(message).await.unwrap();
    }
    let requests = futures_util::stream::poll_fn(move |context| receiver.poll_recv(context));
    let mut client = Client::new(channel);
    let responses = client.model_stream_infer(requests).await.unwrap();
    let mut responses = responses.into_inner().map(Result::unwrap);
    let first = timeout(TEST_TIMEOUT, responses.next()).await.unwrap();
    // Those of the second sequence wait for the only slot.
    let budget = models.budget();
    let available = budget.limit() - budget.reserved();
    let full = budget.reserve(available - FREE_BYTES).unwrap();
    for message in messages {
        sender.send(message).await.unwrap();
    }
    drop(sender);
    sleep(Duration::from_millis(200)).await;
    drop(full);
    let rest = timeout(TEST_TIMEOUT, responses.collect::<Vec<_>>());
    let responses = first.into_iter().chain(rest.await.unwrap());
    let responses =
        responses.map(|response| (response.infer_response.unwrap().id, response.error_message));
    let expected = steps.map(|(id, step)| (format!("{id} {step}"), String::new()));
    assert_eq!(responses.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

const TEXTS: &[TensorDeclaration] = &[TensorDeclaration {
    datatype: DataType::Bytes,
    ..IDENTITY.inputs[0]
}];

/// Returns the lengths of texts.
struct Lengths;

impl Instance for Lengths {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let texts = call.array::<String, Ix2>(0)?;
            call.outputs(texts.mapv(|text| text.len() as f32))
        })
    }
}

#[tokio::test]
async fn long_and_short_requests_of_a_sequence_are_in_order() {
    const LONG_TEXT_BYTES: usize = 1 << 20;
    for scheduling in [SequenceScheduling::Direct, SequenceScheduling::Oldest] {
        let model = ModelDeclaration {
            options: ModelOptions {
                sequence_batching: Some(scheduling),
                // A long text takes more than the default time on a busy machine.
                max_sequence_idle_microseconds: 60_000_000,
                ..IDENTITY.options
            },
            inputs: TEXTS,
            load: |_| Ok(Box::new(Lengths)),
            ..IDENTITY
        };
        let (_models, channel) = serve_within(&[&model], Limits::default()).await;
        let mut client = Client::new(channel);
        for sizes in [
            [LONG_TEXT_BYTES, 1, 1, 1],
            [1, LONG_TEXT_BYTES, LONG_TEXT_BYTES, 1],
            [1, 1, LONG_TEXT_BYTES, 1],
        ] {
            let messages = sizes.into_iter().enumerate().map(|(step, size)| {
                let mut message = of_sequence(1, step, sizes.len());
                message.inputs[0].datatype = "BYTES".to_owned();
                let length = u32::try_from(size).unwrap().to_le_bytes();
                let text = [&length[..], &vec![b'x'; size]].concat();
                message.raw_input_contents = vec![text.into()];
                message
            });
            let messages: Vec<_> = messages.collect();
            let responses = client
                .model_stream_infer(futures_util::stream::iter(messages))
                .await
                .unwrap()
                .into_inner();
            let errors = responses.map(|response| response.unwrap().error_message);
            let errors = timeout(TEST_TIMEOUT, errors.collect::<Vec<_>>()).await;
            assert_eq!(errors.unwrap(), [""; 4], "{sizes:?}");
        }
    }
}
