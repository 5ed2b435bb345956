"""Log and trace settings at run time. The server has a log file and a trace file."""

import json
import pathlib
import queue
import re

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http

from wire import TRITONSERVER, connect, infer, request, tensor, wait_until

ours = pytest.mark.skipif(TRITONSERVER, reason="tritonserver has its own log, and its own time for traces")
X = np.array([[1.5, 2.5]], dtype=np.float32)
COMPUTE = ["COMPUTE_START", "COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START", "COMPUTE_END"]
DEFAULT = {"trace_level": ["OFF"], "trace_rate": "1000", "trace_count": "-1", "log_frequency": "0"}


def change(path, **settings):
    status, _, body = request("POST", path, json.dumps(settings))
    assert status == 200, body
    return json.loads(body)


def trace(model=None, **settings):
    return change(f"/v2/models/{model}/trace/setting" if model else "/v2/trace/setting", **settings)


def told(path):
    return json.loads(request("GET", path)[2])


@pytest.fixture
def files():
    """Returns a function that lists new numbered trace files."""
    path = pathlib.Path(told("/v2/trace/setting")["trace_file"])
    before = set(path.parent.glob(f"{path.name}.*"))
    yield lambda: sorted(set(path.parent.glob(f"{path.name}.*")) - before, key=lambda file: int(file.suffix[1:]))
    trace("I_FP32", trace_level=None, trace_rate=None, trace_count=None, log_frequency=None)
    trace(**DEFAULT)


def whole(file):
    """Returns the records of a file that is being written."""
    found = []

    def read():
        try:
            found[:] = json.loads(file.read_text())
            return True
        except ValueError:
            return False

    wait_until(read)
    return found


def names(records):
    return [stamp["name"] for record in records for stamp in record.get("timestamps", ())]


@pytest.mark.parametrize("protocol", [tritonclient.http, tritonclient.grpc])
def test_trace_contains_events_and_times(protocol, files):
    assert trace(trace_level=["TIMESTAMPS"], trace_rate="1", log_frequency="1")["trace_level"] == ["TIMESTAMPS"]
    with connect(protocol) as client:
        infer(protocol, client, "I_FP32", {"INPUT_1": X}, request_id="r1")
    wait_until(files)
    records = whole(files()[0])
    assert len({record["id"] for record in records}) == 1
    request_start = ["REQUEST_START", "QUEUE_START", *COMPUTE, "INFER_RESPONSE_COMPLETE", "REQUEST_END"]
    if protocol is tritonclient.http and TRITONSERVER:
        assert sorted(names(records)) == sorted(["HTTP_RECV_START", "HTTP_RECV_END", *request_start, "HTTP_SEND_START", "HTTP_SEND_END"])
    elif protocol is tritonclient.http:
        assert names(records) == ["HTTP_RECV_START", "HTTP_RECV_END", *request_start, "HTTP_SEND_START", "HTTP_SEND_END"]
    else:
        transfers = ["GRPC_WAITREAD_START", "GRPC_WAITREAD_END", "GRPC_SEND_START", "GRPC_SEND_END"]
        assert sorted(names(records)) == sorted([*request_start, *transfers])
    (model,) = [record for record in records if "model_name" in record]
    assert model == {"id": records[0]["id"], "model_name": "I_FP32", "model_version": 1, "request_id": "r1"}
    times = {stamp["name"]: stamp["ns"] for record in records for stamp in record.get("timestamps", ())}
    order = [times[name] for name in ("REQUEST_START", "QUEUE_START", *COMPUTE, "REQUEST_END")]
    assert order == sorted(order) and order[-1] - order[0] < 10e9


def test_a_trace_has_tensors(files):
    trace(trace_level=["TIMESTAMPS", "TENSORS"], trace_rate="1", log_frequency="1")
    with connect(tritonclient.http) as client:
        infer(tritonclient.http, client, "I_FP32", {"INPUT_1": X})
    wait_until(files)
    tensors = [(record["activity"], record["tensor"]) for record in whole(files()[0]) if "tensor" in record]
    values = {"data": "1.5,2.5", "shape": "1,2", "dtype": "FP32"}
    assert tensors == [("TENSOR_QUEUE_INPUT", {"name": "INPUT_1", **values}), ("TENSOR_BACKEND_OUTPUT", {"name": "OUTPUT_1", **values})]


