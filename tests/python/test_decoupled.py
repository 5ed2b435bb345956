"""Models with any number of responses, with NVIDIA's clients and PyTriton's."""

import asyncio
import queue
import time

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.grpc.aio
import tritonclient.http
from pytriton.client import AsyncioDecoupledModelClient, DecoupledModelClient, ModelClient
from pytriton.client.exceptions import PyTritonClientInferenceServerError
from tritonclient.utils import InferenceServerException

from wire import GRPC, TIMEOUT, connect, tensor


class Stream:
    """An open stream of a separate client."""

    def __init__(self, **options):
        self.client = connect(tritonclient.grpc)
        self.answers = queue.Queue()
        self.client.start_stream(callback=lambda result, error: self.answers.put((result, error)), **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.stop_stream(cancel_requests=True)
        self.client.close()

    def ask(self, model, request_id="", final=True, **inputs):
        """Sends a request; `final` requests an empty final response."""
        inputs = [tensor(tritonclient.grpc, name, value) for name, value in inputs.items()]
        self.client.async_stream_infer(
            model, inputs, request_id=request_id, enable_empty_final_response=final
        )

    def next(self):
        """Returns the next response: its ID, its value or its error, and whether it is final."""
        result, error = self.answers.get(timeout=TIMEOUT)
        if error is not None:
            return None, error.message(), None
        response = result.get_response()
        final = response.parameters["triton_final_response"].bool_param
        value = int(result.as_numpy("OUTPUT_1")[0, 0]) if response.outputs else None
        return response.id, value, final

    def all(self):
        """Returns the values of one request up to its empty final response, or its error."""
        values = []
        while True:
            _, value, final = self.next()
            if final:
                assert value is None
                return values, None
            if final is None:
                return values, value
            values.append(value)


@pytest.fixture
def stream():
    with Stream() as stream:
        yield stream


def i32(value):
    return np.array([[value]], dtype=np.int32)


def u32(value):
    return np.array([[value]], dtype=np.uint32)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 1000])
def test_request_receives_every_response_of_its_function(stream, count):
    for _ in range(2):
        stream.ask("Count", count=i32(count))
        assert stream.all() == (list(range(count)), None)


def test_final_response_is_empty_and_sent_on_request(stream):
    stream.ask("Count", "a", count=i32(2))
    assert [stream.next() for _ in range(3)] == [("a", 0, False), ("a", 1, False), ("a", None, True)]
    stream.ask("Count", "b", final=False, count=i32(1))
    stream.ask("Count", "c", final=False, count=i32(0))
    assert stream.next() == ("b", 0, False)
    stream.ask("Count", "d", count=i32(0))
    assert stream.next() == ("d", None, True)


def test_requests_of_one_stream_run_concurrently(stream):
    for index in range(32):
        stream.ask("PatientCount", str(index), count=i32(index), milliseconds=u32(5))
    got = {str(index): [] for index in range(32)}
    finals = 0
    while finals < 32:
        request_id, value, final = stream.next()
        finals += final
        got[request_id] += [] if final else [value]
    assert got == {str(index): list(range(index)) for index in range(32)}


def test_long_stream_does_not_block_others(stream):
    stream.ask("PatientCount", "long", count=i32(2000), milliseconds=u32(5))
    for index in range(4):
        stream.ask("PatientCount", str(index), count=i32(2), milliseconds=u32(5))
    finals = []
    while len(finals) < 4:
        request_id, _, final = stream.next()
        finals += [request_id] if final else []
    assert sorted(finals) == ["0", "1", "2", "3"]


def test_each_request_of_a_batch_has_its_own_rows(stream):
    values = [3, 1, 7, 5, 2]
    for value in values:
        stream.ask("Repeat", str(value), value=i32(value))
    got = {value: 0 for value in values}
    finals = 0
    while finals < len(values):
        request_id, value, final = stream.next()
        finals += final
        if not final:
            assert str(value) == request_id
            got[value] += 1
    # The largest value of a batch determines the number of responses of all its requests.
    assert all(got[value] in values and got[value] >= value for value in values)
    assert got[7] == 7


