"""Decoupled models over `generate_stream` and `generate`, with independent parsers and with
sockets.
"""

import asyncio
import http.client
import json
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from httpx_sse import aconnect_sse, connect_sse

from test_generate import EVENTS, events, generate, url
from wire import HTTP, PID, TIMEOUT, request

ONE = ("generate expects model to produce exactly 1 response, use generate stream for model that generates various number "
       "of responses")


def answers(model, *numbers, **members):
    """Returns the responses of a counting model."""
    named = {**members, "model_name": model, "model_version": "1"}
    return [{"OUTPUT_1": number, **named} for number in numbers]


@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_each_response_is_an_event(count):
    assert events("Count", {"count": count}) == (200, EVENTS, answers("Count", *range(count)))


def test_ids_and_parameters_of_responses_are_members():
    _, _, found = events("Told", {"value": 2, "id": "é"})
    expected = {"OUTPUT_1": 2, "id": "é", "model_name": "Told", "model_version": "1"}
    assert found == [{**expected, "OUTPUT_2": number, "number": number} for number in range(2)]


def test_event_is_sent_at_once():
    begun, arrived = time.monotonic(), []
    with httpx.Client(timeout=TIMEOUT) as client:
        document = {"count": 5, "milliseconds": 100}
        with connect_sse(client, "POST", url("SlowCount", "generate_stream"), json=document) as source:
            arrived = [time.monotonic() - begun for _ in source.iter_sse()]
    assert len(arrived) == 5
    assert all(later - earlier > 0.05 for earlier, later in zip([0, *arrived], arrived)), arrived


def test_first_response_determines_the_status():
    status, kind, (answer,) = events("FailsAt", {"at": 0})
    assert (status, kind, answer) == (500, EVENTS, {"error": "model 'FailsAt' failed: no answer 0"})
    status, _, found = events("FailsAt", {"at": 2})
    assert (status, found[:2], found[2:]) == (200, answers("FailsAt", 0, 1), [{"error": "model 'FailsAt' failed: no answer 2"}])
    status, _, (answer,) = events("FailsAt", {"at": -7})
    assert (status, answer) == (500, {"error": "model 'FailsAt' failed: -7 is below 0"})
    status, _, found = events("PanicsAt", {"at": 1})
    assert (status, found[:1]) == (200, answers("PanicsAt", 0))
    assert "no answer 1" in found[1]["error"]


def test_generate_requires_exactly_one_response():
    assert generate("Count", {"count": 1}) == (200, "application/json", answers("Count", 0)[0])
    for model, document in [("Count", {"count": 0}), ("Count", {"count": 2}), ("FailsAt", {"at": 1})]:
        assert generate(model, document) == (500, "application/json", {"error": ONE})
    # The function must end; otherwise later requests would find no free instance.
    for _ in range(10):
        assert generate("Endless", {"_value": 1})[2] == {"error": ONE}


def test_infer_is_refused():
    status, headers, body = request("POST", "/v2/models/Count/infer", b"no JSON")
    expected = b'{"error":"HTTP end point doesn\'t support models with decoupled transaction policy"}'
    assert (status, headers["Content-Type"], body) == (501, "text/plain", expected)


def test_curl_shows_events_as_they_arrive():
    command = ["curl", "-sN", "--noproxy", "*", "-d", '{"count":3}', url("Count", "generate_stream")]
    said = subprocess.run(command, capture_output=True, check=True, timeout=TIMEOUT).stdout.decode()
    event = 'data: {{"OUTPUT_1":{},"model_name":"Count","model_version":"1"}}\n\n'
    assert said == "".join(event.format(number) for number in range(3))


def test_each_event_is_a_separate_chunk():
    connection = socket.create_connection(HTTP.split(":"), timeout=TIMEOUT)
    body = b'{"count":2,"milliseconds":100}'
    head = b"POST /v2/models/SlowCount/generate_stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
    connection.sendall(head % len(body) + body)
    head, _, chunks = b"".join(iter(lambda: connection.recv(1 << 16), b"")).partition(b"\r\n\r\n")
    event = b'data: {"OUTPUT_1":%d,"model_name":"SlowCount","model_version":"1"}\n\n'
    framed = [b"%X\r\n%s\r\n" % (len(event % number), event % number) for number in range(2)]
    assert chunks == b"".join(framed) + b"0\r\n\r\n"
    assert head.lower().startswith(b"http/1.1 200 ok\r\n") and b"transfer-encoding: chunked" in head.lower()
    connection.close()


@pytest.mark.parametrize("seen", [0, 1, 2, 5, 50])
def test_disconnect_ends_the_function(seen):
    # There are two instances, which would otherwise stay busy.
    for _ in range(4):
        with httpx.stream("POST", url("Endless", "generate_stream"), json={"_value": 1}, timeout=TIMEOUT) as response:
            lines = response.iter_lines()
            for _ in range(seen):
                assert next(lines).startswith("data: {")
                assert next(lines) == ""


def resident():
    """Returns the server's memory in MiB."""
    with open(f"/proc/{PID}/statm") as statm:
        return int(statm.read().split()[1]) * 4096 >> 20


def test_slow_reader_slows_only_its_function():
    before = resident()
    connection = http.client.HTTPConnection(HTTP, timeout=TIMEOUT)
    connection.request("POST", "/v2/models/Endless/generate_stream", json.dumps({"_value": 1}))
    response = connection.getresponse()
    assert response.status == 200
    time.sleep(1)
    # Another client uses the other instance.
    assert events_of_another() == 1000
    assert resident() - before < 32
    assert response.readline().startswith(b"data: ")
    connection.close()


def events_of_another():
    with httpx.Client(timeout=TIMEOUT) as client:
        with connect_sse(client, "POST", url("Endless", "generate_stream"), json={"_value": 1}) as source:
            return sum(1 for _, _ in zip(range(1000), source.iter_sse()))


def test_many_concurrent_streams():
    def stream(number):
        return events("PatientCount", {"count": 20, "milliseconds": 5, "id": str(number)})[2]

    with ThreadPoolExecutor(32) as pool:
        for number, found in enumerate(pool.map(stream, range(64))):
            assert found == answers("PatientCount", *range(20), id=str(number))


def test_requests_of_one_batch_have_separate_streams():
    def stream(value):
        return events("Repeat", {"value": value})[2]

    with ThreadPoolExecutor(4) as pool:
        for value, found in zip([1, 2, 3, 4], pool.map(stream, [1, 2, 3, 4])):
            assert len(found) >= value
            assert found == answers("Repeat", *[value] * len(found))


def test_idle_stream_sends_keep_alive_comments():
    command = ["curl", "-sN", "--noproxy", "*", "-d", '{"count":1,"milliseconds":15500}', url("PatientCount", "generate_stream")]
    said = subprocess.run(command, capture_output=True, check=True, timeout=TIMEOUT).stdout.decode()
    assert said == ': keep-alive\n\ndata: {"OUTPUT_1":0,"model_name":"PatientCount","model_version":"1"}\n\n'


def test_asyncio_client_receives_events():
    async def count(number):
        async with httpx.AsyncClient(timeout=TIMEOUT) as client:
            async with aconnect_sse(client, "POST", url("Count", "generate_stream"), json={"count": number}) as source:
                return [event.json()["OUTPUT_1"] async for event in source.aiter_sse()]

    async def several():
        return await asyncio.gather(*map(count, range(8)))

    assert asyncio.run(several()) == [list(range(number)) for number in range(8)]
