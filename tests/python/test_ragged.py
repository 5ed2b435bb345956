"""Requests whose ragged inputs have different lengths share a batch."""

import json
import queue

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http

from test_batching import together
from wire import connect, infer, tensor


def tokens(rows, length, first=0):
    return np.arange(first, first + rows * length, dtype=np.int64).reshape(rows, length)


def sent(protocol, model, arrays):
    """Sends one request per array, concurrently, and checks the sums. Returns the sizes of the calls."""
    calls = [
        lambda client, array=array: infer(protocol, client, model, {"tokens": array})
        for array in arrays
    ]
    sizes = []
    for array, outputs in zip(arrays, together(protocol, calls)):
        np.testing.assert_array_equal(outputs["OUTPUT_1"], array.sum(axis=1, keepdims=True))
        assert outputs["OUTPUT_2"].shape == (len(array), 2)
        size, = {tuple(row) for row in outputs["OUTPUT_2"].tolist()}
        assert size[0] >= len(array) and size[1] >= array.size
        sizes.append(size)
    return sizes


@pytest.mark.parametrize("shape", [(1, 0), (1, 1), (1, 300), (16, 7), (3, 0)])
def test_one_request_is_a_batch_of_equal_rows(protocol, client, shape):
    array = tokens(*shape, first=-5)
    outputs = infer(protocol, client, "RaggedSum", {"tokens": array})
    np.testing.assert_array_equal(outputs["OUTPUT_1"], array.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(outputs["OUTPUT_2"], [[shape[0], array.size]] * shape[0])


def test_four_lengths_are_one_batch(protocol):
    arrays = [tokens(1, length, first=length) for length in (0, 1, 7, 200)]
    assert sent(protocol, "RaggedPreferred", arrays) == [(4, 208)] * 4


def test_requests_of_several_rows_and_lengths_are_one_batch(protocol):
    arrays = [tokens(1, 5), tokens(2, 3, first=40), tokens(1, 0)]
    assert sent(protocol, "RaggedPreferred", arrays) == [(4, 11)] * 3


def test_mixed_lengths_are_batched_and_split(protocol):
    arrays = [tokens(1 + index % 4, 5 * (index % 7), first=index) for index in range(24)]
    sizes = sent(protocol, "RaggedSum", arrays)
    assert max(rows for rows, _ in sizes) > 4, sizes


def test_values_are_the_cost_of_a_batch(protocol):
    arrays = [tokens(1 + index % 2, 1 + index % 5) for index in range(24)] + [tokens(1, 50)]
    sizes = sent(protocol, "RaggedCost", arrays)
    assert all(values <= 20 for _, values in sizes[:-1]), sizes
    assert max(rows for rows, _ in sizes) > 2, sizes
    assert sizes[-1] == (1, 50)


def test_steps_process_rows_of_different_lengths(protocol):
    def words(index):
        return np.array([[f"{index}.{word}" for word in range(index % 4)]], dtype=object)

    def arrays(index):
        arrays = {"words": words(index)}
        if index % 2:
            arrays["weights"] = np.full((1, index % 3), 0.5, dtype=np.float32)
        if index % 3:
            arrays["key"] = np.array([[index % 2]], dtype=np.int32)
        return arrays

    requests = [arrays(index) for index in range(12)]
    calls = [
        lambda client, arrays=arrays: infer(protocol, client, "RaggedWords", arrays)
        for arrays in requests
    ]
    for arrays, outputs in zip(requests, together(protocol, calls)):
        weight = arrays["weights"].sum() if "weights" in arrays else 1.0
        key = arrays["key"][0, 0] if "key" in arrays else 7
        expected = f"{'+'.join(arrays['words'][0])} {weight:g} {key}"
        assert outputs["OUTPUT_1"].tolist() == [[expected.encode()]]
        assert outputs["OUTPUT_2"].tolist() == [[16]]


def test_sequences_of_different_lengths_share_a_model(protocol):
    def sequence(client, number):
        totals = []
        for index in range(3):
            x = np.full((1, number * index), 2, dtype=np.float32)
            outputs = infer(
                protocol, client, "RaggedSequence", {"x": x},
                sequence_id=9000 + number, sequence_start=index == 0, sequence_end=index == 2,
            )
            totals.append(outputs["OUTPUT_1"].tolist())
        return totals

    numbers = range(1, 5)
    calls = [lambda client, number=number: sequence(client, number) for number in numbers]
    for number, totals in zip(numbers, together(protocol, calls)):
        assert totals == [[[0]], [[2 * number]], [[6 * number]]]


def test_streams_take_ragged_inputs(grpc):
    responses = queue.Queue()
    grpc.start_stream(lambda result, error: responses.put((result, error)))
    x = np.array([[1, 2, 3]], dtype=np.float32)
    grpc.async_stream_infer(
        "RaggedStream", [tensor(tritonclient.grpc, "x", x)], enable_empty_final_response=True
    )
    values = []
    while True:
        result, error = responses.get(timeout=20)
        assert error is None, error
        response = result.get_response()
        if response.parameters["triton_final_response"].bool_param:
            break
        values.append(result.as_numpy("OUTPUT_1").tolist())
    grpc.stop_stream()
    assert values == [[[1]], [[2]], [[3]]]


def test_configuration_allows_ragged_batches(http):
    def ragged(model):
        config = http.get_model_config(model)
        return {member["name"]: member["allow_ragged_batch"] for member in config["input"]}

    assert ragged("RaggedSum") == {"tokens": True}
    assert ragged("RaggedWords") == {"words": True, "weights": True, "key": False}
    assert ragged("Gather") == {"x": False}


def test_metadata_is_that_of_an_array(http):
    inputs = http.get_model_metadata("RaggedSum")["inputs"]
    assert inputs == [{"name": "tokens", "datatype": "INT64", "shape": [-1, -1]}]
