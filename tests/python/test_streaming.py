"""gRPC streams with NVIDIA's client."""

import queue

import numpy as np
import pytest
import tritonclient.grpc

from wire import connect, tensor


@pytest.fixture
def stream():
    """A client with an open stream, and the queue of its responses."""
    client = connect(tritonclient.grpc)
    answers = queue.Queue()
    client.start_stream(callback=lambda result, error: answers.put((result, error)))
    yield client, answers
    client.stop_stream()
    client.close()


def send(client, model, array, name="INPUT_1", **options):
    client.async_stream_infer(model, [tensor(tritonclient.grpc, name, array)], **options)


def test_every_request_receives_a_response(stream):
    client, answers = stream
    for index in range(100):
        send(client, "I_INT64", np.array([[index]]), request_id=str(index))
    got = {}
    for _ in range(100):
        result, error = answers.get(timeout=10)
        assert error is None
        got[result.get_response().id] = result.as_numpy("OUTPUT_1")[0, 0]
    assert got == {str(index): index for index in range(100)}


def test_an_error_does_not_end_the_stream(stream):
    client, answers = stream
    x = np.array([[1.0]], dtype=np.float32)
    for model, array, fragment in [
        ("Nope", x, "unknown model: 'Nope'"),
        ("I_FP32", np.ones((17, 1), dtype=np.float32), "batch-size must be <= 16"),
        ("Fail", -x, "-1 is below zero"),
        ("Panic", -x, "-1 is below zero"),
    ]:
        send(client, model, array, request_id="bad")
        result, error = answers.get(timeout=10)
        assert result is None
        assert fragment in str(error)
        send(client, "I_FP32", x, request_id="good")
        result, error = answers.get(timeout=10)
        assert error is None
        np.testing.assert_array_equal(result.as_numpy("OUTPUT_1"), x)


def test_stream_can_use_several_models(stream):
    client, answers = stream
    send(client, "I_FP32", np.array([[1.5]], dtype=np.float32), request_id="a")
    send(client, "I_INT32", np.array([[7]], dtype=np.int32), request_id="b")
    got = {}
    for _ in range(2):
        result, error = answers.get(timeout=10)
        assert error is None
        response = result.get_response()
        got[response.id] = (response.model_name, result.as_numpy("OUTPUT_1")[0, 0])
    assert got == {"a": ("I_FP32", 1.5), "b": ("I_INT32", 7)}


def test_empty_final_response_is_sent_on_request(stream):
    client, answers = stream
    send(
        client,
        "I_FP32",
        np.array([[1.5]], dtype=np.float32),
        request_id="a",
        enable_empty_final_response=True,
    )
    result, error = answers.get(timeout=10)
    assert error is None
    response = result.get_response()
    assert response.parameters["triton_final_response"].bool_param
