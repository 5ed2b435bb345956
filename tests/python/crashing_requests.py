"""Sends requests that end a tritonserver 2.51:
`crashing_requests.py refused|answered|ended|restarted NAME HTTP GRPC`.
"""

import http.client
import json
import random
import sys
import threading
import time

import numpy as np
import tritonclient.grpc
from tritonclient.utils import InferenceServerException

INPUT = {"name": "INPUT_1", "datatype": "FP32", "shape": [1, 2**63 - 1], "data": [1.0]}
GOOD = {"inputs": [{**INPUT, "shape": [1, 1]}]}
CLASSES = {"name": "OUTPUT_1", "parameters": {"classification": 1}}
REQUESTS = {
    # The number of bytes overflows without an error.
    "dimension": ("I_FP32", {"inputs": [INPUT]}),
    "product": ("I_FP32", {"inputs": [{**INPUT, "shape": [1, 2**62]}]}),
    # The parser recurses.
    "nesting": ("I_FP32", json.dumps({"inputs": [{**INPUT, "shape": [1, 1], "data": []}]}).replace("[]", "[" * 100_000 + "]" * 100_000)),
    # A text has no classes.
    "classification": (
        "I_BYTES",
        {"inputs": [{**INPUT, "datatype": "BYTES", "shape": [1, 1], "data": ["a"]}], "outputs": [CLASSES]},
    ),
}

# A pointer and a length for each chunk exceed the stack of a thread, 8 MiB.
CHUNKS = 600_000
# The duration of the load, in seconds.
BURST = 6.0
# The timeout, far above the time for the end of a server.
PATIENCE = 60.0


def post(address, model, body):
    """Returns the status and the body of a response, or the error of the connection."""
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    try:
        connection.request("POST", f"/v2/models/{model}/infer", body)
        response = connection.getresponse()
        return f"{response.status} {response.read().decode()}"
    except (http.client.HTTPException, OSError) as error:
        return f"ended: {error!r}"
    finally:
        connection.close()


def right(address):
    """Returns the response to a valid request, or the error of the connection."""
    return post(address, "I_FP32", json.dumps(GOOD))


def gone(address):
    """Returns whether a valid request has no response."""
    return not right(address).startswith("200 ")


def request(name, address):
    """Sends a request that the server handles incorrectly."""
    model, document = REQUESTS[name]
    return post(address, model, document if isinstance(document, str) else json.dumps(document))


def chunks(address):
    """Sends a valid request one byte at a time."""
    body = json.dumps(GOOD).encode().rjust(CHUNKS)
    # `http.client` would send each chunk separately.
    head = f"POST /v2/models/I_FP32/infer HTTP/1.1\r\nHost: {address}\r\nTransfer-Encoding: chunked\r\n\r\n"
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    try:
        connection.connect()
        sent = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
        connection.sock.sendall(head.encode() + sent + b"0\r\n\r\n")
        response = http.client.HTTPResponse(connection.sock)
        response.begin()
        return f"{response.status} {response.read().decode()}"
    except (http.client.HTTPException, OSError) as error:
        return f"ended: {error!r}"
    finally:
        connection.close()


def deadlines(http_address, grpc_address):
    """Sends valid requests with deadlines close to the response time."""
    begun = time.monotonic()
    ended = threading.Event()

    def ask(seed):
        choose = random.Random(seed)
        client = tritonclient.grpc.InferenceServerClient(grpc_address)
        tensor = tritonclient.grpc.InferInput("INPUT_1", [1, 1], "FP32")
        tensor.set_data_from_numpy(np.ones((1, 1), dtype=np.float32))
        while not ended.is_set() and time.monotonic() - begun < BURST:
            try:
                client.infer("I_FP32", [tensor], client_timeout=choose.uniform(0.0001, 0.003))
            except InferenceServerException as error:
                # A server that closes a connection may accept the next one.
                if error.status() == "StatusCode.UNAVAILABLE" and gone(http_address):
                    ended.set()
        client.close()

    clients = [threading.Thread(target=ask, args=(seed,)) for seed in range(8)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return "ended: connections" if ended.is_set() else "200 every one or its deadline"


def main():
    expected, name, http_address, grpc_address = sys.argv[1:]
    if name == "deadlines":
        answer = deadlines(http_address, grpc_address)
    elif name == "chunks":
        answer = chunks(http_address)
    else:
        answer = request(name, http_address)
    print(answer)
    # A race inside 2.51 usually ends it soon, but not always.
    either = ("ended", "200 ") if name == "deadlines" else "ended"
    begins = {"refused": "400 ", "answered": "200 ", "ended": either, "restarted": either}
    if not answer.startswith(begins[expected]):
        sys.exit(f"{name} must be {expected}")
    if expected == "ended":
        return
    # A server that survived or restarted must respond to the next request.
    deadline = time.monotonic() + (PATIENCE if expected == "restarted" else 0)
    while not (answer := right(http_address)).startswith("200 "):
        if time.monotonic() > deadline:
            sys.exit(f"there is no right answer after {name}, but: {answer}")
        time.sleep(0.05)


if __name__ == "__main__":
    main()
