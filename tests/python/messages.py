"""Requests over both protocols, and random tensors for them."""

import gzip
import json
import struct
import zlib
from dataclasses import dataclass, field

import numpy as np
from tritonclient.grpc import service_pb2 as pb

NUMPY = {
    "BOOL": "?", "UINT8": "u1", "UINT16": "<u2", "UINT32": "<u4", "UINT64": "<u8",
    "INT8": "i1", "INT16": "<i2", "INT32": "<i4", "INT64": "<i8", "FP16": "<f2", "FP32": "<f4", "FP64": "<f8",
}
CONTENTS = {
    "BOOL": "bool", "UINT8": "uint", "UINT16": "uint", "UINT32": "uint", "UINT64": "uint64", "INT8": "int",
    "INT16": "int", "INT32": "int", "INT64": "int64", "FP32": "fp32", "FP64": "fp64", "BYTES": "bytes",
}
DATATYPES = [*NUMPY, "BF16", "BYTES"]
COMPRESS = {"gzip": gzip.compress, "deflate": zlib.compress}


@dataclass
class Http:
    """An HTTP request. The first parts of the name are the kind, which the table of differences
    matches.
    """

    name: str
    path: str
    body: bytes = b""
    headers: dict = field(default_factory=dict)
    method: str = "POST"


@dataclass
class Grpc:
    """A gRPC call; a message of bytes is sent unchanged."""

    name: str
    call: str
    message: object


@dataclass
class Conversation:
    """A gRPC stream: its messages, followed by its end."""

    name: str
    messages: list
    metadata: tuple = ()


