"""Prints the text on pictures: python client.py [localhost:8000] picture.png …"""

import sys

import numpy as np
import tritonclient.http as http

# The first request may have to wait until the networks are downloaded, in seconds.
PATIENCE = 300


def question(pictures, module=http):
    """Returns an input with PNG or JPEG files."""
    given = module.InferInput("picture", [len(pictures), 1], "BYTES")
    return given.set_data_from_numpy(np.array([[picture] for picture in pictures], dtype=np.object_))


def lines(answer):
    """Returns the lines of each picture with their scores and their corners, clockwise from the
    upper left one.
    """
    texts, scores, boxes, counts = (answer.as_numpy(name) for name in ("text", "score", "box", "lines"))
    return [
        [(text.decode(), score, box) for text, score, box, _ in zip(*row, range(count))]
        for *row, (count,) in zip(texts, scores, boxes, counts)
    ]


def read(url, pictures):
    with http.InferenceServerClient(url, network_timeout=PATIENCE) as client:
        return lines(client.infer("OCR", [question(pictures)]))


if __name__ == "__main__":
    url, *paths = sys.argv[1:] if len(sys.argv) > 2 else ["localhost:8000", *sys.argv[1:]]
    for path in paths:
        with open(path, "rb") as file:
            (page,) = read(url, [file.read()])
        for text, score, box in page:
            corners = " ".join(f"{x:.0f},{y:.0f}" for x, y in box)
            print(f"{score:5.2f}  {corners:40}  {text}")
