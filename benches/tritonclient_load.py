"""A load generator for NVIDIA's Python client, with a fixed number of concurrent requests. Prints
the number of responses, the seconds elapsed, and the CPU seconds of the client.

Usage: tritonclient_load.py http|grpc ADDRESS BYTES UNDER_WAY SECONDS
"""

import collections
import importlib
import queue
import sys
import time

import numpy as np


def main(protocol, address, size, under_way, seconds):
    triton = importlib.import_module(f"tritonclient.{protocol}")
    array = np.ones((1, size // 4), np.float32)
    given = triton.InferInput("INPUT_1", array.shape, "FP32")
    options = {"concurrency": under_way} if protocol == "http" else {}
    with triton.InferenceServerClient(address, **options) as client:

        def ask():
            # Sets the data each time, like a program whose arrays differ.
            return client.infer("Identity", [given.set_data_from_numpy(array)]).as_numpy("OUTPUT_1")

        assert ask().shape == array.shape
        begun, before = time.perf_counter(), time.process_time()
        end = begun + seconds
        if under_way == 1:
            answered = 0
            while time.perf_counter() < end:
                ask()
                answered += 1
        else:
            several = http if protocol == "http" else grpc
            answered = several(client, given, array, under_way, end)
        print(answered, time.perf_counter() - begun, time.process_time() - before)


def http(client, given, array, under_way, end):
    answered, pending = 0, collections.deque()
    while time.perf_counter() < end:
        if len(pending) == under_way:
            pending.popleft().get_result().as_numpy("OUTPUT_1")
            answered += 1
        pending.append(client.async_infer("Identity", [given.set_data_from_numpy(array)]))
    for request in pending:
        request.get_result().as_numpy("OUTPUT_1")
    return answered + len(pending)


def grpc(client, given, array, under_way, end):
    answers, asked, answered = queue.Queue(), 0, 0
    while time.perf_counter() < end or answered < asked:
        if asked - answered < under_way and time.perf_counter() < end:
            request = [given.set_data_from_numpy(array)]
            client.async_infer("Identity", request, lambda result, error: answers.put((result, error)))
            asked += 1
            continue
        result, error = answers.get()
        if error is not None:
            raise error
        result.as_numpy("OUTPUT_1")
        answered += 1
    return answered


if __name__ == "__main__":
    protocol, address, *numbers = sys.argv[1:]
    size, under_way, seconds = numbers
    main(protocol, address, int(size), int(under_way), float(seconds))
