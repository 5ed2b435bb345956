"""Shapes, optional inputs, requested outputs, IDs, parameters, versions."""

import json

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import TRITONSERVER, infer, named, post_binary, post_json, request, tensor

X = np.array([[1.0, 2.0, 3.5]], dtype=np.float32)


def test_two_inputs_two_outputs(protocol, client):
    rng = np.random.default_rng(7)
    for rows in (1, 2, 128):
        a = rng.standard_normal((rows, 5), dtype=np.float32)
        b = rng.standard_normal((rows, 5), dtype=np.float32)
        outputs = infer(protocol, client, "AddSub", {"b": b, "a": a})
        assert list(outputs) == ["add", "sub"]
        np.testing.assert_array_equal(outputs["add"], a + b)
        np.testing.assert_array_equal(outputs["sub"], a - b)


@pytest.mark.parametrize("wanted", [["add"], ["sub"], ["sub", "add"]])
def test_requested_outputs(protocol, client, wanted):
    outputs = infer(protocol, client, "AddSub", {"a": X, "b": X}, outputs=wanted)
    assert sorted(outputs) == sorted(wanted)
    if "sub" in wanted:
        np.testing.assert_array_equal(outputs["sub"], X - X)


def test_outputs_can_have_different_formats(http):
    inputs = [
        tensor(tritonclient.http, "a", X, binary_data=False),
        tensor(tritonclient.http, "b", X, binary_data=True),
    ]
    outputs = [
        tritonclient.http.InferRequestedOutput("add", binary_data=False),
        tritonclient.http.InferRequestedOutput("sub", binary_data=True),
    ]
    result = http.infer("AddSub", inputs, outputs=outputs)
    assert result.get_output("add")["data"] == [2.0, 4.0, 7.0]
    assert result.get_output("sub")["parameters"] == {"binary_data_size": 12}
    np.testing.assert_array_equal(result.as_numpy("sub"), X - X)


def test_binary_data_output_applies_if_no_output_is_listed():
    document = {
        "inputs": [
            {"name": name, "datatype": "FP32", "shape": [1, 2], "data": [1, 2]} for name in "ab"
        ],
        "parameters": {"binary_data_output": True},
    }
    status, headers, body = post_binary("AddSub", document, b"")
    assert status == 200
    length = int(headers["Inference-Header-Content-Length"])
    add, sub = json.loads(body[:length])["outputs"]
    assert add["parameters"] == sub["parameters"] == {"binary_data_size": 8}
    assert body[length:] == np.array([2, 4, 0, 0], dtype=np.float32).tobytes()
    document["outputs"] = [{"name": "add"}]
    status, headers, body = post_binary("AddSub", document, b"")
    assert status == 200
    assert json.loads(body)["outputs"][0]["data"] == [2.0, 4.0]


def test_optional_input(protocol, client):
    np.testing.assert_array_equal(infer(protocol, client, "Opt", {"a": X})["o"], X + 2)
    np.testing.assert_array_equal(infer(protocol, client, "Opt", {"a": X, "b": X})["o"], X + X)


def test_fixed_shape(protocol, client):
    sent = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    got = infer(protocol, client, "Fixed", {"INPUT_1": sent})["OUTPUT_1"]
    np.testing.assert_array_equal(got, sent)


def test_without_batching(protocol, client):
    sent = np.arange(5, dtype=np.float32)
    got = infer(protocol, client, "NoBatch", {"INPUT_1": sent})["OUTPUT_1"]
    np.testing.assert_array_equal(got, sent)


def test_any_rank(protocol, client):
    sent = np.arange(2 * 5 * 2 * 3, dtype=np.int32).reshape(2, 5, 2, 3)
    outputs = infer(protocol, client, "AnyRank", {"x": sent})
    np.testing.assert_array_equal(outputs["OUTPUT_1"][:, 0], sent.sum(axis=(1, 2, 3)))
    np.testing.assert_array_equal(outputs["OUTPUT_2"][:, 0], [30, 30])
    with pytest.raises(InferenceServerException, match="unexpected shape for input 'x'"):
        infer(protocol, client, "AnyRank", {"x": sent.reshape(2, 5, 3, 2)})


