"""SIGTERM under load: every accepted request is answered, and rightly."""

import os
import signal
import threading
import time

import numpy as np
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import PID, connect, infer

CLIENTS = 8


def test_no_response_is_lost():
    stopping = threading.Event()
    begun = [0] * (2 * CLIENTS)
    answered = [0] * (2 * CLIENTS)
    problems = []

    def load(slot, protocol):
        client = connect(protocol)
        try:
            while True:
                value = np.full((1, 2), begun[slot], dtype=np.float32)
                late = stopping.is_set()
                begun[slot] += 1
                try:
                    outputs = infer(protocol, client, "Gather", {"x": value})
                except InferenceServerException as error:
                    # A refusal in so many words is an answer; a cut connection before the signal is not.
                    if not late and not stopping.is_set():
                        problems.append(f"refused before the signal: {error}")
                    return
                except Exception as error:  # The connection is closed, or the port is.
                    if not late:
                        problems.append(f"lost: {type(error).__name__} {error}")
                    return
                np.testing.assert_array_equal(outputs["OUTPUT_1"], value)
                answered[slot] += 1
        except Exception as error:
            problems.append(repr(error))

    threads = [
        threading.Thread(target=load, args=(slot, protocol), daemon=True)
        for slot, protocol in enumerate(
            [tritonclient.http] * CLIENTS + [tritonclient.grpc] * CLIENTS
        )
    ]
    for thread in threads:
        thread.start()
    time.sleep(0.6)
    slow = {}

    def one_slow():
        client = connect(tritonclient.http)
        sent = {"milliseconds": np.array([[700]], dtype=np.uint32)}
        slow["result"] = infer(tritonclient.http, client, "Slow", sent)["OUTPUT_1"]

    accepted = threading.Thread(target=one_slow, daemon=True)
    accepted.start()
    time.sleep(0.2)
    os.kill(PID, signal.SIGTERM)
    stopping.set()
    for thread in [*threads, accepted]:
        thread.join(10)
        assert not thread.is_alive(), "a client hangs"
    assert not problems, problems
    assert min(answered) > 0
    assert slow["result"][0, 0] == 700, "a request that was accepted has no answer"
