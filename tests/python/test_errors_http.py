"""Invalid HTTP requests: a 4xx with the cause, and the next request succeeds."""

import json
import struct

import numpy as np
import pytest
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import TRITONSERVER, infer, post_binary, post_json, request

pytestmark = pytest.mark.usefixtures("then_right")

INPUT = {"name": "INPUT_1", "datatype": "FP32", "shape": [1, 4], "data": [1.0, 2.0, 3.5, 4.0]}
DATA = struct.pack("<4f", 1, 2, 3, 4)


def changed(**members):
    """Returns a request with changed members of its input; None removes a member."""
    given = {name: value for name, value in {**INPUT, **members}.items() if value is not None}
    return {"inputs": [given]}


def one(data):
    """Returns a request with the given text as data."""
    return '{"inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":%s}]}' % data


DOCUMENTS = {
    "empty": ("", "failed to parse the request JSON buffer"),
    "cut off": ("{", "failed to parse the request JSON buffer"),
    "array": ("[]", "expected the request to be an object"),
    "null": ("null", "expected the request to be an object"),
    "no inputs": ("{}", "unable to parse 'inputs'"),
    "inputs is an object": ('{"inputs":{}}', "expected 'inputs' to be an array"),
    "inputs is a text": ('{"inputs":"x"}', "expected 'inputs' to be an array"),
    "an input is a number": ('{"inputs":[1]}', ""),
    "an input is empty": ('{"inputs":[{}]}', ""),
    "missing input": ('{"inputs":[]}', "missing required input(s) ['INPUT_1']"),
    "trailing text": (one("[1]") + " trailing", "failed to parse the request JSON buffer"),
    "bad UTF-8": (one("[1]").encode() + b"\xff", "failed to parse the request JSON buffer"),
    "id is a number": ({"id": 42, "inputs": [INPUT]}, "unable to parse 'id'"),
    "parameter is an array": ({"inputs": [INPUT], "parameters": {"foo": [1]}}, "'foo'"),
    "parameter is null": ({"inputs": [INPUT], "parameters": {"foo": None}}, "'foo'"),
    "timeout is a text": ({"inputs": [INPUT], "parameters": {"timeout": "a"}}, "'timeout'"),
    "priority below zero": ({"inputs": [INPUT], "parameters": {"priority": -1}}, "'priority'"),
    "no name": (changed(name=None), "unable to parse 'name' of 'inputs[0]': expected a string, found nothing"),
    "no datatype": (changed(datatype=None), "unable to parse 'datatype' of input 'INPUT_1': expected"),
    "no shape": (changed(shape=None), "unable to parse 'shape' of input 'INPUT_1': expected"),
    "no data": (changed(data=None), "no field is set"),
    "name is a number": (changed(name=3), "unable to parse 'name'"),
    "datatype is a number": (changed(datatype=3), "unable to parse 'datatype' of input 'INPUT_1': expected"),
    "unknown datatype": (changed(datatype="FP3"), "INPUT_1"),
    "another datatype": (changed(datatype="INT32", data=[1, 2, 3, 4]), "data-type is 'INT32', but model 'I_FP32' expects 'FP32'"),
    "unknown input": (changed(name="nope"), "unexpected inference input 'nope' for model 'I_FP32'"),
    "input twice": ({"inputs": [INPUT, INPUT]}, "input 'INPUT_1' already exists in request"),
    "one input too many": ({"inputs": [INPUT, {**INPUT, "name": "nope"}]}, "expected 1 inputs but got 2 inputs"),
    "no batch axis": (changed(shape=[4]), "unexpected shape for input 'INPUT_1' for model 'I_FP32'. Expected [-1,-1], got [4]"),
    "too many axes": (changed(shape=[1, 2, 2]), "Expected [-1,-1], got [1,2,2]"),
    "no axis": (changed(shape=[], data=[]), "INPUT_1"),
    "more data in the shape": (changed(shape=[1, 5]), "unable to parse 'data' of input 'INPUT_1': shape [1,5] holds 5 elements, found 4"),
    "less data in the shape": (changed(shape=[1, 3]), "unable to parse 'data' of input 'INPUT_1': shape [1,3] holds 3 elements, found 4"),
    "open dimension": (changed(shape=[1, -1]), "unable to parse 'shape' of input 'INPUT_1': expected"),
    "open batch": (changed(shape=[-1, 4]), "unable to parse 'shape' of input 'INPUT_1': expected"),
    "shape is a text": (changed(shape="x"), "unable to parse 'shape' of input 'INPUT_1': expected"),
    "shape is a number": (changed(shape=4), "unable to parse 'shape' of input 'INPUT_1': expected"),
    "half a dimension": (changed(shape=[1.5, 4]), "unable to parse 'shape' of input 'INPUT_1': expected"),
    "batch of none": (changed(shape=[0, 4], data=[]), "INPUT_1"),
    "batch over the maximum": (changed(shape=[17, 1], data=[0.0] * 17), "inference request batch-size must be <= 16 for 'I_FP32'"),
    "largest dimension": (changed(shape=[1, 2**63 - 1]), ""),
    "dimension over the largest": (changed(shape=[1, 2**63]), "shape"),
    "dimension over everything": (changed(shape=[1, 2**64]), "shape"),
    "product overflows": (changed(shape=[2**62, 4]), ""),
    "product overflows to zero": (changed(shape=[2**32, 2**32]), ""),
    "bytes overflow": (changed(shape=[1, 2**62]), ""),
    "data is a number": (one("1.0"), "unable to parse 'data' of input 'INPUT_1': expected"),
    "element is a text": (one('["a"]'), "unable to parse 'data' of input 'INPUT_1': expected"),
    "element is null": (one("[null]"), "unable to parse 'data' of input 'INPUT_1': expected"),
    "element is a boolean": (one("[true]"), "unable to parse 'data' of input 'INPUT_1': expected"),
    "element is an object": (one("[{}]"), "unable to parse 'data' of input 'INPUT_1': expected"),
    "NaN": (one("[NaN]"), ""),
    "Infinity": (one("[Infinity]"), ""),
    "-Infinity": (one("[-Infinity]"), ""),
    "over FP64": (one("[1e400]"), ""),
    "deep nesting": (one("[" * 100000 + "1" + "]" * 100000), ""),
    "deep nesting elsewhere": ('{"x":' * 100000 + "1" + "}" * 100000, ""),
    "unknown output": ({"inputs": [INPUT], "outputs": [{"name": "nope"}]}, "unexpected inference output 'nope' for model 'I_FP32'"),
    "output without a name": ({"inputs": [INPUT], "outputs": [{}]}, "unable to parse 'name'"),
    "outputs is an object": ({"inputs": [INPUT], "outputs": {}}, "expected 'outputs' to be an array"),
    "binary_data is a number": ({"inputs": [INPUT], "outputs": [{"name": "OUTPUT_1", "parameters": {"binary_data": 1}}]}, "'binary_data'"),
    "classification is a text": ({"inputs": [INPUT], "outputs": [{"name": "OUTPUT_1", "parameters": {"classification": "a"}}]}, "'classification'"),
}


