"""Overload: the queue stays full, and the model stays busy."""

import asyncio
import json
import time

from wire import HTTP

# A batch of 16 takes 50 ms, and the queue holds 64.
CLOSED, RATE = 64, 600
DOCUMENT = {"inputs": [{"name": "milliseconds", "datatype": "UINT32", "shape": [1, 1], "data": [50]}]}


class Clients:
    """Requests over keep-alive connections."""

    def __init__(self):
        self.idle = []
        self.opened = 0
        self.answered = 0
        self.refused = 0
        body = json.dumps(DOCUMENT)
        head = f"POST /v2/models/Crowded/infer HTTP/1.1\r\nHost: {HTTP}\r\nContent-Length: {len(body)}\r\n\r\n"
        self.request = (head + body).encode()

    async def ask(self):
        if not self.idle:
            self.opened += 1
        reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection(*HTTP.split(":"))
        writer.write(self.request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower().splitlines()
        status = int(head[0].split()[1])
        (length,) = [line.split(":")[1] for line in head if line.startswith("content-length:")]
        body = await reader.readexactly(int(length))
        assert "connection: close" not in head
        self.idle.append((reader, writer))
        if status == 200:
            self.answered += 1
        else:
            assert status == 503 and b"Exceeds maximum queue size" in body, f"{status} {body}"
            self.refused += 1

    async def closed(self, seconds):
        """Returns the responses per second of closed-loop clients."""

        async def client():
            while time.monotonic() < end:
                await self.ask()

        before, end = self.answered, time.monotonic() + seconds
        await asyncio.gather(*(client() for _ in range(CLOSED)))
        return (self.answered - before) / seconds

    async def open(self, seconds):
        """Returns the responses per second of open-loop clients."""
        asked, before, begun = [], self.answered, time.monotonic()
        while (passed := time.monotonic() - begun) < seconds:
            asked += [asyncio.create_task(self.ask()) for _ in range(len(asked), int(passed * RATE))]
            await asyncio.sleep(0.002)
        rate = (self.answered - before) / passed
        await asyncio.gather(*asked)
        return rate


async def compare():
    clients = Clients()
    await clients.closed(0.5)
    # Another load may disturb one of the two measurements.
    ratios = []
    for _ in range(6):
        closed = await clients.closed(2)
        ratios.append(await clients.open(4) / closed)
        if ratios[-1] >= 0.9:
            break
    assert clients.refused > RATE
    assert ratios[-1] >= 0.9, ratios
    # Refused clients keep their connections.
    assert clients.opened < clients.refused / 2


def test_full_queue_keeps_the_model_busy():
    asyncio.run(asyncio.wait_for(compare(), 90))
