"""Invalid requests of all kinds, and valid encodings.

None of these ends a tritonserver 2.51; those that do are in `crashing_requests.py`.
"""

import base64
import gzip
import itertools
import json
import struct
import zlib

from tritonclient.grpc import service_pb2 as pb

from messages import DATATYPES, Grpc, Http, Tensors, arrays, grpc_infer, http_infer, pack

INPUT = {"name": "INPUT_1", "datatype": "FP32", "shape": [1, 4], "data": [1.0, 2.0, 3.5, 4.0]}
DATA = struct.pack("<4f", 1, 2, 3, 4)


def changed(**members):
    given = {name: value for name, value in {**INPUT, **members}.items() if value is not None}
    return {"inputs": [given]}


def one(data, datatype="FP32"):
    return '{"inputs":[{"name":"INPUT_1","datatype":"%s","shape":[1,1],"data":%s}]}' % (datatype, data)


DOCUMENTS = {
    "empty": "", "cut off": "{", "array": "[]", "null": "null", "no inputs": "{}", "inputs is an object": '{"inputs":{}}',
    "inputs is a text": '{"inputs":"x"}', "an input is a number": '{"inputs":[1]}', "an input is empty": '{"inputs":[{}]}',
    "missing input": '{"inputs":[]}', "trailing text": one("[1]") + " trailing", "bad UTF-8": one("[1]").encode() + b"\xff",
    "id is a number": {"id": 42, "inputs": [INPUT]},
    "parameter is an array": {"inputs": [INPUT], "parameters": {"foo": [1]}},
    "parameter is null": {"inputs": [INPUT], "parameters": {"foo": None}},
    "parameter is a float": {"inputs": [INPUT], "parameters": {"foo": 1.5}},
    "parameters is an array": {"inputs": [INPUT], "parameters": []},
    "timeout is a text": {"inputs": [INPUT], "parameters": {"timeout": "a"}},
    "priority below zero": {"inputs": [INPUT], "parameters": {"priority": -1}},
    "priority is a text": {"inputs": [INPUT], "parameters": {"priority": "1"}},
    "priority is a float": {"inputs": [INPUT], "parameters": {"priority": 1.0}},
    "priority is a boolean": {"inputs": [INPUT], "parameters": {"priority": True}},
    "priority is null": {"inputs": [INPUT], "parameters": {"priority": None}},
    "priority over the largest": {"inputs": [INPUT], "parameters": {"priority": 2**64}},
    "reserved parameter": {"inputs": [INPUT], "parameters": {"triton_x": 1}},
    "sequence": {"inputs": [INPUT], "parameters": {"sequence_id": 7, "sequence_start": True}},
    "no name": changed(name=None), "no datatype": changed(datatype=None), "no shape": changed(shape=None),
    "no data": changed(data=None), "name is a number": changed(name=3), "datatype is a number": changed(datatype=3),
    "unknown datatype": changed(datatype="FP3"), "another datatype": changed(datatype="INT32", data=[1, 2, 3, 4]),
    "unknown input": changed(name="nope"), "input twice": {"inputs": [INPUT, INPUT]},
    "one input too many": {"inputs": [INPUT, {**INPUT, "name": "nope"}]},
    "no batch axis": changed(shape=[4]), "too many axes": changed(shape=[1, 2, 2]), "no axis": changed(shape=[], data=[]),
    "more data in the shape": changed(shape=[1, 5]), "less data in the shape": changed(shape=[1, 3]),
    "open dimension": changed(shape=[1, -1]), "open batch": changed(shape=[-1, 4]),
    "shape is a text": changed(shape="x"), "shape is a number": changed(shape=4), "half a dimension": changed(shape=[1.5, 4]),
    "dimension is a text": changed(shape=["1", 4]), "nested shape": changed(shape=[[1, 4]]),
    "batch of none": changed(shape=[0, 4], data=[]), "batch over the maximum": changed(shape=[17, 1], data=[0.0] * 17),
    "byte-order mark": b"\xef\xbb\xbf" + json.dumps({"inputs": [INPUT]}).encode(), "only a byte-order mark": b"\xef\xbb\xbf",
    "dimension over the largest": changed(shape=[1, 2**63]), "data is a number": one("1.0"), "data is an object": one("{}"),
    "element is a text": one('["a"]'), "element is null": one("[null]"), "element is a boolean": one("[true]"),
    "element is an object": one("[{}]"), "NaN": one("[NaN]"), "Infinity": one("[Infinity]"), "over FP64": one("[1e400]"),
    "over FP32": one("[1e39]"), "integer for a float": one("[1]"), "unknown output": {"inputs": [INPUT], "outputs": [{"name": "nope"}]},
    "output twice": {"inputs": [INPUT], "outputs": [{"name": "OUTPUT_1"}, {"name": "OUTPUT_1"}]},
    "output without a name": {"inputs": [INPUT], "outputs": [{}]}, "outputs is an object": {"inputs": [INPUT], "outputs": {}},
    "no outputs": {"inputs": [INPUT], "outputs": []},
    "binary_data is a number": {"inputs": [INPUT], "outputs": [{"name": "OUTPUT_1", "parameters": {"binary_data": 1}}]},
    "classification is a text": {"inputs": [INPUT], "outputs": [{"name": "OUTPUT_1", "parameters": {"classification": "a"}}]},
    "classification": {"inputs": [INPUT], "outputs": [{"name": "OUTPUT_1", "parameters": {"classification": 2}}]},
    "classification of more": {"inputs": [INPUT], "outputs": [{"name": "OUTPUT_1", "parameters": {"classification": 9}}]},
    "shared memory": changed(data=None, parameters={"shared_memory_region": "r", "shared_memory_byte_size": 16}),
    "nested data": changed(shape=[2, 2], data=[[1, 2], [3, 4]]), "wrongly nested data": changed(data=[[1], [2, 3], 4]),
    "unknown members": {"inputs": [{**INPUT, "more": 1}], "what": {"is": "this"}},
    "duplicate members": '{"id":"a","id":"b","inputs":[%s]}' % json.dumps(INPUT),
    "surrogates": one('["\\ud834\\udd1e"]', "BYTES"),
}
RANGES = [("BOOL", "[0]"), ("BOOL", "[2]"), ("BOOL", '["true"]'), ("UINT8", "[256]"), ("UINT8", "[-1]"), ("UINT8", "[1.5]"), ("UINT16", "[65536]"),
          ("UINT32", "[4294967296]"), ("UINT64", "[18446744073709551616]"), ("UINT64", "[-1]"), ("INT8", "[128]"), ("INT16", "[-32769]"),
          ("INT32", "[2147483648]"), ("INT32", "[1.0]"), ("INT64", "[9223372036854775808]"), ("BYTES", "[1]"), ("BYTES", "[null]"),
          ("FP16", "[1.5]"), ("BF16", "[1.5]"), ("FP64", "[1e400]"), ("FP64", "[5e-324]"), ("FP64", "[1e-30]"), ("FP32", "[1e-45]")]


