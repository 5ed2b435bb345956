"""Sequence models with NVIDIA's clients."""

import asyncio
import queue
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.grpc.aio
import tritonclient.http
import tritonclient.http.aio
from tritonclient.utils import InferenceServerException

from wire import GRPC, HTTP, TIMEOUT, TRITONSERVER, connect, metric, post_json, tensor, wait_until

MODELS = ["Direct", "Oldest", "Spread"]
# The idle timeout of sequences in these models, in seconds.
IDLE = 2.0

_next = iter(range(1000, 1 << 20))


@pytest.fixture
def fresh():
    """Unique sequence IDs."""
    return lambda: next(_next)


@pytest.fixture(autouse=True)
def all_slots_are_free():
    """Ends the sequences that a test has left open."""
    _open.clear()
    yield
    with connect(tritonclient.grpc) as client:
        for model, sequence in list(_open):
            try:
                add(tritonclient.grpc, client, model, sequence, end=True)
            except InferenceServerException:
                pass


_open = set()


def value(number):
    return np.array([[number]], dtype=np.int32)


def noted(model, sequence, start, end):
    """Records the open sequences, so that none is left."""
    if start:
        _open.add((model, sequence))
    if end:
        _open.discard((model, sequence))


def add(protocol, client, model, sequence, number=0, start=False, end=False, **options):
    """Returns the response to a request of a sequence: sum, events, instance, number of requests in
    the call.
    """
    noted(model, sequence, start, end)
    inputs = [tensor(protocol, "VALUE", value(number))]
    result = client.infer(
        model, inputs, sequence_id=sequence, sequence_start=start, sequence_end=end, **options
    )
    return answer(result)


def answer(result):
    return tuple(result.as_numpy(f"OUTPUT_{index}")[0, 0] for index in range(1, 5))


def refused(call):
    with pytest.raises(InferenceServerException) as error:
        call()
    return error.value.message()


def must_start(model, sequence):
    return (
        f"inference request for sequence {sequence} to model '{model}' must specify the START flag "
        "on the first request of the sequence"
    )


@pytest.mark.parametrize("model", MODELS)
def test_a_sequence_has_a_state(protocol, client, model, fresh):
    sequence = fresh()
    sums = []
    for number in range(1, 6):
        sums.append(add(protocol, client, model, sequence, number, number == 1, number == 5)[:2])
    text = f"Number({sequence})"
    assert [total for total, _ in sums] == [1, 3, 6, 10, 15]
    assert [seen.decode() for _, seen in sums] == [
        f"{text} {str(number == 1).lower()} {str(number == 5).lower()}" for number in range(1, 6)
    ]


@pytest.mark.parametrize("model", MODELS)
def test_request_can_start_and_end_a_sequence(protocol, client, model, fresh):
    sequence = fresh()
    for _ in range(3):
        assert add(protocol, client, model, sequence, 7, True, True)[0] == 7
    text = refused(lambda: add(protocol, client, model, sequence, 7))
    assert text == must_start(model, sequence)


def test_text_and_numeric_ids_are_different_sequences(protocol, client, fresh):
    number = fresh()
    assert add(protocol, client, "Oldest", number, 1, True)[0] == 1
    first = add(protocol, client, "Oldest", str(number), 10, True)
    assert first[0] == 10 and first[1].decode() == f'Text("{number}") true false'
    assert add(protocol, client, "Oldest", number, 2, end=True)[0] == 3
    assert add(protocol, client, "Oldest", str(number), 20, end=True)[0] == 30
    text = refused(lambda: add(protocol, client, "Oldest", "never", 1))
    assert text == must_start("Oldest", "never")
    largest = (1 << 63) - 1
    assert add(protocol, client, "Oldest", largest, 1, True, True)[0] == 1


def test_length_of_text_ids_is_limited(protocol, client):
    longest = "é" * 64
    assert add(protocol, client, "Direct", longest, 1, True, True)[0] == 1
    text = refused(lambda: add(protocol, client, "Direct", longest + "x", 1, True, True))
    assert text == "string correlation ID cannot be longer than 128 characters"


