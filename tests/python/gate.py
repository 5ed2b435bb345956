"""A gate that blocks functions until a test opens it."""

import numpy as np
import tritonclient.http

from wire import connect, infer, metric, wait_until

# The value of `milliseconds` that makes a call wait at the gate.
HELD = 2**32 - 1


def ask(opens):
    """Returns the number of waiting calls, and optionally releases them."""
    client = connect(tritonclient.http)
    try:
        (waiting,) = infer(tritonclient.http, client, "Gate", {"open": np.array([opens])}).values()
        return int(waiting[0])
    finally:
        client.close()


def pending(model):
    """Returns the number of queued requests of the model."""
    return metric("nv_inference_pending_request_count", model)


class Gate:
    """A gate that is closed until the context ends or it is opened."""

    def __init__(self):
        wait_until(lambda: ask(False) == 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.open()

    def open(self):
        ask(True)

    def hold(self, send):
        """Sends a request, and returns when it waits at the gate."""
        before = ask(False)
        sent = send()
        wait_until(lambda: ask(False) == before + 1)
        return sent

    def queue(self, model, send):
        """Sends a request, and returns when it is queued."""
        before = pending(model)
        sent = send()
        wait_until(lambda: pending(model) == before + 1)
        return sent
