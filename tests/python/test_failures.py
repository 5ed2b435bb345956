"""Functions that fail: the client receives the cause, other requests are not affected, and the next
call succeeds.
"""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import TRITONSERVER, connect, infer, post_json, request, tensor

pytestmark = pytest.mark.usefixtures("then_right")

GOOD = np.array([[1.0], [2.0]], dtype=np.float32)
BAD = np.array([[1.0], [-2.5]], dtype=np.float32)


@pytest.mark.parametrize(
    "model, fragment",
    [
        ("Fail", "-2.5 is below zero"),
        ("Panic", "-2.5 is below zero"),
        ("Bomb", "a value that is not text"),
        ("WrongRows", "'OUTPUT_1'.* has 3 rows, expected 2"),
        ("WrongShape", r"'OUTPUT_1'.* has shape \[2,3\], expected \[-1,2\]"),
    ],
)
def test_message_contains_the_reason(protocol, client, model, fragment):
    with pytest.raises(InferenceServerException, match=fragment) as raised:
        infer(protocol, client, model, {"INPUT_1": BAD})
    assert raised.value.status() in ("500", "StatusCode.INTERNAL")
    assert "panicked at" not in raised.value.message()
    assert infer(protocol, client, model, {"INPUT_1": GOOD})["OUTPUT_1"].shape[0] == 2


def test_http_status():
    document = {"inputs": [{"name": "INPUT_1", "datatype": "FP32", "shape": [1, 1], "data": [-1]}]}
    for model in ("Fail", "Panic", "Bomb", "WrongRows", "WrongShape"):
        status, answer = post_json(model, document)
        assert (status, list(answer)) == (500, ["error"])
        assert model in answer["error"]


# The statuses of the kinds of `pytriton::Error`. tritonserver has none for two of them.
KINDS = [
    (400, "INVALID_ARGUMENT"),
    (404, "NOT_FOUND"),
    (503, "UNAVAILABLE") if TRITONSERVER else (429, "RESOURCE_EXHAUSTED"),
    (503, "UNAVAILABLE"),
    (503, "UNAVAILABLE") if TRITONSERVER else (504, "DEADLINE_EXCEEDED"),
    (501, "UNIMPLEMENTED"),
    (500, "INTERNAL"),
]


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_kind_of_an_error_determines_its_status(protocol, client, kind):
    status, code = KINDS[kind]
    with pytest.raises(InferenceServerException, match="'Refuse'.*: refused: invalid float literal$") as raised:
        infer(protocol, client, "Refuse", {"kind": np.array([kind], dtype=np.uint8)})
    assert raised.value.status() in (str(status), f"StatusCode.{code}")


def test_retry_time_is_a_header():
    document = {"inputs": [{"name": "kind", "datatype": "UINT8", "shape": [1], "data": [3]}]}
    status, headers, _ = request("POST", "/v2/models/Refuse/infer", json.dumps(document))
    assert (status, headers["Retry-After"]) == (503, None if TRITONSERVER else "2")
    status, headers, _ = request("POST", "/v2/models/Refuse/generate", '{"kind": 3}')
    assert (status, headers["Retry-After"]) == ((400, None) if TRITONSERVER else (503, "2"))


def test_error_of_a_stream_follows_its_responses():
    received = []
    with connect(tritonclient.grpc) as client:
        client.start_stream(lambda result, error: received.append(error or result))
        client.async_stream_infer("RefuseLater", [tensor(tritonclient.grpc, "kind", np.array([1], dtype=np.uint8))])
        client.stop_stream()
    first, last = received
    np.testing.assert_array_equal(first.as_numpy("OUTPUT_1"), [0])
    assert "refused: invalid float literal" in last.message()


def test_error_of_a_step_has_the_kind_of_its_error(protocol, client):
    with pytest.raises(InferenceServerException, match="-2.5 is unknown") as raised:
        infer(protocol, client, "Find", {"INPUT_1": BAD})
    assert raised.value.status() in ("404", "StatusCode.NOT_FOUND")
    with pytest.raises(InferenceServerException, match="a value is above 100") as raised:
        infer(protocol, client, "Find", {"INPUT_1": 101 * GOOD})
    assert raised.value.status() in ("400", "StatusCode.INVALID_ARGUMENT")


@pytest.mark.parametrize("model", ["Fail", "Panic"])
def test_many_clients(protocol, model):
    """Under load, every request gets a response, and none a wrong one."""
    barrier = threading.Barrier(8)

    def one(seed):
        client = connect(protocol)
        barrier.wait()
        try:
            for index in range(20):
                bad = (seed + index) % 5 == 0
                sent = np.full((1 + index % 3, 2), -1.0 if bad else seed, dtype=np.float32)
                try:
                    got = infer(protocol, client, model, {"INPUT_1": sent})["OUTPUT_1"]
                except InferenceServerException as error:
                    # A valid request may share its batch with an invalid one.
                    assert "below zero" in error.message()
                else:
                    assert not bad
                    np.testing.assert_array_equal(got, sent)
        finally:
            client.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(8)))


def test_a_raw_function_fails_single_requests(protocol):
    barrier = threading.Barrier(6)

    def one(index):
        client = connect(protocol)
        inputs = [tensor(protocol, "INPUT_1", BAD if index % 2 else GOOD)]
        barrier.wait()
        try:
            return client.infer("Raw", inputs, request_id=str(index)).as_numpy("OUTPUT_1")
        except InferenceServerException as error:
            return error.message()
        finally:
            client.close()

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(one, range(6)))
    for index, result in enumerate(results):
        if index % 2:
            assert f"request {index} has a value below zero" in result
        else:
            np.testing.assert_array_equal(result, GOOD * 2)
