"""Invalid gRPC requests: the correct code, a message with the cause, and the next request succeeds.
"""

import grpc as rpc
import numpy as np
import pytest
import tritonclient.grpc
from tritonclient.grpc import service_pb2
from tritonclient.utils import InferenceServerException

from wire import TRITONSERVER, infer

pytestmark = pytest.mark.usefixtures("then_right")

DATA = np.array([1, 2, 3, 4], dtype=np.float32).tobytes()


def message(shape, raw=(), datatype="FP32", model="I_FP32", outputs=(), **contents):
    """Returns a request message, without NVIDIA's client."""
    made = service_pb2.ModelInferRequest(model_name=model)
    given = made.inputs.add(name="INPUT_1", datatype=datatype, shape=shape)
    for name, values in contents.items():
        getattr(given.contents, name).extend(values)
    made.raw_input_contents.extend(raw)
    for output in outputs:
        made.outputs.add(name=output)
    return made


CASES = {
    "truncated": (message([1, 4], [DATA[:12]]), "input byte size mismatch for input 'INPUT_1' for model 'I_FP32'. Expected 16, got 12"),
    "additional": (message([1, 4], [DATA + b"xx"]), "input byte size mismatch for input 'INPUT_1' for model 'I_FP32'. Expected 16, got 18"),
    "no data": (message([1, 4]), "INPUT_1"),
    "open dimension": (message([1, -1], [DATA]), "INPUT_1"),
    "open batch": (message([-1, 4], [DATA]), "INPUT_1"),
    "both forms": (message([1, 4], [DATA], fp32_contents=[1]), "contents field must not be specified when using raw_input_contents for 'INPUT_1' for model 'I_FP32'"),
    "too few contents": (message([1, 4], fp32_contents=[1, 2]), "INPUT_1"),
    "contents of another type": (message([1, 4], int_contents=[1, 2, 3, 4]), "INPUT_1"),
    "contents out of range": (message([1, 1], datatype="UINT8", model="I_UINT8", uint_contents=[256]), "INPUT_1"),
    "half floats have no contents": (message([1, 1], datatype="FP16", model="I_FP16", fp32_contents=[1]), "INPUT_1"),
    "unknown datatype": (message([1, 4], [DATA], datatype="FP3"), "INPUT_1"),
    "no axis": (message([], [DATA]), "INPUT_1"),
    "batch over the maximum": (message([17, 1], [DATA * 4 + DATA[:4]]), "inference request batch-size must be <= 16 for 'I_FP32'"),
    "largest dimension": (message([1, 2**63 - 1], [DATA]), "INPUT_1"),
    "product overflows": (message([1, 2**62], [DATA]), "INPUT_1"),
    "product overflows to zero": (message([16, 2**62], [b""]), "INPUT_1"),
    "unknown output": (message([1, 4], [DATA], outputs=["nope"]), "unexpected inference output 'nope' for model 'I_FP32'"),
    "broken BYTES": (message([1, 1], [b"\x05\0\0\0ab"], datatype="BYTES", model="I_BYTES"), "INPUT_1"),
    "neither true nor false": (message([1, 1], [b"\x07"], datatype="BOOL", model="I_BOOL"), "INPUT_1"),
}


if TRITONSERVER:
    # tritonserver truncates such an element.
    del CASES["contents out of range"]
    # The sizes overflow; `crashing_requests.py` shows the effect.
    for ending in ("largest dimension", "product overflows", "product overflows to zero"):
        del CASES[ending]


@pytest.mark.parametrize("case", CASES)
def test_invalid_messages_are_refused(grpc, case):
    request, fragment = CASES[case]
    with pytest.raises(rpc.RpcError) as raised:
        grpc._client_stub.ModelInfer(request, timeout=10)
    assert raised.value.code() == rpc.StatusCode.INVALID_ARGUMENT, raised.value.details()
    assert fragment in raised.value.details()


