"""Tensors as JSON, and tensors of any element type."""

import math

import numpy as np

DATATYPES = {
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
    "BYTES": np.object_,
}
NAMES = {np.dtype(kind): name for name, kind in DATATYPES.items()}

# Values with a different order as numbers and as bytes, and values that are only equal as numbers.
INTEGERS = [0, 1, 2, 3, 100, 127, 255, 256, 257, 65535, 65536, 2**31, 2**32, 2**63]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 256.0, math.nan, math.inf, -math.inf]
TEXTS = [b"", b"a", b"b", b"ab", b"a\0", b"\xff", b"long enough to differ late", b"long enough to differ, late"]


def values(datatype):
    """Returns some elements of an element type."""
    if datatype == "BOOL":
        return [False, True]
    if datatype == "BYTES":
        return TEXTS
    if datatype.startswith("FP"):
        return FLOATS
    limits = np.iinfo(DATATYPES[datatype])
    every = {sign * number for number in INTEGERS for sign in (1, -1)} | {int(limits.min), int(limits.max)}
    return sorted(number for number in every if limits.min <= number <= limits.max)


def tensor(rng, datatype, shape, among=None):
    """Returns a tensor of random elements."""
    pool = among or values(datatype)
    return array(datatype, shape, [rng.choice(pool) for _ in range(math.prod(shape))])


def array(datatype, shape, elements):
    made = np.empty(len(elements), dtype=DATATYPES[datatype])
    made[:] = elements
    return made.reshape(shape)


def double(array):
    """Doubles each element and adds one, with wrapping; puts texts in brackets and negates
    booleans.
    """
    kind = array.dtype
    if kind == np.object_:
        made = np.empty(array.size, dtype=object)
        made[:] = [b"<" + text + b">" for text in array.ravel()]
        return made.reshape(array.shape)
    if kind == np.bool_:
        return ~array
    with np.errstate(all="ignore"):
        return (array * kind.type(2) + kind.type(1)).astype(kind)


def to_json(value):
    """Returns a tensor as a list of its element type, its shape and its elements. Texts have one
    character per byte.
    """
    # A step may have returned a scalar for a text.
    if isinstance(value, bytes):
        return ["BYTES", [], [element(value)]]
    value = np.asarray(value)
    return [NAMES[value.dtype], list(value.shape), [element(each) for each in value.ravel().tolist()]]


def element(value):
    if isinstance(value, bytes):
        return value.decode("latin-1")
    # JSON does not have these numbers.
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def all_to_json(named):
    return {name: to_json(value) for name, value in named.items()}