def test_response_is_sent_at_once(stream):
    begun = time.monotonic()
    stream.ask("SlowCount", count=i32(3), milliseconds=u32(300))
    times = []
    for value in range(3):
        assert stream.next()[1] == value
        times.append(time.monotonic() - begun)
    for number, at in enumerate(times, start=1):
        assert at < 0.3 * number + 0.25, times


@pytest.mark.parametrize("model, text", [("FailsAt", "no answer"), ("PanicsAt", "panicked: no answer")])
@pytest.mark.parametrize("at", [0, 1, 5])
def test_error_is_the_last_response(stream, model, text, at):
    for _ in range(2):
        stream.ask(model, at=i32(at))
        values, error = stream.all()
        assert values == list(range(at))
        assert f"{text} {at}" in error
        # No further response follows that the next request would receive.
        stream.ask("Count", "next", count=i32(1))
        assert [stream.next(), stream.next()] == [("next", 0, False), ("next", None, True)]


def test_error_instead_of_all_responses(stream):
    stream.ask("FailsAt", at=i32(-3))
    values, error = stream.all()
    assert values == [] and "-3 is below 0" in error


def test_responses_have_parameters_and_several_outputs(stream):
    stream.ask("Told", value=i32(3))
    for number in range(3):
        result, error = stream.answers.get(timeout=TIMEOUT)
        assert error is None
        assert int(result.as_numpy("OUTPUT_1")[0, 0]) == 3
        assert int(result.as_numpy("OUTPUT_2")[0, 0]) == number
        parameters = result.get_response().parameters
        assert parameters["number"].int64_param == number
        assert not parameters["triton_final_response"].bool_param
    assert stream.next()[1:] == (None, True)


def test_requests_of_a_batch_receive_separate_responses(stream):
    values = [4, 0, 2]
    for value in values:
        stream.ask("Apart", str(value), value=i32(value))
    got = {str(value): [] for value in values}
    finals = 0
    while finals < len(values):
        request_id, value, final = stream.next()
        finals += final
        got[request_id] += [] if final else [value]
    assert got == {str(value): list(range(value, -1, -1)) for value in values}


def test_half_closed_stream_receives_all_responses():
    client = connect(tritonclient.grpc)
    answers = queue.Queue()
    client.start_stream(callback=lambda result, error: answers.put((result, error)))
    inputs = {"count": i32(20), "milliseconds": u32(10)}
    inputs = [tensor(tritonclient.grpc, name, value) for name, value in inputs.items()]
    client.async_stream_infer("SlowCount", inputs)
    client.stop_stream()
    got = []
    while not answers.empty():
        result, error = answers.get()
        assert error is None
        got.append(int(result.as_numpy("OUTPUT_1")[0, 0]))
    assert got == list(range(20))
    client.close()


def test_statistics_contain_each_response(stream):
    client = connect(tritonclient.grpc)

    def statistics():
        found = client.get_inference_statistics("Count", as_json=True)["model_stats"][0]
        answers = found.get("response_stats", {})
        counts = {key: int(value["success"]["count"]) for key, value in answers.items()}
        return counts, int(found["inference_stats"]["success"]["count"])

    before, requests = statistics()
    stream.ask("Count", count=i32(3))
    assert stream.all()[0] == [0, 1, 2]
    after, requests_after = statistics()
    assert requests_after == requests + 1
    for key in ["0", "1", "2"]:
        assert after[key] == before.get(key, 0) + 1
    client.close()


