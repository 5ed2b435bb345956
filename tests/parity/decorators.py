"""Writes the results of PyTriton's decorators for many batches, as a table for the tests of ours.

Usage: decorators.py FILE
"""

import json
import random
import sys

from recording import Decorator, Model, record
from tensors import DATATYPES, array, tensor

SEED = 700
BATCH, SAMPLE, KEYS, PAD = (Decorator(name) for name in ("batch", "sample", "group_by_keys", "pad_batch"))
APART, TRIM = Decorator("apart"), Decorator("trim")


def values(*keys, **options):
    return Decorator("group_by_values", keys, options)


def apart(*stack):
    return {"why": "requests with different inputs are called apart", "stack": [APART, *stack]}


def cut_off(*stack):
    return {"why": "the rows that were added are cut off again", "stack": [*stack]}


def first(*keys, **options):
    return Decorator("first_value", keys, options)


def fill(**defaults):
    return Decorator("fill_optionals", options=defaults)


def inputs(**named):
    """Returns inputs by name: an element type with an optional question mark for optional inputs,
    and dims.
    """
    return [(name, kind.rstrip("?"), dims, kind.endswith("?")) for name, (kind, dims) in named.items()]


def requests(rng, model, rows, missing=(), among=None):
    """Creates requests with these rows. `missing` lists the omitted inputs of each, `among` the
    elements of inputs.
    """
    made = []
    for number, count in enumerate(rows):
        left_out = missing[number].split() if missing else ()
        shape = (count,) if model.batching else ()
        made.append({
            name: tensor(rng, kind, (*shape, *(3 if dim < 0 else dim for dim in dims)), (among or {}).get(name))
            for name, kind, dims, _ in model.inputs
            if name not in left_out
        })
    return made


def cases(rng):
    yield from whole(rng)
    yield from samples(rng)
    yield from one_value(rng)
    yield from by_keys(rng)
    yield from filled(rng)
    yield from by_values(rng)
    yield from widened(rng)
    yield from padded(rng)
    yield from composed(rng)


def whole(rng):
    for number, kind in enumerate(DATATYPES):
        model = Model(inputs(x=(kind, (2,)), other=("INT16", (1,))))
        rows = [[1], [1, 1], [2, 1, 3], [1, 4]][number % 4]
        yield record(f"batch/{kind}/{rows}", model, [BATCH], requests(rng, model, rows))
    model = Model(inputs(x=("INT8", (2,))))
    yield record("batch/no rows", model, [BATCH], requests(rng, model, [1, 0, 2]))
    model = Model(inputs(x=("FP32", (2, 1, 2))))
    yield record("batch/rank 4", model, [BATCH], requests(rng, model, [1, 2]))
    model = Model(inputs(x=("INT32", (-1,))))
    shapes = [array("INT32", (1, width), list(range(width))) for width in (2, 3)]
    yield record("batch/shapes differ", model, [BATCH], [{"x": x} for x in shapes], ours=apart(BATCH))
    model = Model(inputs(x=("INT32", (1,)), y=("INT32?", (1,))))
    made = requests(rng, model, [1, 1], ["", "y"])
    yield record("batch/inputs differ", model, [BATCH], made, ours=apart(BATCH))
    yield record("batch/rows too many", model, [BATCH], requests(rng, model, [1, 2]), surplus=1)


def samples(rng):
    for kind in DATATYPES:
        model = Model(inputs(x=(kind, (2,)), y=("FP64?", (1,))), max_batch_size=0, batching=False)
        missing = ["y"] if kind < "G" else ()
        yield record(f"sample/{kind}", model, [SAMPLE], requests(rng, model, [1], missing))


