"""Random arrivals for each batcher configuration, sent to both engines at the same time.

Servers with the same batching execute batches of the same sizes, refuse the same requests, return
the same results and have the same response times. A disagreement in every attempt is a difference;
any other is caused by the machine. Each attempt after the first changes arrivals and durations by
some milliseconds, so that events that coincide in one do not in the next.
"""

import asyncio
import itertools
import json
import os
import pathlib
import random
import re
import sys
import time
from urllib.parse import urlsplit

# Each field of `dynamic_batching` and `sequence_batching`, and the models that set it.
FIELDS = {
    "dynamic_batching.preferred_batch_size": [
        "Preferred", "Both", "Pair", "OrderedPair", "Refused", "Late", "OverrideRefused", "OverrideLate", "Urgent", "Levels",
        "Each",
    ],
    "dynamic_batching.max_queue_delay_microseconds": [
        "Delayed", "Both", "Pair", "OrderedPair", "Refused", "Late", "OverrideRefused", "OverrideLate", "Urgent", "Levels",
    ],
    "dynamic_batching.preserve_ordering": ["Ordered", "OrderedPair"],
    "dynamic_batching.priority_levels": ["Urgent", "Levels"],
    "dynamic_batching.default_priority_level": ["Urgent", "Levels"],
    # The default action refuses late requests: `Refused`, `OverrideRefused`.
    "dynamic_batching.default_queue_policy.timeout_action": ["Late", "OverrideLate"],
    "dynamic_batching.default_queue_policy.default_timeout_microseconds": [
        "Refused", "Late", "OverrideRefused", "OverrideLate",
    ],
    "dynamic_batching.default_queue_policy.allow_timeout_override": ["OverrideRefused", "OverrideLate"],
    "dynamic_batching.default_queue_policy.max_queue_size": ["Bounded", "Levels"],
    "dynamic_batching.priority_queue_policy.timeout_action": ["Levels"],
    "dynamic_batching.priority_queue_policy.default_timeout_microseconds": ["Levels"],
    "dynamic_batching.priority_queue_policy.allow_timeout_override": ["Levels"],
    "dynamic_batching.priority_queue_policy.max_queue_size": ["Levels"],
    # Only sequences of `DirectIdle` and `OldestIdle` exceed it.
    "sequence_batching.max_sequence_idle_microseconds": [
        "Direct", "DirectSingle", "DirectPair", "DirectDelayed", "DirectFull", "DirectIdle",
        "Oldest", "OldestSingle", "OldestPair", "OldestPreferred", "OldestOrdered", "OldestIdle",
    ],
    "sequence_batching.direct.max_queue_delay_microseconds": ["DirectDelayed", "DirectFull"],
    "sequence_batching.direct.minimum_slot_utilization": ["DirectDelayed", "DirectFull"],
    "sequence_batching.oldest.max_candidate_sequences": [
        "Oldest", "OldestSingle", "OldestPair", "OldestPreferred", "OldestOrdered", "OldestIdle",
    ],
    "sequence_batching.oldest.preferred_batch_size": ["OldestPreferred", "OldestOrdered"],
    "sequence_batching.oldest.max_queue_delay_microseconds": ["OldestPreferred", "OldestOrdered"],
    "sequence_batching.oldest.preserve_ordering": ["OldestOrdered"],
    # Fields that functions do not have: see docs/differences.md.
    "sequence_batching.control_input": [],
    "sequence_batching.state": [],
    "sequence_batching.iterative_sequence": [],
}
# Models whose configuration has neither field, and a batcher without options.
UNBATCHED = ["Single", "Singles", "Unbatched"]
PLAIN = ["Plain"]
# Models with several instances, for each batcher.
INSTANCES = ["Singles", "Each", "Pair", "Ordered", "OrderedPair", "DirectSingle", "DirectPair", "OldestSingle", "OldestPair"]

MODELS = list(dict.fromkeys(itertools.chain(PLAIN, UNBATCHED, *FIELDS.values())))
SEQUENCES = [model for model in MODELS if model.startswith(("Direct", "Oldest"))]

# The interval of arrivals, and the maximum difference of response times, in seconds.
STEP = 0.1
TOLERANCE = 0.15
ARRIVALS = 16
# The number of attempts that count, and of all. An attempt counts if requests are sent on time.
ATTEMPTS = 6
ALL_ATTEMPTS = 16
LATE = 0.03
# How far an attempt moves the arrivals, in seconds, and the ends of calls, in milliseconds.
MOVED = 0.008
STRETCHED = 30
DEADLINE = 60

