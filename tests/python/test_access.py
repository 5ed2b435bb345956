"""Restricted groups of routes: every route and method of both protocols, with plain clients and
with PyTriton's.

`PYTRITON_TEST_CLOSED` lists the restricted groups, `PYTRITON_TEST_TOKEN` is the secret, and
`PYTRITON_TEST_HEADER` its header.
"""

import http.client
import json
import os

import grpc
import numpy as np
import pytest
from pytriton.client import ModelClient
from pytriton.client.auth import create_auth_headers
from pytriton.client.exceptions import PyTritonClientError, PyTritonClientInferenceServerError

from wire import GRPC, HTTP, METRICS, TIMEOUT, TRITONSERVER

OPENAI = os.environ["PYTRITON_TEST_OPENAI"]
CLOSED = os.environ["PYTRITON_TEST_CLOSED"].split(",")
TOKEN = os.environ["PYTRITON_TEST_TOKEN"]
TOKENS = "triton-access-token"
HEADER = os.environ["PYTRITON_TEST_HEADER"]
METADATA = f"triton-grpc-protocol-{HEADER}"

MODEL = "/v2/models/AddSub"
PATHS = {
    "health": ["/v2/health/live", "/v2/health/ready", f"{MODEL}/ready", f"{MODEL}/versions/1/ready"],
    "metadata": ["/v2", MODEL, f"{MODEL}/versions/1", "/v2/models/Nope"],
    "inference": [f"{MODEL}/infer", f"{MODEL}/versions/1/infer", f"{MODEL}/generate", f"{MODEL}/generate_stream"],
    "model-config": [f"{MODEL}/config", f"{MODEL}/versions/1/config"],
    "statistics": [f"{MODEL}/stats", f"{MODEL}/versions/1/stats", "/v2/models/stats"],
    "model-repository": [
        "/v2/repository/index", "/v2/repository/r/index", "/v2/repository/models/Nope/load",
        "/v2/repository/models/Nope/unload", "/v2/repository/r/models/Nope/load",
    ],
    "shared-memory": [
        f"/v2/{kind}sharedmemory{region}/{action}"
        for kind in ["system", "cuda"]
        for region in ["", "/region/Nope"]
        for action in ["status", "register", "unregister"]
        # Registration requires a region.
        if region or action != "register"
    ],
    "trace": ["/v2/trace/setting", f"{MODEL}/trace/setting"],
    "logging": ["/v2/logging"],
}
METHODS = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]
SERVICE = "/inference.GRPCInferenceService/"
CALLS = {
    "health": ["ServerLive", "ServerReady", "ModelReady", "/grpc.health.v1.Health/Check"],
    "metadata": ["ServerMetadata", "ModelMetadata"],
    "inference": ["ModelInfer", "ModelStreamInfer"],
    "model-config": ["ModelConfig"],
    "statistics": ["ModelStatistics"],
    "model-repository": ["RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload"],
    "shared-memory": [
        f"{kind}SharedMemory{action}"
        for kind in ["System", "Cuda"]
        for action in ["Status", "Register", "Unregister"]
    ],
    "trace": ["TraceSetting"],
    "logging": ["LogSettings"],
}
if not TRITONSERVER:
    CALLS["health"].append("/grpc.health.v1.Health/Watch")
    CALLS["metadata"] += [
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo" for version in ["v1", "v1alpha"]
    ]

# Headers, and whether they grant access. Of several headers with one name, the first counts.
HEADERS = [
    ([], False),
    ([(HEADER, TOKEN)], True),
    ([(HEADER.title(), TOKEN)], True),
    ([(HEADER, TOKEN[:-1])], False),
    ([(HEADER, TOKEN.swapcase())], False),
    ([(HEADER, "")], False),
    ([(HEADER, "wrong"), (HEADER, TOKEN)], False),
    ([(HEADER, TOKEN), (HEADER, "wrong")], True),
    ([(METADATA, TOKEN)], False),
    ([("Authorization", f"Bearer {TOKEN}")], False),
]


@pytest.fixture(scope="module")
def connection():
    connection = http.client.HTTPConnection(HTTP, timeout=TIMEOUT)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def channel():
    with grpc.insecure_channel(GRPC) as channel:
        yield channel


def ask(connection, method, path, headers, body=b""):
    connection.putrequest(method, path)
    for name, value in [*headers, ("Content-Length", str(len(body)))]:
        connection.putheader(name, value)
    connection.endheaders(body)
    response = connection.getresponse()
    return response.status, response.headers, response.read()


def call(channel, path, metadata):
    """Returns the error of a call with one empty message, if it has one before its first response.
    """
    path = path if path.startswith("/") else SERVICE + path
    answers = channel.stream_stream(path)(iter([b""]), metadata=metadata, timeout=TIMEOUT)
    try:
        next(answers, None)
    except grpc.RpcError as error:
        return error.code(), error.details()
    finally:
        answers.cancel()
    return None, None


