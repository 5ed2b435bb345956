"""Statistics and metrics are exact: they equal the number of requests."""

import time

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import METRICS, infer, metric, metrics, request, statistics


def send(protocol, client, model, rows, value=1.0):
    array = np.full((rows, 2), value, dtype=np.float32)
    return infer(protocol, client, model, {"INPUT_1": array})


def test_counts_of_a_model(http, grpc):
    sizes = [1, 1, 2, 5, 16, 5]
    for size in sizes:
        send(tritonclient.http, http, "I_FP32", size)
    for size in sizes:
        send(tritonclient.grpc, grpc, "I_FP32", size)
    seen = statistics(http, "I_FP32")
    assert seen["name"] == "I_FP32" and seen["version"] == "1"
    assert seen["inference_count"] == 2 * sum(sizes)
    assert seen["execution_count"] == 2 * len(sizes)
    assert abs(seen["last_inference"] - time.time() * 1000) < 20_000
    parts = seen["inference_stats"]
    for part in ("success", "queue", "compute_input", "compute_infer", "compute_output"):
        assert parts[part]["count"] == 2 * len(sizes), part
        assert parts[part]["ns"] > 0, part
    for part in ("fail", "cache_hit", "cache_miss"):
        assert parts[part] == {"count": 0, "ns": 0}, part
    whole = parts["success"]["ns"]
    assert whole >= parts["queue"]["ns"] + parts["compute_infer"]["ns"]
    batches = {batch["batch_size"]: batch["compute_infer"]["count"] for batch in seen["batch_stats"]}
    assert batches == {1: 4, 2: 2, 5: 4, 16: 2}


def test_metrics_of_a_model(http):
    model = "I_INT8"
    for size in (1, 3):
        array = np.zeros((size, 1), dtype=np.int8)
        infer(tritonclient.http, http, model, {"INPUT_1": array})
    assert metric("nv_inference_request_success", model) == 2
    assert metric("nv_inference_count", model) == 4
    assert metric("nv_inference_exec_count", model) == 2
    assert metric("nv_inference_pending_request_count", model) == 0
    for reason in ("BACKEND", "CANCELED", "OTHER", "REJECTED"):
        assert metric("nv_inference_request_failure", model, reason=reason) == 0
    for family in ("request", "queue", "compute_input", "compute_infer", "compute_output"):
        assert metric(f"nv_inference_{family}_duration_us", model) >= 0
    assert metric("nv_inference_request_duration_us", model) > 0


def test_metrics_are_in_prometheus_text():
    status, headers, body = request("GET", "/metrics", address=METRICS)
    assert status == 200
    lines = body.decode().splitlines()
    for family, kind in (
        ("nv_inference_request_success", "counter"),
        ("nv_inference_request_failure", "counter"),
        ("nv_inference_count", "counter"),
        ("nv_inference_exec_count", "counter"),
        ("nv_inference_request_duration_us", "counter"),
        ("nv_inference_queue_duration_us", "counter"),
        ("nv_inference_compute_input_duration_us", "counter"),
        ("nv_inference_compute_infer_duration_us", "counter"),
        ("nv_inference_compute_output_duration_us", "counter"),
        ("nv_inference_pending_request_count", "gauge"),
    ):
        assert f"# TYPE {family} {kind}" in lines
        assert any(line.startswith(f"# HELP {family} ") for line in lines)
    models = {dict(pairs)["model"] for pairs in metrics()["nv_inference_count"]}
    assert {"I_FP32", "AddSub", "NoBatch"} <= models


def test_refused_requests_are_not_counted_as_inferences(http):
    model = "I_INT16"
    for array in (np.zeros((17, 1), np.int16), np.zeros((1, 1), np.int32), np.zeros((4,), np.int16)):
        with pytest.raises(InferenceServerException):
            infer(tritonclient.http, http, model, {"INPUT_1": array})
    seen = statistics(http, model)
    assert (seen["inference_count"], seen["execution_count"]) == (0, 0)
    assert seen["inference_stats"]["success"]["count"] == 0


@pytest.mark.parametrize("model", ["Fail", "Panic", "WrongRows"])
def test_failures(http, model):
    send(tritonclient.http, http, model, 2)
    for _ in range(3):
        with pytest.raises(InferenceServerException):
            send(tritonclient.http, http, model, 2, value=-1.0)
    send(tritonclient.http, http, model, 1)
    seen = statistics(http, model)
    assert seen["inference_count"] == 3
    assert seen["inference_stats"]["success"]["count"] == 2
    assert seen["inference_stats"]["fail"]["count"] == 3
    assert metric("nv_inference_request_success", model) == 2
    assert metric("nv_inference_request_failure", model, reason="BACKEND") == 3


def test_without_batching(http):
    for _ in range(3):
        infer(tritonclient.http, http, "NoBatch", {"INPUT_1": np.ones(7, np.float32)})
    seen = statistics(http, "NoBatch")
    assert (seen["inference_count"], seen["execution_count"]) == (3, 3)
    batches = [(batch["batch_size"], batch["compute_infer"]["count"]) for batch in seen["batch_stats"]]
    assert batches == [(1, 3)]


def test_versions_are_counted_separately(http):
    sent = {"x": np.zeros((2, 1), np.int32)}
    infer(tritonclient.http, http, "Versioned", sent, model_version="1")
    for _ in range(2):
        infer(tritonclient.http, http, "Versioned", sent)
    assert statistics(http, "Versioned", "1")["inference_count"] == 2
    assert statistics(http, "Versioned", "3")["inference_count"] == 4
    answer = http.get_inference_statistics("Versioned")
    assert [model["version"] for model in answer["model_stats"]] == ["1", "3"]
    assert metric("nv_inference_count", "Versioned", version="3") == 4


def test_both_protocols_report_equal_statistics(http, grpc):
    send(tritonclient.http, http, "I_FP32", 1)
    over_http = statistics(http, "I_FP32")
    over_grpc = grpc.get_inference_statistics("I_FP32").model_stats[0]
    assert over_grpc.inference_count == over_http["inference_count"]
    assert over_grpc.execution_count == over_http["execution_count"]
    assert over_grpc.inference_stats.success.count == over_http["inference_stats"]["success"]["count"]
    assert over_grpc.inference_stats.queue.ns == over_http["inference_stats"]["queue"]["ns"]
    assert len(over_grpc.batch_stats) == len(over_http["batch_stats"])


def test_statistics_of_all_models(http, grpc):
    names = [model["name"] for model in http.get_inference_statistics()["model_stats"]]
    assert {"AddSub", "I_BOOL", "Versioned"} <= set(names)
    assert names == [model.name for model in grpc.get_inference_statistics().model_stats]
