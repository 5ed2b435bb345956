"""Requests that arrive while an instance has the maximum of batches in flight: they wait in the
queue and form a batch.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc
from tritonclient.utils import InferenceServerException

from gate import HELD, Gate, pending
from wire import TIMEOUT, TRITONSERVER, connect, infer, statistics, tensor

# More time than a request, or a cancellation after it, needs to reach a batch. There is no
# notification while the batch waits for its thread.
UNDER_WAY = 0.5


def ask(protocol, model, milliseconds, **options):
    """Returns the number in the response of a function."""
    client = connect(protocol)
    try:
        sent = {"milliseconds": np.array([[milliseconds]], np.uint32)}
        return int(infer(protocol, client, model, sent, **options)["OUTPUT_1"][0, 0])
    finally:
        client.close()


class Saturated(Gate):
    """A model with two batches in flight, the second behind the first, until the context ends."""

    def __init__(self, protocol, model, by_turns=False):
        super().__init__()
        self.protocol, self.model = protocol, model
        self.pool = ThreadPoolExecutor(10)
        self.busy = [self.hold(self.send(HELD))]
        if not by_turns:
            self.busy.append(self.hold(self.send(HELD)))
        elif TRITONSERVER:
            self.busy.append(self.send()())
            time.sleep(UNDER_WAY)
            assert pending(model) == 0
        else:
            # The embedded engine keeps requests in the queue that would wait for the thread.
            self.busy.append(self.wait())

    def send(self, milliseconds=0, **options):
        return lambda: self.pool.submit(ask, self.protocol, self.model, milliseconds, **options)

    def wait(self, **options):
        """Sends a request, and returns when it is queued."""
        return self.queue(self.model, self.send(**options))


def test_waiting_requests_share_a_batch(protocol):
    assert gathered(protocol, "GatherInFlight") == [1, 1] + [6] * 6


def test_requests_waiting_for_a_thread_share_a_batch(protocol):
    expected = [1, 1] + [6] * 6 if TRITONSERVER else [1] + [7] * 7
    assert gathered(protocol, "GatherByTurns", by_turns=True) == expected


def gathered(protocol, model, **how):
    with Saturated(protocol, model, **how) as saturated:
        waiting = [saturated.wait() for _ in range(6)]
    return [future.result() for future in saturated.busy + waiting]


def test_urgent_request_overtakes_waiting_ones(protocol):
    with Saturated(protocol, "UrgentInFlight") as saturated:
        others = [saturated.wait() for _ in range(3)]
        urgent = saturated.wait(priority=1)
    first = saturated.busy[0].result()
    assert saturated.busy[1].result() == first + 1
    assert urgent.result() == first + 2
    assert sorted(future.result() for future in others) == [first + 3, first + 4, first + 5]


def test_expired_request_is_refused(protocol, http):
    before = statistics(http, "UrgentInFlight")["execution_count"]
    with Saturated(protocol, "UrgentInFlight") as saturated:
        late = saturated.send(timeout=20_000)()
        with pytest.raises(InferenceServerException, match="Request timeout expired"):
            late.result()
    for future in saturated.busy:
        future.result()
    assert statistics(http, "UrgentInFlight")["execution_count"] == before + 2


def test_cancelled_request_is_not_executed(grpc):
    model = "CountByTurns"
    with ThreadPoolExecutor(1) as pool, Gate() as gate:
        busy = gate.hold(lambda: pool.submit(ask, tritonclient.grpc, model, HELD))
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
        time.sleep(UNDER_WAY)
        cancelled.cancel()
        assert heard[0].wait(TIMEOUT) and "CANCELLED" in str(errors[0].status())
        time.sleep(UNDER_WAY)
        assert not heard[1].is_set()
        gate.open()
        first = busy.result()
        assert heard[1].wait(TIMEOUT) and errors[1] is None
    assert ask(tritonclient.grpc, model, 0) == first + 2, "the one that was kept, and this one"
