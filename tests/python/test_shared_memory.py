"""Tensors in shared memory, with NVIDIA's clients and with plain requests."""

import asyncio
import base64
import itertools
import json
import mmap
import os
import queue
import random
import threading
import time
import uuid

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.grpc.aio
import tritonclient.http
import tritonclient.http.aio
import tritonclient.utils.shared_memory as shm
from tritonclient.utils import InferenceServerException, serialize_byte_tensor

from wire import GRPC, HTTP, PID, TRITONSERVER, connect, request, wait_until

PAGE = mmap.PAGESIZE
WORDS = np.array([["a", "bcé", ""]], dtype=object)
# docs/differences.md describes the behaviour of 2.51 for shrinking memory and offsets.
ours = pytest.mark.skipif(TRITONSERVER, reason="2.51 reads other memory or ends")


@pytest.fixture(autouse=True)
def nothing_is_left(then_right):
    """Each test starts and ends without regions."""
    wait_until(unregistered)
    yield
    wait_until(unregistered)


def unregistered():
    return request("POST", "/v2/systemsharedmemory/unregister")[0] == 200


class Memory:
    """A file in /dev/shm."""

    def __init__(self, size, content=b""):
        self.key = f"/pytriton_{uuid.uuid4().hex}"
        self.path = f"/dev/shm{self.key}"
        self.file = open(self.path, "x+b", buffering=0)
        self.resize(size)
        self.write(content)

    def resize(self, size):
        os.ftruncate(self.file.fileno(), size)

    def write(self, content, at=0):
        os.pwrite(self.file.fileno(), content, at)

    def read(self, size, at=0):
        return os.pread(self.file.fileno(), size, at)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        if os.path.exists(self.path):
            os.unlink(self.path)


def register(name, key, byte_size, offset=None):
    """Returns status and body of a registration over HTTP."""
    document = {"key": key, "byte_size": byte_size} | ({} if offset is None else {"offset": offset})
    status, _, body = request("POST", f"/v2/systemsharedmemory/region/{name}/register", json.dumps(document))
    return status, json.loads(body)["error"] if body else ""


def region(name, byte_size=None, offset=None):
    """Returns the parameters of a tensor in a region."""
    parameters = {"shared_memory_region": name, "shared_memory_byte_size": byte_size, "shared_memory_offset": offset}
    return {key: value for key, value in parameters.items() if value is not None}


def ask(inputs, outputs=None, model="I_FP32", datatype="FP32", shape=(1, 4)):
    """Returns status and body of an HTTP request with these parameters of input and output."""
    document = {"inputs": [{"name": "INPUT_1", "datatype": datatype, "shape": list(shape), "parameters": inputs}]}
    if outputs is not None:
        document["outputs"] = [{"name": "OUTPUT_1", "parameters": outputs}]
    status, _, body = request("POST", f"/v2/models/{model}/infer", json.dumps(document))
    return status, json.loads(body)


def call(inputs, outputs=None):
    """Returns the response or the error of a gRPC request."""
    tensor = tritonclient.grpc.InferInput("INPUT_1", [1, 4], "FP32")
    tensor.set_shared_memory(*inputs)
    wanted = tritonclient.grpc.InferRequestedOutput("OUTPUT_1")
    if outputs:
        wanted.set_shared_memory(*outputs)
    with connect(tritonclient.grpc) as client:
        try:
            return client.infer("I_FP32", [tensor], outputs=[wanted])
        except InferenceServerException as error:
            return error.message()


@pytest.fixture
def pair():
    """A region for inputs and one for outputs, created with NVIDIA's library."""
    made = [shm.create_shared_memory_region(name, f"/pytriton_{uuid.uuid4().hex}", 4096) for name in ("in", "out")]
    yield made
    for handle in made:
        shm.destroy_shared_memory_region(handle)


def registered(client, pair):
    for name, handle in zip(("in", "out"), pair):
        client.register_system_shared_memory(name, handle._shm_key, 4096)


def tensors(protocol, name, array, size_in, size_out, output="OUTPUT_1"):
    """Returns an input and an output in the pair's regions."""
    given = protocol.InferInput(name, list(array.shape), tritonclient.utils.np_to_triton_dtype(array.dtype))
    given.set_shared_memory("in", size_in)
    wanted = protocol.InferRequestedOutput(output)
    wanted.set_shared_memory("out", size_out)
    return [given], [wanted]


