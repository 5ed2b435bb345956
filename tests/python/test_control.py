"""Loading and unloading models as KServe's agent, Seldon's scheduler and NVIDIA's clients do.

Statuses and texts are those of tritonserver 2.51; the same tests run with both engines.
"""

import base64
import http.client
import json
import os
import pathlib
import threading
import time

import grpc
import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc
from tritonclient.utils import InferenceServerException

import wire

MOODY = pathlib.Path(os.environ["MOODY"])
POLL = "failed to load '{}', failed to poll from model repository"
REASON = "Internal: instance 0 of model 'Moody' could not be loaded: the weights are missing"
FAILED = "load failed for model 'Moody': version 1 is at UNAVAILABLE state: " + REASON + ";\n"


def call(method, path, body=None):
    """Returns status, content type and body."""
    connection = http.client.HTTPConnection(wire.HTTP, timeout=wire.TIMEOUT)
    body = body if body is None or isinstance(body, str) else json.dumps(body)
    connection.request(method, path, body, {"content-type": "application/json"})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, response.getheader("content-type"), text


def post(path, body=None):
    return call("POST", "/v2/repository/" + path, body)


def index(**body):
    return {line["name"]: line for line in json.loads(post("index", body)[2])}


def until(condition):
    deadline = time.monotonic() + wire.TIMEOUT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def ask(client, value):
    """Returns the number of the load that responded, and the number of dropped states."""
    x = np.array([[value]], np.int32)
    answer = wire.infer(tritonclient.http, client, "Numbered", {"x": x})
    same, load, drops = (answer[name].item() for name in sorted(answer))
    assert same == value
    return load, drops


@pytest.fixture
def stub():
    with grpc.insecure_channel(wire.GRPC) as channel:
        yield service_pb2_grpc.GRPCInferenceServiceStub(channel)


@pytest.fixture(autouse=True)
def as_it_began():
    """Resets the models after each test."""
    MOODY.unlink(missing_ok=True)
    yield
    MOODY.unlink(missing_ok=True)
    for name in ["Moody", "Plain"]:
        assert post(f"models/{name}/load")[0] == 200
    for name in ["Moody", "Numbered"]:
        assert post(f"models/{name}/unload")[0] == 200
    until(lambda: call("GET", "/v2/health/ready")[0] == 200)


def test_requested_models_are_loaded_at_startup():
    assert index() == {
        "Moody": {"name": "Moody"},
        "Numbered": {"name": "Numbered"},
        "Plain": {"name": "Plain", "version": "1", "state": "READY"},
    }
    assert list(index(ready=True)) == ["Plain"]
    assert call("GET", "/v2/health/ready")[0] == 200
    error = json.loads(call("GET", "/v2/models/Numbered")[2])["error"]
    assert error == "Request for unknown model: 'Numbered' is not found"


JSON = "application/json"
NOT_SUPPORTED = "'repository_name' specification is not supported"
PARAMETERS = [
    ("Plain", None, 200, None),
    ("Plain", "{}", 200, None),
    ("Plain", "[]", 200, None),
    ("Plain", {"parameters": {}}, 200, None),
    ("Nope", None, 500, POLL.format("Nope")),
    ("a%2Fb", None, 500, POLL.format("a%2Fb")),
    ("Plain", {"parameters": {"x": "1"}}, 500, "unexpected error on creating Triton parameter"),
    ("Plain", {"parameters": {"config": 1}}, 500, "attempt to access JSON non-string as string"),
    ("Plain", {"parameters": []}, 500, "attempt to get members for non-object"),
    ("Plain", '{"parameters":', 500, "failed to parse the request JSON buffer: "),
    ("Plain", {"parameters": {"config": '{"name":"Plain"'}}, 500, POLL.format("Plain")),
    ("Plain", {"parameters": {"config": '{"bogus":1}'}}, 500, POLL.format("Plain")),
    ("Plain", {"parameters": {"config": '{"name":"Other"}'}}, 500, POLL.format("Plain")),
]


