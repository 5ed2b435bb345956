"""Spans in a collector, and log lines with the request that they belong to."""

import json
import os
import secrets
import threading
import urllib.request

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import PID, TRITONSERVER, connect, request, tensor, wait_until

with open(f"/proc/{PID}/environ") as environment:
    COLLECTOR = dict(pair.split("=", 1) for pair in environment.read().split("\0") if "=" in pair)["OTEL_EXPORTER_OTLP_ENDPOINT"]

OPENAI = os.environ["PYTRITON_TEST_OPENAI"]
openai = pytest.mark.skipif(TRITONSERVER, reason="2.51 forwards no headers of what these routes ask of it")
ERROR = 2
SERVER = 2


def collected(trace):
    with urllib.request.urlopen(f"{COLLECTOR}/spans", timeout=10) as answer:
        return [span for span in json.load(answer) if span["trace"] == trace]


def lines(message):
    """Returns the log lines with that message."""
    with open(f"/proc/{PID}/fd/2") as log:
        found = [json.loads(line) for line in log if line.startswith("{")]
    return [line for line in found if line.get("message") == message]


class Client:
    """The client's side of a trace."""

    def __init__(self):
        self.trace, self.span = secrets.token_hex(16), secrets.token_hex(8)
        self.headers = {"traceparent": f"00-{self.trace}-{self.span}-01", "tracestate": "vendor=1"}

    def ask(self, protocol, model, value=1.0, request_id=""):
        with connect(protocol) as client:
            inputs = [tensor(protocol, "x", np.full((1, 2), value, dtype=np.float32))]
            client.infer(model, inputs, request_id=request_id, headers=self.headers)

    def named(self, name):
        return [span for span in collected(self.trace) if span["name"] == name]

    def spans(self, *names):
        """Returns the spans of that trace by name, once all of these have arrived."""
        wait_until(lambda: set(names) <= {span["name"] for span in collected(self.trace)})
        return {span["name"]: span for span in collected(self.trace)}


MODELS = ["SeenAtOnce", "SeenAsync", "SeenByState"]


@pytest.mark.parametrize("model", MODELS)
def test_trace_covers_client_to_function_span(protocol, model):
    # After some quick calls, the thread that reads the request calls the function.
    for _ in range(20 if model == "SeenAtOnce" else 1):
        client = Client()
        client.ask(protocol, model, request_id="one \"two\"\n" + "x" * 500)
    names = ("request", "batch", "function", "own") + (() if TRITONSERVER else ("queue",))
    spans = client.spans(*names)
    request, batch, function, own = (spans[name] for name in ("request", "batch", "function", "own"))
    assert request["parent"] == client.span and request["kind"] == SERVER
    assert request["state"] == "vendor=1"
    assert request["attributes"]["model"] == model
    assert len(request["attributes"]["request_id"]) < 200
    if not TRITONSERVER:
        assert spans["queue"]["parent"] == request["id"]
    assert batch["parent"] == request["id"] and request["id"] in batch["links"]
    assert function["parent"] == batch["id"]
    assert own["parent"] == function["id"] and own["events"] == ["seen"]
    assert own["attributes"]["rows"] == "1"
    for span in spans.values():
        assert span["service"] == "tests" and span["begun"] <= span["ended"] and span["status"] != ERROR
    (line,) = [line for line in lines("seen") if line.get("trace_id") == client.trace]
    assert line["model"] == model
    assert line["request_id"].startswith("one \"two\"") and len(line["request_id"]) < 200


def test_a_batch_is_linked_to_all_its_requests(protocol):
    clients = [Client(), Client()]
    asking = [threading.Thread(target=client.ask, args=(protocol, "Seen", 1.0, f"r{number}")) for number, client in enumerate(clients)]
    [thread.start() for thread in asking]
    [thread.join() for thread in asking]
    wait_until(lambda: any(span["name"] == "batch" for client in clients for span in collected(client.trace)))
    requests = [client.spans("request")["request"]["id"] for client in clients]
    (batch,) = [span for client in clients for span in collected(client.trace) if span["name"] == "batch"]
    assert sorted(batch["links"]) == sorted(requests)
    assert batch["attributes"]["requests"] == 2
    line = [line for line in lines("seen") if len(line.get("request_ids", [])) == 2][-1]
    assert sorted(line["request_ids"]) == ["r0", "r1"]
    assert sorted(line["trace_ids"]) == sorted(client.trace for client in clients)


def test_failures_are_marked(protocol):
    client = Client()
    with pytest.raises(InferenceServerException, match="below zero"):
        client.ask(protocol, "SeenAtOnce", -1.0)
    spans = client.spans("request", "function")
    assert spans["function"]["status"] == ERROR and "below zero" in spans["function"]["message"]
    if not TRITONSERVER:
        assert spans["request"]["status"] == ERROR and "below zero" in spans["request"]["message"]


@openai
@pytest.mark.parametrize("stream", [False, True])
def test_each_completion_choice_is_a_request(stream):
    client = Client()
    body = json.dumps({"model": "Letters", "prompt": ["ab", "cd"], "stream": stream})
    status, _, answer = request("POST", "/v1/completions", body, client.headers, address=OPENAI)
    assert status == 200, answer
    names = ["request", "queue", "batch", "function"]
    wait_until(lambda: all(len(client.named(name)) == 2 for name in names))
    ids = {name: sorted(span["id"] for span in client.named(name)) for name in names}
    for span in client.named("request"):
        assert span["parent"] == client.span and span["attributes"]["model"] == "Letters"
        assert span["status"] != ERROR
    for name, outside in ("queue", "request"), ("batch", "request"), ("function", "batch"):
        assert sorted(span["parent"] for span in client.named(name)) == ids[outside]


@openai
def test_failed_completion_is_marked():
    client = Client()
    body = json.dumps({"model": "FailingText", "prompt": "ab"})
    status, _, _ = request("POST", "/v1/completions", body, client.headers, address=OPENAI)
    assert status >= 400
    spans = client.spans("request", "function")
    assert spans["function"]["status"] == ERROR and spans["request"]["status"] == ERROR


def test_trace_is_created_without_a_client_trace(http):
    name = secrets.token_hex(8)
    http.infer("SeenAtOnce", [tensor(tritonclient.http, "x", np.ones((1, 2), dtype=np.float32))], request_id=name)
    wait_until(lambda: [line for line in lines("seen") if line.get("request_id") == name])
    (line,) = [line for line in lines("seen") if line.get("request_id") == name]
    names = {"request", "batch", "function", "own"}
    wait_until(lambda: names <= {span["name"] for span in collected(line["trace_id"])})


def test_log_lines_contain_no_headers_or_bodies():
    client = Client()
    client.headers["x-secret"] = "never-to-be-logged"
    client.ask(tritonclient.http, "SeenAtOnce", 12345.5)
    with open(f"/proc/{PID}/fd/2") as log:
        text = log.read()
    assert "never-to-be-logged" not in text and "12345.5" not in text and client.span not in text
