"""Requests about shared memory, and requests with tensors in it."""

import base64
import json

from tritonclient.grpc import service_pb2 as pb

from messages import Grpc, Http

# A file that both servers can open, and its size in bytes.
KEY, SIZE = "/pytriton_differential", 8192
SYSTEM, CUDA = "/v2/systemsharedmemory", "/v2/cudasharedmemory"
HANDLE = {"raw_handle": {"b64": base64.b64encode(bytes(64)).decode()}, "byte_size": 8, "device_id": 0}
ABSENT = "/pytriton_differential_absent"
BODIES = {
    "no memory": {"key": ABSENT, "byte_size": 1}, "no key": {"byte_size": 3}, "no size": {"key": KEY}, "empty key": {"key": "", "byte_size": 1},
    "over the end": {"key": KEY, "byte_size": SIZE + 1}, "behind the end": {"key": KEY, "offset": SIZE, "byte_size": 1},
    "nothing": {"key": KEY, "byte_size": 0}, "no page": {"key": KEY, "offset": 100, "byte_size": 10},
    "wraps": {"key": KEY, "offset": 2**64 - 32, "byte_size": 64}, "wraps to 0": {"key": KEY, "offset": 2**64 - 1, "byte_size": 1},
    "negative": {"key": KEY, "byte_size": -1}, "negative offset": {"key": KEY, "offset": -1, "byte_size": 1},
    "text": {"key": KEY, "byte_size": "x"}, "fraction": {"key": KEY, "byte_size": 1.5}, "key is a number": {"key": 5, "byte_size": 3},
    "elsewhere": {"key": "/../etc/passwd", "byte_size": 1}, "folder": {"key": "/a/b", "byte_size": 1}, "long": {"key": "/" + "x" * 300, "byte_size": 1},
    "list": [],
}
CUDA_BODIES = {
    "no handle": {"byte_size": 8}, "no b64": {"raw_handle": {}}, "no size": {"raw_handle": HANDLE["raw_handle"]},
    "no device": {"raw_handle": HANDLE["raw_handle"], "byte_size": 8}, "short": {**HANDLE, "raw_handle": {"b64": "AAAA"}}, "handle": HANDLE,
}


def places():
    """Yields parameters of an input or an output in a region, and their names."""
    for byte_size, offset in [
        (64, None), (64, 0), (64, 64), (None, None), (0, None), (0, 5), (65, 0), (64, 4032), (64, 4033), (4, 4096), (64, 2**64 - 32),
        (60, 0), (16, 0),
    ]:
        found = {"shared_memory_region": "r"}
        if byte_size is not None:
            found["shared_memory_byte_size"] = byte_size
        if offset is not None:
            found["shared_memory_offset"] = offset
        yield f"{byte_size} at {offset}", found
    yield "unknown", {"shared_memory_region": "nope", "shared_memory_byte_size": 64}


def http_input(parameters, **members):
    return {"name": "INPUT_1", "datatype": "FP32", "shape": [1, 16], "parameters": parameters, **members}


