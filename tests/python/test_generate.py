"""The generate extension with other clients, because NVIDIA's do not support it."""

import http.client
import json
import subprocess

import httpx
import pytest
from httpx_sse import connect_sse

from wire import HTTP, TIMEOUT, TRITONSERVER, request

JSON = {"Content-Type": "application/json"}
EVENTS = "text/event-stream; charset=utf-8"


def url(model, route):
    return f"http://{HTTP}/v2/models/{model}/{route}"


def generate(model, document, headers=None):
    """Returns status, content type and parsed body of `generate`."""
    status, found, body = request("POST", f"/v2/models/{model}/generate", json.dumps(document), headers)
    return status, found["Content-Type"], json.loads(body)


def events(model, document):
    """Returns status, content type, and the data of all events of `generate_stream`, read by an
    independent parser.
    """
    with httpx.Client(timeout=TIMEOUT) as client:
        with connect_sse(client, "POST", url(model, "generate_stream"), json=document) as source:
            found = [(event.event, event.id, event.json()) for event in source.iter_sse()]
            assert all(kind == "message" and not last for kind, last, _ in found)
            return source.response.status_code, source.response.headers["Content-Type"], [data for *_, data in found]


GOOD = [
    ("AddSub", {"a": [1, 2], "b": [3, 5]}, {"add": [4.0, 7.0], "sub": [-2.0, -3.0]}),
    ("AddSub", {"a": 1, "b": 3, "id": "x"}, {"add": 4.0, "id": "x", "sub": -2.0}),
    ("NoBatch", {"INPUT_1": []}, {"OUTPUT_1": []}),
    ("I_STRING", {"INPUT_1": "é\n\"𝄞\" \u0000"}, {"OUTPUT_1": "é\n\"𝄞\" \u0000"}),
    ("I_BOOL", {"parameters": {"INPUT_1": [True, False]}}, {"OUTPUT_1": [True, False]}),
    ("I_UINT64", {"INPUT_1": 2**64 - 1}, {"OUTPUT_1": 2**64 - 1}),
    ("Describe", {"INPUT_1": 1, "p": 2.5, "id": "7"}, {"OUTPUT_1": "id 7\noutputs OUTPUT_1,OUTPUT_2\nid=7\np=2.5", "OUTPUT_2": 1, "id": "7"}),
]


@pytest.mark.parametrize("model, document, outputs", GOOD)
def test_response_is_one_object(model, document, outputs):
    expected = {**outputs, "model_name": model, "model_version": "1"}
    assert generate(model, document) == (200, "application/json", expected)
    assert events(model, document) == (200, EVENTS, [expected])


@pytest.mark.parametrize("route", ["generate", "generate_stream"])
def test_members_are_sorted_by_name(route):
    _, _, body = request("POST", f"/v2/models/AddSub/{route}", b'{"b":1,"a":2,"id":"i"}')
    body = body.decode().removeprefix("data: ").strip()
    assert list(json.loads(body)) == ["add", "id", "model_name", "model_version", "sub"]


@pytest.mark.parametrize("version", ["1", "3"])
def test_version_can_be_requested(version):
    status, _, answer = generate(f"Versioned/versions/{version}", {"x": 7})
    assert (status, answer["model_version"]) == (200, version)


BAD = [
    ("Nope", {}, 404, "Request for unknown model: 'Nope' is not found"),
    ("AddSub/versions/7", {}, 404, "Request for unknown model: 'AddSub' version 7 is not found"),
    ("Fixed", {"INPUT_1": [1, 2]}, 400, "The schema can not convert input 'INPUT_1' to tensor with proper shape"),
    ("I_FP16", {"INPUT_1": 1}, 400, "receiving FP16 data via JSON is not supported. Please use the binary data format for input INPUT_1"),
    ("I_INT32", {"INPUT_1": 1, "p": None}, 400, "parameter 'p' has invalid type. It should be either 'int', 'bool', or 'string'."),
    ("I_INT32", {"INPUT_1": 1, "parameters": {"INPUT_1": 1}}, 400,
     "Converting keyword: 'parameters': [request id: <id_unknown>] input 'INPUT_1' already exists in request"),
]


@pytest.mark.parametrize("model, document, status, text", BAD)
def test_errors_have_the_texts_of_triton(model, document, status, text):
    for route in ("generate", "generate_stream"):
        got, headers, body = request("POST", f"/v2/models/{model}/{route}", json.dumps(document))
        assert (got, headers["Content-Type"], json.loads(body)) == (status, "application/json", {"error": text})


def test_compressed_bodies_are_refused(then_right):
    status, _, body = request("POST", "/v2/models/AddSub/generate", b"x", {"Content-Encoding": "gzip"})
    assert (status, json.loads(body)["error"]) == (400, "Unsupported content-encoding, only 'identity' is supported.")


@pytest.mark.parametrize("model", ["Fail", "Panic"])
def test_function_error_is_reported(model, then_right):
    # 2.51 reads the status from an error that it has freed.
    expected = 400 if TRITONSERVER else 500
    status, kind, answer = generate(model, {"INPUT_1": -1})
    assert (status, kind) == (expected, "application/json")
    assert "-1 is below zero" in answer["error"]
    status, kind, (answer,) = events(model, {"INPUT_1": -1})
    assert (status, kind) == (expected, EVENTS)
    assert "-1 is below zero" in answer["error"]


def test_curl_receives_a_stream():
    command = ["curl", "-sN", "-D", "-", "--noproxy", "*", "--max-time", str(TIMEOUT), "-d", '{"INPUT_1":5}', url("I_INT32", "generate_stream")]
    head, _, body = subprocess.run(command, capture_output=True, check=True, text=True).stdout.replace("\r", "").partition("\n\n")
    status, *headers = head.split("\n")
    assert status == "HTTP/1.1 200 OK"
    assert {header.lower() for header in headers} == {f"content-type: {EVENTS}", "transfer-encoding: chunked"}
    assert body == 'data: {"OUTPUT_1":5,"model_name":"I_INT32","model_version":"1"}\n\n'


def test_connection_is_reused():
    connection = http.client.HTTPConnection(HTTP, timeout=TIMEOUT)
    for number in range(20):
        route = ("generate", "generate_stream")[number % 2]
        connection.request("POST", f"/v2/models/I_INT32/{route}", json.dumps({"INPUT_1": number}), JSON)
        response = connection.getresponse()
        assert response.status == 200
        assert json.loads(response.read().decode().removeprefix("data: "))["OUTPUT_1"] == number
    connection.close()