def test_owned_array(protocol, client):
    sent = np.array([[1.0, 2.0]])
    np.testing.assert_array_equal(infer(protocol, client, "Owned", {"x": sent})["OUTPUT_1"], sent + 1)


def test_async_function(protocol, client):
    np.testing.assert_array_equal(infer(protocol, client, "Async", {"x": X})["OUTPUT_1"], X * 2)


def test_versions(protocol, client):
    sent = np.zeros((1, 1), dtype=np.int32)
    for version, value in (("1", 1), ("3", 3), ("", 3)):
        result = client.infer("Versioned", [tensor(protocol, "x", sent)], model_version=version)
        assert named(result)["OUTPUT_1"][0, 0] == value
        response = result.get_response()
        answered = response["model_version"] if isinstance(response, dict) else response.model_version
        assert answered == str(value)


def test_request_id(protocol, client):
    inputs = [tensor(protocol, "INPUT_1", X)]
    for sent in ("7", "a-b", "é"):
        response = client.infer("I_FP32", inputs, request_id=sent).get_response()
        assert (response["id"] if isinstance(response, dict) else response.id) == sent


def test_responses_have_the_members_of_tritonserver():
    document = {"inputs": [{"name": "INPUT_1", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3.5, 4]}]}
    status, headers, body = request("POST", "/v2/models/I_FP32/infer", json.dumps(document))
    assert status == 200
    assert headers["Content-Type"] == "application/json"
    assert body == (
        b'{"model_name":"I_FP32","model_version":"1","outputs":[{"name":"OUTPUT_1",'
        b'"datatype":"FP32","shape":[1,4],"data":[1.0,2.0,3.5,4.0]}]}'
    )
    document["outputs"] = [{"name": "OUTPUT_1", "parameters": {"binary_data": True}}]
    status, headers, body = request("POST", "/v2/models/I_FP32/infer", json.dumps(document))
    assert headers["Content-Type"] == "application/octet-stream"
    head = (
        b'{"model_name":"I_FP32","model_version":"1","outputs":[{"name":"OUTPUT_1",'
        b'"datatype":"FP32","shape":[1,4],"parameters":{"binary_data_size":16}}]}'
    )
    assert headers["Inference-Header-Content-Length"] == str(len(head))
    assert body == head + np.array([1, 2, 3.5, 4], dtype=np.float32).tobytes()


def test_nested_and_flat_data_are_equivalent():
    for data in ([1, 2, 3, 4], [[1, 2], [3, 4]]):
        document = {"inputs": [{"name": "INPUT_1", "datatype": "FP32", "shape": [2, 2], "data": data}]}
        status, answer = post_json("I_FP32", document)
        assert (status, answer["outputs"][0]["data"]) == (200, [1.0, 2.0, 3.0, 4.0])


def test_raw_binary_request():
    sent = np.array([1, 2, 3], dtype=np.float32)
    headers = {"Inference-Header-Content-Length": "0"}
    status, headers, body = request("POST", "/v2/models/I_FP32/infer", sent.tobytes(), headers)
    assert status == 200
    length = int(headers["Inference-Header-Content-Length"])
    assert body[length:] == sent.tobytes()


PARAMETERS = {"text": "é", "number": -4, "yes": True}
LINES = {"text=é", "number=-4", "yes=true"}


def test_parameters_reach_the_function(protocol, client):
    inputs = [tensor(protocol, "x", X)]
    result = client.infer("Parameters", inputs, parameters=PARAMETERS)
    lines = result.as_numpy("OUTPUT_1")[0, 0].decode().split("\n")
    assert set(lines) == LINES


def test_forwarded_headers_reach_the_function(protocol, client):
    headers = {"x-forwarded-tenant": "blue", "x-other": "no"}
    result = client.infer("Parameters", [tensor(protocol, "x", X)], headers=headers)
    lines = result.as_numpy("OUTPUT_1")[0, 0].decode().split("\n")
    assert "x-forwarded-tenant=blue" in [line.lower() for line in lines]
    assert not any("x-other" in line.lower() for line in lines)