@pytest.mark.parametrize("model", MODELS)
def test_invalid_sequences_are_refused(protocol, client, model, fresh):
    inputs = [tensor(protocol, "VALUE", value(1))]
    none = f"inference request to model '{model}' must specify a non-zero or non-empty correlation ID"
    assert refused(lambda: client.infer(model, inputs)) == none
    assert refused(lambda: client.infer(model, inputs, sequence_id=0, sequence_start=True)) == none
    assert refused(lambda: client.infer(model, inputs, sequence_id="", sequence_start=True)) == none
    for end in (False, True):
        sequence = fresh()
        text = refused(lambda: add(protocol, client, model, sequence, 1, end=end))
        assert text == must_start(model, sequence)
    add(protocol, client, model, sequence, 1, True, False)
    add(protocol, client, model, sequence, 1, False, True)
    assert refused(lambda: add(protocol, client, model, sequence, 1)) == must_start(model, sequence)


@pytest.mark.parametrize("model", ["Direct", "Oldest"])
def test_a_request_has_one_row(protocol, client, model, fresh):
    inputs = [tensor(protocol, "VALUE", np.array([[1], [2]], dtype=np.int32))]
    for sequence in (fresh(), 0):
        text = refused(
            lambda: client.infer(model, inputs, sequence_id=sequence, sequence_start=True)
        )
        assert text == (
            f"inference request to model '{model}' must specify batch-size 1 due to requirements of "
            "sequence batcher"
        )


@pytest.mark.parametrize("model", MODELS)
def test_active_sequence_can_be_restarted(protocol, client, model, fresh):
    sequence = fresh()
    add(protocol, client, model, sequence, 5, True)
    add(protocol, client, model, sequence, 5)
    assert add(protocol, client, model, sequence, 1, True)[0] == 1
    assert add(protocol, client, model, sequence, 2, end=True)[0] == 3


@pytest.mark.parametrize("model", MODELS)
def test_interleaved_sequences_more_than_slots(model, fresh):
    """Each client has its own sequence, and there are more sequences than slots."""

    def run(sequence):
        with connect(tritonclient.grpc) as client:
            answers = [
                add(tritonclient.grpc, client, model, sequence, number, number == 1, number == 8)
                for number in range(1, 9)
            ]
        instances = {int(answer[2]) for answer in answers}
        return [int(answer[0]) for answer in answers], len(instances)

    with ThreadPoolExecutor(12) as clients:
        for sums, instances in clients.map(run, [fresh() for _ in range(24)]):
            assert sums == [1, 3, 6, 10, 15, 21, 28, 36]
            assert instances == 1


def together(model, fresh):
    """Returns the number of requests in the calls for two sequences that both had to wait."""
    one, two = fresh(), fresh()
    with connect(tritonclient.grpc) as client, ThreadPoolExecutor(3) as pool:
        for sequence in (one, two):
            add(tritonclient.grpc, client, model, sequence, 1, True)
        options = {"parameters": {"milliseconds": 200}}
        busy = pool.submit(add, tritonclient.grpc, client, model, one, 1, **options)
        time.sleep(0.1)
        both = [
            pool.submit(add, tritonclient.grpc, client, model, sequence, 1, end=True)
            for sequence in (one, two)
        ]
        busy.result()
        return [int(answer.result()[3]) for answer in both]


def test_two_sequences_share_a_call(fresh):
    assert together("Direct", fresh) == [2, 2]
    # With the oldest strategy, it is random whether one sequence arrives before the other is
    # executed.
    wait_until(lambda: together("Oldest", fresh) == [2, 2])


def test_sequences_are_spread_over_instances(protocol, client, fresh):
    one, two = fresh(), fresh()
    first = add(protocol, client, "Spread", one, 1, True)
    second = add(protocol, client, "Spread", two, 1, True)
    assert {int(first[2]), int(second[2])} == {0, 1}
    for sequence, instance in ((one, first[2]), (two, second[2])):
        for _ in range(3):
            assert add(protocol, client, "Spread", sequence, 1)[2] == instance
        add(protocol, client, "Spread", sequence, 1, end=True)


