"""A gate at which functions wait until a test opens it."""

import numpy as np
import tritonclient.http

from wire import connect, infer, metric, wait_until

# The milliseconds of a call that waits at the gate in their place.
HELD = 2**32 - 1


def ask(opens):
    """How many wait; where it is opened they wait no longer."""
    client = connect(tritonclient.http)
    try:
        (waiting,) = infer(tritonclient.http, client, "Gate", {"open": np.array([opens])}).values()
        return int(waiting[0])
    finally:
        client.close()


def pending(model):
    """How many requests wait for the model."""
    return metric("nv_inference_pending_request_count", model)


class Gate:
    """Closed until this is left, or it is opened."""

    def __init__(self):
        wait_until(lambda: ask(False) == 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.open()

    def open(self):
        ask(True)

    def hold(self, send):
        """Sends something that waits at the gate when this returns."""
        before = ask(False)
        sent = send()
        wait_until(lambda: ask(False) == before + 1)
        return sent

    def queue(self, model, send):
        """Sends a request that waits for the model when this returns."""
        before = pending(model)
        sent = send()
        wait_until(lambda: pending(model) == before + 1)
        return sent