@pytest.mark.parametrize("name, body, status, text", PARAMETERS)
def test_load_responses_over_http(name, body, status, text):
    got, content_type, answer = post(f"models/{name}/load", body)
    assert (got, content_type) == (status, JSON), answer
    if text is None:
        assert answer == ""
    else:
        # The rest of the text is ours.
        assert json.loads(answer)["error"].startswith(text)
    assert call("GET", "/v2/models/Plain/ready")[0] == 200


def test_repository_responses_over_http():
    for path in ["r/models/Plain/load", "r/models/Plain/unload"]:
        status, content_type, answer = post(path)
        assert (status, content_type) == (501, JSON)
        assert json.loads(answer)["error"] == NOT_SUPPORTED
    for path in ["models/Plain/load", "models/Plain/unload", "index"]:
        assert call("GET", "/v2/repository/" + path)[0] == 405
    for path in ["models//load", "models/Plain/reload", "models/Plain"]:
        assert post(path)[0] == 404
    assert post("r/index")[0] == 200
    for name, body in [
        ("Nope", None),
        ("Numbered", "{}"),
        ("Plain", {"parameters": {"unload_dependents": "x"}}),
        ("Plain", '{"par'),
        ("Plain", {"parameters": {"unload_dependents": True}}),
    ]:
        assert post(f"models/{name}/unload", body) == (200, JSON, ""), name
    until(lambda: index()["Plain"].get("reason") == "unloaded")
    assert index()["Plain"] == {"name": "Plain", "version": "1", "state": "UNAVAILABLE", "reason": "unloaded"}
    assert call("GET", "/v2/models/Plain/ready")[::2] == (400, '{"error":"Model version not ready"}')
    gone = "Request for unknown model: 'Plain' has no available versions"
    for path in ["/v2/models/Plain", "/v2/models/Plain/config"]:
        status, _, answer = call("GET", path)
        assert (status, json.loads(answer)["error"]) == (404, gone)
    status, _, answer = call("GET", "/v2/models/Plain/versions/1")
    at_rest = "Request for unknown model: 'Plain' version 1 is not at ready state"
    assert (status, json.loads(answer)["error"]) == (503, at_rest)
    status, _, answer = call("GET", "/v2/models/Plain/stats")
    assert (status, json.loads(answer)["error"]) == (400, "requested model 'Plain' is not available")
    assert call("GET", "/v2/health/ready")[0] == 200


def test_repository_responses_over_grpc(stub):
    parameter = pb.ModelRepositoryParameter
    load = lambda name, repository="", **parameters: stub.RepositoryModelLoad(
        pb.RepositoryModelLoadRequest(model_name=name, repository_name=repository, parameters=parameters)
    )
    unload = lambda name, repository="", **parameters: stub.RepositoryModelUnload(
        pb.RepositoryModelUnloadRequest(model_name=name, repository_name=repository, parameters=parameters)
    )
    code = grpc.StatusCode
    text = parameter(string_param="x")
    expected = "invalid value type for {}, expected {}."
    table = [
        (load, ("Nope",), {}, code.INTERNAL, POLL.format("Nope")),
        (load, ("",), {}, code.INTERNAL, POLL.format("")),
        (load, ("Plain", "r"), {}, code.UNIMPLEMENTED, NOT_SUPPORTED),
        (unload, ("Plain", "r"), {}, code.UNIMPLEMENTED, NOT_SUPPORTED),
        (load, ("Plain",), {"x": text}, code.INVALID_ARGUMENT, "unrecognized load parameter 'x'."),
        (
            load,
            ("Plain",),
            {"config": parameter(bool_param=True)},
            code.INVALID_ARGUMENT,
            expected.format("load parameter 'config'", "string_param"),
        ),
        (
            load,
            ("Plain",),
            {"file:1/x": text},
            code.INVALID_ARGUMENT,
            expected.format("load parameter 'file:1/x'", "bytes_param"),
        ),
        (
            unload,
            ("Plain",),
            {"unload_dependents": text},
            code.INVALID_ARGUMENT,
            expected.format("'unload_dependents' parameter", "bool_param"),
        ),
    ]
    for function, names, parameters, status, message in table:
        with pytest.raises(grpc.RpcError) as error:
            function(*names, **parameters)
        assert (error.value.code(), error.value.details()) == (status, message)
    with pytest.raises(grpc.RpcError) as error:
        stub.RepositoryIndex(pb.RepositoryIndexRequest(repository_name="r"))
    assert error.value.code() == code.UNIMPLEMENTED
    for function in [load, unload, unload, load]:
        function("Plain")
    unload("Nope")
    unload("")
    unload("Plain", x=text)
    unload("Plain", unload_dependents=parameter(bool_param=True))


