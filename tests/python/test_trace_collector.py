"""Traces that `--trace-config mode=opentelemetry` sends to a collector, and their settings at run
time.
"""

import json
import os
import secrets
import time
import urllib.request

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http

from wire import TRITONSERVER, connect, infer, metric, request, tensor, wait_until



def settings():
    return json.loads(request("GET", "/v2/trace/setting")[2])


SETTINGS = settings()
SPANS = SETTINGS["url"].removesuffix("/v1/traces") + "/spans"
SERVER = 2
X = np.array([[1.5, 2.5]], dtype=np.float32)
OUTSIDE = {
    tritonclient.http: ["HTTP_RECV_START", "HTTP_RECV_END", "INFER_RESPONSE_COMPLETE", "HTTP_SEND_START", "HTTP_SEND_END"],
    tritonclient.grpc: ["GRPC_WAITREAD_START", "GRPC_WAITREAD_END", "INFER_RESPONSE_COMPLETE", "GRPC_SEND_START", "GRPC_SEND_END"],
}


def collected(**wanted):
    with urllib.request.urlopen(SPANS, timeout=10) as answer:
        spans = json.load(answer)
    return [span for span in spans if all(span[name] == value for name, value in wanted.items())]


def change(**changes):
    status, _, body = request("POST", "/v2/trace/setting", json.dumps(changes))
    assert status == 200, body
    return json.loads(body)


class Client:
    """The client's side of a trace."""

    def __init__(self, sampled="01"):
        self.trace, self.span = secrets.token_hex(16), secrets.token_hex(8)
        self.headers = {"traceparent": f"00-{self.trace}-{self.span}-{sampled}", "tracestate": "vendor=1"}

    def spans(self, count):
        """Returns the spans of that trace by name, once they have arrived."""
        wait_until(lambda: len(collected(trace=self.trace)) >= count)
        spans = collected(trace=self.trace)
        assert len(spans) == count, spans
        return {span["name"]: span for span in spans}


def traced(protocol, send, count, sampled="01"):
    """Calls `send` with the side of a client, and returns that side and the spans of its trace.

    For 2 to 4 % of gRPC requests, 2.51 ignores `traceparent` and starts a trace of its own; these
    are sent again.
    """
    attempts = 8 if TRITONSERVER and protocol is tritonclient.grpc else 1
    for attempt in range(1, attempts + 1):
        client = Client(sampled)
        send(client)
        try:
            return client, client.spans(count)
        except AssertionError:
            if attempt == attempts:
                raise


@pytest.fixture(autouse=True)
def as_at_the_start():
    yield
    change(trace_level=["TIMESTAMPS"], trace_rate="1", trace_count="-1")


def test_request_has_three_spans_in_the_trace_of_its_client(protocol):
    # The sampling flag of the client is ignored, as in Triton.
    def send(client):
        with connect(protocol) as connection:
            infer(protocol, connection, "I_FP32", {"INPUT_1": X}, request_id="r1", headers=client.headers)

    client, spans = traced(protocol, send, 3, sampled="00")
    outside, model, compute = (spans[name] for name in ("InferRequest", "I_FP32", "compute"))
    assert outside["parent"] == client.span and model["parent"] == outside["id"] and compute["parent"] == model["id"]
    assert outside["attributes"] == {} and compute["attributes"] == {}
    number = model["attributes"].pop("triton.trace_id")
    assert number > 0
    assert model["attributes"] == {
        "triton.model_name": "I_FP32",
        "triton.model_version": 1,
        "triton.trace_parent_id": 0,
        "triton.request_id": "r1",
    }
    assert sorted(outside["events"]) == sorted(OUTSIDE[protocol])
    assert model["events"] == ["REQUEST_START", "QUEUE_START", "REQUEST_END"]
    assert compute["events"] == ["COMPUTE_START", "COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START", "COMPUTE_END"]
    for span in spans.values():
        # 2.51 ignores `tracestate` in gRPC metadata.
        assert span["state"] == "vendor=1" or TRITONSERVER and protocol is tritonclient.grpc
        assert span["kind"] == SERVER and span["begun"] <= span["ended"]
        assert span["resource"]["service.name"] == "triton-inference-server"
        assert span["resource"]["deployment.environment"] == "a=test"
        assert span["scope"] == "triton-server"
    assert outside["begun"] <= model["begun"] <= compute["begun"] and compute["ended"] <= model["ended"] <= outside["ended"]