def test_too_many_raw_tensors_are_refused(grpc):
    request = message([1, 4], [DATA, DATA])
    try:
        response = grpc._client_stub.ModelInfer(request, timeout=10)
    except rpc.RpcError as error:
        assert error.code() == rpc.StatusCode.INVALID_ARGUMENT
    else:
        assert response.raw_output_contents[0] == DATA


@pytest.mark.parametrize(
    "model, version, code, fragment",
    [
        ("Nope", "", "NOT_FOUND", "Request for unknown model: 'Nope' is not found"),
        ("I_FP32", "2", "NOT_FOUND", "Request for unknown model: 'I_FP32' version 2 is not found"),
        ("I_FP32", "x", "INVALID_ARGUMENT", "version string 'x'"),
    ],
)
def test_unknown_models_are_refused(grpc, model, version, code, fragment):
    given = tritonclient.grpc.InferInput("INPUT_1", [1, 1], "FP32")
    given.set_data_from_numpy(np.ones((1, 1), np.float32))
    with pytest.raises(InferenceServerException) as raised:
        grpc.infer(model, [given], model_version=version)
    assert raised.value.status() == f"StatusCode.{code}"
    assert fragment in raised.value.message()


@pytest.mark.parametrize(
    "model, arrays, fragment",
    [
        ("AddSub", {"a": np.ones((1, 1), np.float32)}, r"missing required input\(s\) \['b'\]"),
        ("AddSub", {}, "expected 2 inputs but got 0 inputs"),
        ("I_FP32", {"nope": np.ones((1, 1), np.float32)}, "unexpected inference input 'nope' for model 'I_FP32'"),
        ("I_FP32", {"INPUT_1": np.ones((4,), np.float32)}, r"Expected \[-1,-1\], got \[4\]"),
        ("I_FP32", {"INPUT_1": np.ones((1, 1), np.int32)}, "data-type is 'INT32', but model 'I_FP32' expects 'FP32'"),
        ("AddSub", {"a": np.ones((1, 2), np.float32), "b": np.ones((2, 2), np.float32)}, "batch size does not match other inputs for 'AddSub'"),
        ("NoBatch", {"INPUT_1": np.ones((1, 4), np.float32)}, r"Expected \[-1\], got \[1,4\]"),
    ],
)
def test_client_sees_the_message(grpc, model, arrays, fragment):
    with pytest.raises(InferenceServerException, match=fragment) as raised:
        infer(tritonclient.grpc, grpc, model, arrays)
    assert raised.value.status() == "StatusCode.INVALID_ARGUMENT"


def test_metadata_of_unknown_models_is_refused(grpc):
    for call, code in (
        (grpc.get_model_metadata, "NOT_FOUND"),
        (grpc.get_model_config, "NOT_FOUND"),
        (grpc.get_inference_statistics, "INVALID_ARGUMENT"),
    ):
        with pytest.raises(InferenceServerException, match="'Nope'") as raised:
            call("Nope")
        assert raised.value.status() == f"StatusCode.{code}"
    assert not grpc.is_model_ready("Nope")


def test_loads_require_explicit_model_control(grpc):
    for call in (grpc.load_model, grpc.unload_model):
        for name in ("I_FP32", "Nope"):
            with pytest.raises(InferenceServerException, match="explicit model load / unload is not allowed") as raised:
                call(name)
            assert raised.value.status() == "StatusCode.UNAVAILABLE"


@pytest.mark.parametrize("length", [20_000, 60_000])
def test_too_much_metadata_is_refused(grpc, length):
    stub = grpc._client_stub
    right = message([1, 4], [DATA])
    for call, request in ((stub.ServerLive, service_pb2.ServerLiveRequest()), (stub.ModelInfer, right)):
        with pytest.raises(rpc.RpcError) as raised:
            call(request, metadata=[("x", "y" * length)], timeout=10)
        assert raised.value.code() == rpc.StatusCode.RESOURCE_EXHAUSTED
        assert raised.value.details().startswith(f"received metadata size exceeds hard limit ({length // 1000}")
    assert stub.ModelInfer(right, timeout=10).raw_output_contents == [DATA]
