"""The metadata of a server and its models, over both protocols."""

import json

import grpc as rpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from wire import GRPC, STOCK, TRITONSERVER, request


@pytest.fixture
def channel():
    with rpc.insecure_channel(GRPC) as channel:
        yield channel


def test_live_and_ready(protocol, client):
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("AddSub")
    assert client.is_model_ready("AddSub", "1")
    assert client.is_model_ready("Versioned", "3")
    assert not client.is_model_ready("AddSub", "2")
    assert not client.is_model_ready("Nope")


def test_health_bodies_follow_the_open_inference_protocol():
    for path, member in (("health/live", {"live": True}), ("health/ready", {"ready": True}),
                         ("models/AddSub/ready", {"name": "AddSub", "ready": True})):
        status, headers, body = request("GET", f"/v2/{path}")
        assert status == 200
        # tritonserver sends an empty body, with a native backend, too.
        assert body == b"" if TRITONSERVER or STOCK else json.loads(body) == member


def test_server_metadata(http, grpc):
    over_http = http.get_server_metadata()
    over_grpc = grpc.get_server_metadata(as_json=True)
    assert over_http == over_grpc
    assert over_http["name"] and over_http["version"]
    assert {"binary_tensor_data", "classification", "statistics", "parameters"} <= set(over_http["extensions"])


@pytest.mark.parametrize("extension, path", [
    ("trace", "/v2/trace/setting"), ("logging", "/v2/logging"), ("system_shared_memory", "/v2/systemsharedmemory/status"),
    ("cuda_shared_memory", "/v2/cudasharedmemory/status"), ("statistics", "/v2/models/stats"),
])
def test_extensions_are_listed_if_supported(http, extension, path):
    status, _, _ = request("GET", path)
    assert (status == 200) == (extension in http.get_server_metadata()["extensions"])


def test_model_metadata(http, grpc):
    metadata = http.get_model_metadata("Opt")
    assert metadata["name"] == "Opt"
    assert metadata["versions"] == ["1"]
    assert metadata["inputs"] == [
        {"name": "a", "datatype": "FP32", "shape": [-1, -1]},
        {"name": "b", "datatype": "FP32", "shape": [-1, -1]},
    ]
    assert metadata["outputs"] == [{"name": "o", "datatype": "FP32", "shape": [-1, -1]}]
    over_grpc = grpc.get_model_metadata("Opt")
    assert over_grpc.name == "Opt" and over_grpc.platform == metadata["platform"]
    assert [(i.name, i.datatype, list(i.shape)) for i in over_grpc.inputs] == [
        ("a", "FP32", [-1, -1]),
        ("b", "FP32", [-1, -1]),
    ]
    assert http.get_model_metadata("Fixed")["inputs"][0]["shape"] == [-1, 2, 3]
    assert http.get_model_metadata("NoBatch")["inputs"][0]["shape"] == [-1]
    assert http.get_model_metadata("Versioned")["versions"] == ["1", "3"]


@pytest.mark.parametrize("datatype", ["BOOL", "UINT64", "INT8", "FP16", "BF16", "FP64", "BYTES"])
def test_datatypes_have_their_names(http, datatype):
    metadata = http.get_model_metadata(f"I_{datatype}")
    assert metadata["inputs"][0]["datatype"] == metadata["outputs"][0]["datatype"] == datatype


def test_model_config(http, grpc):
    config = http.get_model_config("Preferred")
    assert config["name"] == "Preferred"
    assert config["max_batch_size"] == 8
    assert config["input"][0]["name"] == "x"
    assert config["input"][0]["data_type"] == "TYPE_FP32"
    assert config["input"][0]["dims"] == [-1]
    assert config["dynamic_batching"]["preferred_batch_size"] == [4]
    assert config["dynamic_batching"]["max_queue_delay_microseconds"] == 2_000_000
    over_grpc = grpc.get_model_config("Preferred").config
    assert over_grpc.max_batch_size == 8
    assert list(over_grpc.dynamic_batching.preferred_batch_size) == [4]
    assert over_grpc.dynamic_batching.max_queue_delay_microseconds == 2_000_000


