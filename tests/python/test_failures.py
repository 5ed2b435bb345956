"""Functions that fail: the client receives the cause, other requests are not affected, and the next
call succeeds.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import connect, infer, post_json, tensor

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
