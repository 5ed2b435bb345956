"""BYTES elements: every byte is preserved, including those that C strings and numpy drop."""

import struct

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http

from wire import infer, post_binary, post_json, tensor

ELEMENTS = [b"plain", b"", b"a\0b", b"trailing\0\0", b"\0", b"\xff\xfe\x80", "é€𝄞".encode(), b"x" * 70000]


def array(elements):
    """Returns object elements, because numpy's bytes type drops trailing zeros."""
    made = np.empty((1, len(elements)), dtype=np.object_)
    made[0, :] = elements
    return made


def encoded(elements):
    return b"".join(struct.pack("<I", len(element)) + element for element in elements)


def test_binary(protocol, client):
    got = infer(protocol, client, "I_BYTES", {"INPUT_1": array(ELEMENTS)})["OUTPUT_1"]
    assert got.shape == (1, len(ELEMENTS))
    assert list(got[0]) == ELEMENTS


@pytest.mark.parametrize("element", ELEMENTS[:-1])
def test_each_string_round_trips_alone(protocol, client, element):
    got = infer(protocol, client, "I_BYTES", {"INPUT_1": array([element])})["OUTPUT_1"]
    assert got[0, 0] == element


def test_json_round_trips(http):
    texts = ["plain", "", "a\0b", "trailing\0", "é€𝄞", "\n\"\\/\t"]
    inputs = [tensor(tritonclient.http, "INPUT_1", array([t.encode() for t in texts]), binary_data=False)]
    outputs = [tritonclient.http.InferRequestedOutput("OUTPUT_1", binary_data=False)]
    got = http.infer("I_BYTES", inputs, outputs=outputs).as_numpy("OUTPUT_1")
    assert [value.encode() if isinstance(value, str) else value for value in got[0]] == [t.encode() for t in texts]


def test_json_in_binary_out(http):
    texts = ["a\0b", "é"]
    inputs = [tensor(tritonclient.http, "INPUT_1", array([t.encode() for t in texts]), binary_data=False)]
    outputs = [tritonclient.http.InferRequestedOutput("OUTPUT_1", binary_data=True)]
    got = http.infer("I_BYTES", inputs, outputs=outputs).as_numpy("OUTPUT_1")
    assert list(got[0]) == [b"a\0b", "é".encode()]


def test_surrogate_pairs_in_json():
    status, answer = post_json(
        "I_BYTES",
        '{"inputs":[{"name":"INPUT_1","datatype":"BYTES","shape":[1,1],"data":["\\ud834\\udd1e"]}]}',
    )
    assert (status, answer["outputs"][0]["data"]) == (200, ["𝄞"])


def test_grpc_typed_contents(grpc):
    request = tritonclient.grpc.service_pb2.ModelInferRequest(model_name="I_BYTES")
    given = request.inputs.add(name="INPUT_1", datatype="BYTES", shape=[1, len(ELEMENTS)])
    given.contents.bytes_contents.extend(ELEMENTS)
    response = grpc._client_stub.ModelInfer(request, timeout=20)
    assert response.raw_output_contents[0] == encoded(ELEMENTS)


def test_string_elements(protocol, client):
    sent = array(["é€𝄞".encode(), b"", b"with\0nul"])
    got = infer(protocol, client, "I_STRING", {"INPUT_1": sent})["OUTPUT_1"]
    assert list(got[0]) == list(sent[0])


def test_string_that_is_not_utf8_is_a_client_error(then_right):
    tail = encoded([b"ok", b"\xff"])
    parameters = {"binary_data_size": len(tail)}
    document = {"inputs": [{"name": "INPUT_1", "datatype": "BYTES", "shape": [1, 2], "parameters": parameters}]}
    status, _, body = post_binary("I_STRING", document, tail)
    assert status == 400
    assert b"INPUT_1" in body and b"UTF-8" in body


@pytest.mark.parametrize(
    "shape, tail, fragment",
    [
        ([1, 3], encoded([b"a", b"bc", b"def"])[:-1], b"incomplete string data for inference input 'INPUT_1', expecting string of length 3 but only 2 bytes available"),
        ([1, 1], encoded([b"a"]) + b"xy", b"incomplete string length indicator for inference input 'INPUT_1'"),
        ([1, 3], encoded([b"a"]), b"expected 3 string elements for inference input 'INPUT_1' for model 'I_BYTES', got 1"),
        ([1, 1], encoded([b"a", b"b"]), b"unexpected number of string elements 2 for inference input 'INPUT_1'"),
        ([1, 1], b"\xff\xff\xff\xffabc", b"expecting string of length 4294967295 but only 3 bytes available"),
    ],
)
def test_broken_encodings(shape, tail, fragment, then_right):
    parameters = {"binary_data_size": len(tail)}
    document = {"inputs": [{"name": "INPUT_1", "datatype": "BYTES", "shape": shape, "parameters": parameters}]}
    status, _, body = post_binary("I_BYTES", document, tail)
    assert status == 400
    assert fragment in body