def memory():
    """Yields requests that register, list, use and unregister regions. Earlier regions are removed
    first.
    """

    def http(name, path, body=None, method="POST"):
        text = b"" if body is None else json.dumps(body).encode()
        return Http(f"http/memory/{name}", path, text, method=method)

    def infer(name, document):
        return http(f"infer/{name}", "/v2/models/I_FP32/infer", document)

    def status(name):
        yield http(f"status/{name}", f"{SYSTEM}/status", method="GET")
        for region in ("r", "x"):
            yield http(f"status/{name} {region}", f"{SYSTEM}/region/{region}/status", method="GET")
            yield http(f"status/{name} {region} CUDA", f"{CUDA}/region/{region}/status", method="GET")
            for call, made in (("System", pb.SystemSharedMemoryStatusRequest), ("Cuda", pb.CudaSharedMemoryStatusRequest)):
                yield Grpc(f"grpc/memory/status/{name} {region} {call}", f"{call}SharedMemoryStatus", made(name=region))
        yield Grpc(f"grpc/memory/status/{name}", "SystemSharedMemoryStatus", pb.SystemSharedMemoryStatusRequest())

    yield http("unregister/first", f"{SYSTEM}/unregister")
    yield from status("nothing")
    for name, body in BODIES.items():
        yield http(f"register/{name}", f"{SYSTEM}/region/n/register", body)
        if not isinstance(body, dict) or any(not isinstance(body.get(member, 0), int) or body.get(member, 0) < 0 for member in ("offset", "byte_size")):
            continue
        if isinstance(body.get("key", ""), str):
            yield Grpc(f"grpc/memory/register/{name}", "SystemSharedMemoryRegister", pb.SystemSharedMemoryRegisterRequest(name="n", **body))
    for name, body in CUDA_BODIES.items():
        yield http(f"cuda/{name}", f"{CUDA}/region/n/register", body)
    yield http("register/no region", f"{SYSTEM}/register", {"key": KEY, "byte_size": 1})
    yield http("cuda/no region", f"{CUDA}/register", HANDLE)
    yield Http("http/memory/register/nothing", f"{SYSTEM}/region/n/register")
    yield Http("http/memory/register/cut off", f"{SYSTEM}/region/n/register", b'{"key": ')
    for method, path in (("GET", "region/n/register"), ("POST", "status"), ("GET", "unregister"), ("HEAD", "status"), ("POST", "region/n/nope")):
        yield http(f"method/{method} {path}", f"{SYSTEM}/{path}", method=method)
    yield http("register/r", f"{SYSTEM}/region/r/register", {"key": KEY, "byte_size": 4096})
    yield http("register/again", f"{SYSTEM}/region/r/register", {"key": ABSENT, "byte_size": 0})
    yield Grpc("grpc/memory/register/again", "SystemSharedMemoryRegister", pb.SystemSharedMemoryRegisterRequest(name="r", key=KEY, byte_size=1))
    yield http("cuda/again", f"{CUDA}/region/r/register", HANDLE)
    yield from status("one")
    for name, parameters in places():
        yield infer(f"input/{name}", {"inputs": [http_input(parameters)]})
        given = http_input({}, data=[number / 2 for number in range(16)])
        yield infer(f"output/{name}", {"inputs": [given], "outputs": [{"name": "OUTPUT_1", "parameters": parameters}]})
        offset, size = parameters.get("shared_memory_offset"), parameters.get("shared_memory_byte_size")
        if max(offset or 0, size or 0) < 2**63:
            yield grpc_input(f"input/{name}", parameters)
            yield grpc_output(f"output/{name}", parameters)
    place = {"shared_memory_region": "r", "shared_memory_byte_size": 64}
    for name, members in {
        "data": {"data": [1]}, "binary": {"parameters": {**place, "binary_data_size": 64}}, "binary and data": {"parameters": {**place, "binary_data_size": 64}, "data": [1]},
        "no region": {"parameters": {"shared_memory_byte_size": 64}},
    }.items():
        yield infer(f"fields/{name}", {"inputs": [{**http_input(place), **members}]})
    for name, parameters in {
        "region": {**place, "shared_memory_region": 5}, "size": {**place, "shared_memory_byte_size": "64"},
        "offset": {**place, "shared_memory_offset": "0"}, "negative": {**place, "shared_memory_byte_size": -1},
    }.items():
        yield infer(f"kind/{name}", {"inputs": [http_input(parameters)]})
    for name, parameters in {
        "classes": {**place, "classification": 1}, "binary": {**place, "binary_data": True}, "not binary": {**place, "binary_data": False},
        "size alone": {"shared_memory_byte_size": 64},
    }.items():
        yield infer(f"beside/{name}", {"inputs": [http_input(place)], "outputs": [{"name": "OUTPUT_1", "parameters": parameters}]})
    yield infer("unknown output", {"inputs": [http_input(place)], "outputs": [{"name": "NOPE", "parameters": {**place, "shared_memory_region": "nope"}}]})
    for kind in (SYSTEM, CUDA):
        for region in ("x", "r", "r"):
            yield http(f"unregister/{kind}/{region}", f"{kind}/region/{region}/unregister")
        yield http(f"unregister/{kind}", f"{kind}/unregister")
    yield Grpc("grpc/memory/unregister/x", "SystemSharedMemoryUnregister", pb.SystemSharedMemoryUnregisterRequest(name="x"))
    yield Grpc("grpc/memory/unregister", "SystemSharedMemoryUnregister", pb.SystemSharedMemoryUnregisterRequest())
    yield Grpc("grpc/memory/unregister/CUDA", "CudaSharedMemoryUnregister", pb.CudaSharedMemoryUnregisterRequest())
    yield from status("end")


def put(tensor, parameters):
    for name, value in parameters.items():
        tensor.parameters[name].CopyFrom(pb.InferParameter(**{"string_param" if isinstance(value, str) else "int64_param": value}))


def grpc_input(name, parameters):
    made = pb.ModelInferRequest(model_name="I_FP32")
    put(made.inputs.add(name="INPUT_1", datatype="FP32", shape=[1, 16]), parameters)
    return Grpc(f"grpc/memory/{name}", "ModelInfer", made)


def grpc_output(name, parameters):
    made = pb.ModelInferRequest(model_name="I_FP32", raw_input_contents=[bytes(range(64))])
    made.inputs.add(name="INPUT_1", datatype="FP32", shape=[1, 16])
    put(made.outputs.add(name="OUTPUT_1"), parameters)
    return Grpc(f"grpc/memory/{name}", "ModelInfer", made)