@pytest.mark.parametrize("model", ["Direct", "Oldest"])
def test_idle_sequence_expires(protocol, client, model, fresh):
    sequence = fresh()
    add(protocol, client, model, sequence, 1, True)
    time.sleep(IDLE / 2)
    assert add(protocol, client, model, sequence, 1)[0] == 2
    time.sleep(IDLE + 0.3)
    assert refused(lambda: add(protocol, client, model, sequence, 1)) == must_start(model, sequence)


@pytest.mark.parametrize("model", ["Direct", "Oldest"])
def test_sequence_waits_until_an_idle_one_expires(protocol, client, model, fresh):
    for _ in range(2):
        add(protocol, client, model, fresh(), 1, True)
    begun = time.monotonic()
    assert add(protocol, client, model, fresh(), 7, True, True)[0] == 7
    assert IDLE - 0.5 < time.monotonic() - begun < IDLE + 1.5


@pytest.mark.parametrize("model", ["Direct", "Oldest"])
def test_sequence_in_the_backlog_times_out(protocol, client, model, fresh):
    taken = [fresh(), fresh()]
    for sequence in taken:
        add(protocol, client, model, sequence, 1, True)
    rejected = metric("nv_inference_request_failure", model, reason="REJECTED")
    late = fresh()
    begun = time.monotonic()
    text = refused(lambda: add(protocol, client, model, late, 1, True, timeout=200_000))
    assert text == "timeout of the corresponding sequence has been expired"
    assert 0.15 < time.monotonic() - begun < 1.0
    assert refused(lambda: add(protocol, client, model, late, 1)) == must_start(model, late)
    wait_until(
        lambda: metric("nv_inference_request_failure", model, reason="REJECTED") == rejected + 1
    )
    for sequence in taken:
        # A sequence with a slot does not wait.
        add(protocol, client, model, sequence, 1, end=True, timeout=1)


@pytest.mark.parametrize("model", ["Direct", "Oldest"])
def test_cancelled_request_ends_its_sequence(grpc, model, fresh):
    sequence = fresh()
    client = grpc
    answers = queue.Queue()
    noted(model, sequence, True, True)

    def ask(number, **options):
        inputs = [tensor(tritonclient.grpc, "VALUE", value(number))]
        callback = lambda result, error: answers.put((number, result, error))
        return client.async_infer(model, inputs, callback, sequence_id=sequence, **options)

    ask(1, sequence_start=True, parameters={"milliseconds": 600})
    time.sleep(0.2)
    back = ask(2)
    time.sleep(0.1)
    ask(3)
    time.sleep(0.1)
    back.cancel()
    got = {}
    for _ in range(3):
        number, result, error = answers.get(timeout=TIMEOUT)
        got[number] = (result, error)
    assert answer(got[1][0])[0] == 1
    assert got[2][1].status() == "StatusCode.CANCELLED"
    assert got[3][1].status() == "StatusCode.CANCELLED"
    if not TRITONSERVER:
        expected = f"sequence {sequence} of model '{model}' has ended: an earlier request of it was cancelled"
        assert got[3][1].message() == expected
    text = refused(lambda: add(tritonclient.grpc, client, model, sequence, 1))
    assert text == must_start(model, sequence)


@pytest.mark.parametrize("model", MODELS)
def test_streams(model, fresh):
    """Two sequences on one stream, and an invalid request between them."""
    answers = queue.Queue()
    with connect(tritonclient.grpc) as client:
        client.start_stream(callback=lambda result, error: answers.put((result, error)))
        one, two, broken = fresh(), fresh(), fresh()
        for number in range(1, 5):
            for sequence in (one, two):
                client.async_stream_infer(
                    model,
                    [tensor(tritonclient.grpc, "VALUE", value(number))],
                    request_id=f"{sequence}/{number}",
                    sequence_id=sequence,
                    sequence_start=number == 1,
                    sequence_end=number == 4,
                )
            client.async_stream_infer(
                model,
                [tensor(tritonclient.grpc, "VALUE", value(number))],
                sequence_id=broken,
            )
        sums = {one: [], two: []}
        for _ in range(12):
            result, error = answers.get(timeout=TIMEOUT)
            if error is not None:
                assert error.message() == must_start(model, broken)
                continue
            sequence, _ = result.get_response().id.split("/")
            sums[int(sequence)].append(int(answer(result)[0]))
        client.stop_stream()
    assert sums == {one: [1, 3, 6, 10], two: [1, 3, 6, 10]}


