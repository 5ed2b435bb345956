"""Instances with several batches in flight: concurrent for async functions, otherwise one after the
other.
"""

import queue
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import connect, infer, statistics


def ask(model, milliseconds, rows=1):
    """Returns the number in all rows of the response, or the error."""
    client = connect(tritonclient.http)
    try:
        sent = {"milliseconds": np.full((rows, 1), milliseconds, np.uint32)}
        return int(infer(tritonclient.http, client, model, sent)["OUTPUT_1"][0, 0])
    except InferenceServerException as error:
        return str(error)
    finally:
        client.close()


def send(client, model, milliseconds, answers):
    """Sends a gRPC request; the number or the error is added to the responses."""
    tensor = tritonclient.grpc.InferInput("milliseconds", [1, 1], "UINT32")
    tensor.set_data_from_numpy(np.array([[milliseconds]], np.uint32))

    def answered(result, error):
        answers.put(error or int(result.as_numpy("OUTPUT_1")[0, 0]))

    return client.async_infer(model, [tensor], answered)


def together(model, milliseconds, rows=1):
    """Returns the responses to concurrent requests, and the total time."""
    with ThreadPoolExecutor(len(milliseconds)) as pool:
        begun = time.monotonic()
        answers = list(pool.map(lambda one: ask(model, one, rows), milliseconds))
        return answers, time.monotonic() - begun


def test_async_function_runs_the_configured_number_concurrently():
    calls, took = together("SideBySide", [300] * 8)
    assert max(calls) == 4
    assert 0.6 <= took < 1.5, "eight of 300 ms, four at a time"


def test_async_function_runs_one_batch_by_default():
    calls, took = together("Alone", [100] * 4)
    assert calls == [1] * 4
    assert took >= 0.4


def test_blocking_functions_run_one_at_a_time():
    calls, took = together("ByTurns", [50] * 8)
    assert calls == [1] * 8
    assert took >= 0.4


def test_instances_are_still_parallel():
    for _ in range(5):
        calls, took = together("Both", [200] * 2)
        assert sorted(calls) == [1, 2]
        assert took < 0.39, "two of 200 ms, each on an instance of its own"
    calls, _ = together("Both", [50] * 8)
    assert max(calls) == 2


@pytest.mark.parametrize("count", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("model", ["Concurrent", "ConcurrentDelayed"])
def test_unbatched_requests_run_concurrently(model, count):
    for rows in [1, 3]:
        answers, took = together(model, [300] * count, rows)
        assert answers == [300] * count
        rounds = (count + 3) // 4
        assert took < 0.3 * rounds + 0.29, "four at a time, none of which waits for company"


def test_response_does_not_wait_for_concurrent_calls():
    with ThreadPoolExecutor(8) as pool:
        slow = [pool.submit(ask, "Concurrent", 1000) for _ in range(3)]
        quick = [pool.submit(ask, "Concurrent", 20) for _ in range(5)]
        assert [one.result() for one in quick] == [20] * 5
        assert not any(one.done() for one in slow)
        assert [one.result() for one in slow] == [1000] * 3


@pytest.mark.parametrize("count", [1, 2, 6])
@pytest.mark.parametrize("failing, said", [(13, "asked to fail"), (66, "asked to panic")])
def test_failure_affects_only_its_request(failing, said, count):
    for position in range(count):
        sent = [100 + index for index in range(count)]
        sent[position] = failing
        answers, _ = together("Concurrent", sent)
        assert said in answers[position]
        answers[position] = failing
        assert answers == sent


@pytest.mark.parametrize("count", [2, 6])
def test_cancellation_affects_only_its_request(count):
    client = connect(tritonclient.grpc)
    try:
        for position in range(count):
            answers = queue.Queue()
            calls = [send(client, "Concurrent", 300, answers) for _ in range(count)]
            time.sleep(0.1)
            calls[position].cancel()
            error = answers.get(timeout=0.15)
            assert error.status() == "StatusCode.CANCELLED"
            assert [answers.get(timeout=1) for _ in calls[1:]] == [300] * (count - 1)
    finally:
        client.close()


def test_unbatched_requests_use_the_free_instance():
    answers, took = together("ConcurrentOnTwo", [150] * 8)
    assert answers == [150] * 8
    assert took < 0.89, "four on each of two"


def test_busy_instance_does_not_hold_runnable_requests():
    with ThreadPoolExecutor(3) as pool:
        slow = pool.submit(ask, "Computing", 1000)
        time.sleep(0.1)
        for _ in range(4):
            _, took = together("Computing", [1])
            assert took < 0.2, "it waited for the slow one"
        assert not slow.done()
        assert slow.result() == 1000


def test_failing_batch_does_not_affect_others():
    for _ in range(3):
        answers, _ = together("SharedState", [100, 13, 66, 100])
        assert answers[0] == answers[3] and answers[0] % 4 == 0, "four calls of one state"
        assert "asked to fail" in answers[1]
        assert "asked to panic" in answers[2]


def test_all_requests_are_counted(http):
    before = statistics(http, "SideBySide")["inference_count"]
    together("SideBySide", [1] * 16)
    seen = statistics(http, "SideBySide")
    assert seen["inference_count"] == seen["execution_count"] == before + 16