def test_unary_requests_of_decoupled_models_are_refused():
    client = connect(tritonclient.grpc)
    config = client.get_model_config("Count").config
    assert config.model_transaction_policy.decoupled
    with pytest.raises(InferenceServerException) as refused:
        client.infer("Count", [tensor(tritonclient.grpc, "count", i32(1))])
    assert refused.value.status() == "StatusCode.UNIMPLEMENTED"
    text = "ModelInfer RPC doesn't support models with decoupled transaction policy"
    assert refused.value.message() == text
    client.close()
    client = connect(tritonclient.http)
    with pytest.raises(InferenceServerException) as refused:
        client.infer("Count", [tensor(tritonclient.http, "count", i32(1))])
    text = "HTTP end point doesn't support models with decoupled transaction policy"
    assert refused.value.message() == text
    client.close()


async def asked(client, model, **inputs):
    """Yields the responses to one request over a separate stream."""
    inputs = [tensor(tritonclient.grpc, name, value) for name, value in inputs.items()]

    async def requests():
        yield {"model_name": model, "inputs": inputs}

    answers = client.stream_infer(requests(), stream_timeout=TIMEOUT)
    async for result, error in answers:
        if error is not None:
            raise error
        yield answers, int(result.as_numpy("OUTPUT_1")[0, 0])


def test_asyncio_streams_run_concurrently():
    async def one(client, count):
        answers = asked(client, "PatientCount", count=i32(count), milliseconds=u32(2))
        return [value async for _, value in answers]

    async def main():
        async with tritonclient.grpc.aio.InferenceServerClient(GRPC) as client:
            return await asyncio.gather(*(one(client, count) for count in range(20)))

    assert asyncio.run(main()) == [list(range(count)) for count in range(20)]


def test_pytriton_client_receives_all_responses():
    with DecoupledModelClient(f"grpc://{GRPC}", "Count") as client:
        for count in [3, 0, 1, 100]:
            answers = client.infer_sample(count=np.array([count], dtype=np.int32))
            assert [int(answer["OUTPUT_1"][0]) for answer in answers] == list(range(count))
        answers = client.infer_batch(count=i32(2))
        assert [int(answer["OUTPUT_1"][0, 0]) for answer in answers] == [0, 1]


def test_pytriton_client_stays_usable_after_an_error():
    with DecoupledModelClient(f"grpc://{GRPC}", "FailsAt") as client:
        for at in [2, -1, 0, 2]:
            got = []
            with pytest.raises(PyTritonClientInferenceServerError) as failed:
                for answer in client.infer_batch(at=i32(at)):
                    got.append(int(answer["OUTPUT_1"][0, 0]))
            assert got == list(range(max(at, 0)))
            expected = f"no answer {at}" if at >= 0 else f"{at} is below 0"
            assert expected in str(failed.value)


def test_pytriton_asyncio_client_receives_all_responses():
    async def one(count):
        async with AsyncioDecoupledModelClient(f"grpc://{GRPC}", "PatientCount") as client:
            inputs = {"count": i32(count), "milliseconds": u32(2)}
            answers = client.infer_batch(**inputs)
            return [int(answer["OUTPUT_1"][0, 0]) async for answer in answers]

    async def main():
        return await asyncio.gather(*(one(count) for count in range(8)))

    assert asyncio.run(main()) == [list(range(count)) for count in range(8)]


def test_pytriton_asyncio_client_receives_errors():
    async def main():
        async with AsyncioDecoupledModelClient(f"grpc://{GRPC}", "PanicsAt") as client:
            got = []
            with pytest.raises(PyTritonClientInferenceServerError) as failed:
                async for answer in client.infer_batch(at=i32(2)):
                    got.append(int(answer["OUTPUT_1"][0, 0]))
            assert got == [0, 1] and "no answer 2" in str(failed.value)

    asyncio.run(main())


def test_pytriton_unary_client_names_the_decoupled_client():
    with pytest.raises(PyTritonClientInferenceServerError, match="Use DecoupledModelClient instead"):
        with ModelClient(f"grpc://{GRPC}", "Count") as client:
            client.infer_batch(count=i32(1))
