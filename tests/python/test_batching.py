"""Requests in a shared batch receive their own rows; the batch is visible only where it should be.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import connect, infer, statistics, tensor


def together(protocol, calls):
    """Runs all calls concurrently, each with its own client, and returns their results in order."""
    barrier = threading.Barrier(len(calls))

    def one(call):
        client = connect(protocol)
        try:
            barrier.wait()
            return call(client)
        finally:
            client.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


def rows(count, seed):
    return np.random.default_rng(seed).standard_normal((count, 3), dtype=np.float32)


def test_requests_of_mixed_sizes_are_batched_and_split(protocol):
    sent = [rows(1 + index % 5, index) for index in range(24)]
    calls = [
        lambda client, array=array: infer(protocol, client, "Gather", {"x": array})
        for array in sent
    ]
    results = together(protocol, calls)
    batches = []
    for array, outputs in zip(sent, results):
        np.testing.assert_array_equal(outputs["OUTPUT_1"], array)
        batch = outputs["OUTPUT_2"]
        assert batch.shape == (len(array), 1) and len(set(batch[:, 0])) == 1
        assert len(array) <= batch[0, 0] <= 16
        batches.append(int(batch[0, 0]))
    assert max(batches) > 5, f"no two requests shared a batch: {batches}"


def test_unstackable_shapes_are_not_batched(protocol):
    sent = [np.full((1, 1 + index % 3), index, dtype=np.float32) for index in range(12)]
    calls = [
        lambda client, array=array: infer(protocol, client, "Gather", {"x": array})
        for array in sent
    ]
    for array, outputs in zip(sent, together(protocol, calls)):
        np.testing.assert_array_equal(outputs["OUTPUT_1"], array)
        assert outputs["OUTPUT_2"][0, 0] <= 4


def test_different_optional_inputs_are_not_batched(protocol):
    with_b = {"a": rows(1, 1), "b": rows(1, 2)}
    without_b = {"a": rows(1, 3)}
    calls = [
        lambda client, arrays=arrays: infer(protocol, client, "Opt", arrays)["o"]
        for arrays in [with_b, without_b] * 6
    ]
    for index, got in enumerate(together(protocol, calls)):
        expected = without_b["a"] + 2 if index % 2 else with_b["a"] + with_b["b"]
        np.testing.assert_array_equal(got, expected)


def test_preferred_size_is_executed_at_once(protocol):
    calls = [
        lambda client, index=index: infer(protocol, client, "Preferred", {"x": rows(1, index)})
        for index in range(4)
    ]
    begun = time.monotonic()
    results = together(protocol, calls)
    assert time.monotonic() - begun < 1.8, "the batch waited for its delay"
    assert [outputs["OUTPUT_2"][0, 0] for outputs in results] == [4, 4, 4, 4]


def test_smaller_batch_is_executed_after_the_delay(protocol, client):
    begun = time.monotonic()
    outputs = infer(protocol, client, "Preferred", {"x": rows(3, 0)})
    assert 1.9 < time.monotonic() - begun < 4
    assert outputs["OUTPUT_2"][0, 0] == 3


def test_unbatched_function_is_called_for_each_request(protocol):
    sent = [rows(1 + index % 3, index) for index in range(8)]
    calls = [
        lambda client, array=array: infer(protocol, client, "OneByOne", {"x": array})
        for array in sent
    ]
    for array, outputs in zip(sent, together(protocol, calls)):
        np.testing.assert_array_equal(outputs["OUTPUT_1"], array)
        assert outputs["OUTPUT_2"][0, 0] == len(array)


def test_first_value(protocol, client):
    x = rows(3, 0)
    same = np.full((3, 1), 2.5, dtype=np.float32)
    got = infer(protocol, client, "Scale", {"x": x, "scale": same})["OUTPUT_1"]
    np.testing.assert_array_equal(got, x * np.float32(2.5))
    different = np.array([[2.5], [2.5], [-4.0]], dtype=np.float32)
    with pytest.raises(InferenceServerException, match=r"scale.*2\.5, -4"):
        infer(protocol, client, "Scale", {"x": x, "scale": different})
    got = infer(protocol, client, "LooseScale", {"x": x, "scale": different})["OUTPUT_1"]
    np.testing.assert_array_equal(got, x * np.float32(2.5))


def test_parameters_stay_with_their_request(protocol):
    x = rows(1, 0)

    def call(number):
        def send(client):
            inputs = [tensor(protocol, "x", x)]
            result = client.infer("Parameters", inputs, parameters={"number": number})
            return result.as_numpy("OUTPUT_1")[0, 0]

        return send

    results = together(protocol, [call(index % 4) for index in range(16)])
    assert results == [f"number={index % 4}".encode() for index in range(16)]


def test_two_instances_run_concurrently(protocol):
    nap = np.array([[400]], dtype=np.uint32)
    call = lambda client: infer(protocol, client, "Counter", {"milliseconds": nap})
    begun = time.monotonic()
    results = together(protocol, [call, call])
    assert time.monotonic() - begun < 0.75, "one waited for the other"
    assert {int(outputs["OUTPUT_1"][0, 0]) for outputs in results} == {0, 1}


def test_instance_receives_its_device(protocol, http):
    groups = http.get_model_config("Placed")["instance_group"]
    assert [(group["kind"], group["count"], group["gpus"]) for group in groups] == [("KIND_CPU", 2, [])]
    nap = np.array([[400]], dtype=np.uint32)
    call = lambda client: infer(protocol, client, "Placed", {"milliseconds": nap})
    results = together(protocol, [call, call])
    assert {int(outputs["OUTPUT_1"][0, 0]) for outputs in results} == {0, 1}
    assert {outputs["OUTPUT_2"][0, 0] for outputs in results} == {b"cpu"}


def test_each_instance_has_its_own_state(protocol, client):
    counts = {}
    for _ in range(10):
        outputs = infer(protocol, client, "Counter", {"milliseconds": np.zeros((1, 1), np.uint32)})
        instance, calls = int(outputs["OUTPUT_1"][0, 0]), int(outputs["OUTPUT_2"][0, 0])
        assert calls == counts.get(instance, calls - 1) + 1
        counts[instance] = calls


def lead(model):
    """Returns by how many seconds the response to a quick request precedes that to a slow one sent
    earlier.
    """
    client = connect(tritonclient.grpc)
    answered = {}
    both = threading.Event()

    def hear(result, error):
        assert error is None
        answered[result.get_response().id] = time.monotonic()
        if len(answered) == 2:
            both.set()

    try:
        for name, milliseconds in (("slow", 500), ("quick", 1)):
            nap = np.array([[milliseconds]], dtype=np.uint32)
            inputs = [tensor(tritonclient.grpc, "milliseconds", nap)]
            client.async_infer(model, inputs, callback=hear, request_id=name)
            time.sleep(0.15)
        assert both.wait(10)
    finally:
        client.close()
    return answered["slow"] - answered["quick"]


def test_order_is_preserved_if_requested():
    # The two responses are sent in order, but two threads of the client receive them.
    for ordered in ("Ordered", "OrderedSideBySide"):
        assert lead(ordered) < 0.1
    for unordered in ("Unordered", "SideBySide"):
        assert lead(unordered) > 0.2


def test_batches_are_counted(http):
    before = statistics(http, "Gather")
    assert before["execution_count"] < before["inference_count"]
    assert sum(
        batch["batch_size"] * batch["compute_infer"]["count"] for batch in before["batch_stats"]
    ) == before["inference_count"]