# Invalid requests that tritonserver 2.51 accepts. It refuses the others with 400 or 500; the
# differential test compares the texts.
TAKEN = {"empty", "NaN", "Infinity", "-Infinity"}
if TRITONSERVER:
    # `crashing_requests.py` shows the effect of these.
    for ending in ("largest dimension", "bytes overflow", "deep nesting", "deep nesting elsewhere"):
        del DOCUMENTS[ending]


@pytest.mark.parametrize("case", DOCUMENTS)
def test_documents(case):
    document, fragment = DOCUMENTS[case]
    status, answer = post_json("I_FP32", document)
    if TRITONSERVER:
        assert status in ((200,) if case in TAKEN else (400, 500)), answer
        return
    assert status == 400, answer
    assert list(answer) == ["error"]
    assert fragment in answer["error"]


RANGES = [
    ("BOOL", "[0]"),
    ("BOOL", "[2]"),
    ("UINT8", "[256]"),
    ("UINT8", "[-1]"),
    ("UINT8", "[1.5]"),
    ("UINT16", "[65536]"),
    ("UINT32", "[4294967296]"),
    ("UINT64", "[18446744073709551616]"),
    ("INT8", "[128]"),
    ("INT16", "[-32769]"),
    ("INT32", "[2147483648]"),
    ("INT32", "[1.0]"),
    ("INT64", "[9223372036854775808]"),
    ("BYTES", "[1]"),
]


@pytest.mark.parametrize("datatype, data", RANGES)
def test_elements_out_of_range_are_refused(datatype, data):
    document = (
        '{"inputs":[{"name":"INPUT_1","datatype":"%s","shape":[1,1],"data":%s}]}' % (datatype, data)
    )
    status, answer = post_json(f"I_{datatype}", document)
    # tritonserver truncates values that do not fit.
    assert status in ((200, 500) if TRITONSERVER else (400,)), answer
    assert status == 200 or answer["error"]


def binary(size, **members):
    return changed(data=None, parameters={"binary_data_size": size}, **members)