# Durations of calls. They do not end at the time of an arrival or a limit, even one after another.
TAKES = [0, 0, 120, 320]
# The smallest and largest number of rows. With few rows, 2.51 does not consider some requests
# behind a delayed one: see docs/differences.md.
ROWS = {"Bounded": (1, 2), "Urgent": (1, 2), "Levels": (1, 2), "Late": (3, 4), "OverrideLate": (3, 4)}
PRIORITIES = {"Urgent": [0, 1, 2, 3], "Levels": [0, 1, 2, 3, 4, 4]}
TIMEOUTS = {
    "OverrideRefused": [0, 250_000, 450_000, 2_000_000],
    "OverrideLate": [0, 250_000, 450_000, 2_000_000],
    "Refused": [0, 150_000],
    "Levels": [0, 250_000],
}
# How long new sequences wait for a slot.
WAITS = {"DirectSingle": [0, 0, 350_000], "OldestSingle": [0, 0, 350_000]}
# Triton gives a new sequence any of several instances, forms batches of the oldest strategy as
# requests arrive, and does not always add a request to a batch that waits for its instance: see
# docs/differences.md. While calls take time, sizes and times differ, and with `OldestIdle` which
# sequences expire. In every second scenario they take none.
DIFFER_IF_BUSY = [
    "Both", "Pair", "OrderedPair", "DirectSingle", "DirectPair", *(model for model in SEQUENCES if model.startswith("Oldest")),
]
ALWAYS_IDLE = ["OldestIdle"]

_sequences = itertools.count(1)


def arrivals(model, seed):
    """Yields the requests of each step: rows, duration, and parameters."""
    choose = random.Random(f"{model} {seed}")
    live, started = [], 0
    for step in range(ARRIVALS):
        parameters, rows = {}, choose.randint(*ROWS.get(model, (1, 3)))
        if model in SEQUENCES:
            rows = 1
            if not live or (len(live) < 5 and choose.random() < 0.4):
                started += 1
                live.append(started)
                parameters = {"sequence_id": started, "sequence_start": True}
                parameters |= {"timeout": wait for wait in [choose.choice(WAITS.get(model, [0]))] if wait}
            else:
                parameters = {"sequence_id": choose.choice(live)}
            if not parameters.get("sequence_start") and choose.random() < 0.35:
                live.remove(parameters["sequence_id"])
                parameters["sequence_end"] = True
        elif choose.random() < 0.15:
            continue
        if model in PRIORITIES:
            parameters["priority"] = choose.choice(PRIORITIES[model])
        if model in TIMEOUTS:
            parameters["timeout"] = choose.choice(TIMEOUTS[model])
        yield step, rows, 0 if is_idle(model, seed) else choose.choice(TAKES), parameters
    for last, sequence in enumerate(live):
        end = {"sequence_id": sequence, "sequence_end": True}
        yield ARRIVALS + last, 1, 0, end


def is_idle(model, seed):
    """Returns whether calls take no time."""
    return model in ALWAYS_IDLE or (model in DIFFER_IF_BUSY and seed % 2 == 0)


def message(address, model, number, rows, takes, parameters):
    shape = [1] if model == "Unbatched" else [rows, 1]
    rows = shape[0]
    body = json.dumps({
        "parameters": parameters,
        "inputs": [
            {"name": "milliseconds", "datatype": "UINT32", "shape": shape, "data": [takes] * rows},
            {"name": "value", "datatype": "UINT32", "shape": shape, "data": [number * 10 + row for row in range(rows)]},
        ],
    })
    head = f"POST /v2/models/{model}/infer HTTP/1.1\r\nHost: {address}\r\nContent-Length: {len(body)}\r\n\r\n"
    return (head + body).encode()


async def connect(address):
    host, port = address.rsplit(":", 1)
    return await asyncio.open_connection(host, int(port))


