"""Random arrivals for each batcher configuration, sent to both engines at the same time.

Servers with the same batching execute batches of the same sizes, refuse the same requests and have
the same response times. A disagreement in every attempt is a difference; any other is caused by the
machine.
"""

import http.client
import json
import os
import random
import sys
import threading
import time
from urllib.parse import urlsplit

# The interval of arrivals, and the maximum difference of response times, in seconds.
STEP = 0.1
TOLERANCE = 0.15
ATTEMPTS = 3
ARRIVALS = 16

PLAIN = ["Plain", "Delayed", "Preferred", "Both", "Pair", "Ordered", "Bounded", "Refused", "Late", "Urgent"]
ROWS = {"Bounded": 2, "Urgent": 2}
SEQUENCES = ["Direct", "Oldest"]
# Triton forms the batches of these models while the instance is busy: see docs/differences.md.
FORMED_AHEAD = ["Oldest"]


def arrivals(model, seed):
    """Yields the requests of each step: rows, duration, and parameters."""
    choose = random.Random(f"{model} {seed}")
    live, started = [], 0
    for step in range(ARRIVALS):
        parameters, rows = {}, choose.randint(1, ROWS.get(model, 3))
        if model in SEQUENCES:
            rows = 1
            if not live or (len(live) < 5 and choose.random() < 0.4):
                started += 1
                live.append(started)
                parameters = {"sequence_id": started, "sequence_start": True}
            else:
                parameters = {"sequence_id": choose.choice(live)}
            if not parameters.get("sequence_start") and choose.random() < 0.35:
                live.remove(parameters["sequence_id"])
                parameters["sequence_end"] = True
        elif model == "Urgent":
            parameters = {"priority": choose.choice([0, 1, 2, 3])}
        elif choose.random() < 0.15:
            continue
        # Durations do not end at the time of an arrival.
        takes = choose.choice([0, 0, 150, 350])
        yield step, rows, takes, parameters
    for last, sequence in enumerate(live):
        end = {"sequence_id": sequence, "sequence_end": True}
        yield ARRIVALS + last, 1, 0, end


def ask(address, model, rows, takes, parameters):
    body = {
        "parameters": parameters,
        "inputs": [{"name": "milliseconds", "datatype": "UINT32", "shape": [rows, 1], "data": [takes] * rows}],
    }
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        connection.request("POST", f"/v2/models/{model}/infer", json.dumps(body))
        response = connection.getresponse()
        answer = json.loads(response.read())
    finally:
        connection.close()
    if response.status != 200:
        return response.status, answer["error"].split("] ")[-1]
    return response.status, answer["outputs"][0]["data"][0]


def attempt(addresses, model, seed):
    """Returns the results of both engines for the same arrivals: the step, and for each engine
    status, text and time.
    """
    begun = time.monotonic() + 0.1
    asked = list(arrivals(model, seed))
    results = [[None] * len(asked) for _ in addresses]

    def send(engine, index):
        step, rows, takes, parameters = asked[index]
        at = begun + step * STEP
        time.sleep(max(0.0, at - time.monotonic()))
        status, said = ask(addresses[engine], model, rows, takes, parameters)
        results[engine][index] = (status, said, time.monotonic() - at)

    threads = [threading.Thread(target=send, args=(engine, index)) for engine in range(2) for index in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return asked, list(zip(*results))


def disagree(model, ours, theirs):
    if ours is None or theirs is None or ours[0] != theirs[0]:
        return True
    if model in FORMED_AHEAD:
        return False
    # Triton refuses an expired request only when the instance is free again: see
    # docs/differences.md.
    late = ours[0] == 503 and "timeout" in ours[1]
    return ours[1] != theirs[1] or (not late and abs(ours[2] - theirs[2]) > TOLERANCE)


def check(addresses, model, seed, found):
    for _ in range(ATTEMPTS):
        asked, results = attempt(addresses, model, seed)
        if not any(disagree(model, *result) for result in results):
            return
    lines = [f"{model}, seed {seed}:"]
    for (step, rows, takes, parameters), result in zip(asked, results):
        mark = "!" if disagree(model, *result) else " "
        said = [f"{each[0]} {each[1]} after {each[2] * 1000:.0f} ms" if each else "nothing" for each in result]
        lines.append(f" {mark} {step * 100} ms: {rows} rows, takes {takes} ms {parameters or ''}: {said[0]} | {said[1]}")
    found.append("\n".join(lines))


def main():
    addresses = [urlsplit(address).netloc or address for address in sys.argv[1:3]]
    models = sys.argv[3:] or PLAIN + SEQUENCES
    found = []
    for seed in range(int(os.environ.get("SCENARIO_SEEDS", "3"))):
        threads = [threading.Thread(target=check, args=(addresses, model, seed, found)) for model in models]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if found:
        sys.exit("the engines disagree (embedded | tritonserver):\n" + "\n".join(found))


if __name__ == "__main__":
    main()