@pytest.mark.parametrize("datatype", [np.float32, np.int8, np.uint64, np.bool_, np.float16])
def test_numbers_round_trip(protocol, client, pair, datatype):
    names = {np.float32: "FP32", np.int8: "INT8", np.uint64: "UINT64", np.bool_: "BOOL", np.float16: "FP16"}
    x = np.arange(12).reshape(2, 6).astype(datatype)
    registered(client, pair)
    shm.set_shared_memory_region(pair[0], [x])
    inputs, outputs = tensors(protocol, "INPUT_1", x, x.nbytes, 4096)
    result = client.infer(f"I_{names[datatype]}", inputs, outputs=outputs)
    output = result.get_output("OUTPUT_1")
    shape = output["shape"] if isinstance(output, dict) else list(output.shape)
    assert shape == [2, 6]
    np.testing.assert_array_equal(shm.get_contents_as_numpy(pair[1], datatype, shape), x)


def test_strings_round_trip(protocol, client, pair):
    serialized = serialize_byte_tensor(WORDS)
    size = len(serialized.item())
    registered(client, pair)
    shm.set_shared_memory_region(pair[0], [serialized])
    inputs, outputs = tensors(protocol, "INPUT_1", WORDS, size, size)
    client.infer("I_BYTES", inputs, outputs=outputs)
    assert shm.get_contents_as_numpy(pair[1], np.object_, [1, 3]).tolist() == [[b"a", "bcé".encode(), b""]]
    for wrong in (size + 1, size - 1):
        inputs, outputs = tensors(protocol, "INPUT_1", WORDS, wrong, size)
        with pytest.raises(InferenceServerException):
            client.infer("I_BYTES", inputs, outputs=outputs)


def test_stream_uses_shared_memory(grpc, pair):
    answers = queue.Queue()
    registered(grpc, pair)
    grpc.start_stream(callback=lambda result, error: answers.put((result, error)))
    for turn in range(50):
        x = np.full((1, 8), turn, dtype=np.float32)
        shm.set_shared_memory_region(pair[0], [x])
        inputs, outputs = tensors(tritonclient.grpc, "INPUT_1", x, 32, 32)
        grpc.async_stream_infer("I_FP32", inputs, outputs=outputs, request_id=str(turn))
        result, error = answers.get(timeout=10)
        assert error is None and result.get_response().id == str(turn)
        assert list(result.get_response().raw_output_contents) == [b""]
        np.testing.assert_array_equal(shm.get_contents_as_numpy(pair[1], np.float32, [1, 8]), x)
    grpc.stop_stream()


def test_decoupled_responses_use_shared_memory(grpc, pair):
    answers = queue.Queue()
    registered(grpc, pair)
    shm.set_shared_memory_region(pair[0], [np.array([[3]], dtype=np.int32)])
    inputs, outputs = tensors(tritonclient.grpc, "count", np.array([[3]], dtype=np.int32), 4, 4)
    grpc.start_stream(callback=lambda result, error: answers.put((result, error)))
    grpc.async_stream_infer("Count", inputs, outputs=outputs, enable_empty_final_response=True)
    for turn in range(4):
        result, error = answers.get(timeout=10)
        assert error is None, error
        assert [len(raw) for raw in result.get_response().raw_output_contents] == ([0] if turn < 3 else [])
    last = shm.get_contents_as_numpy(pair[1], np.int32, [1, 1])
    assert last[0, 0] == 2
    grpc.stop_stream()


@pytest.mark.parametrize("protocol", [tritonclient.http, tritonclient.grpc])
def test_sequence_uses_shared_memory(protocol, pair):
    with connect(protocol) as client:
        registered(client, pair)
        total = 0
        for turn in range(1, 6):
            shm.set_shared_memory_region(pair[0], [np.array([[turn]], dtype=np.int32)])
            given = protocol.InferInput("VALUE", [1, 1], "INT32")
            given.set_shared_memory("in", 4)
            options = {"sequence_id": 77001, "sequence_start": turn == 1, "sequence_end": turn == 5}
            total += turn
            assert client.infer("Direct", [given], **options).as_numpy("OUTPUT_1")[0, 0] == total


