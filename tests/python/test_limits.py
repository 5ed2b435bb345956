"""Limits that differ from the defaults, as `options.rs` sets them."""

import socket
import time

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import GRPC, HTTP, TIMEOUT, connect, infer, request


def fails(protocol, floats, **options):
    """Returns the status and the text of a request with the given number of floats."""
    value = np.zeros((1, floats), dtype=np.float32)
    client = connect(protocol)
    try:
        with pytest.raises(InferenceServerException) as raised:
            infer(protocol, client, "Gather", {"x": value}, **options)
        return raised.value.status(), raised.value.message()
    finally:
        client.close()


def works(protocol, floats, **options):
    client = connect(protocol)
    value = np.zeros((1, floats), dtype=np.float32)
    assert infer(protocol, client, "Gather", {"x": value}, **options)["OUTPUT_1"].shape == (1, floats)
    client.close()


def test_request_size_is_limited_by_protocol():
    works(tritonclient.http, 20_000)
    status, text = fails(tritonclient.http, 30_000)
    assert status == "400" and "maximum allowed input size of 100000 bytes" in text
    works(tritonclient.grpc, 10_000)
    status, text = fails(tritonclient.grpc, 15_000)
    assert status == "StatusCode.RESOURCE_EXHAUSTED" and "50000 bytes. Use --grpc-max-input-size" in text


def test_header_limits_are_configurable():
    assert request("GET", "/v2/health/live", headers={"x": "y" * 1500})[0] == 200
    status, _, answer = request("GET", "/v2/health/live", headers={"x": "y" * 3000})
    assert status == 431 and b"maximum of 2048 bytes. Use --max-header-bytes" in answer
    many = {f"x-{index}": "y" for index in range(15)}
    assert request("GET", "/v2/health/live", headers=many)[0] == 200
    more = {f"x-{index}": "y" for index in range(25)}
    assert request("GET", "/v2/health/live", headers=more)[0] == 431
    works(tritonclient.grpc, 1, headers=many)
    assert fails(tritonclient.grpc, 1, headers=more) == (
        "StatusCode.RESOURCE_EXHAUSTED",
        "received metadata has more items than the limit (29 vs. 20). Use --max-headers to increase the limit.",
    )
    status, text = fails(tritonclient.grpc, 1, headers={"x": "y" * 3000})
    assert status == "StatusCode.RESOURCE_EXHAUSTED" and "vs. 2048" in text


def ends(address, sent, after):
    """Checks that a connection ends on its own if only these bytes arrive."""
    host, port = address.split(":")
    begun = time.monotonic()
    with socket.create_connection((host, int(port)), timeout=TIMEOUT) as stream:
        stream.sendall(sent)
        while stream.recv(1000):
            pass
    assert after * 0.8 < time.monotonic() - begun < after + 3


def test_timeouts_are_configurable():
    ends(HTTP, b"GET /v2/health/live HTTP/1.1\r\nHo", 2)
    ends(GRPC, b"PRI * HTTP/2.0\r\n", 2)
    head = b"POST /v2/models/Gather/infer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 10\r\n\r\n"
    ends(HTTP, head + b"{", 1)


def test_number_of_connections_is_configurable():
    host, port = HTTP.split(":")
    # Two more than the limit: connections may be accepted in another order than they are opened.
    held = [socket.create_connection((host, int(port)), timeout=TIMEOUT) for _ in range(10)]
    try:
        # The first requests may be served before all connections have been accepted.
        end = time.monotonic() + 1
        status, _, body = request("GET", "/v2/models/Gather/config")
        while status == 200 and time.monotonic() < end:
            status, _, body = request("GET", "/v2/models/Gather/config")
        assert status == 503 and b"already has 8 connections" in body
        assert request("GET", "/v2/health/live")[0] == 200
    finally:
        for stream in held:
            stream.close()
