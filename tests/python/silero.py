"""Compares `examples/speech` with onnxruntime: python silero.py HTTP GRPC WHEEL EXAMPLE ENGINE"""

import itertools
import pathlib
import sys
import tempfile
import wave

import numpy as np
import onnxruntime
import tritonclient.grpc
from tritonclient.utils import InferenceServerException

RATE = 16000

# The formants of a, i, u and e, in Hz, with their bandwidths.
VOWELS = [
    [(730, 90), (1090, 110), (2440, 170)],
    [(270, 60), (2290, 100), (3010, 170)],
    [(300, 60), (870, 100), (2240, 170)],
    [(530, 70), (1840, 100), (2480, 170)],
]


def vowel(pitch, resonances, seconds, random):
    """Synthesises a voice: pulses with resonances."""
    time = np.arange(int(RATE * seconds)) / RATE
    turns = np.cumsum(pitch * (1 + 0.05 * np.sin(2 * np.pi * 3 * time))) / RATE
    sound = np.diff(np.floor(turns), prepend=0) + 0.01 * random.standard_normal(len(time))
    for frequency, width in resonances:
        decay = np.exp(-np.pi * width / RATE)
        one, two = 2 * decay * np.cos(2 * np.pi * frequency / RATE), -decay * decay
        last = before = 0.0
        for number, sample in enumerate(sound):
            last, before = (1 - one - two) * sample + one * last + two * before, last
            sound[number] = last
    sound *= np.minimum(1, np.minimum(time, seconds - time) / 0.03)
    return 0.4 * sound / np.abs(sound).max()


def recording(path, silence, words, seed):
    """Returns silence, then vowels, then silence."""
    random = np.random.default_rng(seed)
    hush = lambda seconds: 0.001 * random.standard_normal(int(RATE * seconds))
    parts = [hush(silence)]
    for word in range(words):
        parts += [vowel(110 + 10 * (word % 3), VOWELS[word % 4], 0.2, random), hush(0.04)]
    sound = np.concatenate([*parts, hush(silence)])
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((sound * 32767).astype("<i2").tobytes())


class Reference:
    """Another file of the same network, run like its authors do."""

    def __init__(self, wheel):
        path = pathlib.Path(wheel) / "silero_vad" / "data" / "silero_vad.onnx"
        self.session = onnxruntime.InferenceSession(path)

    def probabilities(self, chunks):
        state, before = np.zeros((2, 1, 128), np.float32), np.zeros((1, 64), np.float32)
        for chunk in chunks:
            given = {"input": np.concatenate([before, chunk], axis=1), "state": state, "sr": np.array(RATE)}
            probability, state = self.session.run(None, given)
            before = chunk[:, -64:]
            yield probability.item()


def main():
    _, grpc, wheel, example, _ = sys.argv[1:]
    sys.path.insert(0, example)
    import client

    reference = Reference(wheel)
    with tempfile.TemporaryDirectory() as folder:
        streams = []
        for seed, (silence, words) in enumerate([(1, 8), (0.5, 4), (0.3, 2)]):
            path = pathlib.Path(folder) / f"{seed}.wav"
            recording(path, silence, words, seed)
            streams.append(client.chunks(str(path)))
    expected = [list(reference.probabilities(stream)) for stream in streams]

    heard = list(client.probabilities(grpc, streams[0]))
    np.testing.assert_allclose(heard, expected[0], atol=1e-4)
    ((begin, end),) = client.spoken(heard)
    assert abs(begin - 1) < 0.1 and abs(end - 2.92) < 0.3, (begin, end)

    # Interleaved streams: each has its own state.
    turns = [client.probabilities(grpc, stream, sequence) for sequence, stream in enumerate(streams, 1)]
    for heard, right in zip(zip(*itertools.zip_longest(*turns)), expected):
        np.testing.assert_allclose(heard[: len(right)], right, atol=1e-4)
        assert heard[len(right) :] == (None,) * (len(heard) - len(right)), heard

    # An ID that was not started, and one that has ended.
    with tritonclient.grpc.InferenceServerClient(grpc) as server:
        given = tritonclient.grpc.InferInput("samples", [1, 512], "FP32").set_data_from_numpy(streams[0][0])
        for sequence in (99, 1):
            try:
                server.infer("Speech", [given], sequence_id=sequence)
            except InferenceServerException as error:
                assert "sequence" in error.message(), error
            else:
                raise AssertionError("it did not fail")


if __name__ == "__main__":
    main()