@pytest.mark.parametrize("protocol", [tritonclient.http.aio, tritonclient.grpc.aio])
def test_asyncio_clients_use_shared_memory(protocol, pair):
    async def main():
        client = protocol.InferenceServerClient(HTTP if protocol is tritonclient.http.aio else GRPC)
        x = np.arange(8, dtype=np.float32)[None]
        shm.set_shared_memory_region(pair[0], [x])
        for name, handle in zip(("in", "out"), pair):
            await client.register_system_shared_memory(name, handle._shm_key, 4096)
        inputs, outputs = tensors(protocol, "INPUT_1", x, 32, 32)
        await client.infer("I_FP32", inputs, outputs=outputs)
        np.testing.assert_array_equal(shm.get_contents_as_numpy(pair[1], np.float32, [1, 8]), x)
        # A region is in use until its request is released, which may be shortly after the response.
        deadline = time.monotonic() + 10
        while True:
            try:
                await client.unregister_system_shared_memory("in")
                break
            except InferenceServerException as error:
                assert "currently in use" in str(error) and time.monotonic() < deadline
        await client.unregister_system_shared_memory()
        await client.close()

    asyncio.run(main())


def test_region_can_be_input_and_output():
    with Memory(64, np.arange(4, dtype=np.float32).tobytes() + b"x" * 48) as memory:
        assert register("r", memory.key, 64) == (200, "")
        status, answer = ask(region("r", 16), region("r", 16, 16))
        assert (status, answer["outputs"]) == (200, [{"name": "OUTPUT_1", "datatype": "FP32", "shape": [1, 4]}])
        assert memory.read(64) == memory.read(16) * 2 + b"x" * 32
        assert ask(region("r", 16, 16), region("r", 16))[0] == 200
        assert not isinstance(call(("r", 16), ("r", 16)), str)
        os.unlink(memory.path)
        assert ask(region("r", 16), region("r", 16))[0] == 200


def test_region_is_kept_during_a_request():
    with Memory(64, (1000).to_bytes(4, "little")) as memory:
        register("r", memory.key, 64)
        done = []

        def ask_slow():
            document = {"inputs": [{"name": "milliseconds", "datatype": "UINT32", "shape": [1, 1], "parameters": region("r", 4)}]}
            done.append(request("POST", "/v2/models/Slow/infer", json.dumps(document))[0])

        def refused():
            status, _, body = request("POST", "/v2/systemsharedmemory/region/r/unregister")
            if status == 200:
                register("r", memory.key, 64)
            return (status, body and json.loads(body)["error"]) == (
                500, "Cannot unregister shared memory region 'r', it is currently in use.")

        used = False
        while not used:
            # It may have arrived while the region was not registered.
            done.clear()
            slow = threading.Thread(target=ask_slow)
            slow.start()
            while not used and slow.is_alive():
                used = refused()
        status, _, body = request("POST", "/v2/systemsharedmemory/unregister")
        assert (status, json.loads(body)["error"]) == (
            500, "Failed to unregister the following system shared memory regions: r ,")
        told = json.loads(request("GET", "/v2/systemsharedmemory/status")[2])
        assert [region["name"] for region in told] == ["r"]
        slow.join()
        assert done == [200]
        assert request("POST", "/v2/systemsharedmemory/region/r/unregister")[0] == 200


@ours
def test_region_offset_is_applied():
    with Memory(2 * PAGE) as memory:
        memory.write(np.full(4, 1, dtype=np.float32).tobytes())
        memory.write(np.full(4, 2, dtype=np.float32).tobytes(), PAGE)
        assert register("r", memory.key, PAGE, PAGE) == (200, "")
        assert register("first", memory.key, 64) == (200, "")
        _, answer = ask(region("r", 16))
        assert answer["outputs"][0]["data"] == [2, 2, 2, 2]
        _, answer = ask(region("first", 16), region("r", 16, PAGE - 16))
        assert memory.read(16, 2 * PAGE - 16) == memory.read(16)
        assert ask(region("r", 16, PAGE - 15)) == (400, {"error": "Invalid offset + byte size for shared memory region: 'r'"})


