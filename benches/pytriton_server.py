"""The models of the benches in PyTriton 0.7.0: pytriton_server.py HTTP_PORT GRPC_PORT METRICS_PORT
MODEL...
"""

import signal
import sys

import numpy as np
from pytriton.decorators import batch
from pytriton.model_config import ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig, TritonSecurityConfig

WEIGHTS = np.full((20, 30), 0.5, dtype=np.float32)


@batch
def add_sub(a, b):
    return {"add": a + b, "sub": a - b}


@batch
def linear(x):
    return [x @ WEIGHTS]


def identity(requests):
    return [{"OUTPUT_1": request["INPUT_1"]} for request in requests]


def tensors(*names, shape=(-1,)):
    return [Tensor(name=name, dtype=np.float32, shape=shape) for name in names]


# Function, inputs, outputs, maximum batch size.
MODELS = {
    "AddSub": (add_sub, tensors("a", "b"), tensors("add", "sub"), 128),
    "Linear": (linear, tensors("x", shape=(20,)), tensors("OUTPUT_1", shape=(30,)), 128),
    "Identity": (identity, tensors("INPUT_1"), tensors("OUTPUT_1"), 16),
}


def main(http, grpc, metrics, *names):
    config = TritonConfig(
        http_address="127.0.0.1",
        http_port=int(http),
        http_thread_count=8,
        grpc_address="127.0.0.1",
        grpc_port=int(grpc),
        metrics_address="127.0.0.1",
        metrics_port=int(metrics),
        log_verbose=0,
    )
    # PyTriton cleans up when its context manager exits, which SIGTERM alone does not trigger.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    security = TritonSecurityConfig(restricted_endpoints=[])
    with Triton(config=config, security_config=security) as triton:
        for name in names:
            function, inputs, outputs, rows = MODELS[name]
            config = ModelConfig(max_batch_size=rows)
            triton.bind(name, function, inputs, outputs, config=config)
        triton.run()
        print(f"  http     http://127.0.0.1:{http}\nready", flush=True)
        signal.pause()


main(*sys.argv[1:])
