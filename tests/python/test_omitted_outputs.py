"""A response contains only the outputs that the function returned."""

import json
import queue
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import connect, infer, post_json, request, tensor

PARTIAL = "model 'OmitsInGroups' returned output 'OUTPUT_2' for only some rows of the request: return it for all of them, or for none"


def column(*values):
    return np.array([[value] for value in values], dtype=np.float32)


def together(protocol, model, requests):
    """Returns the outputs of concurrent requests, or their errors."""

    def one(arrays):
        client = connect(protocol)
        try:
            return infer(protocol, client, model, arrays)
        except InferenceServerException as error:
            return error.message()
        finally:
            client.close()

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(one, requests))


def names(outputs):
    return list(outputs)


@pytest.mark.parametrize("model", ["Omits", "OmitsCached", "OmitsRaw"])
def test_each_request_has_its_own_outputs(protocol, client, model):
    # Repeated requests come from the cache.
    for _ in range(2):
        for value, expected in [(3, ["OUTPUT_1", "OUTPUT_2"]), (-3, ["OUTPUT_1"])]:
            outputs = infer(protocol, client, model, {"x": column(value, value)})
            assert names(outputs) == expected
            np.testing.assert_array_equal(outputs["OUTPUT_1"], column(value, value))
    sent = [1, -1, 2, -2, 3, -3, 4, -4]
    for value, outputs in zip(sent, together(protocol, model, [{"x": column(value)} for value in sent])):
        assert names(outputs) == (["OUTPUT_1", "OUTPUT_2"] if value > 0 else ["OUTPUT_1"])
        assert outputs["OUTPUT_1"] == value


@pytest.mark.parametrize("model", ["Omits", "OmitsCached", "OmitsRaw"])
def test_omitted_output_is_absent_even_if_it_is_requested(protocol, client, model):
    # tritonserver's cache does not distinguish requests by their outputs, so the inputs differ.
    for _ in range(2):
        outputs = infer(protocol, client, model, {"x": column(-7)}, ["OUTPUT_2", "OUTPUT_1"])
        assert names(outputs) == ["OUTPUT_1"]
        assert infer(protocol, client, model, {"x": column(-8)}, ["OUTPUT_2"]) == {}
    assert names(infer(protocol, client, model, {"x": column(7)}, ["OUTPUT_2"])) == ["OUTPUT_2"]


@pytest.mark.parametrize("values, expected", [([2, -1], ["OUTPUT_1", "OUTPUT_2"]), ([-2, 1], ["OUTPUT_1"])])
def test_call_for_a_batch_omits_the_output_for_all_its_requests(protocol, values, expected):
    answers = together(protocol, "OmitsForAll", [{"x": column(value)} for value in values])
    assert [names(outputs) for outputs in answers] == [expected] * 2
    assert [outputs["OUTPUT_1"].item() for outputs in answers] == values


def test_struct_without_batch_axis(protocol, client):
    x = np.array([1, 2], dtype=np.float32)
    assert infer(protocol, client, "Explained", {"x": x}) == {"score": [3]}
    outputs = infer(protocol, client, "Explained", {"x": x, "explain": np.array([True])})
    assert outputs == {"score": [3], "explanation": [b"the sum of 2 values"]}


def test_response_may_have_no_outputs(protocol, client):
    assert infer(protocol, client, "OmitsOnly", {"x": column(-1)}) == {}
    assert infer(protocol, client, "OmitsOnly", {"x": column(1)}) == {"y": [[1]]}


def test_json_response_without_outputs():
    body = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [-1]}]}
    status, answer = post_json("OmitsOnly", body)
    assert status == 200
    assert answer == {"model_name": "OmitsOnly", "model_version": "1", "outputs": []}


def test_generate_omits_the_member():
    for value, expected in [(2, {"OUTPUT_1": 2.0, "OUTPUT_2": 2.0}), (-2, {"OUTPUT_1": -2.0})]:
        status, _, body = request("POST", "/v2/models/Omits/generate", b'{"x": %d}' % value)
        assert status == 200
        answer = json.loads(body)
        assert {name: answer[name] for name in answer if name.startswith("OUTPUT")} == expected


def test_groups_of_one_request_must_agree(protocol):
    def rows(x, key):
        return {"x": column(*x), "key": np.array([[key] for key in key], dtype=np.int32)}

    requests = [rows([1], [1]), rows([2], [0]), rows([3, 4], [0, 1])]
    both, first, failed = together(protocol, "OmitsInGroups", requests)
    assert (names(both), names(first)) == (["OUTPUT_1", "OUTPUT_2"], ["OUTPUT_1"])
    assert PARTIAL in failed


def test_each_response_of_a_stream_has_its_own_outputs():
    client = connect(tritonclient.grpc)
    answers = queue.Queue()
    client.start_stream(callback=lambda result, error: answers.put((result, error)))
    try:
        to = np.array([[4]], dtype=np.int32)
        client.async_stream_infer("OmitsInStream", [tensor(tritonclient.grpc, "to", to)])
        for number in range(4):
            result, error = answers.get(timeout=10)
            assert error is None
            assert result.as_numpy("OUTPUT_1") == number
            square = result.as_numpy("OUTPUT_2")
            assert square == number**2 if number % 2 == 0 else square is None
    finally:
        client.stop_stream()
        client.close()


def test_metadata_lists_the_output(protocol, client):
    metadata = client.get_model_metadata("Omits")
    config = client.get_model_config("Omits")
    if protocol is tritonclient.http:
        listed = [output["name"] for output in metadata["outputs"]]
        configured = [output["name"] for output in config["output"]]
    else:
        listed = [output.name for output in metadata.outputs]
        configured = [output.name for output in config.config.output]
    assert listed == configured == ["OUTPUT_1", "OUTPUT_2"]