@ours
def test_tensors_must_be_within_their_region():
    offset = "Invalid offset for shared memory region: 'r'"
    size = "Invalid offset + byte size for shared memory region: 'r'"
    table = [
        (64, None, ""), (64, 0, ""), (32, 32, "size mismatch"), (65, 0, size), (64, 1, size), (0, 0, size), (None, None, size), (4, 64, offset),
        (0, 64, offset), (1, 2**63, offset), (2**63, 0, size), (2**63, 2**63, offset), (2**64 - 1, 0, size), (2**64 - 1, 1, size),
        (64, 2**64 - 32, offset), (64, 2**64 - 64, offset), (1, 2**64 - 1, offset), (2**64 - 32, 32, size), (2**63 - 1, 1, size),
        (-1, 0, "expected an unsigned integer, found -1"), (64, -1, "expected an unsigned integer, found -1"),
        (2**64, 0, "expected an unsigned integer"), (1.5, 0, "expected an unsigned integer"), ("64", 0, "expected an unsigned integer"),
        (True, 0, "expected an unsigned integer"), (60, 0, "Expected 64, got 60"),
    ]
    with Memory(64) as memory:
        register("r", memory.key, 64)
        for byte_size, at, expected in table:
            for inputs, outputs in ((region("r", byte_size, at), None), (None, region("r", byte_size, at))):
                if inputs is None and expected in ("size mismatch", "Expected 64, got 60"):
                    continue
                document = {"inputs": [{"name": "INPUT_1", "datatype": "FP32", "shape": [1, 16], "parameters": inputs or {}}]}
                if inputs is None:
                    document["inputs"][0]["data"] = [7] * 16
                    document["outputs"] = [{"name": "OUTPUT_1", "parameters": outputs}]
                status, _, body = request("POST", "/v2/models/I_FP32/infer", json.dumps(document))
                if expected:
                    assert status == 400 and expected in json.loads(body)["error"], (byte_size, at, body)
                else:
                    assert status == 200, (byte_size, at, body)
    for byte_size, at, expected in [(16, 48, ""), (16, 49, size), (16, -1, offset), (-1, 0, size), (-16, 16, size), (2**63 - 1, 0, size),
                                    (16, 2**63 - 1, offset), (16, -(2**63), offset)]:
        with Memory(64) as memory:
            register("r", memory.key, 64)
            result = call(("r", byte_size, at))
            assert (result == expected) if expected else not isinstance(result, str), (byte_size, at, result)
            assert unregistered()


@ours
def test_regions_must_be_within_their_memory():
    bounds = "failed to register shared memory region 'r': invalid args"
    space = "failed to register shared memory region 'r': unable to process address spaceInvalid argument"
    kind = "attempt to access JSON non-unsigned-integer as unsigned-integer"
    table = [
        (2 * PAGE, 0, 200, ""), (PAGE, PAGE, 200, ""), (1, PAGE, 200, ""), (2 * PAGE + 1, 0, 400, bounds), (PAGE + 1, PAGE, 400, bounds),
        (1, 2 * PAGE, 400, bounds), (0, 0, 400, space), (0, 2 * PAGE, 400, space), (10, 100, 400, space), (1, 2**64 - 1, 400, space),
        (64, 2**64 - 32, 400, space), (2**63, 0, 400, bounds), (2**63, 2**63, 400, space), (2**64 - 1, 0, 400, bounds),
        (1, 2**63, 400, bounds), (-1, 0, 500, kind), (1, -1, 500, kind), ("x", 0, 500, kind), (1.5, 0, 500, kind), (2**64, 0, 500, kind),
    ]
    with Memory(2 * PAGE) as memory, connect(tritonclient.grpc) as client:
        for byte_size, at, status, error in table:
            assert register("r", memory.key, byte_size, at) == (status, error), (byte_size, at)
            unregistered()
            if status == 500:
                continue
            try:
                client.register_system_shared_memory("r", memory.key, byte_size, at)
                assert status == 200
            except InferenceServerException as raised:
                assert (raised.message(), raised.status()) == (error, "StatusCode.INVALID_ARGUMENT")
            unregistered()


@ours
def test_keys_cannot_leave_their_folder():
    long = "x" * 300
    cannot = ["", "/", "..", "/..", "../x", "/../etc/passwd", "../../etc/passwd", "/a/b", "pytriton_nothing", "a\0b", "\0", long, "/" * 9000, "."]
    for key in cannot:
        status, error = register("r", key, 1)
        assert status == 500 and error.startswith("Unable to open shared memory region: '"), key
    reserved = "the key contains the reserved prefix 'triton_python_backend_shm_region_'"
    with Memory(64) as memory:
        for slashes in ("", "/", "//"):
            name = "triton_python_backend_shm_region_" + uuid.uuid4().hex
            os.link(memory.path, f"/dev/shm/{name}")
            status, error = register("r", slashes + name, 64)
            os.unlink(f"/dev/shm/{name}")
            assert status == 400 and reserved in error
        link = memory.path + "_link"
        os.symlink("/etc/hostname", link)
        os.mkfifo(memory.path + "_fifo")
        for path in (link, memory.path + "_fifo"):
            status, error = register("r", os.path.basename(path), 1)
            os.unlink(path)
            assert status == 500 and error.startswith("Unable to open")