def states():
    """Returns the number of states of streamed sequences."""
    with connect(tritonclient.grpc) as client:
        inputs = [tensor(tritonclient.grpc, "VALUE", np.zeros(1, dtype=np.int32))]
        return int(client.infer("States", inputs).as_numpy("OUTPUT_1")[0])


class Stream:
    """A stream for requests of streamed sequences."""

    def __init__(self, client):
        self.client = client
        self.heard = queue.Queue()
        client.start_stream(callback=lambda result, error: self.heard.put((result, error)))

    def ask(self, sequence, count, start=False, end=False):
        inputs = [tensor(tritonclient.grpc, "VALUE", value(count))]
        self.client.async_stream_infer(
            "Steps", inputs, sequence_id=sequence, sequence_start=start, sequence_end=end, enable_empty_final_response=True
        )

    def next(self):
        """Returns the next response, or None after the last one of a request."""
        result, error = self.heard.get(timeout=TIMEOUT)
        if error is not None:
            return error.message()
        response = result.get_response()
        return int(result.as_numpy("OUTPUT_1")[0, 0]) if response.outputs else None

    def numbers(self):
        """Returns the responses to a request."""
        numbers = []
        while isinstance(number := self.next(), int):
            numbers.append(number)
        return numbers if number is None else number


def test_streamed_sequence_keeps_its_state_until_its_last_response(fresh):
    sequence, last = fresh(), 0
    wait_until(lambda: states() == 0)
    with connect(tritonclient.grpc) as client:
        stream = Stream(client)
        counts = [3, 0, 1, 2, 15, 16, 17, 129, 1000]
        for index, count in enumerate(counts):
            stream.ask(sequence, count, start=index == 0, end=count == 1000)
            assert stream.numbers() == list(range(last + 1, last + count + 1))
            last += count
        stream.ask(sequence, 1)
        assert stream.numbers() == must_start("Steps", sequence)
        client.stop_stream()
    wait_until(lambda: states() == 0)


def test_streamed_sequence_can_restart_while_others_continue(fresh):
    one, other = fresh(), fresh()
    with connect(tritonclient.grpc) as client:
        stream = Stream(client)
        for sequence in (one, other):
            stream.ask(sequence, 2, start=True)
            assert stream.numbers() == [1, 2]
        stream.ask(one, 3, end=True)
        assert stream.numbers() == [3, 4, 5]
        stream.ask(one, 1)
        assert stream.numbers() == must_start("Steps", one)
        stream.ask(other, 1)
        assert stream.numbers() == [3]
        # Restarted after its end, and while it is active.
        for _ in range(2):
            stream.ask(one, 2, start=True)
            assert stream.numbers() == [1, 2]
        stream.ask(one, 0, start=True, end=True)
        assert stream.numbers() == []
        stream.ask(other, 0, end=True)
        assert stream.numbers() == []
        client.stop_stream()
    wait_until(lambda: states() == 0)


@pytest.mark.parametrize("heard", [1, 2, 20])
def test_streamed_sequence_of_a_disconnected_client_releases_its_state(fresh, heard):
    sequence = fresh()
    with connect(tritonclient.grpc) as client:
        stream = Stream(client)
        stream.ask(sequence, -1, start=True)
        assert [stream.next() for _ in range(heard)] == list(range(1, heard + 1))
        client.stop_stream(cancel_requests=True)
    # Not before its idle timeout.
    wait_until(lambda: states() == 0)
    with connect(tritonclient.grpc) as client:
        stream = Stream(client)
        stream.ask(sequence, 2, start=True, end=True)
        assert stream.numbers() == [1, 2]
        client.stop_stream()


