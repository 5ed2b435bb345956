"""The response cache: a repeated request is served without a call, and counted as Triton does."""

import itertools
import queue
import struct
import threading
import time

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import cache_gauges, connect, infer, metric, metrics, post_binary, post_json, statistics, tensor

MODELS = ["Cached", "CachedAlone", "CachedInFlight"]
# Every test sends different elements.
NUMBERS = itertools.count(1)
PARTS = ("success", "fail", "queue", "compute_input", "compute_infer", "compute_output", "cache_hit", "cache_miss")


def rows(count=1):
    """Returns unique elements, for which the function does not wait."""
    array = np.zeros((count, 2), dtype=np.float32)
    array[:, 1] = next(NUMBERS)
    return array


def call_of(outputs):
    """Returns the number of the call that produced these outputs."""
    (call,) = set(outputs["OUTPUT_2"].flatten())
    return int(call)


def counts(model):
    """Returns the statistics of a model."""
    http = connect(tritonclient.http)
    try:
        seen = statistics(http, model)
    finally:
        http.close()
    counted = {part: seen["inference_stats"][part]["count"] for part in PARTS}
    return {**counted, "inferences": seen["inference_count"], "executions": seen["execution_count"]}


class Counted:
    """The changes of a model's statistics."""

    def __init__(self, model):
        self.model, self.before = model, counts(model)

    def __call__(self):
        """Returns the changed counts."""
        now = counts(self.model)
        return {name: now[name] - self.before[name] for name in now if now[name] != self.before[name]}


@pytest.mark.parametrize("model", MODELS)
def test_ten_equal_requests_cause_one_call(protocol, client, model):
    counted, sent = Counted(model), rows(3)
    first = infer(protocol, client, model, {"x": sent})
    np.testing.assert_array_equal(first["OUTPUT_1"], sent)
    for _ in range(9):
        again = infer(protocol, client, model, {"x": sent})
        np.testing.assert_array_equal(again["OUTPUT_1"], sent)
        assert call_of(again) == call_of(first)
    computed = {"compute_input": 1, "compute_infer": 1, "compute_output": 1}
    assert counted() == {
        "success": 10, "queue": 10, **computed, "cache_hit": 9, "cache_miss": 1, "inferences": 3, "executions": 1
    }


def test_different_elements_cause_another_call(protocol, client):
    calls = {call_of(infer(protocol, client, "Cached", {"x": rows()})) for _ in range(5)}
    assert len(calls) == 5


def test_cached_response_has_the_id_of_its_request(protocol, client):
    inputs = [tensor(protocol, "x", rows())]
    for request_id in ("one", "two", ""):
        response = client.infer("Cached", inputs, request_id=request_id).get_response()
        got = response.get("id", "") if isinstance(response, dict) else response.id
        assert got == request_id


def test_all_protocols_and_formats_share_cached_responses(http, grpc):
    sent, answers = rows(), queue.Queue()
    calls = [
        call_of(infer(tritonclient.http, http, "Cached", {"x": sent})),
        call_of(infer(tritonclient.grpc, grpc, "Cached", {"x": sent})),
    ]
    grpc.start_stream(callback=lambda result, error: answers.put((result, error)))
    grpc.async_stream_infer("Cached", [tensor(tritonclient.grpc, "x", sent)], request_id="streamed")
    result, error = answers.get(timeout=10)
    grpc.stop_stream()
    assert error is None and result.get_response().id == "streamed"
    calls.append(int(result.as_numpy("OUTPUT_2")[0, 0]))
    document = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 2], "data": sent.tolist()}]}
    status, answer = post_json("Cached", document)
    assert status == 200 and answer["outputs"][0]["data"] == sent.flatten().tolist()
    calls.append(answer["outputs"][1]["data"][0])
    document["inputs"][0] = {"name": "x", "datatype": "FP32", "shape": [1, 2], "parameters": {"binary_data_size": 8}}
    document["outputs"] = [{"name": "OUTPUT_1"}, {"name": "OUTPUT_2", "parameters": {"binary_data": True}}]
    status, headers, body = post_binary("Cached", document, sent.tobytes())
    assert status == 200
    calls += struct.unpack("<Q", body[int(headers["Inference-Header-Content-Length"]):])
    assert len(calls) == 5 and len(set(calls)) == 1


def test_classification_uses_the_cached_response(protocol, client):
    inputs = [tensor(protocol, "x", rows())]
    outputs = [protocol.InferRequestedOutput("OUTPUT_1", class_count=1), protocol.InferRequestedOutput("OUTPUT_2")]
    whole = client.infer("Cached", inputs)
    classes = client.infer("Cached", inputs, outputs=outputs)
    number = whole.as_numpy("OUTPUT_1")[0, 1]
    assert classes.as_numpy("OUTPUT_1").tolist() == [[f"{number:.6f}:1".encode()]]
    assert classes.as_numpy("OUTPUT_2").tolist() == whole.as_numpy("OUTPUT_2").tolist()


def test_parameters_are_not_part_of_the_cache_key(protocol, client):
    sent = rows()
    first = infer(protocol, client, "Cached", {"x": sent}, parameters={"mood": "good"})
    second = infer(protocol, client, "Cached", {"x": sent}, parameters={"mood": "bad"})
    assert call_of(first) == call_of(second)


