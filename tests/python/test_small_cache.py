"""A response cache for a few responses."""

import numpy as np

from wire import cache_gauges, infer

# The size of the server's cache, in bytes.
CACHE_BYTES = 16384


def ask(protocol, client, number, columns=256):
    """Returns the number of the call; a row of 256 elements is 1 KiB, like its response."""
    sent = np.zeros((1, columns), dtype=np.float32)
    sent[0, 1] = number
    outputs = infer(protocol, client, "Cached", {"x": sent})
    np.testing.assert_array_equal(outputs["OUTPUT_1"], sent)
    return int(outputs["OUTPUT_2"][0, 0])


def test_oldest_entries_are_evicted(protocol, client):
    base = 1000 if protocol.__name__.endswith("grpc") else 2000
    before = cache_gauges()
    calls = [ask(protocol, client, base + number) for number in range(40)]
    assert len(set(calls)) == 40
    now = cache_gauges()
    assert 24 <= now["evictions"] - before["evictions"] <= 40
    assert now["entries"] - before["entries"] == 40 - (now["evictions"] - before["evictions"])
    assert 1 < now["entries"] <= 16
    assert 0.5 < now["utilization"] <= 1
    assert ask(protocol, client, base + 39) == calls[39]
    assert ask(protocol, client, base) not in calls


def test_requested_entries_are_kept(protocol, client):
    base = 3000 if protocol.__name__.endswith("grpc") else 4000
    wanted = ask(protocol, client, base)
    for number in range(1, 40):
        ask(protocol, client, base + number)
        assert ask(protocol, client, base) == wanted, number


def test_large_responses_are_not_cached(protocol, client):
    before = cache_gauges()
    columns = CACHE_BYTES // 4
    first = ask(protocol, client, 5, columns)
    assert ask(protocol, client, 5, columns) > first
    now = cache_gauges()
    assert (now["entries"], now["evictions"]) == (before["entries"], before["evictions"])