def test_openai_requests_are_traced():
    client = Client()
    body = json.dumps({"model": "Letters", "prompt": "ab"})
    status, _, answer = request("POST", "/v1/completions", body, client.headers, address=os.environ["PYTRITON_TEST_OPENAI"])
    assert status == 200, answer
    spans = client.spans(3)
    assert spans["InferRequest"]["parent"] == client.span
    assert spans["Letters"]["events"] == ["REQUEST_START", "QUEUE_START", "REQUEST_END"]
    assert spans["compute"]["parent"] == spans["Letters"]["id"]


def test_rate_and_count_apply_without_a_client_trace(protocol):
    def ask(times, prefix):
        with connect(protocol) as connection:
            for number in range(times):
                infer(protocol, connection, "I_FP32", {"INPUT_1": X}, request_id=f"{prefix}{number}")

    def requests(prefix):
        ids = [span["attributes"].get("triton.request_id", "") for span in collected(name="I_FP32")]
        return sorted(name for name in ids if name.startswith(prefix))

    prefix = secrets.token_hex(4)
    change(trace_rate="2", trace_count="2")
    ask(6, prefix)
    assert settings()["trace_count"] == "0"

    def send(client):
        with connect(protocol) as connection:
            infer(protocol, connection, "I_FP32", {"INPUT_1": X}, headers=client.headers)

    traced(protocol, send, 3)
    assert requests(prefix) == [f"{prefix}1", f"{prefix}3"]


def test_invalid_request_has_one_span():
    client = Client()
    status, _, _ = request("POST", "/v2/models/I_FP32/infer", "{}", client.headers)
    assert status == (500 if TRITONSERVER else 400)
    (span,) = client.spans(1).values()
    assert span["name"] == "InferRequest" and span["events"] == ["HTTP_RECV_START", "HTTP_RECV_END"]


def test_span_of_a_cancelled_request_ends():
    def send(client):
        outcomes = []
        with connect(tritonclient.grpc) as connection:

            def call(milliseconds, **options):
                inputs = [tensor(tritonclient.grpc, "milliseconds", np.array([[milliseconds]], dtype=np.uint32))]
                return connection.async_infer("Slow", inputs, lambda result, error: outcomes.append(error or result), **options)

            def pending():
                return metric("nv_inference_pending_request_count", "Slow")

            call(2000)
            # Calls of one connection may overtake each other.
            time.sleep(0.3)
            queued = call(0, headers=client.headers)
            # Repeatedly: the first is pending too, until its execution starts.
            wait_until(lambda: [pending() for _ in range(5)] == [1] * 5)
            queued.cancel()
            wait_until(lambda: len(outcomes) == 2)

    _, spans = traced(tritonclient.grpc, send, 2)
    assert spans["Slow"]["events"] == ["REQUEST_START", "QUEUE_START", "REQUEST_END"]


def test_disabled_level_has_no_spans_for_client_traces():
    change(trace_level=["OFF"])
    off, on = Client(), Client()
    with connect(tritonclient.http) as connection:
        infer(tritonclient.http, connection, "I_FP32", {"INPUT_1": X}, headers=off.headers)
        change(trace_level=["TIMESTAMPS"])
        infer(tritonclient.http, connection, "I_FP32", {"INPUT_1": X}, headers=on.headers)
    on.spans(3)
    assert collected(trace=off.trace) == []


def test_settings_contain_the_collector_instead_of_a_file(protocol):
    assert SETTINGS == {
        "trace_level": ["TIMESTAMPS"],
        "trace_rate": "1",
        "trace_count": "-1",
        "trace_mode": "opentelemetry",
        "url": SETTINGS["url"],
        "resource": "deployment.environment=a=test",
        "bsp_schedule_delay": "50",
        "bsp_max_export_batch_size": "512",
        "bsp_max_queue_size": "2048",
    }
    with connect(protocol) as connection:
        if protocol is tritonclient.http:
            assert connection.get_trace_settings() == SETTINGS
            return
        told = connection.get_trace_settings(as_json=True)["settings"]
    values = {name: setting["value"] for name, setting in told.items()}
    assert values == {name: value if isinstance(value, list) else [value] for name, value in SETTINGS.items()}


def test_mode_cannot_be_changed():
    told = change(trace_mode="triton", log_frequency="5", url="http://127.0.0.1:1")
    assert told == SETTINGS
    status, _, body = request("POST", "/v2/trace/setting", '{"trace_file":"x"}')
    assert (status, json.loads(body)["error"]) == (501, "trace file location can not be updated through network protocol")
    status, _, body = request("POST", "/v2/trace/setting", '{"trace_rate":"0"}')
    assert (status, json.loads(body)["error"]) == (400, "Attempting to set invalid trace setting :sample rate must be non-zero")
