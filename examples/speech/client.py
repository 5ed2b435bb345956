"""Prints when someone speaks in a 16-bit, 16 kHz recording: python client.py [localhost:8001]
recording.wav
"""

import queue
import secrets
import sys
import wave

import numpy as np
import tritonclient.grpc as grpc

RATE, SAMPLES = 16000, 512

# The number of chunks that are sent before the response to the first one is awaited.
AHEAD = 16


def chunks(path):
    """Returns the recording in chunks of 32 ms; the last one is filled with silence."""
    with wave.open(path) as recording:
        assert recording.getframerate() == RATE and recording.getsampwidth() == 2, "not 16 bits at 16 kHz"
        sound = np.frombuffer(recording.readframes(-1), np.int16).reshape(-1, recording.getnchannels())
    sound = sound.mean(axis=1, dtype=np.float32) / 32768
    return np.pad(sound, (0, -len(sound) % SAMPLES)).reshape(-1, 1, SAMPLES)


def probabilities(url, chunks, sequence=None):
    """Yields the probability of speech for each chunk as soon as its response arrives."""
    sequence = sequence or secrets.randbits(63) + 1
    answers = queue.Queue()

    def probability():
        result, error = answers.get()
        if error is not None:
            raise error
        return result.as_numpy("probability").item()

    with grpc.InferenceServerClient(url) as client:
        client.start_stream(lambda result, error: answers.put((result, error)))
        for number, chunk in enumerate(chunks):
            if number >= AHEAD:
                yield probability()
            given = grpc.InferInput("samples", list(chunk.shape), "FP32").set_data_from_numpy(chunk)
            start, end = number == 0, number == len(chunks) - 1
            client.async_stream_infer("Speech", [given], sequence_id=sequence, sequence_start=start, sequence_end=end)
        for _ in chunks[-AHEAD:]:
            yield probability()


def spoken(probabilities):
    """Yields the start and the end of each section with speech, in seconds."""
    begin = None
    for number, probability in enumerate(probabilities):
        if begin is None and probability >= 0.5:
            begin = number
        # The threshold for the end is lower than the one for the start.
        elif begin is not None and probability < 0.35:
            yield begin * SAMPLES / RATE, number * SAMPLES / RATE
            begin = None
    if begin is not None:
        yield begin * SAMPLES / RATE, (number + 1) * SAMPLES / RATE


if __name__ == "__main__":
    url, path = ["localhost:8001", *sys.argv[1:]][-2:]
    for begin, end in spoken(probabilities(url, chunks(path))):
        print(f"{begin:7.2f} s to {end:7.2f} s")
