"""Response streams from a server with faults, controlled line by line.

`open ADDRESS MODEL STREAMS COUNT MILLISECONDS` opens streams with one request each, and prints
`open` when each has a response. `ended` waits until all have ended, and prints the results.
`cancel` cancels them all. `churn ADDRESS STREAMS` opens the given number of streams, each of which
is cancelled after a different response.
"""

import asyncio
import json
import os
import sys

import grpc
import numpy as np
import tritonclient.grpc.aio as protocol
from tritonclient.utils import InferenceServerException

# The time limit for the end of all streams, in seconds.
PATIENCE = 30.0
# The number of concurrent streams of a churn.
OPEN = 64


def tensor(name, value, datatype):
    array = np.array([[value]], dtype=datatype)
    triton = {"int32": "INT32", "uint32": "UINT32"}[datatype]
    return protocol.InferInput(name, [1, 1], triton).set_data_from_numpy(array)


def counting(count, milliseconds):
    return [tensor("count", count, "int32"), tensor("milliseconds", milliseconds, "uint32")]


def connect(address):
    # A separate connection.
    return protocol.InferenceServerClient(address, channel_args=[("grpc.use_local_subchannel_pool", 1)])


class Stream:
    """A stream with one request, and its responses."""

    def __init__(self, client, model, inputs, expected, enough=1):
        self.expected = expected
        self.values = []
        self.over = False
        self.error = None
        # Set when enough responses have arrived, or the stream has ended.
        self.enough, self.heard = enough, asyncio.Event()
        self.inputs = inputs
        self.answers = client.stream_infer(self.requests(model))
        self.ended = asyncio.create_task(self.read())

    async def requests(self, model):
        yield {"model_name": model, "inputs": self.inputs}

    async def read(self):
        try:
            async for result, error in self.answers:
                if error is not None:
                    self.error = error.message()
                else:
                    self.values.append(int(result.as_numpy("OUTPUT_1")[0, 0]))
                if self.error or len(self.values) >= self.enough:
                    self.heard.set()
            self.over = self.error is None
        except InferenceServerException as error:
            self.error = str(error)
        except (asyncio.CancelledError, grpc.aio.AioRpcError) as error:
            self.error = repr(error)
        # A reference to a call keeps its connection open.
        self.answers = None
        self.heard.set()

    def cancel(self):
        if self.answers is not None:
            self.answers.cancel()

    def is_whole(self):
        return self.over and len(self.values) == self.expected

    def is_right(self):
        return self.values == list(range(len(self.values)))


async def churn(address, count):
    # Other tests have time limits of seconds.
    os.nice(19)
    problems = []
    turn = asyncio.Semaphore(OPEN)
    clients = [connect(address) for _ in range(4)]

    async def one(number):
        async with turn:
            # tritonserver 2.51 soon crashes if calls are cancelled during a response, so cancel
            # only when none is due.
            answers = number % 3 + 1
            inputs = [tensor("count", answers, "int32")]
            stream = Stream(clients[number % len(clients)], "Kept", inputs, answers, enough=answers)
            await asyncio.wait_for(stream.heard.wait(), PATIENCE)
            if not stream.is_right() or stream.ended.done():
                problems.append(stream.error)
            stream.cancel()
            await asyncio.wait_for(stream.ended, PATIENCE)

    await asyncio.gather(*(one(number) for number in range(count)))
    for client in clients:
        await client.close()
    return f"{problems[:5]}" if problems else "churned"


async def main():
    loop = asyncio.get_running_loop()
    streams = []
    clients = []
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command, *words = line.split()
        if command == "open":
            address, model, count, *numbers = words
            answers, milliseconds = map(int, numbers)
            clients = [connect(address) for _ in range(int(count))]
            streams = []
            for client in clients:
                streams.append(Stream(client, model, counting(answers, milliseconds), answers))
                # A concurrent request would join its batch, and wait for its end.
                await asyncio.wait_for(streams[-1].heard.wait(), PATIENCE)
            failed = [stream.error for stream in streams if stream.error]
            print(failed or "open", flush=True)
        elif command == "ended":
            done, hanging = await asyncio.wait([stream.ended for stream in streams], timeout=PATIENCE)
            whole = [stream for stream in streams if stream.is_whole()]
            report = {
                "whole": len(whole),
                "hanging": len(hanging),
                "wrong": sum(not stream.is_right() for stream in streams),
                "silent": sum(stream.error is None for stream in streams if stream not in whole),
                "errors": sorted({stream.error for stream in streams if stream.error}),
            }
            print(json.dumps(report), flush=True)
        elif command == "cancel":
            for stream in streams:
                stream.cancel()
            print("cancelled", flush=True)
        elif command == "churn":
            address, count = words
            print(await churn(address, int(count)), flush=True)
    for client in clients:
        await client.close()


asyncio.run(main())
