"""Requests that are cancelled during their responses, with NVIDIA's clients."""

import asyncio
import time

import pytest
import tritonclient.grpc
import tritonclient.grpc.aio
from tritonclient.utils import InferenceServerException

from test_decoupled import Stream, asked, i32, u32
from wire import GRPC, TIMEOUT, connect, tensor

# The time limit for a function to notice cancellation, in seconds, on a busy machine.
HEARD = 1.0


def test_endless_function_stops_on_disconnect():
    for _ in range(4):
        with Stream() as stream:
            stream.ask("Endless", _value=i32(0))
            first = stream.next()[1]
            assert stream.next()[1] > first


def test_unary_function_is_notified_of_a_disconnect():
    client = connect(tritonclient.grpc)

    def given_up():
        asked = [tensor(tritonclient.grpc, "milliseconds", u32(0))]
        return int(client.infer("Considerate", asked).as_numpy("OUTPUT_1")[0, 0])

    before = given_up()
    asked = [tensor(tritonclient.grpc, "milliseconds", u32(10_000))]
    with pytest.raises(InferenceServerException):
        client.infer("Considerate", asked, client_timeout=0.3)
    begun = time.monotonic()
    assert given_up() == before + 1
    assert time.monotonic() - begun < HEARD
    client.close()


def hold(count=4):
    """Opens streams that keep every instance of a model busy."""
    streams = [Stream() for _ in range(count)]
    for stream in streams:
        stream.ask("SlowCount", count=i32(100_000), milliseconds=u32(10))
        # A concurrent request would join its batch, and wait for its end.
        assert stream.next()[1] == 0
    return streams


def is_free(within):
    """Returns whether an instance of that model responds within a time."""
    with Stream() as stream:
        begun = time.monotonic()
        stream.ask("SlowCount", count=i32(1), milliseconds=u32(0))
        assert stream.next()[1] == 0
        return time.monotonic() - begun < within


def test_function_stops_on_disconnect():
    for _ in range(3):
        for stream in hold():
            stream.client.stop_stream(cancel_requests=True)
        assert is_free(HEARD)


def test_function_stops_at_the_deadline_of_its_client():
    streams = [Stream(stream_timeout=1.0) for _ in range(4)]
    for stream in streams:
        stream.ask("SlowCount", count=i32(100_000), milliseconds=u32(10))
        assert stream.next()[1] == 0
    for stream in streams:
        while (answer := stream.answers.get(timeout=TIMEOUT))[1] is None:
            pass
        assert answer[1].status() == "StatusCode.DEADLINE_EXCEEDED"
    assert is_free(HEARD)


def test_asyncio_streams_can_be_cancelled():
    async def one(client):
        answers = asked(client, "SlowCount", count=i32(100_000), milliseconds=u32(10))
        with pytest.raises(asyncio.CancelledError):
            async for call, value in answers:
                if value == 3:
                    call.cancel()

    async def main():
        async with tritonclient.grpc.aio.InferenceServerClient(GRPC) as client:
            for _ in range(4):
                await one(client)

    asyncio.run(main())
    assert is_free(HEARD)
