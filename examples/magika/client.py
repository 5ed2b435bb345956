"""Prints the types of files: python client.py localhost:8000 file …"""

import os
import sys

import numpy as np
import tritonclient.http as http

# Bytes that the model reads from the start and from the end of a file.
BLOCK = 4096

# The maximum number of files per request.
ROWS = 64


def ends(path):
    """Returns the part of a file that the model reads."""
    with open(path, "rb") as file:
        begin = file.read(BLOCK)
        file.seek(max(len(begin), file.seek(0, os.SEEK_END) - BLOCK))
        return begin + file.read()


def identify(url, contents, mode=None):
    """Yields label, score, MIME type and group of each file. The server batches the requests of
    several clients.
    """
    with http.InferenceServerClient(url) as client:
        for begin in range(0, len(contents), ROWS):
            rows = contents[begin : begin + ROWS]
            inputs = [given("content", rows)]
            if mode is not None:
                inputs.append(given("mode", [mode] * len(rows)))
            answer = client.infer("Magika", inputs)
            columns = [answer.as_numpy(name)[:, 0] for name in ("label", "score", "mime_type", "group")]
            for label, score, mime_type, group in zip(*columns):
                yield label.decode(), float(score), mime_type.decode(), group.decode()


def given(name, rows):
    tensor = http.InferInput(name, [len(rows), 1], "BYTES")
    return tensor.set_data_from_numpy(np.array(rows, dtype=np.object_).reshape(-1, 1))


if __name__ == "__main__":
    url, *paths = sys.argv[1:]
    for path, (label, score, mime_type, _) in zip(paths, identify(url, [ends(path) for path in paths])):
        print(f"{score:5.2f}  {label:<12} {mime_type:<24} {path}")
