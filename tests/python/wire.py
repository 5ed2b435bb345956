"""Addresses of the server under test, and plain requests without NVIDIA's client."""

import http.client
import json
import os
import pathlib
import re
import ssl
import time

import numpy as np
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import np_to_triton_dtype

HTTP = os.environ["PYTRITON_TEST_HTTP"]
GRPC = os.environ["PYTRITON_TEST_GRPC"]
METRICS = os.environ["PYTRITON_TEST_METRICS"]
# With tritonserver 2.51, some expectations differ: see docs/differences.md.
TRITONSERVER = os.environ.get("PYTRITON_TEST_ENGINE") == "tritonserver"
PID = int(os.environ.get("PYTRITON_TEST_PID", "0"))
# A stock tritonserver 2.51 does not query the readiness of models in backends.
STOCK = pathlib.Path(f"/proc/{PID}/comm").exists() and pathlib.Path(f"/proc/{PID}/comm").read_text().strip() == "tritonserver"

# The ports with TLS, and the trusted certificates.
TLS = os.environ.get("PYTRITON_TEST_TLS", "").split(",")
CA = os.path.join(os.environ.get("PYTRITON_TEST_FOLDER", ""), "ca.pem")

# The timeout of a request, in seconds.
TIMEOUT = 20.0


def connect(protocol, concurrency=1):
    """Returns a client of `tritonclient.http` or `tritonclient.grpc`."""
    if protocol is tritonclient.http:
        return protocol.InferenceServerClient(
            HTTP,
            concurrency=concurrency,
            connection_timeout=TIMEOUT,
            network_timeout=TIMEOUT,
            ssl="http" in TLS,
            ssl_context_factory=trusting,
        )
    if "grpc" in TLS:
        return protocol.InferenceServerClient(GRPC, ssl=True, root_certificates=CA)
    return protocol.InferenceServerClient(GRPC)


def trusting():
    """Returns a TLS context that trusts the test authority."""
    return ssl.create_default_context(cafile=CA)


def connection(address, timeout=TIMEOUT):
    """Returns an HTTP connection to one of the ports."""
    port = {HTTP: "http", METRICS: "metrics"}.get(address, "openai")
    if port in TLS:
        return http.client.HTTPSConnection(address, timeout=timeout, context=trusting())
    return http.client.HTTPConnection(address, timeout=timeout)


def tensor(protocol, name, array, **options):
    """Returns an input tensor with its data."""
    datatype = np_to_triton_dtype(array.dtype)
    return protocol.InferInput(name, list(array.shape), datatype).set_data_from_numpy(
        array, **options
    )


def infer(protocol, client, model, arrays, outputs=None, **options):
    """Returns the outputs of an inference by name."""
    inputs = [tensor(protocol, name, array) for name, array in arrays.items()]
    if outputs is not None:
        outputs = [protocol.InferRequestedOutput(name) for name in outputs]
    result = client.infer(model, inputs, outputs=outputs, **options)
    return named(result)


def named(result):
    """Returns the arrays of a result by name."""
    response = result.get_response()
    if isinstance(response, dict):
        names = [output["name"] for output in response["outputs"]]
    else:
        names = [output.name for output in response.outputs]
    return {name: result.as_numpy(name) for name in names}


def request(method, path, body=None, headers=None, address=HTTP, timeout=TIMEOUT):
    """Returns status, headers and body of a plain HTTP request."""
    client = connection(address, timeout)
    try:
        client.request(method, path, body, headers or {})
        response = client.getresponse()
        return response.status, response.headers, response.read()
    finally:
        client.close()


def post_json(model, document, headers=None):
    """Returns status and parsed body of an inference in JSON; text is sent unchanged."""
    body = document if isinstance(document, (str, bytes)) else json.dumps(document)
    status, _, answer = request("POST", f"/v2/models/{model}/infer", body, headers)
    return status, json.loads(answer)


def post_binary(model, document, tail, length=None):
    """Returns status, headers and body of an inference with binary data after the JSON."""
    header = json.dumps(document).encode()
    headers = {"Inference-Header-Content-Length": str(len(header)) if length is None else length}
    return request("POST", f"/v2/models/{model}/infer", header + tail, headers)


def metrics():
    """Returns the metrics as {family: {labels: value}}; labels are a frozenset of pairs."""
    status, headers, body = request("GET", "/metrics", address=METRICS)
    assert status == 200 and headers["Content-Type"].startswith("text/plain")
    families = {}
    for line in body.decode().splitlines():
        if not line or line.startswith("#"):
            continue
        family, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
        pairs = frozenset(re.findall(r'(\w+)="([^"]*)"', labels or ""))
        families.setdefault(family, {})[pairs] = float(value)
    return families


def metric(family, model, version="1", **labels):
    """Returns the value of one metric."""
    pairs = {"model": model, "version": version, **labels}
    return metrics()[family][frozenset(pairs.items())]


def wait_until(condition):
    """Waits for a condition."""
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to pass")


def cache_gauges():
    """Returns the cache metrics once they are current: tritonserver updates its own once a second.
    """
    time.sleep(1.5 if TRITONSERVER else 0)
    families = metrics()
    names = ("entries", "hits", "misses", "lookups", "evictions")
    gauges = {name: families[f"nv_cache_num_{name}"][frozenset()] for name in names}
    return {**gauges, "utilization": families["nv_cache_util"][frozenset()]}


def statistics(client, model, version=""):
    """Returns a model's statistics; numbers are texts in the JSON of the gRPC client."""
    answer = client.get_inference_statistics(model, version)
    (one,) = answer["model_stats"]
    return one


def add_sub_is_right():
    """Checks that a valid request has a correct response, whatever preceded it."""
    a = np.array([[1.5, -2.0, 3.0]], dtype=np.float32)
    b = np.array([[0.5, 4.0, -1.0]], dtype=np.float32)
    for protocol in (tritonclient.http, tritonclient.grpc):
        client = connect(protocol)
        try:
            outputs = infer(protocol, client, "AddSub", {"a": a, "b": b})
        finally:
            client.close()
        np.testing.assert_array_equal(outputs["add"], a + b)
        np.testing.assert_array_equal(outputs["sub"], a - b)
