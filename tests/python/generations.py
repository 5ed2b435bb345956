"""Requests of the generate extension: valid ones, and every error, on both routes."""

import json

from messages import DATATYPES, Http

ROUTES = ("generate", "generate_stream")

# Valid and invalid documents for `I_INT32`.
DOCUMENTS = {
    "empty": "", "cut off": '{"INPUT_1":', "trailing text": '{"INPUT_1":1} x', "trailing comma": '{"INPUT_1":1,}',
    "array": "[]", "number": "5", "null": "null", "text": '"x"', "no members": "{}", "unknown": {"nope": 1},
    "byte-order mark": b'\xef\xbb\xbf{"INPUT_1":1}', "bad UTF-8": b'{"INPUT_1":1,"p":"\xff"}',
    "id is a number": {"INPUT_1": 1, "id": 5}, "id is null": {"INPUT_1": 1, "id": None},
    "parameters is a number": {"INPUT_1": 1, "parameters": 5}, "parameters is null": {"INPUT_1": 1, "parameters": None},
    "parameters is an array": {"INPUT_1": 1, "parameters": []}, "parameters is a text": {"INPUT_1": 1, "parameters": "x"},
    "parameter is null": {"INPUT_1": 1, "p": None}, "parameter is an array": {"INPUT_1": 1, "p": [1]},
    "parameter is an object": {"INPUT_1": 1, "p": {"a": 1}}, "parameter before the input": {"p": None, "INPUT_1": "x"},
    "nested parameter is null": {"INPUT_1": 1, "parameters": {"p": None}},
    "nested parameter is an array": {"INPUT_1": 1, "parameters": {"p": []}},
    "parameter over FP64": '{"INPUT_1":1,"p":1e400}', "parameter twice": '{"INPUT_1":1,"p":1,"p":2}',
    "parameter twice, nested": {"INPUT_1": 1, "p": 1, "parameters": {"p": 2}},
    "input twice": '{"INPUT_1":1,"INPUT_1":2}', "input twice, id": '{"INPUT_1":1,"INPUT_1":2,"id":"é"}',
    "input twice, nested": {"INPUT_1": 1, "parameters": {"INPUT_1": 2}},
    "reserved": {"INPUT_1": 1, "triton_x": 1, "sequence_id": 5, "priority": 3, "timeout": 1000, "binary_data_output": True},
    "half": {"INPUT_1": 1.5}, "element is a text": {"INPUT_1": "x"}, "element is null": {"INPUT_1": None},
    "element is true": {"INPUT_1": True}, "element is an object": {"INPUT_1": {"a": 1}}, "an element is an object": {"INPUT_1": [1, {}]},
    "over the largest": {"INPUT_1": 99999999999}, "below the least": {"INPUT_1": -99999999999}, "over INT64": {"INPUT_1": 2**64},
    "nested": {"INPUT_1": [[1], [2]]}, "nested further": {"INPUT_1": [[1, 2], [3, 4]]}, "nested in part": {"INPUT_1": [1, [2, 3]]},
    "no elements": {"INPUT_1": []}, "an empty array in it": {"INPUT_1": [[]]}, "too few in it": {"INPUT_1": [[], [1]]},
}
RANGES = [("BOOL", "1"), ("BOOL", '"true"'), ("UINT8", "256"), ("UINT8", "-1"), ("UINT16", "65536"), ("UINT32", "[4294967296]"),
          ("UINT64", "18446744073709551616"), ("UINT64", "18446744073709551615"), ("INT8", "128"), ("INT16", "-32769"), ("INT64", "9223372036854775808"),
          ("INT64", "-9223372036854775808"), ("FP32", "NaN"), ("FP32", "1e39"), ("FP32", "true"), ("FP64", "-Infinity"), ("FP64", "1e400"),
          ("FP64", "5e-324"), ("FP64", "18446744073709551616"), ("FP16", "1"), ("BF16", "[]"), ("BYTES", "1"), ("BYTES", "[null]"), ("BYTES", '[["a","b"],["c"]]')]
