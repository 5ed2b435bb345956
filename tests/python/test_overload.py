"""Full queues, timeouts and clients that disconnect."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import HTTP, TRITONSERVER, connect, infer, metric, statistics, tensor, wait_until

pytestmark = pytest.mark.usefixtures("then_right")


def nap(milliseconds):
    return {"milliseconds": np.array([[milliseconds]], dtype=np.uint32)}


def timed(protocol, model, milliseconds, **options):
    """Returns the duration of a call and its error, if any."""
    client = connect(protocol)
    begun = time.monotonic()
    try:
        infer(protocol, client, model, nap(milliseconds), **options)
        return time.monotonic() - begun, None
    except InferenceServerException as error:
        return time.monotonic() - begun, error
    finally:
        client.close()


def test_a_full_queue_refuses_at_once(protocol):
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(timed, protocol, "TinyQueue", 1500)
        time.sleep(0.3)
        second = pool.submit(timed, protocol, "TinyQueue", 1)
        wait_until(lambda: metric("nv_inference_pending_request_count", "TinyQueue") == 1)
        refused = [pool.submit(timed, protocol, "TinyQueue", 1) for _ in range(4)]
        for future in refused:
            took, error = future.result()
            assert error is not None and took < 0.9, f"{took} {error}"
            assert error.status() in ("503", "StatusCode.UNAVAILABLE")
            assert "Exceeds maximum queue size" in error.message()
        assert first.result()[1] is None
        assert second.result()[1] is None


def test_refused_requests_are_counted(http):
    refused = metric("nv_inference_request_failure", "TinyQueue", reason="REJECTED")
    # tritonserver does not count requests that were never queued.
    assert refused == (0 if TRITONSERVER else 8)
    assert statistics(http, "TinyQueue")["inference_count"] == 4


def test_request_waits_at_most_the_timeout_of_the_model(protocol):
    with ThreadPoolExecutor(2) as pool:
        long = pool.submit(timed, protocol, "Impatient", 1200)
        time.sleep(0.2)
        took, error = timed(protocol, "Impatient", 1)
        assert error is not None and "Request timeout expired" in error.message()
        assert error.status() in ("503", "StatusCode.UNAVAILABLE")
        # tritonserver checks its queue when the instance is free again.
        assert 0.2 < took < (1.5 if TRITONSERVER else 0.8)
        assert long.result()[1] is None


def test_request_can_shorten_its_timeout(protocol):
    with ThreadPoolExecutor(2) as pool:
        long = pool.submit(timed, protocol, "Impatient", 1000)
        time.sleep(0.2)
        took, error = timed(protocol, "Impatient", 1, timeout=20_000)
        assert error is not None and "Request timeout expired" in error.message()
        assert took < (1.5 if TRITONSERVER else 0.25)
        assert long.result()[1] is None


def test_timeout_is_ignored_if_overriding_is_not_allowed(protocol):
    with ThreadPoolExecutor(2) as pool:
        long = pool.submit(timed, protocol, "Slow", 500)
        time.sleep(0.1)
        took, error = timed(protocol, "Slow", 1, timeout=1)
        assert error is None
        assert long.result()[1] is None


def test_request_of_a_disconnected_client_is_not_executed(http):
    before = statistics(http, "Slow")["execution_count"]
    canceled = metric("nv_inference_request_failure", "Slow", reason="CANCELED")
    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(timed, tritonclient.http, "Slow", 1500)
        time.sleep(0.3)
        body = json.dumps(
            {"inputs": [{"name": "milliseconds", "datatype": "UINT32", "shape": [1, 1], "data": [1]}]}
        ).encode()
        head = f"POST /v2/models/Slow/infer HTTP/1.1\r\nHost: {HTTP}\r\nContent-Length: {len(body)}\r\n\r\n"
        host, port = HTTP.split(":")
        gone = [socket.create_connection((host, int(port))) for _ in range(5)]
        for connection in gone:
            connection.sendall(head.encode() + body)
        wait_until(lambda: metric("nv_inference_pending_request_count", "Slow") == 5)
        for connection in gone:
            connection.close()
        wait_until(lambda: metric("nv_inference_pending_request_count", "Slow") == 0)
        assert busy.result()[1] is None
    # tritonserver does not detect that an HTTP client has disconnected.
    unheard = 5 if TRITONSERVER else 0
    assert statistics(http, "Slow")["execution_count"] == before + 1 + unheard
    assert metric("nv_inference_request_failure", "Slow", reason="CANCELED") == canceled + 5 - unheard


def test_cancelled_call_is_not_executed(http, grpc):
    before = statistics(http, "Slow")["execution_count"]
    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(timed, tritonclient.grpc, "Slow", 1200)
        time.sleep(0.3)
        inputs = [tensor(tritonclient.grpc, "milliseconds", np.array([[1]], dtype=np.uint32))]
        heard = threading.Event()
        errors = []

        def hear(result, error):
            errors.append(error)
            heard.set()

        call = grpc.async_infer("Slow", inputs, callback=hear)
        wait_until(lambda: metric("nv_inference_pending_request_count", "Slow") == 1)
        call.cancel()
        assert heard.wait(5) and errors[0] is not None
        wait_until(lambda: metric("nv_inference_pending_request_count", "Slow") == 0)
        assert busy.result()[1] is None
    assert statistics(http, "Slow")["execution_count"] == before + 1


def test_client_timeout_ends_the_call(grpc):
    begun = time.monotonic()
    with pytest.raises(InferenceServerException, match="(?i)deadline"):
        infer(tritonclient.grpc, grpc, "Slow", nap(800), client_timeout=0.2)
    assert time.monotonic() - begun < 0.7
