"""Requests that overtake others, and the options of each priority level."""

import time
from concurrent.futures import ThreadPoolExecutor

import grpc as rpc
import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException

from gate import HELD, Gate, pending
from wire import GRPC, TRITONSERVER, connect, infer, post_json

pytestmark = pytest.mark.usefixtures("then_right")

INPUT = {"name": "milliseconds", "datatype": "UINT32", "shape": [1, 1], "data": [0]}


def call(protocol, model, milliseconds=0, **options):
    """Returns the number in the model's response."""
    client = connect(protocol)
    try:
        array = np.array([[milliseconds]], dtype=np.uint32)
        return int(infer(protocol, client, model, {"milliseconds": array}, **options)["OUTPUT_1"][0, 0])
    finally:
        client.close()


class Busy(Gate):
    """A model whose instance is busy until the context ends, and its queued requests."""

    def __init__(self, protocol, model):
        super().__init__()
        self.protocol, self.model = protocol, model
        self.pool = ThreadPoolExecutor(20)
        self.first = self.hold(lambda: self.pool.submit(call, protocol, model, HELD))
        assert pending(model) == 0

    def wait(self, **options):
        """Sends a request, and returns when it is queued."""
        return self.queue(self.model, lambda: self.pool.submit(call, self.protocol, self.model, **options))

    def refused(self, **options):
        """Returns the error of a request that is refused while the instance is busy."""
        with pytest.raises(InferenceServerException) as raised:
            call(self.protocol, self.model, **options)
        return raised.value


def test_urgent_requests_overtake_and_levels_preserve_order(protocol):
    # The default is 2, for unknown levels as well as for none.
    levels = [3, None, 1, 3, 0, 1, 9, 2]
    with Busy(protocol, "Urgent") as busy:
        futures = [busy.wait(**({} if level is None else {"priority": level})) for level in levels]
    first = busy.first.result()
    calls = [future.result() - first for future in futures]
    assert calls == [7, 3, 1, 8, 4, 2, 5, 6]


def test_each_level_has_its_own_queue_limit(protocol):
    with Busy(protocol, "Urgent") as busy:
        low = [busy.wait(priority=3) for _ in range(2)]
        error = busy.refused(priority=3)
        assert error.status() in ("503", "StatusCode.UNAVAILABLE")
        assert "Exceeds maximum queue size" in error.message()
        high = [busy.wait(priority=priority) for priority in (1, 2)]
    assert [future.result() for future in (*high, *low)] == [busy.first.result() + place for place in (1, 2, 3, 4)]


def test_delayed_requests_are_queued_behind_their_level_and_can_join_batches(protocol):
    with Busy(protocol, "Late") as busy:
        late, lowest = busy.wait(priority=1, timeout=100_000), busy.wait()
        in_time = busy.wait(priority=1)
        time.sleep(0.1)
    busy.first.result()
    assert [future.result() for future in (in_time, late, lowest)] == [0, 1, 2]


def test_expired_requests_are_refused_if_the_level_rejects_them(protocol):
    with Busy(protocol, "Late") as busy:
        patient = busy.wait(priority=3)
        # tritonserver checks its queue when the instance is free again, or twice a second.
        error = busy.refused(priority=2, timeout=100_000)
        assert "Request timeout expired" in error.message()
    busy.first.result()
    assert patient.result() == 0


@pytest.mark.parametrize("priority", [-1, 1.5, "1", True, None, [1], 2**64])
def test_a_priority_is_a_number_over_http(priority):
    status, answer = post_json("Urgent", {"inputs": [INPUT], "parameters": {"priority": priority}})
    assert status == (500 if TRITONSERVER else 400), answer
    assert "unable to parse 'priority'" in answer["error"].lower()


@pytest.mark.parametrize(
    "kind, value, expected",
    [
        ("int64_param", -1, "invalid value for 'priority', expected value >= 0."),
        ("double_param", 1.0, "expected int64_param or uint64_param."),
        ("string_param", "1", "expected int64_param or uint64_param."),
        ("bool_param", True, "expected int64_param or uint64_param."),
    ],
)
def test_a_priority_is_a_number_over_grpc(kind, value, expected):
    with pytest.raises(rpc.RpcError) as raised:
        infer_message(kind, value)
    assert raised.value.code() == rpc.StatusCode.INVALID_ARGUMENT
    assert expected in raised.value.details()


@pytest.mark.parametrize("kind", ["int64_param", "uint64_param"])
def test_priority_can_be_signed_or_unsigned(kind):
    assert infer_message(kind, 2**63 - 1).raw_output_contents


def infer_message(kind, value):
    message = service_pb2.ModelInferRequest(model_name="Urgent", raw_input_contents=[b"\0" * 4])
    message.inputs.add(name="milliseconds", datatype="UINT32", shape=[1, 1])
    setattr(message.parameters["priority"], kind, value)
    with rpc.insecure_channel(GRPC) as channel:
        return service_pb2_grpc.GRPCInferenceServiceStub(channel).ModelInfer(message, timeout=20)


def test_the_configuration_shows_the_levels(http, grpc):
    batching = http.get_model_config("Urgent")["dynamic_batching"]
    assert (batching["priority_levels"], batching["default_priority_level"]) == (3, 2)
    assert "default_queue_policy" not in batching
    policies = batching["priority_queue_policy"]
    assert policies["3"]["max_queue_size"] == 2
    assert policies["1"]["default_timeout_microseconds"] == 60_000_000
    over_grpc = grpc.get_model_config("Late").config.dynamic_batching
    assert (over_grpc.priority_levels, over_grpc.default_priority_level) == (3, 3)
    assert over_grpc.priority_queue_policy[1].timeout_action == over_grpc.priority_queue_policy[1].DELAY
    assert sorted(over_grpc.priority_queue_policy) == [1, 2]