async def receive(reader):
    """Returns status and JSON of a response."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
    return int(head[9:12]), json.loads(await reader.readexactly(length))


class Response:
    """The response to a request, or the error."""

    def __init__(self, status, answer, late, seconds):
        self.status, self.late, self.seconds = status, late, seconds
        self.rows = self.said = None
        if status == 200:
            self.rows, self.said = answer["outputs"][0]["data"][0], answer["outputs"][1]["data"]
        else:
            self.said = answer["error"].split("] ")[-1]

    def __str__(self):
        rows = f"{self.rows} rows " if self.rows else ""
        return f"{self.status} {rows}{self.said} after {self.seconds * 1000:.0f} ms"


async def ask(address, at, request):
    reader, writer = await connect(address)
    try:
        await asyncio.sleep(at - time.monotonic())
        begun = time.monotonic()
        writer.write(request)
        status, answer = await receive(reader)
        return Response(status, answer, begun - at, time.monotonic() - begun)
    finally:
        writer.close()


async def attempt(addresses, model, asked, again):
    """Returns the responses of both engines for the same arrivals. Changes times if tried again."""
    begun = time.monotonic() + 0.2 + random.uniform(0, STEP)
    # A sequence of an earlier attempt may still be active.
    names = {}
    requests = []
    for number, (step, rows, takes, parameters) in enumerate(asked, 1):
        if "sequence_id" in parameters:
            name = parameters["sequence_id"]
            names[name] = names.get(name) or next(_sequences)
            parameters = parameters | {"sequence_id": names[name]}
        at = begun + step * STEP
        if again:
            at += random.uniform(-MOVED, MOVED)
            takes += random.randint(-STRETCHED, STRETCHED) if takes else 0
        for address in addresses:
            requests.append(ask(address, at, message(address, model, number, rows, takes, parameters)))
    responses = await asyncio.wait_for(asyncio.gather(*requests), DEADLINE)
    # A slow machine may receive requests in another order, so that a sequence is still open.
    ends = [{"sequence_id": name, "sequence_end": True} for name in names.values()]
    ends = [ask(address, begun, message(address, model, 1, 1, 0, end)) for address in addresses for end in ends]
    await asyncio.wait_for(asyncio.gather(*ends), DEADLINE)
    return list(zip(responses[::2], responses[1::2]))


def disagree(model, seed, ours, theirs):
    if ours.status != theirs.status or ours.said != theirs.said:
        return True
    if model in DIFFER_IF_BUSY and not is_idle(model, seed):
        return False
    # Triton refuses an expired request only when the instance is free again: see
    # docs/differences.md.
    expired = ours.status == 503 and "timeout" in ours.said and model not in SEQUENCES
    return ours.rows != theirs.rows or (not expired and abs(ours.seconds - theirs.seconds) > TOLERANCE)


async def check(addresses, model, seed, found):
    asked = list(arrivals(model, seed))
    count = 0
    for index in range(ALL_ATTEMPTS):
        results = await attempt(addresses, model, asked, index > 0)
        if not any(disagree(model, seed, *result) for result in results):
            return
        count += max(response.late for result in results for response in result) < LATE
        if count == ATTEMPTS:
            break
    lines = [f"{model}, seed {seed}, {count} attempts on time:"]
    for (step, rows, takes, parameters), result in zip(asked, results):
        mark = "!" if disagree(model, seed, *result) else " "
        said = " | ".join(str(response) for response in result)
        lines.append(f" {mark} {step * 100} ms: {rows} rows, takes {takes} ms {parameters or ''}: {said}")
    found.append("\n".join(lines))


def proto_fields():
    """Returns the fields of both batchers in the model configuration, with those of their policies."""
    text = pathlib.Path(__file__).parents[2].joinpath("proto/model_config.proto").read_text()

    def fields(name, prefix):
        body = re.search(rf"\n( *)message {name} {{\n(.*?)\n\1}}", text, re.DOTALL)[2]
        # Only its own fields, and not those of messages inside it.
        indent = re.search(r"^ *", body)[0]
        oneof = rf"^{indent}oneof \w+ {{\n(.*?)\n{indent}}}"
        own = re.findall(rf"^{indent}(?:repeated )?(\w+|map<.*>) (\w+) = \d+;", body, re.MULTILINE)
        for part in re.findall(oneof, body, re.MULTILINE | re.DOTALL):
            own += re.findall(r"(\w+) (\w+) = \d+;", part)
        for kind, field in own:
            kind = kind.removeprefix("map<uint64, ").removesuffix(">")
            if kind in ("ModelQueuePolicy", "StrategyDirect", "StrategyOldest"):
                yield from fields(kind, f"{prefix}.{field}")
            else:
                yield f"{prefix}.{field}"

    return {*fields("ModelDynamicBatching", "dynamic_batching"), *fields("ModelSequenceBatching", "sequence_batching")}


def is_set(config, path):
    """Returns whether the configuration sets a field, or one of its policies does."""
    name, _, rest = path.partition(".")
    value = config.get(name)
    if not value or not rest:
        return bool(value)
    return any(is_set(part, rest) for part in (value.values() if name == "priority_queue_policy" else [value]))


async def check_fields(addresses):
    """Checks that the table names each field, and the models that set it on both engines."""
    assert proto_fields() == set(FIELDS), proto_fields() ^ set(FIELDS)
    for address in addresses:
        configs = {}
        reader, writer = await connect(address)
        for model in MODELS:
            writer.write(f"GET /v2/models/{model}/config HTTP/1.1\r\nHost: {address}\r\n\r\n".encode())
            _, configs[model] = await receive(reader)
        writer.close()
        for field, models in FIELDS.items():
            setting = [model for model in MODELS if is_set(configs[model], field)]
            # The server sets defaults, too.
            assert set(models) <= set(setting) and bool(models) == bool(setting), (address, field, setting)
        for model in UNBATCHED + PLAIN:
            assert ("dynamic_batching" in configs[model]) == (model in PLAIN), configs[model]
        several = [model for model in MODELS if configs[model]["instance_group"][0]["count"] > 1]
        assert sorted(several) == sorted(INSTANCES), several


async def run(addresses, models, seeds):
    await check_fields(addresses)
    found = []

    async def all_seeds(model):
        for seed in seeds:
            await check(addresses, model, seed, found)

    await asyncio.gather(*(all_seeds(model) for model in models))
    if found:
        sys.exit("the engines disagree (embedded | tritonserver):\n" + "\n".join(found))


def main():
    addresses = [urlsplit(address).netloc or address for address in sys.argv[1:3]]
    first = int(os.environ.get("SCENARIO_FIRST_SEED", "0"))
    seeds = range(first, first + int(os.environ.get("SCENARIO_SEEDS", "3")))
    asyncio.run(run(addresses, sys.argv[3:] or MODELS, seeds))


if __name__ == "__main__":
    main()
