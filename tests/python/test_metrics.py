"""The additional metrics of `/metrics`, read by Prometheus' own parser, must be correct."""

import json
import os
import threading

import numpy as np
import tritonclient.http
from prometheus_client.parser import text_string_to_metric_families

from wire import METRICS, connect, infer, request, wait_until


def families():
    status, headers, body = request("GET", "/metrics", address=METRICS)
    assert status == 200 and headers["Content-Type"] == "text/plain; charset=utf-8"
    text = body.decode()
    parsed = list(text_string_to_metric_families(text))
    # Each family is declared once, and every sample belongs to one.
    names = [family.name for family in parsed]
    assert len(names) == len(set(names))
    assert all(family.documentation and family.type != "unknown" for family in parsed), parsed
    return {family.name: family for family in parsed}


def samples(family, **labels):
    """Returns the samples with these labels, by name and remaining labels."""
    found = {}
    for sample in family.samples:
        rest = dict(sample.labels)
        if all(rest.pop(name, None) == value for name, value in labels.items()):
            found[sample.name, rest.get("le") or rest.get("quantile")] = sample.value
    return found


def one(name, model="I_FP32"):
    return samples(families()[name], model=model, version="1")


def send(http, count, model="I_FP32"):
    for _ in range(count):
        infer(tritonclient.http, http, model, {"INPUT_1": np.ones((1, 2), dtype=np.float32)})


def test_histograms_count_every_request(http):
    send(http, 5)
    for name in ("request", "queue", "compute"):
        family = f"pytriton_{name}_duration_seconds"
        assert families()[family].type == "histogram"
        found = one(family)
        assert found[f"{family}_count", None] == 5
        assert found[f"{family}_bucket", "+Inf"] == 5
        buckets = [value for (part, _), value in found.items() if part.endswith("_bucket")]
        assert buckets == sorted(buckets) and len(buckets) == 21
    whole, compute = one("pytriton_request_duration_seconds"), one("pytriton_compute_duration_seconds")
    assert whole["pytriton_request_duration_seconds_sum", None] >= compute["pytriton_compute_duration_seconds_sum", None] > 0
    first = one("nv_inference_first_response_histogram_ms")
    bounds = [bound for part, bound in first if part.endswith("_bucket")]
    assert [float(bound) for bound in bounds] == [100, 500, 2000, 5000, float("inf")]
    assert first["nv_inference_first_response_histogram_ms_count", None] == 5


def test_summaries_have_the_configured_quantiles(http):
    send(http, 3)
    for name in ("request", "queue", "compute_input", "compute_infer", "compute_output"):
        family = f"nv_inference_{name}_summary_us"
        assert families()[family].type == "summary"
        found = one(family)
        count = found[f"{family}_count", None]
        assert count >= 3
        quantiles = [value for (part, quantile), value in found.items() if part == family]
        assert len(quantiles) == 2 and quantiles[0] <= quantiles[1], found
    cached = families()["nv_cache_hit_summary_per_model"]
    assert {sample.labels["model"] for sample in cached.samples} >= {"CachedEither"}
    requests = families()["nv_inference_request_summary_us"]
    assert "CachedEither" not in {sample.labels["model"] for sample in requests.samples}


def test_duration_counters_can_be_disabled(http):
    send(http, 1)
    found = families()
    assert not [name for name in found if name.endswith("_duration_us")]
    (success,) = samples(found["nv_inference_request_success"], model="I_FP32", version="1").values()
    assert success >= 1
    assert any(sample.value >= 1 for sample in found["nv_inference_exec_count"].samples)


def test_running_and_pending_requests_are_counted():
    def gauge(name):
        return one(name, "Slow")[name, None]

    def ask():
        with connect(tritonclient.http) as client:
            infer(tritonclient.http, client, "Slow", {"milliseconds": np.full((1, 1), 500, dtype=np.uint32)})

    def of_server(name):
        (sample,) = families()[f"pytriton_server_requests_{name}"].samples
        assert sample.labels == {}
        return sample.value

    asking = [threading.Thread(target=ask) for _ in range(3)]
    [thread.start() for thread in asking]
    wait_until(lambda: gauge("pytriton_requests_running") >= 1)
    [thread.join() for thread in asking]
    assert of_server("queued") == of_server("running") == 0
    assert gauge("pytriton_requests_running") == 0
    assert gauge("nv_inference_pending_request_count") == 0
    assert gauge("pytriton_instances") >= 1
    busy = one("pytriton_instance_busy_seconds", "Slow")["pytriton_instance_busy_seconds_total", None]
    assert busy >= 1.4


def test_process_metrics_are_reported():
    found = families()

    def value(name):
        (sample,) = found[name].samples
        return sample.value

    pid = int(os.environ["PYTRITON_TEST_PID"])
    assert value("process_cpu_seconds") > 0
    assert value("process_open_fds") >= 8
    assert value("process_max_fds") > value("process_open_fds")
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    assert abs(value("process_threads") - int(fields["Threads"])) <= 4
    resident = int(fields["VmRSS"].split()[0]) * 1024
    assert 0.5 * resident < value("process_resident_memory_bytes") < 2 * resident
    assert 1.6e9 < value("process_start_time_seconds")


def test_load_of_the_model_is_reported_to_load_balancers():
    body = json.dumps({"inputs": [{"name": "INPUT_1", "datatype": "FP32", "shape": [1, 2], "data": [1, 2]}]})

    def told(form, path="infer"):
        headers = {"endpoint-load-metrics-format": form} if form else {}
        status, headers, _ = request("POST", f"/v2/models/I_FP32/{path}", body, headers)
        assert status == 200
        return headers.get("endpoint-load-metrics")

    form, _, report = told("json").partition(" ")
    report = json.loads(report)
    assert form == "JSON" and report["named_metrics"] == {"queue_length": 0, "requests_running": 0}
    assert report["application_utilization"] == 0
    assert told("text") == (
        "TEXT application_utilization=0.000000, named_metrics.queue_length=0.000000, named_metrics.requests_running=0.000000"
    )
    assert told(None) is None and told("bin") is None