# http.client writes a space before the value.
@pytest.mark.parametrize(
    "value, kept",
    [("blue", "blue"), (" blue", "blue"), (" \tblue", "\tblue"), ("blue ", "blue "), ("blue \t", "blue \t")],
)
def test_whitespace_around_a_forwarded_header_is_as_documented(value, kept):
    sent = {"name": "x", "shape": [1, 3], "datatype": "FP32", "data": [1, 2, 3]}
    status, answer = post_json("Parameters", {"inputs": [sent]}, {"x-forwarded-tenant": value})
    assert status == 200, answer
    expected = kept if TRITONSERVER else "blue"
    assert f"x-forwarded-tenant={expected}" in answer["outputs"][0]["data"][0].split("\n")


def test_binary_metadata_is_forwarded(grpc):
    headers = {"x-forwarded-tenant-bin": b"bl\xfce"}
    result = grpc.infer("Parameters", [tensor(tritonclient.grpc, "x", X)], headers=headers)
    lines = result.as_numpy("OUTPUT_1")[0, 0].decode().split("\n")
    assert "x-forwarded-tenant-bin=bl\ufffde" in lines


def test_raw_requests_contain_all_properties(protocol, client):
    inputs = [tensor(protocol, "INPUT_1", X)]
    outputs = [protocol.InferRequestedOutput("OUTPUT_1")]
    result = client.infer("Describe", inputs, outputs=outputs, request_id="id7", parameters=PARAMETERS)
    assert set(result.as_numpy("OUTPUT_1")[0, 0].decode().split("\n")) == {"id id7", "outputs OUTPUT_1"} | LINES
    assert result.as_numpy("OUTPUT_2") is None


def test_context_reaches_the_function(protocol, client):
    outputs = infer(protocol, client, "Context", {"x": X})
    assert outputs["OUTPUT_1"][0, 0] == b"Context"
    assert outputs["OUTPUT_2"][0, 0] == 0


def test_a_models_parameters_reach_the_function(protocol, client):
    names = np.array([["weights", "labels.path", "zone", "Weights"]], dtype=object)
    outputs = infer(protocol, client, "Settings", {"names": names})
    values = ["/w/a b", 'ü\n"x" \\', "", "none"]
    assert outputs["OUTPUT_1"].tolist() == [[value.encode() for value in values]]


def test_classification(protocol, client):
    sent = np.array([[1.0, 4.0, -2.0], [0.5, 0.0, 9.0]], dtype=np.float32)
    inputs = [tensor(protocol, "INPUT_1", sent)]
    outputs = [protocol.InferRequestedOutput("OUTPUT_1", class_count=2)]
    got = client.infer("I_FP32", inputs, outputs=outputs).as_numpy("OUTPUT_1")
    assert got.tolist() == [[b"4.000000:1", b"1.000000:0"], [b"9.000000:2", b"0.500000:0"]]


def test_classes_have_the_labels_of_the_output(protocol, client):
    sent = np.array([[1.0, 4.0, -2.0], [0.5, 0.0, 9.0]], dtype=np.float32)
    names = ["judgement", "sum"]
    outputs = [protocol.InferRequestedOutput(name, class_count=2 - index) for index, name in enumerate(names)]
    got = client.infer("Judged", [tensor(protocol, "x", sent)], outputs=outputs)
    judgement, sums = (got.as_numpy(name).tolist() for name in names)
    assert judgement == [[b"4.000000:1:yes", b"1.000000:0:no"], [b"9.000000:2:perhaps", b"0.500000:0:no"]]
    assert sums == [[b"3.000000:0"], [b"9.500000:0"]]


def test_more_classes_than_elements(protocol, client):
    inputs = [tensor(protocol, "INPUT_1", X)]
    outputs = [protocol.InferRequestedOutput("OUTPUT_1", class_count=10)]
    got = client.infer("I_FP32", inputs, outputs=outputs).as_numpy("OUTPUT_1")
    assert got.tolist() == [[b"3.500000:2", b"2.000000:1", b"1.000000:0"]]
