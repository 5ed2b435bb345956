"""Prints the words of `examples/streaming` as they come: python client.py [localhost:8001] [prompt]"""

import queue
import sys

import numpy as np
import tritonclient.grpc as grpc


def words(url, prompt, count=20, seed=1):
    """Yields the words one by one."""
    answers = queue.Queue()
    text, number = grpc.InferInput("prompt", [1, 1], "BYTES"), grpc.InferInput("words", [1, 1], "UINT32")
    text.set_data_from_numpy(np.array([[prompt]], dtype=np.object_))
    number.set_data_from_numpy(np.array([[count]], dtype=np.uint32))
    with grpc.InferenceServerClient(url) as client:
        client.start_stream(lambda result, error: answers.put((result, error)))
        client.async_stream_infer("Writer", [text, number], parameters={"seed": seed}, enable_empty_final_response=True)
        while True:
            result, error = answers.get()
            if error is not None:
                raise error
            if result.get_response().parameters["triton_final_response"].bool_param:
                return
            yield result.as_numpy("OUTPUT_1").item().decode()


if __name__ == "__main__":
    url, prompt, *_ = [*sys.argv[1:], *("localhost:8001", "You may")[len(sys.argv) - 1 :]]
    print(prompt, end="")
    for word in words(url, prompt):
        print(word, end="", flush=True)
    print()
