"""A load of HTTP and gRPC requests, controlled line by line over standard input.

`begin HTTP GRPC MODEL` starts it on these addresses. The reply `warm` is sent when every client has
received a correct response. `end` stops the clients after their current calls, and prints a report
as one line of JSON.
"""

import json
import sys
import threading
import time

import numpy as np
import tritonclient.grpc
import tritonclient.http

CLIENTS = 8
# The timeout of a call, in seconds, far above the time limit of an error.
PATIENCE = 8.0
# The time limit of a call, in seconds; slower calls are reported.
PROMPT = 2.0


class Load:
    """Clients that send calls until they are stopped."""

    def __init__(self, http, grpc, model):
        self.addresses = {tritonclient.http: http, tritonclient.grpc: grpc}
        self.model = model
        self.ending = threading.Event()
        self.answered = [0] * CLIENTS
        self.errors = []
        self.wrong = 0
        self.slow = []
        self.failed_at = [None] * CLIENTS
        self.threads = [
            threading.Thread(target=self.client, args=(slot,), daemon=True)
            for slot in range(CLIENTS)
        ]
        for thread in self.threads:
            thread.start()

    def client(self, slot):
        protocol = (tritonclient.http, tritonclient.grpc)[slot % 2]
        address = self.addresses[protocol]
        client, options = None, {}
        number = 0
        while not self.ending.is_set():
            if client is None:
                client, options = connect(protocol, address)
            number += 1
            sent = np.array([[slot, number]], dtype=np.float32)
            tensor = protocol.InferInput("x", [1, 2], "FP32").set_data_from_numpy(sent)
            begun = time.monotonic()
            try:
                result = client.infer(self.model, [tensor], **options)
                self.wrong += not np.array_equal(result.as_numpy("OUTPUT_1"), sent)
                self.answered[slot] += 1
            except Exception as error:
                self.errors.append(f"{protocol.__name__}: {error}")
                self.failed_at[slot] = time.monotonic()
                # Reconnects, with a pause that leaves processor time to others.
                client.close()
                client = None
                time.sleep(0.02)
            took = time.monotonic() - begun
            if took > PROMPT:
                self.slow.append(f"{protocol.__name__}: {took:.2f} s")

    def warm(self):
        wait(lambda: all(self.answered))

    def fails(self):
        """Waits until every client has received an error after this call."""
        now = time.monotonic()
        wait(lambda: all(failed is not None and failed >= now for failed in self.failed_at))

    def end(self):
        self.ending.set()
        for thread in self.threads:
            thread.join(PATIENCE + 2)
        return {
            "answered": sum(self.answered),
            "wrong": self.wrong,
            "errors": len(self.errors),
            "kinds": sorted(set(self.errors))[:20],
            "slow": self.slow,
            "hanging": sum(thread.is_alive() for thread in self.threads),
        }


def connect(protocol, address):
    if protocol is tritonclient.http:
        timeouts = {"connection_timeout": PATIENCE, "network_timeout": PATIENCE}
        return protocol.InferenceServerClient(address, **timeouts), {}
    return protocol.InferenceServerClient(address), {"client_timeout": PATIENCE}


def wait(condition):
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > 15:
            raise SystemExit("it did not come to pass")
        time.sleep(0.002)


def main():
    load = None
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "begin":
            load = Load(*arguments)
            load.warm()
            answer = "warm"
        elif command == "fails":
            load.fails()
            answer = "failed"
        else:
            answer = json.dumps(load.end())
        print(answer, flush=True)


main()