# Requests for other models.
ASKED = [
    ("AddSub", {"a": [1, 2], "b": [0.5, -1]}), ("AddSub", {"b": 1, "a": 2, "id": "x"}), ("AddSub", {"a": [1, 2], "b": [1]}), ("AddSub", {"a": 1}),
    ("Opt", {"a": [1, 2]}), ("Opt", {"a": 1, "b": 2}), ("NoBatch", {"INPUT_1": [1, 2, 3]}), ("NoBatch", {"INPUT_1": []}),
    ("Fixed", {"INPUT_1": [1, 2, 3, 4, 5, 6]}), ("Fixed", {"INPUT_1": [0] * 12}), ("Fixed", {"INPUT_1": [0] * 5}), ("Fixed", {"INPUT_1": 1}),
    ("Fixed", {"INPUT_1": []}), ("Fixed", {"INPUT_1": [0] * 102}), ("AnyRank", {"x": [1, 2, 3, 4]}), ("AnyRank", {"x": 1}), ("Owned", {"x": [0.1, 1e21]}),
    ("Versioned", {"x": 1}), ("Scale", {"x": [1, 2], "scale": 2.5}), ("Async", {"x": [1, 2]}), ("Context", {"x": 1}),
    ("Describe", {"INPUT_1": 1}), ("Describe", {"INPUT_1": 1, "id": "a/é\"\n", "z": 1, "Z": "é", "b": True, "": -5, "h": "half"}),
    ("Describe", {"parameters": {"INPUT_1": [1, 2], "q": "text", "id": "inner", "parameters": 7, "big": 2**63}}),
    ("Describe", {"INPUT_1": 1, "triton_x": 1, "sequence_id": 5, "sequence_start": True, "priority": 3, "timeout": 1}),
    ("Raw", {"INPUT_1": 1.5}), ("Raw", {"INPUT_1": -1, "id": "r"}), ("Fail", {"INPUT_1": 1}), ("Fail", {"INPUT_1": -1}), ("Panic", {"INPUT_1": -1, "id": "p"}),
    ("WrongRows", {"INPUT_1": -1}), ("WrongShape", {"INPUT_1": 0}), ("WrongShape", {"INPUT_1": -1}), ("Echo", {"how": False, "text": "\"q\" é\n\t"}),
    ("Omits", {"x": 1}), ("Omits", {"x": [-1, 0.5]}), ("OmitsOnly", {"x": -1}), ("OmitsInStream", {"to": 1}),
    ("Settings", {"names": "labels.path"}), ("Nope", {"INPUT_1": 1}), ("Nope/versions/1", {"INPUT_1": 1}),
]


def generations(rng, tensors):
    """Returns all requests on both routes."""
    return [case for route in ROUTES for case in (*good(rng, tensors, route), *mistakes(route), *heads(route))]


def good(rng, tensors, route):
    for datatype in DATATYPES:
        if datatype in ("FP16", "BF16"):
            continue
        for number, count in enumerate((None, 1, 2, 7, 0)):
            elements = tensors.json(tensors.elements(datatype, count or (1 if count is None else 0)))
            document = {"INPUT_1": elements[0] if count is None else elements}
            if rng.random() < 0.5:
                document = {"id": rng.choice(["7", "é", ""]), **document, "p": 1}
            yield request(f"identity/{datatype}/{number}", route, f"I_{datatype}", document)
    for number, (model, document) in enumerate(ASKED):
        yield request(f"model/{model}/{number}", route, model, document)
    for version in ("0", "1", "2", "3", "x", "99999999999999999999"):
        yield request(f"version/{version}", route, f"Versioned/versions/{version}", {"x": 1})


def mistakes(route):
    for name, document in DOCUMENTS.items():
        yield request(f"mistake/{name}", route, "I_INT32", document)
    for datatype, data in RANGES:
        yield request(f"range/{datatype} {data}", route, f"I_{datatype}", '{"INPUT_1":%s}' % data)


def heads(route):
    """Yields errors outside of the body."""
    good = {"INPUT_1": 1}
    for model in ("I_INT32", "Nope"):
        for method in ("GET", "PUT", "DELETE"):
            yield request(f"method/{method} {model}", route, model, good, method=method)
        for encoding in ("gzip", "deflate", "br", "identity", "", "gzip, gzip"):
            yield request(f"encoding/{encoding} {model}", route, model, good, {"Content-Encoding": encoding})
    yield request("path/a slash", f"{route}/", "I_INT32", good)
    for accepted in ("gzip", "deflate", "identity"):
        yield request(f"accept/{accepted}", route, "I_INT32", good, {"Accept-Encoding": accepted})
    for content_type in ("text/html", "application/octet-stream"):
        yield request(f"type/{content_type}", route, "I_INT32", good, {"Content-Type": content_type})
    yield request("header length", route, "I_INT32", good, {"Inference-Header-Content-Length": "5"})


def request(name, route, model, document, headers=None, method="POST"):
    body = document if isinstance(document, (str, bytes)) else json.dumps(document, ensure_ascii=False)
    body = body.encode() if isinstance(body, str) else body
    return Http(f"http/{route}/{name}", f"/v2/models/{model}/{route}", body, headers or {}, method)
