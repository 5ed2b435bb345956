"""Requests that come while an instance has all the batches in flight that it may have: they wait, and gather, in the queue."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc
from tritonclient.utils import InferenceServerException

from wire import TRITONSERVER, connect, infer, statistics, tensor

# How long each of the batches under way takes.
BUSY = 500


def ask(protocol, model, milliseconds, **options):
    """The one number that a function answers."""
    client = connect(protocol)
    try:
        sent = {"milliseconds": np.array([[milliseconds]], np.uint32)}
        return int(infer(protocol, client, model, sent, **options)["OUTPUT_1"][0, 0])
    finally:
        client.close()


class Saturated:
    """A model with two batches under way, the second a moment after the first."""

    def __init__(self, protocol, model):
        self.protocol, self.model = protocol, model
        self.pool = ThreadPoolExecutor(10)
        self.busy = [self.queue(BUSY), self.queue(BUSY)]

    def queue(self, milliseconds=0, **options):
        """One more request, a moment after the one before."""
        future = self.pool.submit(ask, self.protocol, self.model, milliseconds, **options)
        time.sleep(0.04)
        return future


def test_those_that_wait_share_a_batch(protocol):
    assert gathered(protocol, "GatherInFlight") == [1, 1] + [6] * 6


def test_those_that_wait_for_a_thread_share_a_batch(protocol):
    # The embedded engine leaves in the queue what would wait for the thread.
    expected = [1, 1] + [6] * 6 if TRITONSERVER else [1] + [7] * 7
    assert gathered(protocol, "GatherByTurns") == expected


def gathered(protocol, model):
    saturated = Saturated(protocol, model)
    waiting = [saturated.queue() for _ in range(6)]
    return [future.result() for future in saturated.busy + waiting]


def test_the_urgent_overtakes_those_that_wait(protocol):
    saturated = Saturated(protocol, "UrgentInFlight")
    others = [saturated.queue() for _ in range(3)]
    urgent = saturated.queue(priority=1)
    first = saturated.busy[0].result()
    assert saturated.busy[1].result() == first + 1
    assert urgent.result() == first + 2
    assert sorted(future.result() for future in others) == [first + 3, first + 4, first + 5]


def test_one_that_waits_too_long_is_refused(protocol, http):
    before = statistics(http, "UrgentInFlight")["execution_count"]
    saturated = Saturated(protocol, "UrgentInFlight")
    late = saturated.queue(timeout=20_000)
    with pytest.raises(InferenceServerException, match="Request timeout expired"):
        late.result()
    for future in saturated.busy:
        future.result()
    assert statistics(http, "UrgentInFlight")["execution_count"] == before + 2


def test_one_that_is_cancelled_before_it_runs_does_not_run(grpc):
    model = "CountByTurns"
    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(ask, tritonclient.grpc, model, BUSY)
        time.sleep(0.1)
        sent = tensor(tritonclient.grpc, "milliseconds", np.array([[0]], np.uint32))
        heard = [threading.Event() for _ in range(2)]
        errors = {}

        def hear(number):
            def callback(result, error):
                errors[number] = error
                heard[number].set()

            return callback

        cancelled, kept = (grpc.async_infer(model, [sent], hear(number)) for number in range(2))
        # All of them are in flight.
        time.sleep(0.1)
        cancelled.cancel()
        assert heard[0].wait(BUSY / 2000) and "CANCELLED" in str(errors[0].status())
        assert not heard[1].is_set()
        first = busy.result()
        assert heard[1].wait(5) and errors[1] is None
    assert ask(tritonclient.grpc, model, 0) == first + 2, "the one that was kept, and this one"
