"""Sorts sentences by their similarity to the first: python client.py [localhost:8000] [sentence …]
"""

import sys

import numpy as np
import tritonclient.http as http

SENTENCES = ["A cat sleeps.", "The kitten is taking a nap.", "Dogs bark at night.", "Shares fell on Monday."]


def embed(url, sentences):
    """Returns a vector of length one for each sentence. The server batches the requests of several
    clients.
    """
    given = http.InferInput("sentence", [len(sentences), 1], "BYTES")
    given.set_data_from_numpy(np.array([[sentence] for sentence in sentences], dtype=np.object_))
    with http.InferenceServerClient(url) as client:
        return client.infer("MiniLM", [given]).as_numpy("vector")


if __name__ == "__main__":
    url = sys.argv[1] if len(sys.argv) > 1 else "localhost:8000"
    sentences = sys.argv[2:] or SENTENCES
    vectors = embed(url, sentences)
    alike = vectors @ vectors[0]
    for row in np.argsort(-alike):
        print(f"{alike[row]:6.3f}  {sentences[row]}")
