"""Functions that exceed their time limit: the errors, the other requests, and readiness meanwhile.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import STOCK, TRITONSERVER, add_sub_is_right, connect, infer, metric, statistics, wait_until

UNAVAILABLE = ("503", "StatusCode.UNAVAILABLE")
# Triton has no code for a deadline.
TOO_LONG = UNAVAILABLE if TRITONSERVER else ("504", "StatusCode.DEADLINE_EXCEEDED")
NO_INSTANCE = "can execute the request: all are in calls that take longer than 0.5 s"


def ask(protocol, model, milliseconds):
    """Returns the response of a function or the error, and the time."""
    client = connect(protocol)
    begun = time.monotonic()
    try:
        sent = {"milliseconds": np.array([[milliseconds]], np.uint32)}
        answer = int(infer(protocol, client, model, sent)["OUTPUT_1"][0, 0])
    except InferenceServerException as error:
        answer = error
    finally:
        took = time.monotonic() - begun
        client.close()
    return answer, took


def fails(answer, statuses, text):
    """Checks that the response is an error with this status and text."""
    assert isinstance(answer, InferenceServerException), answer
    assert answer.status() in statuses, answer
    assert text in answer.message()


def ready(model):
    """Returns the readiness of the model and of the server over both protocols."""
    seen = set()
    for protocol in (tritonclient.http, tritonclient.grpc):
        client = connect(protocol)
        seen |= {client.is_model_ready(model), client.is_server_ready()}
        client.close()
    return seen


def is_back(model):
    """Waits until the model and the server are ready."""
    if STOCK:
        # It does not report readiness, so wait longer than any call of these tests.
        time.sleep(2.5)
    wait_until(lambda: ready(model) == {True})


def test_stalled_model_is_not_ready(protocol, http):
    failures = statistics(http, "Limited")["inference_stats"]["fail"]["count"]
    for round in range(2):
        answer, took = ask(protocol, "Limited", 2500)
        fails(answer, TOO_LONG, "model 'Limited': the call took longer than 0.5 s")
        assert 0.5 <= took < 1.5
        assert ready("Limited") == {STOCK}
        answer, took = ask(protocol, "Limited", 1)
        fails(answer, UNAVAILABLE, NO_INSTANCE)
        assert took < 1.5
        add_sub_is_right()
        is_back("Limited")
        assert ask(protocol, "Limited", 1)[0] == 1
    failed = statistics(http, "Limited")["inference_stats"]["fail"]["count"] - failures
    assert failed == 4
    assert metric("nv_inference_request_failure", "Limited", reason="BACKEND") >= 4


def test_waiting_requests_of_a_stalled_model_are_refused(protocol):
    with ThreadPoolExecutor(3) as pool:
        hanging = pool.submit(ask, protocol, "Limited", 1500)
        time.sleep(0.2)
        waiting = [pool.submit(ask, protocol, "Limited", 1) for _ in range(2)]
        fails(hanging.result()[0], TOO_LONG, "took longer than 0.5 s")
        for one in waiting:
            answer, took = one.result()
            fails(answer, UNAVAILABLE, "take")
            assert took < 1.5
    is_back("Limited")


def test_stalled_instance_does_not_affect_others(protocol):
    answer, _ = ask(protocol, "LimitedPair", 2500)
    fails(answer, TOO_LONG, "model 'LimitedPair': the call took longer than 0.5 s")
    for milliseconds in range(5):
        assert ready("LimitedPair") == {True}
        answer, took = ask(protocol, "LimitedPair", milliseconds)
        assert answer == milliseconds and took < 1.5
    time.sleep(2.5)
    assert ready("LimitedPair") == {True}


def test_stalled_batch_keeps_completed_responses(protocol):
    with ThreadPoolExecutor(4) as pool:
        asked = []
        for milliseconds in (1, 2, 1500, 4):
            asked.append(pool.submit(ask, protocol, "LimitedEach", milliseconds))
            time.sleep(0.2)
        one, two, hanging, after = [answer.result()[0] for answer in asked]
    assert (one, two) == (1, 2)
    fails(hanging, TOO_LONG, "model 'LimitedEach': the call took longer than 0.5 s")
    # Later in the batch, or still queued.
    fails(after, UNAVAILABLE, "longer than 0.5 s")
    is_back("LimitedEach")


def test_timed_out_async_call_does_not_stall_its_instance(protocol):
    with ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            hanging = pool.submit(ask, protocol, "LimitedAsync", 600_000)
            while not hanging.done():
                assert ask(protocol, "LimitedAsync", 5)[0] == 5
                assert ready("LimitedAsync") == {True}
            answer, took = hanging.result()
            fails(answer, TOO_LONG, "model 'LimitedAsync': the call took longer than 0.5 s")
            assert 0.5 <= took < 1.5
