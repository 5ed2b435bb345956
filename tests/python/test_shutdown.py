"""SIGTERM under load: every accepted request gets a correct response."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tritonclient.grpc
import tritonclient.http

from wire import PID, connect, infer, metric, request

PROTOCOLS = [tritonclient.http, tritonclient.grpc]


def accepted(index):
    """A request that is queued or executed when the signal arrives."""
    protocol = PROTOCOLS[index % 2]
    client = connect(protocol)
    try:
        sent = np.array([[150 + index]], dtype=np.uint32)
        got = infer(protocol, client, "Slow", {"milliseconds": sent})["OUTPUT_1"]
        return int(got[0, 0]) - 150
    finally:
        client.close()


def arrived():
    pending = metric("nv_inference_pending_request_count", "Slow")
    return pending + metric("nv_inference_request_success", "Slow")


def test_no_response_is_lost():
    signalled = threading.Event()
    served = [0] * 8
    problems = []

    def load(slot):
        """Sends requests until the server refuses them; responses must be correct, and no request
        may time out.
        """
        protocol = PROTOCOLS[slot % 2]
        client = connect(protocol)
        while True:
            value = np.full((1, 2), served[slot], dtype=np.float32)
            try:
                outputs = infer(protocol, client, "Gather", {"x": value})
            except Exception as error:
                # Refused, or closed before the request was read.
                if not signalled.is_set():
                    problems.append(repr(error))
                return
            if not np.array_equal(outputs["OUTPUT_1"], value):
                problems.append(f"{outputs['OUTPUT_1']} for {value}")
            served[slot] += 1

    threads = [threading.Thread(target=load, args=(slot,), daemon=True) for slot in range(8)]
    for thread in threads:
        thread.start()
    with ThreadPoolExecutor(12) as pool:
        answers = [pool.submit(accepted, index) for index in range(12)]
        begun = time.monotonic()
        # All but the running request are queued or complete.
        while arrived() < 11:
            assert time.monotonic() - begun < 10, "the requests do not arrive"
            time.sleep(0.01)
        signalled.set()
        os.kill(PID, signal.SIGTERM)
        assert [answer.result(timeout=20) for answer in answers] == list(range(12))
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive(), "a client hangs"
    assert not problems, problems
    assert min(served) > 0


def test_ports_are_closed():
    begun = time.monotonic()
    while time.monotonic() - begun < 5:
        try:
            assert request("GET", "/v2/health/ready", timeout=1)[0] != 200
        except OSError:
            return
        time.sleep(0.05)
    raise AssertionError("the server still answers")