def one_value(rng):
    for kind in DATATYPES:
        model = Model(inputs(x=("INT32", (1,)), t=(kind, (1,))))
        among = {"t": [rng.choice([1, 2, 100] if kind != "BYTES" else [b"same", b""])]}
        made = requests(rng, model, [1, 2, 1], among=among)
        yield record(f"first_value/{kind}", model, [BATCH, first("t")], made)
        yield record(f"first_value/{kind}/differ", model, [BATCH, first("t")], different(rng, model, kind))
    model = Model(inputs(x=("INT32", (1,)), t=("FP32", (2,))))
    among = {"t": [0.5]}
    yield record("first_value/array", model, [BATCH, first("t")], requests(rng, model, [2, 1], among=among))
    model = Model(inputs(x=("INT32", (1,)), t=("FP32", (1, 1))))
    yield record("first_value/many dims of 1", model, [BATCH, first("t")], requests(rng, model, [2], among=among))
    unsqueezed = [BATCH, first("t", squeeze_single_values=False)]
    yield record("first_value/not squeezed", model, unsqueezed, requests(rng, model, [2], among=among))
    model = Model(inputs(x=("INT32", (1,)), t=("INT64", (1,)), u=("BYTES?", (1,))))
    lenient = [BATCH, first("t", "u", strict=False)]
    yield record("first_value/not strict", model, lenient, requests(rng, model, [1, 3]))
    yield record("first_value/not strict/one missing", model, lenient, requests(rng, model, [1, 3], ["u", "u"]))
    model = Model(inputs(x=("INT32", (1,)), t=("FP32", (1,))))
    made = requests(rng, model, [1, 1], among={"t": [float("nan")]})
    bits = {"why": "rows of the same bytes are one value", "stack": [BATCH, first("t", strict=False)]}
    yield record("first_value/NaN", model, [BATCH, first("t")], made, ours=bits)
    made = [{"x": array("INT32", (1, 1), [1]), "t": array("FP32", (1, 1), [zero])} for zero in (0.0, -0.0)]
    yield record("first_value/zeros", model, [BATCH, first("t")], made, ours={"why": "0.0 and -0.0 have other bytes"})
    model = Model(inputs(x=("INT32", (1,)), t=("BYTES", (2,))))
    made = [{"x": array("INT32", (1, 1), [1]), "t": array("BYTES", (1, 2), [b"a", b"b"])} for _ in range(2)]
    equal = {"why": "rows are compared with rows, texts too", "stack": [BATCH, first("t", strict=False)]}
    yield record("first_value/two texts", model, [BATCH, first("t")], made, ours=equal)


def different(rng, model, kind):
    made = requests(rng, model, [1, 2])
    pair = {"BOOL": [True, False], "BYTES": [b"ab", b"ac"]}.get(kind, [1, 2])
    for request, value in zip(made, pair):
        request["t"] = array(kind, request["t"].shape, [value] * request["t"].size)
    return made


def by_keys(rng):
    stack = [KEYS, BATCH]
    model = Model(inputs(x=("FP32", (2,)), a=("INT8?", (1,)), b=("BYTES?", (1,))))
    for missing in (["", ""], ["a", "", "a"], ["a b", "b", "a", "", "a b", "b"], ["b", "a", "b", "a"]):
        rows = [rng.choice([1, 1, 2]) for _ in missing]
        yield record(f"group_by_keys/without {missing}", model, stack, requests(rng, model, rows, missing))
    lenient = [KEYS, BATCH, first("a", strict=False)]
    made = requests(rng, model, [1, 2, 1], ["b", "a b", "b"])
    yield record("group_by_keys/first_value", model, lenient, made)