@pytest.mark.parametrize("group", PATHS)
def test_restricted_paths_require_the_token(connection, group):
    text = json.dumps({"error": f"This API is restricted, expecting header '{HEADER}'"}, separators=(",", ":"))
    for path in PATHS[group]:
        for method in METHODS:
            for headers, opens in HEADERS:
                status, told, body = ask(connection, method, path, headers)
                refused = group in CLOSED and not opens
                assert (status == 403) == refused, (method, path, headers, body)
                if refused:
                    assert told["Content-Type"] == "text/plain"
                    assert "WWW-Authenticate" not in told
                    assert body.decode() == ("" if method == "HEAD" else text)
                assert TOKEN not in body.decode() and TOKEN not in str(told)


def test_unknown_paths_belong_to_no_group(connection):
    for path in ["/", "/v2/", "/v2/nope", "/v2/health", "/v2/logging/", "//v2/logging", "/v2/%6cogging", "/V2/logging"]:
        for headers in [[], [(HEADER, TOKEN)]]:
            assert ask(connection, "GET", path, headers)[0] in {400, 404}, path


def test_metrics_require_no_token():
    connection = http.client.HTTPConnection(METRICS, timeout=TIMEOUT)
    assert ask(connection, "GET", "/metrics", [])[0] == 200
    connection.close()


@pytest.mark.parametrize("group", CALLS)
def test_restricted_methods_require_the_token(channel, group):
    refusal = (grpc.StatusCode.UNAVAILABLE, f"This protocol is restricted, expecting header '{METADATA}'")
    metadata = [
        ([], False),
        ([(METADATA, TOKEN)], True),
        ([(METADATA, TOKEN[:-1])], False),
        ([(METADATA, "")], False),
        ([(METADATA, "wrong"), (METADATA, TOKEN)], False),
        ([(METADATA, TOKEN), (METADATA, "wrong")], True),
        ([(HEADER, TOKEN)], False),
        ([("authorization", f"Bearer {TOKEN}")], False),
    ]
    for path in CALLS[group]:
        for pairs, opens in metadata:
            refused = group in CLOSED and not opens
            assert (call(channel, path, pairs) == refusal) == refused, (path, pairs)


def test_unknown_methods_belong_to_no_group(channel):
    for path in ["Nope", "/nope.Nope/Nope", "modelinfer"]:
        for metadata in [[], [(METADATA, TOKEN)]]:
            assert call(channel, path, metadata)[0] == grpc.StatusCode.UNIMPLEMENTED


def test_openai_clients_send_the_token_as_api_key():
    connection = http.client.HTTPConnection(OPENAI, timeout=TIMEOUT)
    body = json.dumps({"model": "Letters", "prompt": "abc"}).encode()
    table = [
        ([], False),
        ([("Authorization", f"Bearer {TOKEN}")], True),
        ([("authorization", f"bearer {TOKEN}")], True),
        ([(HEADER, TOKEN)], True),
        ([("Authorization", "Bearer wrong")], False),
        ([("Authorization", f"Basic {TOKEN}")], False),
        ([("Authorization", TOKEN)], False),
    ]
    routes = [
        ("GET", "/v1/models", "metadata", b""),
        ("GET", "/v1/models/Letters", "metadata", b""),
        ("POST", "/v1/completions", "inference", body),
        ("POST", "/v1/chat/completions", "inference", b"{}"),
        ("POST", "/v1/embeddings", "inference", b"{}"),
        ("DELETE", "/v1/completions", "inference", b""),
    ]
    for method, path, group, body in routes:
        for headers, opens in table:
            status, told, answer = ask(connection, method, path, headers, body)
            refused = group in CLOSED and not opens
            assert (status == 401) == refused, (path, headers, answer)
            if refused:
                error = json.loads(answer)["error"]
                assert (error["type"], error["code"]) == ("invalid_request_error", "invalid_api_key")
                assert told["WWW-Authenticate"] == "Bearer"
            elif path in {"/v1/models", "/v1/completions"} and method != "DELETE":
                assert status == 200, answer
            assert TOKEN not in answer.decode()
    connection.close()


@pytest.mark.skipif(HEADER != TOKENS, reason="it has no other header")
@pytest.mark.parametrize("url", [f"http://{HTTP}", f"grpc://{GRPC}"])
def test_pytriton_client_sends_the_token_with_inferences(url):
    # PyTriton's client sends the token only with inferences, but also uses other routes.
    if {"health", "metadata", "model-config"} & set(CLOSED):
        with pytest.raises(PyTritonClientError), ModelClient(url, "I_FP32", access_token=TOKEN, init_timeout_s=1) as client:
            client.infer_batch(np.ones((1, 2), np.float32))
        return
    x = np.ones((1, 2), np.float32)
    with ModelClient(url, "I_FP32", access_token=TOKEN) as client:
        assert (client.infer_batch(x)["OUTPUT_1"] == x).all()
    with ModelClient(url, "I_FP32") as client:
        if "inference" in CLOSED:
            with pytest.raises(PyTritonClientInferenceServerError, match="restricted"):
                client.infer_batch(x)
        else:
            client.infer_batch(x)
    protocol = url.split(":")[0]
    assert create_auth_headers(TOKEN, protocol) == {(HEADER if protocol == "http" else METADATA): TOKEN}
