"""Prints the words of `examples/streaming` as they arrive: python client.py [localhost:8001]
[prompt]
"""

import queue
import sys

import numpy as np
import tritonclient.grpc as grpc
from tritonclient.utils import np_to_triton_dtype


def words(url, prompt, count=20, seed=1):
    """Yields the words one by one."""
    answers = queue.Queue()
    values = {"prompt": np.array([prompt], np.object_), "max_tokens": np.array([count], np.uint32), "seed": np.array([seed])}
    inputs = []
    for name, value in values.items():
        given = grpc.InferInput(name, [1], np_to_triton_dtype(value.dtype))
        inputs.append(given.set_data_from_numpy(value))
    with grpc.InferenceServerClient(url) as client:
        client.start_stream(lambda result, error: answers.put((result, error)))
        client.async_stream_infer("Writer", inputs, enable_empty_final_response=True)
        while True:
            result, error = answers.get()
            if error is not None:
                raise error
            # The last response has no text: its parameters contain the finish reason and the usage.
            if result.get_response().parameters["triton_final_response"].bool_param:
                return
            if text := result.as_numpy("text").item().decode():
                yield text


if __name__ == "__main__":
    url, prompt, *_ = [*sys.argv[1:], *("localhost:8001", "You may")[len(sys.argv) - 1 :]]
    print(prompt, end="")
    for word in words(url, prompt):
        print(word, end="", flush=True)
    print()