def binary(size, **members):
    return changed(data=None, parameters={"binary_data_size": size}, **members)


BINARY = {
    "truncated": (binary(16), DATA[:12], None), "additional": (binary(16), DATA + b"xx", None),
    "less than the shape": (binary(12), DATA[:12], None), "size below zero": (binary(-1), DATA, None),
    "size is a text": (binary("16"), DATA, None), "size over everything": (binary(2**40), DATA, None),
    "size overflows": (binary(2**64 - 1), DATA, None), "both forms": (changed(parameters={"binary_data_size": 16}), DATA, None),
    "data nobody asked for": (changed(), DATA, None), "header over the body": (binary(16), DATA, "99999999999"),
    "header below zero": (binary(16), DATA, "-1"), "header is a text": (binary(16), DATA, "abc"),
    "header cuts the JSON": (binary(16), DATA, "5"), "header of nothing": (binary(16), DATA, "0"),
}


def http_mistakes(rng):
    found = []
    for repeat in range(4):
        identity = {} if repeat == 0 else {"id": f"m{repeat}"}
        for name, document in DOCUMENTS.items():
            if isinstance(document, dict):
                document = {**identity, **document} if repeat < 3 else {**document, **identity}
            body = document if isinstance(document, (str, bytes)) else json.dumps(document)
            body = body.encode() if isinstance(body, str) else body
            headers = {}
            if repeat == 2:
                body, headers = gzip.compress(body), {"Content-Encoding": "gzip"}
            if repeat == 3:
                headers = {"Accept-Encoding": "gzip"}
            found.append(Http(f"http/mistake/{name}/{repeat}", "/v2/models/I_FP32/infer", body, headers))
        for name, (document, tail, length) in BINARY.items():
            body, headers = pack({**identity, **document}, tail)
            if length is not None:
                headers["Inference-Header-Content-Length"] = length
            found.append(Http(f"http/binary/{name}/{repeat}", "/v2/models/I_FP32/infer", body, headers))
    for datatype, data in RANGES:
        path = f"/v2/models/I_{datatype}/infer"
        found.append(Http(f"http/range/{datatype} {data}", path, one(data, datatype).encode()))
    for datatype in DATATYPES:
        for other in DATATYPES:
            if other not in (datatype, "FP16", "BF16"):
                # Data that match the datatype in the request.
                body = one('["a"]' if other == "BYTES" else "[true]" if other == "BOOL" else "[1]", other).encode()
                found.append(Http(f"http/datatype/{datatype}/{other}", f"/v2/models/I_{datatype}/infer", body))
    tensors = Tensors(rng)
    for number in range(60):
        model, inputs, outputs = arrays(rng, tensors)
        given = [(*tensor, True) for tensor in inputs]
        name, datatype, shape, elements, _ = given[-1]
        kind, last = rng.choice([
            ("gone", []), ("renamed", [("nope", datatype, shape, elements, True)]),
            ("rank", [(name, datatype, [*shape, 1], elements, True)]),
            ("batch", [(name, datatype, [shape[0] + 1, *shape[1:]], [*elements, *elements[: len(elements) // shape[0]]], True)]),
        ])
        found.append(http_infer(f"http/inputs/{kind}/{model}/{number}", model, given[:-1] + last))
    return found


def message(shape, raw=(), datatype="FP32", model="I_FP32", outputs=(), **contents):
    made = pb.ModelInferRequest(model_name=model)
    given = made.inputs.add(name="INPUT_1", datatype=datatype, shape=shape)
    for name, values in contents.items():
        getattr(given.contents, name).extend(values)
    made.raw_input_contents.extend(raw)
    for output in outputs:
        made.outputs.add(name=output)
    return made


def grpc_cases():
    classes = message([1, 4], [DATA], outputs=["OUTPUT_1"])
    classes.outputs[0].parameters["classification"].int64_param = 2
    reserved = message([1, 4], [DATA])
    reserved.parameters["triton_x"].int64_param = 2
    empty_parameter = message([1, 4], [DATA])
    empty_parameter.parameters["foo"].SetInParent()
    text_timeout = message([1, 4], [DATA])
    text_timeout.parameters["timeout"].string_param = "a"
    below = message([1, 4], [DATA])
    below.parameters["priority"].int64_param = -1
    text_priority = message([1, 4], [DATA])
    text_priority.parameters["priority"].string_param = "1"
    double_priority = message([1, 4], [DATA])
    double_priority.parameters["priority"].double_param = 1.0
    empty_priority = message([1, 4], [DATA])
    empty_priority.parameters["priority"].SetInParent()
    double = message([1, 4], [DATA])
    double.parameters["foo"].double_param = 1.5
    region = message([1, 4])
    region.inputs[0].parameters["shared_memory_region"].string_param = "r"
    twice = message([1, 4], [DATA, DATA])
    twice.inputs.add(name="INPUT_1", datatype="FP32", shape=[1, 4])
    return {
        "truncated": message([1, 4], [DATA[:12]]), "additional": message([1, 4], [DATA + b"xx"]), "no data": message([1, 4]),
        "open dimension": message([1, -1], [DATA]), "open batch": message([-1, 4], [DATA]),
        "both forms": message([1, 4], [DATA], fp32_contents=[1]), "too few contents": message([1, 4], fp32_contents=[1, 2]),
        "contents of another type": message([1, 4], int_contents=[1, 2, 3, 4]),
        "contents out of range": message([1, 1], datatype="UINT8", model="I_UINT8", uint_contents=[256]),
        "half floats have no contents": message([1, 1], datatype="FP16", model="I_FP16", fp32_contents=[1]),
        "unknown datatype": message([1, 4], [DATA], datatype="FP3"), "no axis": message([], [DATA]),
        "no batch axis": message([4], [DATA]), "too many axes": message([1, 2, 2], [DATA]),
        "batch of none": message([0, 4], [b""]), "batch over the maximum": message([17, 1], [DATA * 4 + DATA[:4]]),
        "unknown output": message([1, 4], [DATA], outputs=["nope"]), "output twice": message([1, 4], [DATA], outputs=["OUTPUT_1"] * 2),
        "string over its data": message([1, 1], [b"\x05\0\0\0ab"], datatype="BYTES", model="I_BYTES"),
        "string length cut": message([1, 1], [b"\x01\0\0\0ax"], datatype="BYTES", model="I_BYTES"),
        "too few strings": message([1, 3], [b"\x01\0\0\0a"], datatype="BYTES", model="I_BYTES"),
        "too many strings": message([1, 1], [b"\x01\0\0\0a" * 2], datatype="BYTES", model="I_BYTES"),
        "no UTF-8": message([1, 1], [b"\x01\0\0\0\xff"], datatype="BYTES", model="I_STRING"),
        "neither true nor false": message([1, 1], [b"\x07"], datatype="BOOL", model="I_BOOL"),
        "two tensors in one place": message([1, 4], [DATA, DATA]), "another datatype": message([1, 4], [DATA], datatype="INT32"),
        "overflow of bytes": message([1, 2**61], [DATA]), "overflow of elements": message([1, 2**63 - 1], [DATA]),
        "overflow of rows": message([2**40, 2**40], [DATA]),
        "classification": classes, "reserved parameter": reserved, "parameter without a value": empty_parameter,
        "timeout is a text": text_timeout, "priority below zero": below, "priority is a text": text_priority,
        "priority is a double": double_priority, "priority without a value": empty_priority, "double parameter": double,
        "shared memory": region, "input twice": twice, "no model": pb.ModelInferRequest(),
        "unknown model": pb.ModelInferRequest(model_name="Nope"), "no inputs": pb.ModelInferRequest(model_name="I_FP32"),
    }


# Errors in one of two inputs.
WRONG = [{"datatype": "INT32"}, {"shape": [2]}, {"shape": [1, 2, 1]}, {"shape": [1, -1]}]


def grpc_mistakes(rng):
    found = []
    for repeat in range(3):
        for name, made in grpc_cases().items():
            if repeat:
                made.id = f"m{repeat}"
            if repeat == 2:
                made.model_version = "1"
            found.append(Grpc(f"grpc/mistake/{name}/{repeat}", "ModelInfer", made))
    tensors = Tensors(rng)
    for number in range(60):
        model, inputs, outputs = arrays(rng, tensors)
        name, datatype, shape, elements = inputs[-1]
        kind, last = rng.choice([
            ("gone", []), ("renamed", [("nope", datatype, shape, elements)]), ("rank", [(name, datatype, [*shape, 1], elements)]),
            ("batch", [(name, datatype, [shape[0] + 1, *shape[1:]], [*elements, *elements[: len(elements) // shape[0]]])]),
        ])
        found.append(grpc_infer(f"grpc/inputs/{kind}/{model}/{number}", model, inputs[:-1] + last))
    for number, (first, second) in enumerate(itertools.product(WRONG, repeat=2)):
        made = pb.ModelInferRequest(model_name="AddSub", raw_input_contents=[DATA[:8]] * 2)
        made.inputs.add(**{"name": "a", "datatype": "FP32", "shape": [1, 2], **first})
        made.inputs.add(**{"name": "b", "datatype": "FP32", "shape": [1, 2], **second})
        found.append(Grpc(f"grpc/both wrong/{number}", "ModelInfer", made))
    for call in ("ModelInfer", "ModelMetadata"):
        found.append(Grpc(f"grpc/undecodable/{call}", call, b"\xff\xff\xff"))
    unsupported = [
        ("RepositoryModelLoad", pb.RepositoryModelLoadRequest(model_name="I_FP32")),
        ("RepositoryModelUnload", pb.RepositoryModelUnloadRequest(model_name="I_FP32")),
        ("CudaSharedMemoryRegister", pb.CudaSharedMemoryRegisterRequest(name="r", raw_handle=base64.b64encode(b"x"), byte_size=4)),
    ]
    return found + [Grpc(f"grpc/unsupported/{call}", call, made) for call, made in unsupported]


def bodies():
    """Yields encodings, raw requests and headers."""
    path, body = "/v2/models/I_FP32/infer", json.dumps({"inputs": [INPUT]}).encode()
    cases = {
        "gzip that is none": (body, "gzip"), "gzip cut off": (gzip.compress(body)[:-12], "gzip"), "gzip of nothing": (b"", "gzip"),
        "deflate that is none": (body, "deflate"), "deflate cut off": (zlib.compress(body)[:-6], "deflate"),
        "brotli": (body, "br"), "twice": (body, "gzip, gzip"), "identity": (body, "identity"),
    }
    for name, (sent, encoding) in cases.items():
        yield Http(f"http/encoding/{name}", path, sent, {"Content-Encoding": encoding})
    for accepted in ("gzip", "deflate", "br", "identity", "*", "gzip;q=0", "deflate;q=1.0, gzip;q=0.5", "GZIP", ""):
        yield Http(f"http/accept/{accepted}", path, body, {"Accept-Encoding": accepted})
    raw = {"Inference-Header-Content-Length": "0"}
    for model in ("I_FP32", "I_UINT8", "I_FP16", "I_FP64", "I_BYTES", "AddSub", "Fixed", "NoBatch", "Nope"):
        for size in (0, 3, 8, 24):
            yield Http(f"http/raw/{model}/{size}", f"/v2/models/{model}/infer", bytes(range(size)), raw)
    for content_type in ("application/json", "text/plain", "application/octet-stream"):
        yield Http(f"http/content-type/{content_type}", path, body, {"Content-Type": content_type})
    for version in ("1", "2", "x", "0"):
        yield Http(f"http/version/{version}", f"/v2/models/I_FP32/versions/{version}/infer", body)