def test_gpu_regions_are_refused(grpc):
    handle = {"raw_handle": {"b64": base64.b64encode(bytes(64)).decode()}, "byte_size": 8, "device_id": 0}
    assert request("GET", "/v2/cudasharedmemory/status")[2] == b"[]"
    assert request("POST", "/v2/cudasharedmemory/unregister")[0] == 200
    assert request("POST", "/v2/cudasharedmemory/region/x/unregister")[0] == 200
    for document, expected in [
        (handle, (400, "failed to register shared memory region: invalid args")),
        (handle | {"raw_handle": {"b64": "AAAA"}}, (400, "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t")),
        (handle | {"raw_handle": {}}, (500, "attempt to access non-existing object member 'b64'")),
        ({"byte_size": 8}, (400, "Shared memory register request has no 'raw_handle' field")),
    ]:
        status, _, body = request("POST", "/v2/cudasharedmemory/region/x/register", json.dumps(document))
        assert (status, json.loads(body)["error"]) == expected
    with pytest.raises(InferenceServerException, match="failed to register shared memory region: invalid args"):
        grpc.register_cuda_shared_memory("x", base64.b64encode(bytes(64)), 0, 8)
    assert not grpc.get_cuda_shared_memory_status(as_json=True).get("regions")
    grpc.unregister_cuda_shared_memory()


@ours
def test_memory_that_shrinks_is_an_error():
    content = np.arange(4, dtype=np.float32).tobytes()
    with Memory(64, content) as memory:
        register("r", memory.key, 64)
        for length in (63, 15, 1, 0):
            memory.resize(length)
            status, answer = ask(region("r", 16, 48))
            assert status == 400 and "has shrunk: expected 16 bytes from 48" in answer["error"]
            status, answer = ask(region("r", 16, 48), region("r", 16))
            assert status == 400
            assert "has shrunk" in call(("r", 16, 48))
        memory.resize(16)
        memory.write(content)
        status, answer = ask(region("r", 16), region("r", 16, 48))
        assert status == 400 and "has shrunk: expected 16 bytes from 48, found 0" in answer["error"]
        assert "has shrunk" in call(("r", 16), ("r", 16, 48))
        assert os.fstat(memory.file.fileno()).st_size == 16
        memory.resize(64)
        assert ask(region("r", 16), region("r", 16, 48))[0] == 200
        assert memory.read(16, 48) == content