@pytest.mark.parametrize("module, address", [(tritonclient.http, HTTP), (tritonclient.grpc, GRPC)])
def test_asyncio(module, address, fresh):
    async def run():
        client = module.aio.InferenceServerClient(address)
        inputs = lambda number: [tensor(module, "VALUE", value(number))]

        async def sequence(name):
            sums = []
            for number in range(1, 5):
                result = await client.infer(
                    "Oldest",
                    inputs(number),
                    sequence_id=name,
                    sequence_start=number == 1,
                    sequence_end=number == 4,
                )
                sums.append(int(answer(result)[0]))
            return sums

        try:
            return await asyncio.gather(*(sequence(f"of asyncio {fresh()}") for _ in range(6)))
        finally:
            await client.close()

    assert asyncio.run(run()) == [[1, 3, 6, 10]] * 6


def test_asyncio_stream(fresh):
    async def run():
        client = tritonclient.grpc.aio.InferenceServerClient(GRPC)
        sequence = fresh()

        async def requests():
            for number in range(1, 5):
                yield {
                    "model_name": "Direct",
                    "inputs": [tensor(tritonclient.grpc, "VALUE", value(number))],
                    "sequence_id": sequence,
                    "sequence_start": number == 1,
                    "sequence_end": number == 4,
                }

        sums = []
        async for result, error in client.stream_infer(requests()):
            assert error is None
            sums.append(int(answer(result)[0]))
        await client.close()
        return sums

    assert asyncio.run(run()) == [1, 3, 6, 10]


def test_parameters_of_the_wrong_type(fresh):
    inputs = [{"name": "VALUE", "datatype": "INT32", "shape": [1, 1], "data": [1]}]
    for parameters in ({"sequence_id": -1}, {"sequence_id": True}, {"sequence_id": 5, "sequence_start": 1}):
        status, _ = post_json("Direct", {"inputs": inputs, "parameters": parameters})
        assert status == (500 if TRITONSERVER else 400)


def test_negative_id_is_a_large_unsigned_one(grpc):
    """The ID is a signed number over gRPC, but the sign has no meaning."""
    result = add(tritonclient.grpc, grpc, "Oldest", -1, 1, True, True)
    assert result[1].decode() == "Number(18446744073709551615) true true"


def test_requests_are_counted(protocol, client, fresh):
    """The padding rows of tritonserver are not requests."""
    sequence = [fresh(), fresh()]
    add(protocol, client, "Direct", sequence[0], 1, True)
    add(protocol, client, "Direct", sequence[1], 1, True)
    add(protocol, client, "Direct", sequence[0], 1, end=True)
    success = metric("nv_inference_request_success", "Direct")
    count = metric("nv_inference_count", "Direct")
    # In the second slot, while the first is empty.
    assert add(protocol, client, "Direct", sequence[1], 1, end=True)[3] == 1
    wait_until(lambda: metric("nv_inference_request_success", "Direct") == success + 1)
    wait_until(lambda: metric("nv_inference_count", "Direct") == count + 1)


def test_consecutive_requests_keep_the_state(fresh):
    """Concurrent requests of a sequence are executed in the order of arrival."""
    for model in MODELS:
        with connect(tritonclient.grpc) as client:
            answers = queue.Queue()
            client.start_stream(callback=lambda result, error: answers.put((result, error)))
            sequence = fresh()
            for number in range(1, 31):
                client.async_stream_infer(
                    model,
                    [tensor(tritonclient.grpc, "VALUE", value(number))],
                    sequence_id=sequence,
                    sequence_start=number == 1,
                    sequence_end=number == 30,
                )
            sums = []
            for _ in range(30):
                result, error = answers.get(timeout=TIMEOUT)
                assert error is None, error
                sums.append(int(answer(result)[0]))
            client.stop_stream()
            assert sums == [number * (number + 1) // 2 for number in range(1, 31)]
