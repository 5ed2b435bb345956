"""Streams of answers to a server that breaks, driven line by line.

`open ADDRESS MODEL STREAMS COUNT MILLISECONDS` opens streams with one request each, and says `open` when each has an answer;
`ended` waits until all have ended, and says what they came to; `cancel` takes them all back; `churn ADDRESS STREAMS`
opens so many, each of which is taken back behind another answer.
"""

import asyncio
import json
import os
import sys

import grpc
import numpy as np
import tritonclient.grpc.aio as protocol
from tritonclient.utils import InferenceServerException

# In which everything has ended that ends.
PATIENCE = 30.0
# How many streams of a churn are open at a time.
OPEN = 64


def tensor(name, value, datatype):
    array = np.array([[value]], dtype=datatype)
    triton = {"int32": "INT32", "uint32": "UINT32"}[datatype]
    return protocol.InferInput(name, [1, 1], triton).set_data_from_numpy(array)


def counting(count, milliseconds):
    return [tensor("count", count, "int32"), tensor("milliseconds", milliseconds, "uint32")]


def connect(address):
    # A connection of its own.
    return protocol.InferenceServerClient(address, channel_args=[("grpc.use_local_subchannel_pool", 1)])


class Stream:
    """One request over a stream of its own, and what it was answered."""

    def __init__(self, client, model, inputs, expected, enough=1):
        self.expected = expected
        self.values = []
        self.over = False
        self.error = None
        # So many answers have come, or it has ended.
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
        # A call that somebody has keeps its connection open.
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
    # Others expect something within seconds.
    os.nice(19)
    problems = []
    turn = asyncio.Semaphore(OPEN)
    clients = [connect(address) for _ in range(4)]

    async def one(number):
        async with turn:
            # tritonserver 2.51 does not survive for long that a call is taken back in the moment of an answer: none comes then.
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
                # One that comes with another would be in its batch, and wait for its end.
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