BINARY = {
    "truncated": (binary(16), DATA[:12], None, "unexpected size for input 'INPUT_1', expecting 4 additional bytes for model 'I_FP32'"),
    "additional": (binary(16), DATA + b"xx", None, "unexpected additional input data for model 'I_FP32'"),
    "less than the shape": (binary(12), DATA[:12], None, "input byte size mismatch for input 'INPUT_1' for model 'I_FP32'. Expected 16, got 12"),
    "size below zero": (binary(-1), DATA, None, "'binary_data_size'"),
    "size is a text": (binary("16"), DATA, None, "'binary_data_size'"),
    "size over everything": (binary(2**40), DATA, None, "INPUT_1"),
    "size overflows": (binary(2**64 - 1), DATA, None, ""),
    "both forms": (changed(parameters={"binary_data_size": 16}), DATA, None, "Input must set only one of the following fields"),
    "data nobody asked for": (changed(), DATA, None, "unexpected additional input data for model 'I_FP32'"),
    "header over the body": (binary(16), DATA, "99999999999", "99999999999"),
    "header below zero": (binary(16), DATA, "-1", "-1"),
    "header is a text": (binary(16), DATA, "abc", ""),
    "header cuts the JSON": (binary(16), DATA, "5", "failed to parse the request JSON buffer"),
    "shape overflows": (binary(16, shape=[2**62, 4]), DATA, None, ""),
    "shape overflows to the size": (binary(0, shape=[2**32, 2**32]), b"", None, ""),
}


@pytest.mark.parametrize("case", BINARY)
def test_binary(case):
    document, tail, length, fragment = BINARY[case]
    status, _, body = post_binary("I_FP32", document, tail, length)
    if TRITONSERVER:
        assert status in (400, 500), body
        return
    assert status == 400, body
    assert fragment in json.loads(body)["error"]


def test_invalid_bool_is_refused():
    document = {"inputs": [{"name": "INPUT_1", "datatype": "BOOL", "shape": [1, 2], "parameters": {"binary_data_size": 2}}]}
    status, _, body = post_binary("I_BOOL", document, b"\x01\x07")
    assert status == 400
    assert "INPUT_1" in json.loads(body)["error"]


@pytest.mark.parametrize(
    "method, path, status, fragment",
    [
        ("POST", "/v2/models/Nope/infer", 404, "Request for unknown model: 'Nope' is not found"),
        ("POST", "/v2/models/I_FP32/versions/2/infer", 404, "Request for unknown model: 'I_FP32' version 2 is not found"),
        ("GET", "/v2/models/Nope", 404, "Request for unknown model: 'Nope' is not found"),
        ("GET", "/v2/models/Nope/config", 404, "Request for unknown model: 'Nope' is not found"),
        ("GET", "/v2/models/Nope/stats", 400, "requested model 'Nope' is not available"),
        ("GET", "/v2/models/Nope/ready", 400, "Model version not ready"),
        ("GET", "/v2/models/I_FP32/versions/2/ready", 400, "Model version not ready"),
        ("GET", "/v2/models/I_FP32/versions/x", 404, "Not Found"),
        ("GET", "/nope", 404, "Not Found"),
        ("GET", "/", 404, "Not Found"),
        ("GET", "/v2/models/I_FP32/infer", 405, "Method Not Allowed"),
        ("PUT", "/v2/models/I_FP32/infer", 405, "Method Not Allowed"),
        ("POST", "/v2/health/live", 405, "Method Not Allowed"),
        ("GET", "/v2/repository/index", 405, "Method Not Allowed"),
    ],
)
def test_paths(method, path, status, fragment):
    got, _, body = request(method, path, json.dumps({"inputs": [INPUT]}))
    assert (got, json.loads(body)["error"]) == (status, fragment)


@pytest.mark.parametrize(
    "model, arrays, fragment",
    [
        ("Nope", {"INPUT_1": np.ones((1, 1), np.float32)}, "unknown model: 'Nope'"),
        ("AddSub", {"a": np.ones((1, 1), np.float32)}, r"missing required input\(s\) \['b'\]"),
        ("AddSub", {"a": np.ones((1, 2), np.float32), "b": np.ones((2, 2), np.float32)}, "batch size does not match other inputs for 'AddSub'"),
        ("Opt", {"b": np.ones((1, 1), np.float32)}, "'a'"),
        ("Fixed", {"INPUT_1": np.ones((1, 2, 2), np.float32)}, r"Expected \[-1,2,3\], got \[1,2,2\]"),
        ("NoBatch", {"INPUT_1": np.ones((1, 4), np.float32)}, r"Expected \[-1\], got \[1,4\]"),
        ("I_INT32", {"INPUT_1": np.ones((1, 1), np.int64)}, "data-type is 'INT64', but model 'I_INT32' expects 'INT32'"),
    ],
)
def test_client_sees_the_message(http, model, arrays, fragment):
    with pytest.raises(InferenceServerException, match=fragment):
        infer(tritonclient.http, http, model, arrays)


def test_a_body_over_the_limit_is_refused():
    headers = {"Content-Length": str(2**40)}
    if TRITONSERVER:
        # tritonserver reads a complete body before it checks its size.
        with pytest.raises(TimeoutError):
            request("POST", "/v2/models/I_FP32/infer", b"", headers, timeout=1.0)
        return
    status, _, body = request("POST", "/v2/models/I_FP32/infer", b"", headers)
    assert status in (400, 413), body