def test_file_parameters_are_refused_for_compiled_models():
    file = {"parameters": {"config": "{}", "file:1/x": base64.b64encode(b"x").decode()}}
    status, _, answer = post("models/Plain/load", file)
    error = json.loads(answer)["error"]
    assert status == 500 and error.startswith(POLL.format("Plain"))
    # tritonserver accepts files, but no configuration without a backend.
    assert wire.TRITONSERVER or "'file:1/x' cannot be used" in error


def test_load_applies_changed_configuration_options():
    config = json.loads(call("GET", "/v2/models/Plain/config")[2])
    config["max_batch_size"] = 2
    config["dynamic_batching"] = {"max_queue_delay_microseconds": 100}
    assert post("models/Plain/load", {"parameters": {"config": json.dumps(config)}})[0] == 200
    now = json.loads(call("GET", "/v2/models/Plain/config")[2])
    assert now["max_batch_size"] == 2
    assert now["dynamic_batching"]["max_queue_delay_microseconds"] == 100
    config["max_batch_size"] = 4
    assert post("models/Plain/load", {"parameters": {"config": json.dumps(config)}})[0] == 200
    assert json.loads(call("GET", "/v2/models/Plain/config")[2])["max_batch_size"] == 4


def test_nvidia_clients_load_and_unload(client, protocol):
    client.load_model("Moody")
    assert client.is_model_ready("Moody") and client.is_server_ready()
    MOODY.touch()
    with pytest.raises(InferenceServerException) as error:
        client.load_model("Moody")
    assert error.value.message() == FAILED
    assert client.is_model_ready("Moody") and client.is_server_ready()
    answer = wire.infer(protocol, client, "Moody", {"x": np.array([[3]], np.int32)})
    assert next(iter(answer.values())).item() == 3
    client.unload_model("Moody")
    until(lambda: index()["Moody"].get("reason") == "unloaded")
    assert not client.is_model_ready("Moody") and client.is_server_ready()
    with pytest.raises(InferenceServerException) as error:
        client.load_model("Moody")
    assert error.value.message() == FAILED
    assert index()["Moody"]["state"] == "UNAVAILABLE" and index()["Moody"]["reason"] == REASON
    assert not client.is_server_ready() and client.is_server_live()
    client.unload_model("Moody")
    assert not client.is_server_ready()
    MOODY.unlink()
    client.load_model("Moody")
    assert client.is_model_ready("Moody") and client.is_server_ready()


def test_kserve_agent_loads_and_unloads():
    for name in ["Plain", "Moody"]:
        assert post(f"models/{name}/load", "{}")[0] == 200
        assert call("GET", f"/v2/models/{name}/ready")[0] == 200
    assert post("models/Moody/unload", "{}")[0] == 200
    assert call("GET", "/v2/models/Moody/ready")[0] == 400
    until(lambda: call("GET", "/v2/health/ready")[0] == 200)


def test_seldon_agent_loads_and_unloads(stub):
    assert stub.ServerLive(pb.ServerLiveRequest()).live
    for model in stub.RepositoryIndex(pb.RepositoryIndexRequest()).models:
        if model.state in ["READY", "LOADING"]:
            stub.RepositoryModelUnload(pb.RepositoryModelUnloadRequest(model_name=model.name))
    states = [model.state for model in stub.RepositoryIndex(pb.RepositoryIndexRequest()).models]
    assert "READY" not in states
    tensor = pb.ModelInferRequest.InferInputTensor(name="x", datatype="INT32", shape=[1, 1])
    tensor.contents.int_contents.append(5)
    request = pb.ModelInferRequest(model_name="Plain", inputs=[tensor])
    with pytest.raises(grpc.RpcError) as error:
        stub.ModelInfer(request)
    assert error.value.code() == grpc.StatusCode.NOT_FOUND
    stub.RepositoryModelLoad(pb.RepositoryModelLoadRequest(model_name="Plain"))
    assert stub.ModelInfer(request).model_name == "Plain"


