"""The schemas of the test models must accept the server's valid requests and its responses.

Usage: openapi_schemas.py DOCUMENT HTTP ENGINE
"""

import json
import sys

import httpx
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

path, http, engine = sys.argv[1:]
with open(path) as file:
    document = json.load(file)
resource = Resource(contents=document, specification=DRAFT202012)
registry = Registry().with_resource("urn:document", resource)
client = httpx.Client(base_url=f"http://{http}", timeout=20)


def fits(name, value):
    schema = {"$ref": f"urn:document#/components/schemas/{name}"}
    return Draft202012Validator(schema, registry=registry).is_valid(value)


def operation(model, action):
    return document["paths"][f"/v2/models/{model}/{action}"]["post"]


def schemas(model, action):
    """Returns the names of the schemas of a request and of its response."""
    found = operation(model, action)
    bodies = found["requestBody"], found["responses"]["200"]
    schemas = (body["content"]["application/json"]["schema"]["$ref"] for body in bodies)
    return [schema.rsplit("/", 1)[1] for schema in schemas]


def ask(model, action, request):
    return client.post(f"/v2/models/{model}/{action}", content=json.dumps(request))


def taken(model, request, action="infer"):
    """Checks a request that schema and server accept, and its response; returns the response."""
    asked, answered = schemas(model, action)
    assert fits(asked, request), (model, request)
    answer = ask(model, action, request)
    assert answer.status_code == 200, (model, request, answer.text)
    length = answer.headers.get("Inference-Header-Content-Length")
    value = json.loads(answer.content[: int(length)] if length else answer.content)
    assert fits(answered, value), (model, value)
    for wrong in spoiled(model, value) if action == "infer" else []:
        assert not fits(answered, wrong), (model, wrong)
    return value


def refused(model, request, action="infer", server=True):
    """Checks a request that neither schema nor server accepts; tritonserver accepts some of them.
    """
    asked, _ = schemas(model, action)
    assert not fits(asked, request), (model, request)
    if server and engine == "embedded":
        answer = ask(model, action, request)
        assert answer.status_code == 400, (model, request, answer.text)
        assert fits("Error", answer.json()), answer.text


def spoiled(model, answer):
    """Yields invalid responses."""
    yield {**answer, "model_name": "Other"}
    yield {name: value for name, value in answer.items() if name != "outputs"}
    # From the operation without a version.
    declared = operation(model.split("/")[0], "infer")["x-pytriton-model"]["outputs"]
    declared = {output["name"]: output["datatype"] for output in declared}
    for output in answer["outputs"]:
        yield {**answer, "outputs": [{**output, "name": "other"}]}
        if "data" not in output:
            continue
        yield {**answer, "outputs": [{**output, "data": [None]}]}
        # Classification outputs are texts of any shape.
        if output["datatype"] == declared[output["name"]]:
            other = "INT8" if output["datatype"] != "INT8" else "INT16"
            yield {**answer, "outputs": [{**output, "datatype": other}]}
            yield {**answer, "outputs": [{**output, "shape": [*output["shape"], 1]}]}


def same(datatype, got, expected):
    """Returns whether elements are as expected; tritonserver writes FP32 with the digits of FP64.
    """
    if datatype != "FP32":
        return got == expected
    return all(abs(one - other) <= 1e-7 * abs(other) for one, other in zip(got, expected, strict=True))


def tensor(datatype, shape, data, name="INPUT_1"):
    return {"name": name, "datatype": datatype, "shape": shape, "data": data}


def request(*inputs, **members):
    return {**members, "inputs": list(inputs)}


ELEMENTS = {
    "BOOL": ([True, False], [1, "true", None]),
    "FP32": ([0.5, -3.4028235e38], [1e39, "1", True, None, [1, 2]]),
    "FP64": ([0.5, -1.7976931348623157e308], ["1", False, None]),
    "BYTES": (["", "é\n"], [1, True, None, {}]),
}
for bits in (8, 16, 32, 64):
    ELEMENTS[f"UINT{bits}"] = ([0, 2**bits - 1], [-1, 2**bits, 1.5, "1", True])
    ELEMENTS[f"INT{bits}"] = ([-(2 ** (bits - 1)), 2 ** (bits - 1) - 1], [2 ** (bits - 1), 1.5, "1", True])