def filled(rng):
    def filled(name, model, stack, requests):
        without_keys = [step for step in stack if step is not KEYS]
        return record(f"fill_optionals/{name}", model, stack, requests, ours=apart(*without_keys))

    for kind in DATATYPES:
        model = Model(inputs(x=("INT32", (1,)), o=(f"{kind}?", (2,))))
        default = tensor(rng, kind, (2,))
        yield filled(kind, model, [fill(o=default), BATCH], requests(rng, model, [1, 3, 1], ["o", "", "o"]))
    model = Model(inputs(x=("INT32", (1,)), o=("FP64?", (2, 2)), p=("BYTES?", (1,)), q=("BOOL?", (1,))))
    two = fill(o=array("FP64", (2, 2), [1.0, -0.0, 0.5, 256.0]), p=array("BYTES", (1,), [b"default"]))
    made = requests(rng, model, [2, 1, 1], ["o p q", "o q", "q"])
    yield filled("two of three", model, [two, BATCH], made)
    made = requests(rng, model, [2, 1, 1, 1], ["o p", "o q", "q", "o p q"])
    yield filled("then group_by_keys", model, [two, KEYS, BATCH], made)
    made = requests(rng, model, [1, 1], ["p q", "p"])
    yield filled("one that has no default", model, [two, BATCH], made)
    yield filled("nothing missing", model, [two, BATCH], requests(rng, model, [1, 2]))
    model = Model(inputs(x=("INT32", (1,)), o=("FP64?", (2,))), max_batch_size=0, batching=False)
    default = fill(o=array("FP64", (2,), [1.5, 2.5]))
    yield record("fill_optionals/without batching", model, [default, SAMPLE], requests(rng, model, [1], ["o"]))


def by_values(rng):
    for kind in DATATYPES:
        model = Model(inputs(x=("INT32", (2,)), k=(kind, (1,))))
        for rows in ([1, 2, 1], [3]):
            made = requests(rng, model, rows)
            # Repeats some requests.
            made += [{name: value.copy() for name, value in request.items()} for request in made[:2]]
            yield record(f"group_by_values/{kind}/{rows}", model, [BATCH, values("k")], made)
    model = Model(inputs(x=("BYTES", (1,)), k=("INT32", (1,))))
    among = {"k": [256, 1, -1]}
    yield record("group_by_values/texts", model, [BATCH, values("k")], requests(rng, model, [1, 4, 3], among=among))
    model = Model(inputs(x=("FP32", (1,)), k=("INT16", (1,)), text=("BYTES", (2,)), pair=("FP64", (2,))))
    among = {"k": [256, 1], "text": [b"", b"a"], "pair": [0.0, -0.0]}
    for keys in (("k", "text"), ("text", "k"), ("pair",), ("pair", "k", "text")):
        made = requests(rng, model, [2, 3, 1, 4], among=among)
        yield record(f"group_by_values/{' '.join(keys)}", model, [BATCH, values(*keys)], made)
    model = Model(inputs(x=("FP32", (1,)), k=("INT16?", (1,)), n=("UINT8", (1,))))
    made = requests(rng, model, [2, 1], ["k", "k"], among={"n": [1, 2]})
    yield record("group_by_values/not there", model, [BATCH, values("k", "n")], made, ours={
        "why": "rows without the input have that in common",
        "stack": [BATCH, values("n")],
    })
    yield record("group_by_values/rows too many", model, [BATCH, values("n")], made, surplus=1, ours={
        "why": "a call that returns too many rows fails, also where the groups come to the rows of the batch",
    })


def widened(rng):
    among = {"k": [3, 1, 2]}
    for kind in DATATYPES:
        model = Model(inputs(x=(kind, (2,)), k=("UINT8", (1,))))
        stack = [BATCH, values("k", pad_value=1 if kind == "BOOL" else 7)]
        made = requests(rng, model, [1, 2, 2], among=among)
        yield record(f"group_by_values/padded/{kind}", model, stack, made, dims=[(1,), (3,), (2,)])
    model = Model(inputs(x=("INT64", (1,)), k=("UINT8", (1,))))
    deep = [(1, 3), (2, 0), (2, 1)]
    for pad_value in (0, -1):
        made = requests(rng, model, [2, 3, 1], among=among)
        stack = [BATCH, values("k", pad_value=pad_value)]
        yield record(f"group_by_values/padded with {pad_value}/two dims", model, stack, made, dims=deep)
    model = Model(inputs(x=("BYTES", (1,)), k=("UINT8", (1,))))
    made = requests(rng, model, [2, 3, 1], among=among)
    yield record("group_by_values/padded texts/two dims", model, [BATCH, values("k", pad_value=0)], made, dims=deep)
    model = Model(inputs(x=("FP32", (1,)), k=("UINT8", (1,))))
    made = requests(rng, model, [2, 3], among=among)
    yield record("group_by_values/padded with a fraction", model, [BATCH, values("k", pad_value=0.25)], made, dims=deep)
    made[0]["k"][:, 0], made[1]["k"][:, 0] = [1, 2], [2, 1, 2]
    yield record("group_by_values/not padded", model, [BATCH, values("k")], made, dims=[(2,), (3,)], ours={
        "why": "a request fails that has rows in groups whose outputs have different dims, also where numpy could repeat them",
    })


