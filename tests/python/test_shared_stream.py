"""More sequences than slots on one gRPC stream: a slot is only freed by a later message of the stream."""

import queue

import numpy as np
import pytest
import tritonclient.grpc

from wire import TIMEOUT, connect, tensor

SEQUENCES = 12
STEPS = 6


@pytest.mark.parametrize("slots", [1, 4, 8])
@pytest.mark.parametrize("strategy", ["Direct", "Oldest"])
def test_sequences_of_one_stream_do_not_starve_each_other(strategy, slots):
    responses = queue.Queue()
    number = np.array([[1]], dtype=np.uint32)
    inputs = [tensor(tritonclient.grpc, "milliseconds", number - 1), tensor(tritonclient.grpc, "value", number)]
    with connect(tritonclient.grpc) as client:
        client.start_stream(callback=lambda result, error: responses.put((result, error)))
        for step in range(1, STEPS + 1):
            for sequence in range(1, SEQUENCES + 1):
                client.async_stream_infer(
                    f"Shared{strategy}{slots}",
                    inputs,
                    request_id=str(sequence),
                    sequence_id=sequence,
                    sequence_start=step == 1,
                    sequence_end=step == STEPS,
                )
        sums = {sequence: [] for sequence in range(1, SEQUENCES + 1)}
        for _ in range(SEQUENCES * STEPS):
            result, error = responses.get(timeout=TIMEOUT)
            assert error is None, error
            sums[int(result.get_response().id)].append(int(result.as_numpy("OUTPUT_2")[0, 0]))
        client.stop_stream()
    assert all(each == list(range(1, STEPS + 1)) for each in sums.values()), sums