def test_load_replaces_the_state_and_drops_the_old_one(http):
    http.load_model("Numbered")
    first, _ = ask(http, 1)
    http.load_model("Numbered")
    second, _ = ask(http, 2)
    assert second == first + 1
    until(lambda: ask(http, 3)[1] >= second)
    slow = threading.Thread(target=lambda: slow_answers.append(ask(other, -600)[0]))
    slow_answers = []
    other = wire.connect(tritonclient.http)
    slow.start()
    until(lambda: int(json.loads(call("GET", "/v2/models/Numbered/stats")[2])["model_stats"][0]["inference_count"]) >= 0)
    time.sleep(0.1)
    begun = time.monotonic()
    http.unload_model("Numbered")
    assert time.monotonic() - begun < 0.15
    assert index()["Numbered"]["state"] == "UNLOADING"
    assert wire.TRITONSERVER or wire.metric("pytriton_requests_running", "Numbered") == 1
    assert call("GET", "/v2/health/ready")[0] == 400
    slow.join()
    other.close()
    assert slow_answers == [second]
    until(lambda: index()["Numbered"].get("reason") == "unloaded")
    assert call("GET", "/v2/health/ready")[0] == 200
    http.load_model("Numbered")
    third, drops = ask(http, 4)
    assert (third, drops) == (second + 1, third)
    statistics = http.get_inference_statistics("Numbered")["model_stats"][0]
    assert statistics["inference_count"] == 1


def size():
    """Returns the threads, the descriptors and the resident KiB of the process with the states."""
    process = pathlib.Path(f"/proc/{wire.PID}")
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return int(status["Threads"]), len(list((process / "fd").iterdir())), int(status["VmRSS"].split()[0])


def test_loads_under_traffic_lose_no_request_and_leak_nothing():
    post("models/Numbered/load")
    stop, mistakes, answered = threading.Event(), [], []

    def traffic(number):
        client = wire.connect(tritonclient.http)
        value = number * 1_000_000
        newest = -1
        while not stop.is_set():
            value += 1
            try:
                load, _ = ask(client, value)
                if load < newest:
                    mistakes.append(f"{load} answered after {newest}")
                newest = load
                answered.append(value)
            except Exception as error:
                mistakes.append(repr(error))
        client.close()

    threads = [threading.Thread(target=traffic, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    loader = wire.connect(tritonclient.http)
    for _ in range(40):
        loader.load_model("Numbered")
    before = size()
    for _ in range(200):
        loader.load_model("Numbered")
    until(lambda: size()[0] <= before[0] + 4)
    after = size()
    stop.set()
    for thread in threads:
        thread.join()
    loader.close()
    assert not mistakes, mistakes[:5]
    assert len(answered) == len(set(answered)) > 100
    assert after[1] <= before[1] + 10, (before, after)
    assert after[2] <= before[2] + 8192, (before, after)


def test_unloads_under_traffic_complete_accepted_requests():
    stop, mistakes, refused, answered = threading.Event(), [], [], []

    def traffic(number):
        client = wire.connect(tritonclient.http)
        value = number * 1_000_000
        while not stop.is_set():
            value += 1
            try:
                ask(client, value)
                answered.append(value)
            except InferenceServerException as error:
                (refused if "has no available versions" in error.message() else mistakes).append(error.message())
            except Exception as error:
                mistakes.append(repr(error))
        client.close()

    post("models/Numbered/load")
    threads = [threading.Thread(target=traffic, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    loader = wire.connect(tritonclient.http)
    for _ in range(30):
        loader.unload_model("Numbered")
        loader.load_model("Numbered")
        begun = len(answered)
        until(lambda: len(answered) > begun or mistakes)
    stop.set()
    for thread in threads:
        thread.join()
    loader.close()
    assert not mistakes, mistakes[:5]
    assert len(answered) == len(set(answered))