@ours
def test_memory_can_change_at_any_time():
    """Under load of both protocols, memory shrinks, grows, disappears, and is registered again."""
    size = 1 << 20
    ended = threading.Event()
    counts = {"right": 0, "refused": 0}
    wrong = []
    known = ("has shrunk", "Unable to find shared memory region", "input byte size mismatch")

    def load(protocol, seed):
        choice = random.Random(seed)
        given = protocol.InferInput("INPUT_1", [1, size // 8], "FP32")
        wanted = protocol.InferRequestedOutput("OUTPUT_1")
        with connect(protocol) as client:
            while not ended.is_set():
                given.set_shared_memory("r", size // 2, choice.choice([0, size // 2]))
                wanted.set_shared_memory("r", size // 2, choice.choice([0, size // 2]))
                try:
                    client.infer("I_FP32", [given], outputs=[wanted])
                    counts["right"] += 1
                except InferenceServerException as error:
                    counts["refused"] += 1
                    if not any(text in error.message() for text in known):
                        wrong.append(error.message())

    with Memory(size) as memory:
        register("r", memory.key, size)
        loaders = [threading.Thread(target=load, args=(protocol, seed)) for seed, protocol in
                   enumerate([tritonclient.http, tritonclient.grpc] * 2)]
        for loader in loaders:
            loader.start()
        for turn in itertools.count():
            if turn >= 150 and counts["right"] and counts["refused"] or wrong or turn == 20_000:
                break
            memory.resize(random.randrange(size))
            memory.resize(size)
            memory.write(os.urandom(PAGE), random.randrange(size - PAGE))
            if turn % 10 == 0:
                request("POST", "/v2/systemsharedmemory/region/r/unregister")
                register("r", memory.key, size)
        ended.set()
        for loader in loaders:
            loader.join()
    assert not wrong and counts["right"] > 0 and counts["refused"] > 0, (counts, wrong[:3])


@ours
def test_number_of_regions_is_limited():
    def descriptors():
        return len(os.listdir(f"/proc/{PID}/fd"))

    before = descriptors()
    with Memory(64) as memory, connect(tritonclient.grpc) as client:
        refused = 0
        for index in range(3000):
            status, error = register(f"r{index}", memory.key, 64)
            if status != 200:
                refused += 1
                assert status == 503 and "regions are registered, which is the limit" in error
        told = json.loads(request("GET", "/v2/systemsharedmemory/status")[2])
        assert len(told) == 3000 - refused <= 1024
        assert descriptors() <= before + 1024 + 8
        with pytest.raises(InferenceServerException, match="which is the limit") as raised:
            client.register_system_shared_memory("more", memory.key, 64)
        assert raised.value.status() == "StatusCode.UNAVAILABLE"
        assert ask(region("r1023" if len(told) == 1024 else "r0", 16))[0] == 200
        assert unregistered()
        wait_until(lambda: descriptors() <= before + 8)


@ours
def test_oversized_region_is_not_read():
    with Memory(1 << 40) as memory:
        assert register("r", memory.key, 1 << 40) == (200, "")
        status, answer = ask(region("r", 1 << 40), shape=(1, 1 << 38))
        assert status in (400, 503), answer
        assert "exceeds the maximum allowed input size" in answer["error"] or "cannot hold" in answer["error"]
        status, answer = ask(region("r", 65 << 20), shape=(1, 65 << 18))
        assert status == 400 and "exceeds the maximum allowed input size of 67108864 bytes" in answer["error"]


@ours
def test_outputs_that_do_not_fit_are_refused():
    with Memory(64, np.arange(4, dtype=np.float32).tobytes()) as memory, connect(tritonclient.http) as client:
        register("r", memory.key, 64)
        error = "shared memory size specified with the request for output 'OUTPUT_1' (15 bytes) should be at least 16 bytes to hold the results"
        for parameters, status, expected in [
            (region("r", 15, 48), 500, error),
            (region("r", 16) | {"classification": 1}, 400, "Output can't set both 'shared_memory_region' and 'classification'"),
            (region("r", 16) | {"binary_data": True}, 400, "Output can't set both 'shared_memory_region' and 'binary_data'"),
            (region("nope", 16), 404, "Unable to find shared memory region: 'nope'"),
        ]:
            got, answer = ask(region("r", 16), parameters)
            assert (got, answer) == (status, {"error": expected})
        assert ask(region("r", 16), region("r", 16, 16) | {"binary_data": False})[0] == 200
        assert call(("r", 16), ("r", 15, 48)) == error
        assert memory.read(16, 48) == bytes(16)


def test_each_request_of_a_batch_has_its_own_region():
    """Requests with and without regions share batches; each receives its own response."""
    rows = 40
    wrong, right = [], []

    def ask_many(number, protocol, memory, name):
        choice = random.Random(number)
        at = number * PAGE
        with connect(protocol) as client:
            for turn in range(rows):
                x = np.array([[(number * rows + turn)]], dtype=np.int64)
                given = protocol.InferInput("x", [1, 1], "INT64")
                wanted = protocol.InferRequestedOutput("OUTPUT_1")
                second = protocol.InferRequestedOutput("OUTPUT_3")
                there, back = choice.random() < 0.5, choice.random() < 0.5
                if there:
                    memory.write(x.tobytes(), at)
                    given.set_shared_memory(name, 8, at)
                else:
                    given.set_data_from_numpy(x)
                if back:
                    wanted.set_shared_memory(name, 8, at + 64)
                result = client.infer("Ledger5", [given], outputs=[wanted, second])
                first = np.frombuffer(memory.read(8, at + 64), np.int64) if back else result.as_numpy("OUTPUT_1")[0]
                got = (first[0], result.as_numpy("OUTPUT_3")[0, 0])
                (right if got == (x[0, 0] * 1000 + 1, x[0, 0] * 1000 + 3) else wrong).append(got)

    with Memory(16 * PAGE) as memory:
        register("r", memory.key, 16 * PAGE)
        threads = [threading.Thread(target=ask_many, args=(number, [tritonclient.http, tritonclient.grpc][number % 2], memory, "r"))
                   for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong and len(right) == 16 * rows