def test_parameters_in_the_config(http, grpc):
    expected = {"weights": "/w/a b", "labels.path": 'ü\n"x" \\', "zone": ""}
    over_http = http.get_model_config("Settings")["parameters"]
    assert over_http == {name: {"string_value": value} for name, value in expected.items()}
    over_grpc = grpc.get_model_config("Settings").config.parameters
    assert {name: value.string_value for name, value in over_grpc.items()} == expected
    assert http.get_model_config("AddSub")["parameters"] == {}


def test_config_of_other_models(http):
    assert http.get_model_config("Opt")["input"][1]["optional"] is True
    assert http.get_model_config("Opt")["input"][0]["optional"] is False
    assert http.get_model_config("Fixed")["output"][0]["dims"] == [2, 3]
    unbatched = http.get_model_config("NoBatch")
    assert unbatched["max_batch_size"] == 0 and "dynamic_batching" not in unbatched
    assert http.get_model_config("Counter")["instance_group"][0]["count"] == 2
    assert http.get_model_config("Ordered")["dynamic_batching"]["preserve_ordering"] is True
    policy = http.get_model_config("Impatient")["dynamic_batching"]["default_queue_policy"]
    assert policy["allow_timeout_override"] is True
    assert int(policy["default_timeout_microseconds"]) == 300_000
    assert http.get_model_config("I_BYTES")["input"][0]["data_type"] == "TYPE_STRING"


def test_paths_with_a_version():
    for path in ("", "/config", "/stats", "/ready"):
        status, _, body = request("GET", f"/v2/models/AddSub/versions/1{path}")
        assert status == 200, path
    status, _, body = request("GET", "/v2/models/AddSub/versions/1/stats")
    assert json.loads(body)["model_stats"][0]["name"] == "AddSub"


def test_repository_index(http, grpc):
    over_http = {(m["name"], m["version"]): m["state"] for m in http.get_model_repository_index()}
    assert over_http[("AddSub", "1")] == "READY"
    assert over_http[("Versioned", "1")] == over_http[("Versioned", "3")] == "READY"
    over_grpc = {(m.name, m.version): m.state for m in grpc.get_model_repository_index().models}
    assert over_http == over_grpc


def test_grpc_health(channel):
    health = health_pb2_grpc.HealthStub(channel)
    serving = health_pb2.HealthCheckResponse.SERVING
    for service in ("", "inference.GRPCInferenceService"):
        request = health_pb2.HealthCheckRequest(service=service)
        assert health.Check(request, timeout=10).status == serving
    unknown = health_pb2.HealthCheckRequest(service="nope")
    if TRITONSERVER:
        assert health.Check(unknown, timeout=10).status == serving
        return
    with pytest.raises(rpc.RpcError) as raised:
        health.Check(unknown, timeout=10)
    assert raised.value.code() == rpc.StatusCode.NOT_FOUND


def test_unknown_service_responds_with_trailers_only(channel):
    with pytest.raises(rpc.RpcError) as raised:
        channel.unary_unary("/no.such.Service/Call")(b"")
    assert raised.value.code() == rpc.StatusCode.UNIMPLEMENTED
    assert not raised.value.initial_metadata() and not raised.value.trailing_metadata()


def test_grpc_reflection(channel):
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    ask = reflection_pb2.ServerReflectionRequest(list_services="")
    if TRITONSERVER:
        with pytest.raises(rpc.RpcError) as raised:
            list(stub.ServerReflectionInfo(iter([ask]), timeout=10))
        assert raised.value.code() == rpc.StatusCode.UNIMPLEMENTED
        return
    (answer,) = stub.ServerReflectionInfo(iter([ask]), timeout=10)
    services = {service.name for service in answer.list_services_response.service}
    assert {"inference.GRPCInferenceService", "grpc.health.v1.Health"} <= services
    asked = ["no.such.Service", "inference.GRPCInferenceService"]
    asked = [reflection_pb2.ServerReflectionRequest(file_containing_symbol=symbol) for symbol in asked]
    unknown, answer = stub.ServerReflectionInfo(iter(asked), timeout=10)
    assert unknown.error_response.error_code == rpc.StatusCode.NOT_FOUND.value[0]
    assert answer.file_descriptor_response.file_descriptor_proto
