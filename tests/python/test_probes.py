"""Requests with much work for the server, and concurrent health checks."""

import gzip
import http.client
import json
import threading
import time

from wire import HTTP

MODEL = "/v2/models/I_FP32/infer"
HEADERS = {"Content-Encoding": "gzip", "Content-Type": "application/json"}


def document(data):
    tensor = {"name": "INPUT_1", "datatype": "FP32", "shape": [1, len(data)], "data": data}
    return json.dumps({"inputs": [tensor]}).encode()


SMALL = document([1.0, 2.0])
# 60 kB that inflate to 60 MiB.
SPACES = gzip.compress(SMALL + b" " * (60 << 20))
MANY = gzip.compress(document([0.5] * 500_000))
PARAMETERS = json.dumps({"parameters": {f"p{number}": "x" * 40 for number in range(65_000)}, **json.loads(SMALL)})


def load(stop, body, headers, done):
    connection = http.client.HTTPConnection(HTTP, timeout=120)
    while not stop.is_set():
        connection.request("POST", MODEL, body, headers)
        answer = connection.getresponse()
        answer.read()
        done.append(answer.status)


def test_probes_respond_during_heavy_requests():
    stop, done = threading.Event(), []
    bodies = [(SPACES, HEADERS), (MANY, {**HEADERS, "Accept-Encoding": "gzip"}), (PARAMETERS, {})]
    loads = [threading.Thread(target=load, args=(stop, *bodies[turn % 3], done)) for turn in range(12)]
    for thread in loads:
        thread.start()
    took = []
    try:
        probe = http.client.HTTPConnection(HTTP, timeout=60)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            begun = time.monotonic()
            probe.request("GET", "/v2/health/live")
            assert probe.getresponse().read() == b'{"live":true}'
            probe.request("POST", MODEL, SMALL)
            assert b'"data":[1.0,2.0]' in probe.getresponse().read()
            took.append(time.monotonic() - begun)
            time.sleep(0.01)
    finally:
        stop.set()
        for thread in loads:
            thread.join()
    took.sort()
    # The clients also load the machine.
    assert took[len(took) // 2] < 0.2, took
    assert took[-1] < 2, took
    assert done and set(done) == {200}
