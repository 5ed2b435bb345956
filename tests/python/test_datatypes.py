"""Every element type in both directions, in every form of the protocols."""

import re

import ml_dtypes
import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http

from wire import TRITONSERVER, infer, post_json, request, tensor


def integers(datatype):
    info = np.iinfo(datatype)
    return np.array([[info.min, 0, 1, info.max]], dtype=datatype)


def floats(datatype, finfo):
    info = finfo(datatype)
    special = [0.0, -0.0, 1.5, info.max, info.min, info.tiny, info.smallest_subnormal]
    return np.array([special], dtype=datatype)


VALUES = {
    "BOOL": np.array([[True, False, True]]),
    "UINT8": integers(np.uint8),
    "UINT16": integers(np.uint16),
    "UINT32": integers(np.uint32),
    "UINT64": integers(np.uint64),
    "INT8": integers(np.int8),
    "INT16": integers(np.int16),
    "INT32": integers(np.int32),
    "INT64": integers(np.int64),
    "FP16": floats(np.float16, np.finfo),
    "BF16": floats(ml_dtypes.bfloat16, ml_dtypes.finfo),
    "FP32": floats(np.float32, np.finfo),
    "FP64": floats(np.float64, np.finfo),
}
WITHOUT_JSON = {"FP16", "BF16"}
JSON = [datatype for datatype in VALUES if datatype not in WITHOUT_JSON]


def assert_same(got, sent):
    """Compares bit by bit, so that -0.0 and NaN count."""
    assert got.dtype == sent.dtype
    assert got.shape == sent.shape
    assert got.tobytes() == sent.tobytes()


@pytest.mark.parametrize("datatype", VALUES)
def test_binary(protocol, client, datatype):
    sent = VALUES[datatype]
    got = infer(protocol, client, f"I_{datatype}", {"INPUT_1": sent})["OUTPUT_1"]
    assert_same(got, sent)


@pytest.mark.parametrize("datatype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_nan_and_infinity_in_binary(protocol, client, datatype):
    sent = np.array([[np.nan, np.inf, -np.inf]], dtype=datatype)
    name = {2: "FP16", 4: "FP32", 8: "FP64"}[sent.itemsize]
    name = "BF16" if datatype is ml_dtypes.bfloat16 else name
    assert_same(infer(protocol, client, f"I_{name}", {"INPUT_1": sent})["OUTPUT_1"], sent)


@pytest.mark.parametrize("datatype", JSON)
@pytest.mark.parametrize("there, back", [(False, False), (False, True), (True, False)])
def test_json(http, datatype, there, back):
    sent = VALUES[datatype]
    inputs = [tensor(tritonclient.http, "INPUT_1", sent, binary_data=there)]
    outputs = [tritonclient.http.InferRequestedOutput("OUTPUT_1", binary_data=back)]
    result = http.infer(f"I_{datatype}", inputs, outputs=outputs)
    assert_same(result.as_numpy("OUTPUT_1"), sent)


@pytest.mark.parametrize("datatype", sorted(WITHOUT_JSON))
def test_half_floats_have_no_json_form(datatype, then_right):
    document = {"inputs": [{"name": "INPUT_1", "datatype": datatype, "shape": [1, 1], "data": [1.5]}]}
    status, answer = post_json(f"I_{datatype}", document)
    assert status == 400
    assert "INPUT_1" in answer["error"] and "binary" in answer["error"]


CONTENTS = {
    "BOOL": "bool_contents",
    "UINT8": "uint_contents",
    "UINT16": "uint_contents",
    "UINT32": "uint_contents",
    "UINT64": "uint64_contents",
    "INT8": "int_contents",
    "INT16": "int_contents",
    "INT32": "int_contents",
    "INT64": "int64_contents",
    "FP32": "fp32_contents",
    "FP64": "fp64_contents",
}


@pytest.mark.parametrize("datatype", CONTENTS)
def test_grpc_typed_contents(grpc, datatype):
    sent = VALUES[datatype]
    request = tritonclient.grpc.service_pb2.ModelInferRequest(model_name=f"I_{datatype}")
    given = request.inputs.add(name="INPUT_1", datatype=datatype, shape=sent.shape)
    getattr(given.contents, CONTENTS[datatype]).extend(sent.flatten().tolist())
    response = grpc._client_stub.ModelInfer(request, timeout=20)
    assert list(response.outputs[0].shape) == list(sent.shape)
    assert response.raw_output_contents[0] == sent.tobytes()


@pytest.mark.parametrize("size", [1, 1000, 262144, 4194304])
def test_large_tensors(protocol, client, size):
    sent = np.arange(size, dtype=np.float32).reshape(1, size)
    assert_same(infer(protocol, client, "I_FP32", {"INPUT_1": sent})["OUTPUT_1"], sent)


def test_empty_dimension(protocol, client):
    sent = np.zeros((2, 0), dtype=np.float32)
    assert_same(infer(protocol, client, "I_FP32", {"INPUT_1": sent})["OUTPUT_1"], sent)


@pytest.mark.parametrize(
    "datatype, texts",
    [
        ("FP64", ["0.1", "1e-7", "-0.0", "123456789.0", "5e-324", "1.7976931348623157e308"]),
        ("FP32", ["0.1", "1e-7", "-0.0", "16777216.0", "1e-45", "3.4028235e38"]),
    ],
)
def test_json_numbers_are_the_shortest_that_round_trip(datatype, texts):
    given = f'{{"name":"INPUT_1","datatype":"{datatype}","shape":[1,6],"data":[{",".join(texts)}]}}'
    path = f"/v2/models/I_{datatype}/infer"
    status, _, body = request("POST", path, f'{{"inputs":[{given}]}}')
    assert status == 200
    got = re.search(r'"data":\[([^]]*)\]', body.decode()).group(1).split(",")
    if TRITONSERVER and datatype == "FP32":
        # tritonserver writes the digits of FP64.
        assert [float(text) for text in got] == [float(np.float32(text)) for text in texts]
    else:
        assert [text.replace("e+", "e") for text in got] == texts


def test_json_integers_keep_all_digits():
    for datatype, value in (("UINT64", 2**64 - 1), ("INT64", -(2**63)), ("INT64", 2**63 - 1)):
        document = {"inputs": [{"name": "INPUT_1", "datatype": datatype, "shape": [1, 1], "data": [value]}]}
        status, answer = post_json(f"I_{datatype}", document)
        assert (status, answer["outputs"][0]["data"]) == (200, [value])
