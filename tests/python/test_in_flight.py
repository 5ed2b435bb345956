"""Instances that have several batches at a time: side by side where the function is async, by turns where it is not."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tritonclient.http
from tritonclient.utils import InferenceServerException

from wire import connect, infer, statistics


def ask(model, milliseconds):
    """The one number that a function answers, or the error."""
    client = connect(tritonclient.http)
    try:
        sent = {"milliseconds": np.array([[milliseconds]], np.uint32)}
        return int(infer(tritonclient.http, client, model, sent)["OUTPUT_1"][0, 0])
    except InferenceServerException as error:
        return str(error)
    finally:
        client.close()


def together(model, milliseconds):
    """The answers of requests that are sent at once, and how long it all took."""
    with ThreadPoolExecutor(len(milliseconds)) as pool:
        begun = time.monotonic()
        answers = list(pool.map(lambda one: ask(model, one), milliseconds))
        return answers, time.monotonic() - begun


def test_an_async_function_runs_as_many_side_by_side_as_asked():
    calls, took = together("SideBySide", [300] * 8)
    assert max(calls) == 4
    assert 0.6 <= took < 1.5, "eight of 300 ms, four at a time"


def test_without_asking_there_is_one_at_a_time():
    calls, took = together("Alone", [100] * 4)
    assert calls == [1] * 4
    assert took >= 0.4


def test_other_functions_run_by_turns():
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


def test_an_instance_that_computes_holds_nothing_that_another_could_run():
    with ThreadPoolExecutor(3) as pool:
        slow = pool.submit(ask, "Computing", 1000)
        time.sleep(0.1)
        for _ in range(4):
            _, took = together("Computing", [1])
            assert took < 0.2, "it waited for the slow one"
        assert not slow.done()
        assert slow.result() == 1000


def test_a_failing_batch_leaves_the_others_alone():
    for _ in range(3):
        answers, _ = together("SharedState", [100, 13, 66, 100])
        assert answers[0] == answers[3] and answers[0] % 4 == 0, "four calls of one state"
        assert "asked to fail" in answers[1]
        assert "asked to panic" in answers[2]


def test_all_are_counted(http):
    before = statistics(http, "SideBySide")["inference_count"]
    together("SideBySide", [1] * 16)
    seen = statistics(http, "SideBySide")
    assert seen["inference_count"] == seen["execution_count"] == before + 16