for datatype, (right, wrong) in ELEMENTS.items():
    model = f"I_{datatype}"
    for shape, data in [([1, 2], right), ([1, 2], [right]), ([2, 1], [[element] for element in right])]:
        value = taken(model, request(tensor(datatype, shape, data), id="7"))
        assert same(datatype, value["outputs"][0]["data"], right), value
    for element in wrong:
        refused(model, request(tensor(datatype, [1, 2], [right[0], element])))
    other = "INT32" if datatype != "INT32" else "FP32"
    refused(model, request(tensor(other, [1, 2], [1, 2])))
    refused(model, request(tensor(datatype, [1, 2], right, name="x")))
    refused(model, request(tensor(datatype, [17, 1], [right[0]] * 17)))
    refused(model, request(tensor(datatype, [2], right)))
    refused(model, request({"name": "INPUT_1", "datatype": datatype, "shape": [1, 2]}))
    refused(model, request())
    refused(model, {})
    refused(model, request(tensor(datatype, [1, 2], right), tensor(datatype, [1, 2], right)))
    refused(model, request(tensor(datatype, [1, 2], right), outputs=[{"name": "x"}]))
    refused(model, request(tensor(datatype, [1, 2], right), parameters={"priority": "high"}))

    value = taken(model, {"INPUT_1": right}, action="generate")
    assert same(datatype, value["OUTPUT_1"], right), value
    value = taken(model, {"INPUT_1": right[0], "id": "7"}, action="generate")
    assert value["OUTPUT_1"] == right[0], value
    refused(model, {"INPUT_1": wrong[:1]}, action="generate")
    # tritonserver reports a missing input in the same way; other members are parameters.
    refused(model, {"x": right[0]}, action="generate")

# Datatypes without a JSON form are sent as binary data.
for datatype in ("FP16", "BF16"):
    model = f"I_{datatype}"
    given = {"name": "INPUT_1", "datatype": datatype, "shape": [1, 2], "parameters": {"binary_data_size": 4}}
    behind = request(given, parameters={"binary_data_output": True})
    asked, answered = schemas(model, "infer")
    assert fits(asked, behind)
    head = json.dumps(behind).encode()
    headers = {"Inference-Header-Content-Length": str(len(head))}
    answer = client.post(f"/v2/models/{model}/infer", content=head + b"\0<\0@", headers=headers)
    assert answer.status_code == 200, answer.text
    length = int(answer.headers["Inference-Header-Content-Length"])
    assert fits(answered, json.loads(answer.content[:length])), answer.content
    assert not fits(asked, request(tensor(datatype, [1, 2], [1, 2])))
    assert f"/v2/models/{model}/generate" not in document["paths"]

# Outputs as classifications and as binary data.
wanted = [{"name": "OUTPUT_1", "parameters": {"classification": 2}}]
value = taken("I_FP32", request(tensor("FP32", [1, 2], [1, 2]), outputs=wanted))
assert value["outputs"][0]["datatype"] == "BYTES", value
wanted = [{"name": "OUTPUT_1", "parameters": {"binary_data": True}}]
value = taken("I_FP32", request(tensor("FP32", [1, 2], [1, 2]), outputs=wanted))
assert value["outputs"][0]["parameters"] == {"binary_data_size": 8}, value

# Optional inputs, in any order.
a, b = (tensor("FP32", [1, 1], [1], name=name) for name in "ab")
for inputs in [(a,), (a, b), (b, a)]:
    taken("Opt", request(*inputs))
refused("Opt", request(b))
refused("Opt", request(a, b, b))

# Fixed dims, with and without a batch axis.
taken("Fixed", request(tensor("FP32", [1, 2, 3], [[[1, 2, 3], [4, 5, 6]]])))
refused("Fixed", request(tensor("FP32", [1, 3, 2], [1, 2, 3, 4, 5, 6])))
refused("Fixed", request(tensor("FP32", [1, 2, 3], [[[1, 2], [3, 4], [5, 6]]])), server=False)
taken("Fixed", {"INPUT_1": [1, 2, 3, 4, 5, 6]}, action="generate")
refused("Fixed", {"INPUT_1": 1}, action="generate")
taken("NoBatch", request(tensor("FP32", [2], [1, 2])))
refused("NoBatch", request(tensor("FP32", [1, 2], [1, 2])))

# Versions by number, and the latest one by name.
for version, path in [("1", "Versioned/versions/1"), ("3", "Versioned/versions/3"), ("3", "Versioned")]:
    value = taken(path, request(tensor("INT32", [1, 1], [7], name="x")))
    assert value["model_version"] == version, value
    value = taken(path, {"x": 7}, action="generate")
    assert value["model_version"] == version, value

# Streams of responses, and an error at their end.
for model, request_, count in [
    ("Count", {"count": 3}, 3),
    ("Letters", {"prompt": "ab", "max_tokens": 2}, 2),
    ("FailsAt", {"at": 1}, 2),
]:
    found = operation(model, "generate_stream")
    asked = found["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    event = found["responses"]["200"]["content"]["text/event-stream"]["schema"]["contentSchema"]
    answered, error = (form["$ref"].rsplit("/", 1)[1] for form in event["anyOf"])
    assert fits(asked.rsplit("/", 1)[1], request_)
    assert not fits(asked.rsplit("/", 1)[1], dict.fromkeys(request_, [None]))
    lines = ask(model, "generate_stream", request_).text.splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line]
    assert len(events) >= count, events
    assert all(fits(error if "error" in event else answered, event) for event in events), events

# A streaming model has only one route.
for path, item in document["paths"].items():
    shown = item.get("post", {}).get("x-pytriton-model")
    if shown:
        assert path.endswith("/generate_stream" if shown["decoupled"] else "/infer"), path
        infer = f"/v2/models/{shown['name']}/infer"
        assert shown["decoupled"] == (infer not in document["paths"]), path
