"""The fields of a struct that derives `Inputs` are inputs of the model, like parameters."""

import queue

import numpy as np
import pytest
import tritonclient.grpc
from tritonclient.utils import InferenceServerException

from test_batching import together
from wire import infer, statistics, tensor

INPUTS = [
    ("IMAGE", "TYPE_FP32", [2], False), ("title", "TYPE_STRING", [-1], False), ("top_k", "TYPE_INT32", [-1], True),
    ("words", "TYPE_INT64", [-1], False), ("flag", "TYPE_BOOL", [-1], True), ("by", "TYPE_FP32", [1], False),
    ("offset", "TYPE_FP32", [-1], True),
]


def sample(index, rows=1, **inputs):
    """Returns the inputs of a request."""
    return {
        "IMAGE": np.full((rows, 2), index, dtype=np.float32),
        "title": np.array([[f"t{index}.{row}"] for row in range(rows)], dtype=object),
        "words": np.full((rows, index), 2, dtype=np.int64),
        "by": np.full((rows, 1), 10, dtype=np.float32),
        **inputs,
    }


def texts(outputs):
    return [text.decode() for text in outputs["OUTPUT_2"].flatten()]


def test_fields_are_inputs_in_the_order_of_the_parameters(http):
    config = http.get_model_config("Structs")["input"]
    found = [(one["name"], one["data_type"], [int(dim) for dim in one["dims"]], one["optional"]) for one in config]
    assert found == INPUTS
    assert [one["name"] for one in config if one["allow_ragged_batch"]] == ["words"]


def test_fields_and_parameters_receive_their_inputs(protocol, client):
    outputs = infer(protocol, client, "Structs", sample(3, rows=2))
    np.testing.assert_array_equal(outputs["OUTPUT_1"], np.full((2, 2), 30))
    assert texts(outputs) == ["t3.0 None None 6", "t3.1 None None 6"]
    others = {
        "top_k": np.array([[5]], dtype=np.int32),
        "flag": np.array([[True]]),
        "offset": np.array([[1, 2]], dtype=np.float32),
    }
    outputs = infer(protocol, client, "Structs", sample(0, **others))
    np.testing.assert_array_equal(outputs["OUTPUT_1"], [[1, 2]])
    assert texts(outputs) == ["t0.0 Some(5) Some(true) 0"]


def test_requests_share_a_batch_and_receive_their_rows(protocol, http):
    before = statistics(http, "Structs")["execution_count"]
    calls = [
        lambda client, index=index: infer(protocol, client, "Structs", sample(index % 5, rows=1 + index % 3))
        for index in range(24)
    ]
    for index, outputs in enumerate(together(protocol, calls)):
        number, rows = index % 5, 1 + index % 3
        np.testing.assert_array_equal(outputs["OUTPUT_1"], np.full((rows, 2), 10 * number))
        assert texts(outputs) == [f"t{number}.{row} None None {2 * number}" for row in range(rows)]
    assert statistics(http, "Structs")["execution_count"] - before < len(calls)


def test_invalid_requests_fail_alone(protocol, client):
    missing = sample(1)
    del missing["words"]
    for inputs, parameters, message in [
        (missing, {}, "words"), (sample(1, IMAGE=np.zeros((1, 3), dtype=np.float32)), {}, "IMAGE"),
        (sample(1), {"refuse": True}, "refused"),
    ]:
        with pytest.raises(InferenceServerException, match=message):
            infer(protocol, client, "Structs", inputs, parameters=parameters)
    assert texts(infer(protocol, client, "Structs", sample(1))) == ["t1.0 None None 2"]


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_state_and_waiting_calls(protocol, client, rows):
    inputs = {
        "name": np.array([[f"n{row}"] for row in range(rows)], dtype=object),
        "times": np.array([[row] for row in range(rows)], dtype=np.uint8),
    }
    outputs = infer(protocol, client, "StructState", inputs)
    expected = [f"hello {f'n{row}' * row}" for row in range(rows)]
    assert [text.decode() for text in outputs["OUTPUT_1"].flatten()] == expected


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_streams_take_structs(grpc, count):
    responses = queue.Queue()
    grpc.start_stream(lambda result, error: responses.put((result, error)))
    to = np.array([[count]], dtype=np.int32)
    grpc.async_stream_infer(
        "StructStream", [tensor(tritonclient.grpc, "to", to)], enable_empty_final_response=True
    )
    values = []
    while True:
        result, error = responses.get(timeout=20)
        assert error is None, error
        if result.get_response().parameters["triton_final_response"].bool_param:
            break
        values.append(int(result.as_numpy("OUTPUT_1")[0, 0]))
    grpc.stop_stream()
    assert values == list(range(count))


def test_sequences_take_structs(protocol, client):
    sums = []
    for step in range(3):
        x = np.array([[step, 1]], dtype=np.float32)
        options = {"sequence_id": 41, "sequence_start": step == 0, "sequence_end": step == 2}
        sums.append(infer(protocol, client, "StructSequence", {"x": x}, **options)["OUTPUT_1"].tolist())
    assert sums == [[[1]], [[3]], [[6]]]