def padded(rng):
    kinds = list(DATATYPES)
    for number, (preferred, most, rows) in enumerate([
        ((), 4, [1]), ((), 4, [1, 2]), ((), 4, [2, 2]), ((2, 4), 8, [1]), ((2, 4), 8, [2]), ((4, 2), 8, [1, 2]),
        ((4, 2), 8, [3, 2]), ((4, 8), 8, [4, 3]), ((1,), 3, [1]), ((1,), 3, [1, 1]), ((3,), 16, [2, 2]), ((2,), 5, [5]),
        ((6,), 8, [1, 4]),
    ]):
        kind = kinds[-1 - number % len(kinds)]
        model = Model(inputs(x=(kind, (2,)), y=("INT8", (1, 2))), max_batch_size=most, preferred=preferred)
        made = requests(rng, model, rows)
        name = f"pad_batch/{preferred} {most}/{rows}"
        yield record(name, model, [BATCH, PAD], made, ours=cut_off(BATCH, TRIM, PAD))


def composed(rng):
    model = Model(
        inputs(x=("FP32", (2,)), k=("INT32?", (1,)), t=("FP64?", (1,)), text=("BYTES?", (1,))),
        max_batch_size=8,
        preferred=(3,),
    )
    defaults = fill(k=array("INT32", (1,), [256]), t=array("FP64", (1,), [2.0]))
    among = {"k": [256, 1], "t": [2.0]}
    missing = ["k t", "text", "k", "t", "k t text"]
    rows = [1, 3, 1, 2, 1]
    made = requests(rng, model, rows, missing, among)
    grouped = [BATCH, values("k", pad_value=0), first("t")]
    yield record("composed/the order of PyTriton's documentation", model, [defaults, KEYS, *grouped], made,
                 ours=apart(defaults, *grouped), dims=[(2,), (1,), (3,)])
    made = requests(rng, model, rows, missing, among)
    yield record("composed/padded", model, [defaults, KEYS, BATCH, PAD, first("t")], made,
                 ours=cut_off(APART, defaults, BATCH, TRIM, PAD, first("t")))
    made = requests(rng, model, rows, missing, among)
    yield record("composed/each group padded", model, [defaults, KEYS, BATCH, values("k"), PAD], made,
                 ours=cut_off(APART, defaults, BATCH, values("k"), TRIM, PAD))
    made = requests(rng, model, [1, 2, 1], ["t text"] * 3, {"k": [1, 2]})
    grouped = [BATCH, values("k"), first("k")]
    yield record("composed/the value of each group", model, grouped, made)
    for number in range(8):
        rows = [rng.choice([1, 1, 2]) for _ in range(4)]
        made = requests(rng, model, rows, ["text"] * 4, {"k": [1, -1, 256], "t": [1.0, -1.0]})
        yield record(f"composed/two keys/{number}", model, [BATCH, values("k", "t"), first("t")], made)


def main(file):
    lines = [json.dumps(case, ensure_ascii=True, separators=(",", ":")) for case in cases(random.Random(SEED))]
    with open(file, "w", encoding="ascii") as written:
        written.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
