"""Unique gRPC requests and their expected responses, controlled line by line over standard input.

`begin ADDRESS REGION SEED HABIT...` starts a client for each habit, which calls the models of
tests/models/src/ledger.rs: `all` requests all outputs, `some` a selection, `narrow` an output in
the region, which is too small for it, and `cancel` cancels its calls. The reply `warm` is sent when
every client has received a response. `end` stops the clients after their current calls, and prints
a report as one line of JSON.
"""

import collections
import json
import random
import sys
import threading
import time

import numpy as np
import tritonclient.grpc as protocol
from tritonclient.utils import InferenceServerException

OUTPUTS = {"Ledger1": 1, "Ledger2": 2, "Ledger5": 5, "LedgerInFlight": 2, "LedgerRaw": 2}
# The timeout of a call, in seconds, far above the time limit of an error.
PATIENCE = 8.0
# The time limit of a call, in seconds; slower calls are reported.
PROMPT = 1.0
# Distinct from the values of other programs.
FIRST = 10**9
# Reconnects soon if the server is away. The second option is the connect timeout for a slow server.
CHANNEL = [
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 5000),
    ("grpc.max_reconnect_backoff_ms", 200),
]


class Client:
    """A thread that sends calls until it is stopped."""

    def __init__(self, address, habit, region, seed, first):
        self.habit, self.region = habit, region
        self.random = random.Random(seed)
        self.next = first
        # A unique number keeps the channels of the clients separate.
        channel = CHANNEL + [("pytriton.client", str(first))]
        self.client = protocol.InferenceServerClient(address, channel_args=channel)
        self.ending = threading.Event()
        self.right, self.cancelled = 0, 0
        self.wrong, self.late, self.hung, self.failed_at = [], [], [], []
        self.failed = collections.Counter()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ending.is_set():
            self.ask()

    def ask(self):
        model = self.random.choice(list(OUTPUTS))
        rows = self.random.randint(1, 3)
        x = np.arange(self.next, self.next + rows, dtype=np.int64)[:, None]
        self.next += rows
        numbers = list(range(1, OUTPUTS[model] + 1))
        outputs, narrow = None, None
        if self.habit == "some":
            self.random.shuffle(numbers)
            numbers = numbers[: self.random.randint(1, len(numbers))]
            outputs = [protocol.InferRequestedOutput(f"OUTPUT_{number}") for number in numbers]
        if self.habit == "narrow":
            narrow = self.random.choice(numbers)
            outputs = [protocol.InferRequestedOutput(f"OUTPUT_{number}") for number in numbers]
            outputs[narrow - 1].set_shared_memory(self.region, 1)
        tensor = protocol.InferInput("x", list(x.shape), "INT64").set_data_from_numpy(x)
        begun = time.time()
        try:
            result = self.call(model, tensor, outputs, str(x[0, 0]))
        except InferenceServerException as error:
            self.note(begun, narrow, str(error))
        else:
            self.judge(result, x, numbers, narrow)
        took = time.time() - begun
        if took > PROMPT:
            self.late.append([begun, begun + took])

    def call(self, model, tensor, outputs, request):
        options = {"outputs": outputs, "request_id": request, "client_timeout": PATIENCE}
        if self.habit != "cancel":
            return self.client.infer(model, [tensor], **options)
        heard, ended = [], threading.Event()

        def hear(result, error):
            heard.extend([result, error])
            ended.set()

        call = self.client.async_infer(model, [tensor], callback=hear, **options)
        time.sleep(self.random.random() * 0.005)
        call.cancel()
        if not ended.wait(PATIENCE + 1):
            raise InferenceServerException("Deadline Exceeded: cancelled, and never heard of")
        result, error = heard
        if error is not None:
            raise error
        return result

    def judge(self, result, x, numbers, narrow):
        response = result.get_response()
        names = [output.name for output in response.outputs]
        right = narrow is None and response.id == str(x[0, 0])
        right = right and sorted(names) == [f"OUTPUT_{number}" for number in sorted(numbers)]
        for number in numbers if right else []:
            found = result.as_numpy(f"OUTPUT_{number}")
            expected = x * 1000 + number
            if found is not None and found.dtype == object:
                found = np.array([[int(value) for value in row] for row in found])
            right = right and np.array_equal(found, expected)
        if right:
            self.right += 1
        else:
            self.wrong.append(f"{response} for {x.tolist()} {numbers} {narrow}")

    def note(self, begun, narrow, error):
        if narrow is not None and f"OUTPUT_{narrow}" in error:
            self.right += 1
        elif "OUTPUT_" in error or "is below zero" in error:
            self.wrong.append(f"the error of another request: {error}")
        elif "CANCELLED" in error and self.habit == "cancel":
            self.cancelled += 1
        elif "Deadline Exceeded" in error or "DEADLINE_EXCEEDED" in error:
            self.hung.append([begun, time.time()])
        else:
            self.failed[error] += 1
            self.failed_at.append(time.time())
            # Leaves processor time to others.
            time.sleep(0.02)


class Ledger:
    """The clients, and the results of all calls."""

    def __init__(self, address, region, seed, *habits):
        self.clients = [
            Client(address, habit, region, f"{seed} {number}", FIRST * (number + 1))
            for number, habit in enumerate(habits)
        ]

    def warm(self):
        begun = time.monotonic()
        while not all(client.right or client.cancelled for client in self.clients):
            if time.monotonic() - begun > 15:
                raise SystemExit(f"it did not come to pass: {self.report()}")
            time.sleep(0.002)

    def end(self):
        for client in self.clients:
            client.ending.set()
        for client in self.clients:
            client.thread.join(PATIENCE + 2)
        return self.report()

    def report(self):
        def all_of(name):
            return [one for client in self.clients for one in getattr(client, name)]

        failed = sum((client.failed for client in self.clients), collections.Counter())
        return {
            "right": sum(client.right for client in self.clients),
            "cancelled": sum(client.cancelled for client in self.clients),
            "wrong": all_of("wrong")[:5],
            "failed": dict(failed.most_common(12)),
            "failed_at": all_of("failed_at"),
            "late": all_of("late"),
            "hung": all_of("hung"),
            "stuck": sum(client.thread.is_alive() and client.ending.is_set() for client in self.clients),
        }


def main():
    ledger = None
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "begin":
            ledger = Ledger(*arguments)
            ledger.warm()
            answer = "warm"
        else:
            answer = json.dumps(ledger.end())
        print(answer, flush=True)


main()