class Tensors:
    """Random tensors, as bytes and as JSON."""

    def __init__(self, rng):
        self.rng = rng

    def elements(self, datatype, count):
        """Returns elements as the protocols represent them: numbers, booleans, bytes."""
        rng = self.rng
        if datatype == "BYTES":
            pool = ["", "a", "é", "longer than a word", "\"\\/\n", "𝄞", "0", "null"]
            return [rng.choice(pool).encode() for _ in range(count)]
        if datatype == "BOOL":
            return [rng.random() < 0.5 for _ in range(count)]
        if datatype.startswith(("F", "B")):
            pool = [0.0, 1.5, -2.25, 0.1, 1e-3, 65504.0, 1 / 3, -0.0, 7.0]
            if datatype in ("FP32", "FP64"):
                pool += [16777216.0, -3e38]
            return [rng.choice(pool) for _ in range(count)]
        info = np.iinfo(NUMPY[datatype])
        pool = [0, 1, info.min, info.max, info.max // 3]
        return [rng.choice(pool) for _ in range(count)]

    def encode(self, datatype, elements):
        if datatype == "BYTES":
            return b"".join(struct.pack("<I", len(element)) + element for element in elements)
        if datatype == "BF16":
            return b"".join(struct.pack("<f", element)[2:] for element in elements)
        return np.array(elements, dtype=NUMPY[datatype]).tobytes()

    def json(self, elements):
        return [element.decode() if isinstance(element, bytes) else element for element in elements]


def pack(document, tail=b""):
    """Returns the body of a request with binary data, and its headers."""
    head = json.dumps(document).encode()
    return head + tail, {"Inference-Header-Content-Length": str(len(head))}


def http_infer(name, model, inputs, rng=None, outputs=None, **members):
    """Creates a request. Inputs are (name, datatype, shape, elements, binary); where several
    encodings are possible, one is chosen randomly.
    """
    tensors = Tensors(rng)
    document, tail = {**members, "inputs": []}, b""
    for given, datatype, shape, elements, binary in inputs:
        entry = {"name": given, "datatype": datatype, "shape": shape}
        if binary:
            data = tensors.encode(datatype, elements)
            entry["parameters"] = {"binary_data_size": len(data)}
            tail += data
        else:
            entry["data"] = tensors.json(elements)
        document["inputs"].append(entry)
    if outputs is not None:
        document["outputs"] = outputs
    body, headers = pack(document, tail)
    if not tail:
        headers = {}
    if rng is not None:
        encoding = rng.choice([None] * 6 + ["gzip", "deflate"])
        if encoding:
            body = COMPRESS[encoding](body)
            headers["Content-Encoding"] = encoding
        accepted = rng.choice([None] * 6 + ["gzip", "deflate", "identity", "deflate, gzip"])
        if accepted:
            headers["Accept-Encoding"] = accepted
    return Http(name, f"/v2/models/{model}/infer", body, headers)


def grpc_parameters(target, parameters):
    for name, value in parameters.items():
        kind = {bool: "bool_param", int: "int64_param", str: "string_param"}[type(value)]
        setattr(target[name], kind, value)


def grpc_infer(name, model, inputs, typed=False, outputs=(), **members):
    made = pb.ModelInferRequest(model_name=model, id=members.get("id") or "")
    made.model_version = members.get("version", "")
    grpc_parameters(made.parameters, members.get("parameters", {}))
    tensors = Tensors(None)
    for given, datatype, shape, elements in inputs:
        entry = made.inputs.add(name=given, datatype=datatype, shape=shape)
        if typed:
            getattr(entry.contents, f"{CONTENTS[datatype]}_contents").extend(elements)
        else:
            made.raw_input_contents.append(tensors.encode(datatype, elements))
    for output in outputs:
        made.outputs.add(name=output)
    return Grpc(name, "ModelInfer", made)


def arrays(rng, tensors):
    """Returns a model, its inputs as (name, datatype, shape, elements), and the names of its
    outputs.
    """
    rows, columns = rng.choice([1, 2, 5, 8]), rng.choice([1, 2, 3, 9])
    number = lambda name, shape, datatype="FP32": (
        name, datatype, shape, tensors.elements(datatype, int(np.prod(shape)))
    )
    one, two = ["OUTPUT_1"], ["OUTPUT_1", "OUTPUT_2"]
    flat = [rows, columns]
    return rng.choice([
        ("AddSub", [number("a", flat), number("b", flat)], ["add", "sub"]),
        ("AddSub", [number("b", flat), number("a", flat)], ["add", "sub"]),
        ("Opt", [number("a", flat)], ["o"]),
        ("Opt", [number("a", flat), number("b", flat)], ["o"]),
        ("Omits", [("x", "FP32", flat, [rng.choice([1.5, -1.0])] * (rows * columns))], two),
        ("Fixed", [number("INPUT_1", [rows, 2, 3])], one),
        ("NoBatch", [number("INPUT_1", [columns])], one),
        ("AnyRank", [number("x", [rows, columns, 2, 3], "INT8")[:1] + ("INT32", [rows, columns, 2, 3], [3] * (rows * columns * 6))], two),
        ("Owned", [number("x", flat, "FP64")], one),
        ("Versioned", [("x", "INT32", flat, [7] * (rows * columns))], one),
        ("Scale", [number("x", flat), ("scale", "FP32", [rows, 1], [2.5] * rows)], one),
        ("LooseScale", [number("x", flat), ("scale", "FP32", [rows, 1], [2.5] * rows)], one),
        ("Parameters", [number("x", flat)], one),
        ("Describe", [number("INPUT_1", flat)], two),
        ("Context", [number("x", flat)], two),
        ("Async", [number("x", flat)], one),
        ("Raw", [("INPUT_1", "FP32", flat, [rng.choice([1.5, -1.0])] * (rows * columns))], one),
        ("Fail", [("INPUT_1", "FP32", flat, [rng.choice([1.5, -1.0])] * (rows * columns))], one),
        ("Panic", [("INPUT_1", "FP32", flat, [rng.choice([1.5, -1.0])] * (rows * columns))], one),
        ("WrongRows", [("INPUT_1", "FP32", [rows, 1], [rng.choice([0.0, -1.0])] * rows)], one),
        ("WrongShape", [("INPUT_1", "FP32", [rows, 1], [rng.choice([0.0, -1.0])] * rows)], one),
        ("Scale", [number("x", flat), ("scale", "FP32", [rows, 1], [2.5] * (rows - 1) + [1.0])], one),
    ])