@ours
def test_trace_rate_and_count_are_applied(files):
    trace(trace_level=["TIMESTAMPS"], trace_rate="3", trace_count="2")
    with connect(tritonclient.http) as client:
        for _ in range(12):
            infer(tritonclient.http, client, "I_FP32", {"INPUT_1": X})
    wait_until(files)
    records = whole(files()[0])
    assert len({record["id"] for record in records}) == 2 and len(files()) == 1
    assert told("/v2/trace/setting")["trace_count"] == "0"


def test_models_have_their_own_settings(files):
    trace("I_FP32", trace_level=["TIMESTAMPS"], trace_rate="1", log_frequency="1")
    assert told("/v2/trace/setting")["trace_level"] == ["OFF"]
    with connect(tritonclient.grpc) as client:
        infer(tritonclient.grpc, client, "AddSub", {"a": X, "b": X})
        infer(tritonclient.grpc, client, "I_FP32", {"INPUT_1": X})
        infer(tritonclient.grpc, client, "AddSub", {"a": X, "b": X})
    wait_until(files)
    models = [record["model_name"] for file in files() for record in whole(file) if "model_name" in record]
    assert models == ["I_FP32"]


@ours
def test_stream_of_responses_is_traced(files):
    trace(trace_level=["TIMESTAMPS"], trace_rate="1", log_frequency="1")
    answers = queue.Queue()
    with connect(tritonclient.grpc) as client:
        client.start_stream(callback=lambda result, error: answers.put((result, error)))
        count = tensor(tritonclient.grpc, "count", np.array([[3]], dtype=np.int32))
        client.async_stream_infer("Count", [count])
        for _ in range(3):
            assert answers.get(timeout=10)[1] is None
        client.stop_stream()
    wait_until(files)
    found = names(whole(files()[0]))
    assert found.count("INFER_RESPONSE_COMPLETE") == 3 and found.count("GRPC_SEND_END") >= 3 and "REQUEST_END" in found


@ours
def test_traces_without_a_frequency_are_written_when_the_file_changes(files):
    path = pathlib.Path(trace(trace_level=["TIMESTAMPS"], trace_rate="1")["trace_file"])
    with connect(tritonclient.http) as client:
        for turn in range(2):
            infer(tritonclient.http, client, "I_FP32", {"INPUT_1": X})
            trace(trace_level=["OFF"])
            wait_until(lambda: path.exists() and len({record["id"] for record in whole(path)}) == turn + 1)
            trace(trace_level=["TIMESTAMPS"])
    assert not files()


@pytest.fixture
def log():
    """Returns a function that lists new log lines."""
    path = pathlib.Path(told("/v2/logging")["log_file"])
    before = path.stat().st_size
    yield lambda: path.read_text()[before:].splitlines()
    change("/v2/logging", log_info=True, log_warning=True, log_error=True, log_verbose_level=0, log_format="default")


def panic():
    """Causes an error in the log."""
    status, _, _ = request("POST", "/v2/models/Panic/infer", json.dumps(
        {"inputs": [{"name": "INPUT_1", "datatype": "FP32", "shape": [1, 1], "data": [-1]}]}))
    assert status == 500


@ours
def test_log_levels_can_be_disabled_and_enabled(log):
    panic()
    wait_until(lambda: any("ERROR" in line and "panicked" in line for line in log()))
    assert change("/v2/logging", log_error=False)["log_error"] is False
    lines = len(log())
    panic()
    change("/v2/logging", log_error=True)
    panic()
    wait_until(lambda: len(log()) > lines)
    assert sum("panicked" in line for line in log()) == 2


@ours
def test_verbose_logging_can_be_enabled_and_disabled(log):
    assert not any("TRACE" in line or "DEBUG" in line for line in log())
    change("/v2/logging", log_verbose_level=2)
    with connect(tritonclient.grpc) as client:
        client.is_server_live()
    wait_until(lambda: any("TRACE" in line or "DEBUG" in line for line in log()))
    change("/v2/logging", log_verbose_level=0)
    lines = len(log())
    request("GET", "/v2/health/live")
    panic()
    assert not any("TRACE" in line for line in log()[lines + 200:])


@ours
def test_log_format_can_be_changed(log):
    change("/v2/logging", log_format="ISO8601")
    panic()
    wait_until(lambda: any("panicked" in line for line in log()))
    line = next(line for line in log() if "panicked" in line)
    assert re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ E \d+ \w+\.rs:\d+\] ".*panicked.*"', line), line
