"""Sends gRPC calls to a server that stops: `calls.py MODE ADDRESS`. Prints a line for each step.

`large` sends one large call. `loop` has clients that call until standard input ends, optionally
with the given model and input. `channel` sends one call and keeps its connection open. `stream`
sends one request on a stream and keeps it open.
"""

import queue
import sys
import threading
import time

import grpc
import numpy as np
import tritonclient.grpc as protocol

CLIENTS = 8


def tensor(name, array, datatype):
    return protocol.InferInput(name, array.shape, datatype).set_data_from_numpy(array)


def say(line):
    print(line, flush=True)


def connect(address):
    # A separate connection.
    return protocol.InferenceServerClient(address, channel_args=[("grpc.use_local_subchannel_pool", 1)])


def ask(client, value, model="Gather", name="x"):
    sent = np.array([[value, value]], dtype=np.float32)
    got = client.infer(model, [tensor(name, sent, "FP32")]).as_numpy("OUTPUT_1")
    assert np.array_equal(got, sent), got


def large(address):
    client = connect(address)
    sent = np.random.default_rng(7).integers(0, 256, (1, 2 << 20), dtype=np.uint8)
    say("asking")
    got = client.infer("I_UINT8", [tensor("INPUT_1", sent, "UINT8")]).as_numpy("OUTPUT_1")
    say("right" if np.array_equal(got, sent) else "wrong")
    client.close()


def loop(address, *asked):
    ended = threading.Event()
    answered = [0] * CLIENTS
    problems = []

    def client(slot):
        mine = connect(address)
        while not ended.is_set():
            try:
                ask(mine, answered[slot], *asked)
                answered[slot] += 1
            except protocol.InferenceServerException as error:
                if error.status() != str(grpc.StatusCode.UNAVAILABLE):
                    problems.append(str(error))
                time.sleep(0.005)
            except BaseException as error:
                problems.append(repr(error))

    threads = [threading.Thread(target=client, args=(slot,), daemon=True) for slot in range(CLIENTS)]
    for thread in threads:
        thread.start()
    while min(answered) < 20:
        time.sleep(0.005)
    say("warm")
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join(10)
    hanging = sum(thread.is_alive() for thread in threads)
    say(f"{problems} {hanging}" if problems or hanging else "every call has an answer or UNAVAILABLE")


def channel(address):
    client = connect(address)
    ask(client, 1)
    say("right")
    sys.stdin.read()


def stream(address):
    answers = queue.Queue()
    client = connect(address)
    client.start_stream(callback=lambda result, error: answers.put(error or result))
    sent = np.array([[1, 2]], dtype=np.float32)
    client.async_stream_infer("Gather", [tensor("x", sent, "FP32")])
    got = answers.get(timeout=10).as_numpy("OUTPUT_1")
    say("right" if np.array_equal(got, sent) else "wrong")
    sys.stdin.read()


{"large": large, "loop": loop, "channel": channel, "stream": stream}[sys.argv[1]](*sys.argv[2:])
