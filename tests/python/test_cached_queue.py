"""A response cache in front of a queue: failed requests are not cached, and cached responses do not
wait.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
import tritonclient.grpc
from tritonclient.utils import InferenceServerException

from test_cache import MODELS, Counted, call_of, rows
from wire import connect, infer, metric, tensor, wait_until


def ask(protocol, model, sent, **options):
    """Returns the number of the call, over a separate connection."""
    client = connect(protocol)
    try:
        outputs = infer(protocol, client, model, {"x": sent}, **options)
    finally:
        client.close()
    np.testing.assert_array_equal(outputs["OUTPUT_1"], sent)
    return call_of(outputs)


@contextmanager
def busy(pool, protocol, model, milliseconds):
    """Keeps a model busy for the given time."""
    slow = rows()
    slow[0, 0] = milliseconds
    computed = pool.submit(ask, protocol, model, slow)
    time.sleep(0.3)
    yield
    computed.result(timeout=20)


def test_refused_requests_are_not_cached(protocol):
    counted, late, surplus = Counted("CachedQueue"), rows(), rows()
    with ThreadPoolExecutor(2) as pool, busy(pool, protocol, "CachedQueue", 2500):
        waits = pool.submit(ask, protocol, "CachedQueue", late)
        wait_until(lambda: metric("nv_inference_pending_request_count", "CachedQueue") == 1)
        with pytest.raises(InferenceServerException, match="Exceeds maximum queue size"):
            ask(protocol, "CachedQueue", surplus)
        assert isinstance(waits.exception(timeout=20), InferenceServerException)
    for sent in (late, surplus):
        assert ask(protocol, "CachedQueue", sent) == ask(protocol, "CachedQueue", sent)
    seen = counted()
    assert (seen["executions"], seen["cache_miss"], seen["cache_hit"]) == (3, 3, 2)


def test_cache_hit_needs_no_queue_slot(protocol):
    sent, other = rows(), rows()
    call = ask(protocol, "CachedQueue", sent)
    with ThreadPoolExecutor(2) as pool, busy(pool, protocol, "CachedQueue", 2500):
        waits = pool.submit(ask, protocol, "CachedQueue", other)
        wait_until(lambda: metric("nv_inference_pending_request_count", "CachedQueue") == 1)
        for priority in (1, 2):
            assert ask(protocol, "CachedQueue", sent, priority=priority) == call
        assert isinstance(waits.exception(timeout=20), InferenceServerException)


@pytest.mark.parametrize("model", MODELS)
def test_cancelled_requests_are_not_cached(grpc, model):
    sent, heard = rows(), threading.Event()
    with ThreadPoolExecutor(1) as pool, busy(pool, tritonclient.grpc, model, 1000):
        inputs = [tensor(tritonclient.grpc, "x", sent)]
        call = grpc.async_infer(model, inputs, callback=lambda result, error: heard.set())
        time.sleep(0.2)
        call.cancel()
        assert heard.wait(5)
    assert ask(tritonclient.grpc, model, sent) == ask(tritonclient.grpc, model, sent)