def test_equal_elements_of_another_input_are_another_request(protocol, client):
    sent = rows()
    one = call_of(infer(protocol, client, "CachedEither", {"a": sent}))
    other = call_of(infer(protocol, client, "CachedEither", {"b": sent}))
    assert one != other
    assert call_of(infer(protocol, client, "CachedEither", {"a": sent})) == one
    assert call_of(infer(protocol, client, "CachedEither", {"b": sent})) == other


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("value", [-1.0, -2.0], ids=["error", "panic"])
def test_failures_are_not_cached(protocol, client, model, value, then_right):
    counted, sent = Counted(model), np.full((1, 1), value, dtype=np.float32)
    said = set()
    for _ in range(3):
        with pytest.raises(InferenceServerException) as raised:
            infer(protocol, client, model, {"x": sent})
        said.add(raised.value.message())
    assert len(said) == 3
    assert counted() == {"fail": 3, "cache_miss": 3, "executions": 3}


def test_cache_miss_of_a_failure_counts_as_lookup_time(protocol, client):
    with connect(tritonclient.http) as http:
        before = statistics(http, "Cached")["inference_stats"]
        with pytest.raises(InferenceServerException):
            infer(protocol, client, "Cached", {"x": np.full((1, 1), -1.0, dtype=np.float32)})
        now = statistics(http, "Cached")["inference_stats"]
    grown = {part: now[part]["ns"] - before[part]["ns"] for part in ("success", "cache_miss")}
    assert now["success"]["count"] == before["success"]["count"]
    assert grown["success"] == grown["cache_miss"] > 0


def test_invalid_requests_are_not_looked_up(protocol, client):
    counted = Counted("Cached")
    for _ in range(2):
        with pytest.raises(InferenceServerException):
            infer(protocol, client, "Cached", {"x": np.zeros((17, 2), np.float32)})
    assert "cache_hit" not in counted() and "cache_miss" not in counted()


def test_a_hit_does_not_wait_for_the_function(protocol, client):
    sent = rows()
    infer(protocol, client, "CachedAlone", {"x": sent})
    slow = np.array([[1000.0, next(NUMBERS)]], dtype=np.float32)

    def occupy():
        other = connect(protocol)
        infer(protocol, other, "CachedAlone", {"x": slow})
        other.close()

    busy = threading.Thread(target=occupy)
    busy.start()
    time.sleep(0.2)
    begun = time.monotonic()
    infer(protocol, client, "CachedAlone", {"x": sent})
    assert time.monotonic() - begun < 0.5
    busy.join(timeout=20)


def test_concurrent_equal_requests_cache_one_response(protocol):
    counted = Counted("CachedAlone")
    slow = np.array([[300.0, next(NUMBERS)]], dtype=np.float32)
    calls = queue.Queue()

    def ask():
        other = connect(protocol)
        calls.put(call_of(infer(protocol, other, "CachedAlone", {"x": slow})))
        other.close()

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    seen = counted()
    assert (seen["success"], seen["executions"], seen["cache_miss"]) == (3, 3, 1)
    assert "cache_hit" not in seen
    made = {calls.get_nowait() for _ in range(3)}
    client = connect(protocol)
    assert call_of(infer(protocol, client, "CachedAlone", {"x": slow})) in made
    client.close()


def test_both_protocols_report_equal_cache_statistics(http, grpc):
    sent = rows()
    for _ in range(3):
        infer(tritonclient.http, http, "Cached", {"x": sent})
    over_http = statistics(http, "Cached")["inference_stats"]
    over_grpc = grpc.get_inference_statistics("Cached").model_stats[0].inference_stats
    for part in ("cache_hit", "cache_miss"):
        told = getattr(over_grpc, part)
        assert over_http[part] == {"count": told.count, "ns": told.ns}
        assert told.count > 0 and told.ns > 0


def test_metrics_of_the_models(http):
    names = ("nv_cache_num_hits_per_model", "nv_cache_num_misses_per_model")
    before = [metric(name, "CachedEither") for name in names]
    sent = rows()
    for _ in range(4):
        infer(tritonclient.http, http, "CachedEither", {"a": sent})
    assert [metric(name, "CachedEither") for name in names] == [before[0] + 3, before[1] + 1]
    for family in (*names, "nv_cache_hit_duration_per_model", "nv_cache_miss_duration_per_model"):
        assert {dict(pairs)["model"] for pairs in metrics()[family]} == {*MODELS, "CachedEither", "CachedQueue", "OmitsCached"}


def test_metrics_of_the_cache(http):
    before, sent = cache_gauges(), rows()
    for _ in range(4):
        infer(tritonclient.http, http, "CachedEither", {"a": sent})
    now = cache_gauges()
    grown = {name: now[name] - before[name] for name in ("entries", "hits", "misses", "lookups", "evictions")}
    assert grown == {"entries": 1, "hits": 3, "misses": 1, "lookups": 4, "evictions": 0}


def test_configuration_contains_the_response_cache(http, grpc):
    assert http.get_model_config("Cached")["response_cache"] == {"enable": True}
    assert grpc.get_model_config("Cached").config.response_cache.enable
    assert "response_cache" not in http.get_model_config("AddSub")
    assert not grpc.get_model_config("AddSub").config.HasField("response_cache")
