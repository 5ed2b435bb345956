"""Models in PyTriton: pytriton_server.py HTTP_PORT GRPC_PORT METRICS_PORT TOKEN_FILE"""

import signal
import sys
import time

import numpy as np
from pytriton.decorators import batch
from pytriton.model_config import DynamicBatcher, ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig, TritonSecurityConfig


@batch
def add_sub(a, b):
    return {"add": a + b, "sub": a - b}


@batch
def strict(x):
    if (x < 0).any():
        raise ValueError("a number is below zero")
    return [x]


@batch
def upper(text):
    words = np.char.upper(np.char.decode(text.astype(np.bytes_), "utf-8"))
    return [np.char.encode(words, "utf-8")]


def plain(requests):
    return [{"y": request["x"] * 2} for request in requests]


@batch
def slow(x):
    time.sleep(float(x[0, 0]))
    return [x]


@batch
def countdown(start):
    for number in range(int(start.max()), -1, -1):
        yield {"number": np.full_like(start, number)}


def tensor(name, dtype, shape=(-1,)):
    return Tensor(name=name, dtype=dtype, shape=shape)


def main(http, grpc, metrics, token):
    config = TritonConfig(
        http_address="127.0.0.1",
        http_port=int(http),
        grpc_address="127.0.0.1",
        grpc_port=int(grpc),
        metrics_address="127.0.0.1",
        metrics_port=int(metrics),
    )
    with open(token, encoding="utf-8") as file:
        security = TritonSecurityConfig(access_token=file.read())
    # PyTriton cleans up when its context manager exits, which SIGTERM alone does not trigger.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    ints, floats = np.int32, np.float32
    with Triton(config=config, security_config=security) as triton:
        rows = ModelConfig(max_batch_size=8)
        triton.bind("AddSub", add_sub, [tensor("a", ints), tensor("b", ints)], [tensor("add", ints), tensor("sub", ints)], config=rows)
        triton.bind("Strict", strict, [tensor("x", floats)], [tensor("y", floats)], config=rows)
        triton.bind("Upper", upper, [tensor("text", bytes)], [tensor("upper", np.bytes_)], config=rows)
        triton.bind("Slow", slow, [tensor("x", floats, (1,))], [tensor("y", floats)], config=rows)
        triton.bind("Plain", plain, [tensor("x", floats)], [tensor("y", floats)], config=ModelConfig(batching=False))
        many = ModelConfig(max_batch_size=8, batcher=DynamicBatcher(), decoupled=True)
        triton.bind("Countdown", countdown, [tensor("start", ints)], [tensor("number", ints)], config=many)
        triton.run()
        signal.pause()


main(*sys.argv[1:])
