"""Requests of every kind. Their random parts have a seed, so that they are reproducible."""

import random

from tritonclient.grpc import service_pb2 as pb

from conversations import COUNTED, conversations, strict
from generations import generations
from messages import CONTENTS, DATATYPES, Grpc, Http, Tensors, arrays, grpc_infer, http_infer
from memory import memory
from mistakes import bodies, grpc_cases, grpc_mistakes, http_mistakes
from sequences import sequences
from settings import settings

SEED = 2051
PARAMETERS = [
    {}, {}, {"text": "é"}, {"number": -4}, {"yes": True, "no": False}, {"a": "1", "b": 2, "c": ""}, {"priority": 0},
]
IDS = [None, None, "7", "a-b", "é", ""]


def corpus():
    """Returns all requests in order."""
    rng = random.Random(SEED)
    made = [*surface()]
    tensors = Tensors(rng)
    made += [http_identity(rng, tensors, number) for number in range(620)]
    made += [grpc_identity(rng, tensors, number) for number in range(460)]
    made += [http_model(rng, tensors, number) for number in range(240)]
    made += [grpc_model(rng, tensors, number) for number in range(160)]
    made += streamed(grpc_model(rng, tensors, number) for number in range(80))
    made += cached()
    made += statistics("counts")
    made += http_mistakes(rng)
    made += grpc_mistakes(rng)
    made += streamed(Grpc(f"grpc/mistake/{name}/0", "ModelInfer", case) for name, case in grpc_cases().items())
    made += bodies()
    made += generations(random.Random(SEED), tensors)
    made += memory()
    made += settings()
    made += priorities()
    made += sequences()
    made += confused()
    made += conversations()
    # These come last, because a restarted server has empty statistics.
    return [*made, *statistics("after"), *strict()]


def members(rng):
    found = {}
    identity = rng.choice(IDS)
    if identity is not None:
        found["id"] = identity
    parameters = dict(rng.choice(PARAMETERS))
    if rng.random() < 0.2:
        parameters["binary_data_output"] = rng.random() < 0.7
    if parameters:
        found["parameters"] = parameters
    return found


def requested(rng, names):
    """Returns None, or some outputs in random order, each with a random form."""
    if rng.random() < 0.4:
        return None
    chosen = rng.sample(names, rng.randint(1, len(names)))
    forms = [{}, {"parameters": {"binary_data": True}}, {"parameters": {"binary_data": False}}]
    return [{"name": name, **rng.choice(forms)} for name in chosen]


def shape_of(rng):
    rows = rng.choice([1, 1, 1, 2, 3, 15, 16])
    return [rows, rng.choice([0, 1, 2, 3, 4, 7, 33])]


def http_identity(rng, tensors, number):
    datatype = rng.choice(DATATYPES)
    model = rng.choice(["I_BYTES", "I_STRING"]) if datatype == "BYTES" else f"I_{datatype}"
    shape = shape_of(rng)
    elements = tensors.elements(datatype, shape[0] * shape[1])
    binary = datatype in ("FP16", "BF16") or rng.random() < 0.5
    outputs = requested(rng, ["OUTPUT_1"])
    if datatype in ("FP16", "BF16"):
        outputs = [{"name": "OUTPUT_1", "parameters": {"binary_data": True}}]
    kind = "none" if 0 in shape else "some"
    name = f"http/identity/{datatype}/{kind}/{number}"
    return http_infer(name, model, [("INPUT_1", datatype, shape, elements, binary)], rng, outputs, **members(rng))


def grpc_identity(rng, tensors, number):
    datatype = rng.choice(DATATYPES)
    model = rng.choice(["I_BYTES", "I_STRING"]) if datatype == "BYTES" else f"I_{datatype}"
    shape = shape_of(rng)
    elements = tensors.elements(datatype, shape[0] * shape[1])
    typed = datatype in CONTENTS and rng.random() < 0.5
    outputs = rng.choice([[], ["OUTPUT_1"]])
    kind = "none" if 0 in shape else "some"
    chosen = {"id": rng.choice(IDS), "parameters": rng.choice(PARAMETERS)}
    name = f"grpc/identity/{datatype}/{kind}/{number}"
    return grpc_infer(name, model, [("INPUT_1", datatype, shape, elements)], typed, outputs, **chosen)


def http_model(rng, tensors, number):
    model, inputs, outputs = arrays(rng, tensors)
    given = [(*tensor, rng.random() < 0.5) for tensor in inputs]
    return http_infer(f"http/model/{model}/{number}", model, given, rng, requested(rng, outputs), **members(rng))


def grpc_model(rng, tensors, number):
    model, inputs, outputs = arrays(rng, tensors)
    outputs = rng.sample(outputs, rng.randint(0, len(outputs)))
    chosen = {"id": rng.choice(IDS), "parameters": rng.choice(PARAMETERS)}
    if model == "Versioned":
        chosen["version"] = rng.choice(["", "1", "3", "2", "x"])
    return grpc_infer(f"grpc/model/{model}/{number}", model, inputs, rng.random() < 0.5, outputs, **chosen)


MODELS = [*(f"I_{datatype}" for datatype in DATATYPES), "AddSub", "Opt", "Fixed", "NoBatch", "Versioned", "Preferred",
          "TinyQueue", "Impatient", "Ordered", "Urgent", "Late", "Counter", "AnyRank", "Settings", "Cached", "Nope"]


def surface():
    """Yields requests for the metadata of a server and its models, in every form."""
    paths = ["/v2", "/v2/", "/", "/nope", "/v2/health/live", "/v2/health/ready", "/v2/health", "/v2/models",
             "/v2/repository/index", "/v2/models/stats", "/v2/models/", "/v2/models//ready", "/v2/models/AddSub/",
             "/v2/models/AddSub/nope", "/v2/models/AddSub/versions/x", "/v2/models/AddSub/versions/-1",
             "/v2/models/AddSub/versions/99999999999999999999", "/v2/models/AddSub/versions/0"]
    for path in paths:
        for method in ("GET", "POST", "PUT"):
            yield Http(f"http/path/{method} {path}", path, method=method)
    for model in MODELS:
        for version in ("", "/versions/1", "/versions/2", "/versions/3"):
            for action in ("", "/ready", "/config", "/stats"):
                path = f"/v2/models/{model}{version}{action}"
                yield Http(f"http/surface{action or '/metadata'}/{model}{version}", path, method="GET")
        path = f"/v2/models/{model}/infer"
        yield Http(f"http/path/GET infer/{model}", path, method="GET")
        for version in ("", "1", "2", "3", "x"):
            named = {"name": model, "version": version}
            yield Grpc(f"grpc/surface/metadata/{model}/{version}", "ModelMetadata", pb.ModelMetadataRequest(**named))
            yield Grpc(f"grpc/surface/ready/{model}/{version}", "ModelReady", pb.ModelReadyRequest(**named))
            yield Grpc(f"grpc/surface/config/{model}/{version}", "ModelConfig", pb.ModelConfigRequest(**named))
            yield Grpc(f"grpc/surface/stats/{model}/{version}", "ModelStatistics", pb.ModelStatisticsRequest(**named))
    for version in ("1.0", "1abc", " 1", "0x1"):
        named = {"name": "AddSub", "version": version}
        yield Grpc(f"grpc/version/metadata/{version}", "ModelMetadata", pb.ModelMetadataRequest(**named))
        yield Grpc(f"grpc/version/stats/{version}", "ModelStatistics", pb.ModelStatisticsRequest(**named))
    yield Grpc("grpc/surface/live", "ServerLive", pb.ServerLiveRequest())
    yield Grpc("grpc/surface/server-ready", "ServerReady", pb.ServerReadyRequest())
    yield Grpc("grpc/surface/server", "ServerMetadata", pb.ServerMetadataRequest())
    yield Grpc("grpc/surface/index", "RepositoryIndex", pb.RepositoryIndexRequest())
    yield Grpc("grpc/surface/index-ready", "RepositoryIndex", pb.RepositoryIndexRequest(ready=True))
    extras = [("GET", "/v2/logging"), ("GET", "/v2/trace/setting"), ("GET", "/v2/models/AddSub/trace/setting"),
              ("GET", "/v2/systemsharedmemory/status"), ("GET", "/v2/cudasharedmemory/status"), ("PUT", "/v2/logging"),
              ("POST", "/v2/repository/models/AddSub/load"), ("POST", "/v2/repository/models/AddSub/unload"),
              ("GET", "/v2/models/AddSub/generate"), ("GET", "/v2/models/Nope/versions/4294967297")]
    for method, path in extras:
        yield Http(f"http/extras/{method} {path}", path, method=method)
    yield Grpc("grpc/extras/LogSettings", "LogSettings", pb.LogSettingsRequest())
    yield Grpc("grpc/extras/TraceSetting", "TraceSetting", pb.TraceSettingRequest())
    yield Grpc("grpc/extras/SystemSharedMemoryStatus", "SystemSharedMemoryStatus", pb.SystemSharedMemoryStatusRequest())
    yield Grpc("grpc/extras/CudaSharedMemoryStatus", "CudaSharedMemoryStatus", pb.CudaSharedMemoryStatusRequest())
    for body in (b"", b"{}", b'{"ready":true}', b"\xef\xbb\xbf{}", b'{"ready":1}', b"nonsense"):
        yield Http(f"http/index/{body.decode()}", "/v2/repository/index", body)


def priorities():
    """Yields valid and invalid levels, for a model with levels and for one without."""
    for model, given in (("Late", "milliseconds"), ("I_UINT32", "INPUT_1")):
        inputs = [(given, "UINT32", [1, 1], [0], False)]
        for level in (0, 1, 2, 3, 4, 2**31, 2**63 - 1, 2**63, 2**64 - 1):
            parameters = {"priority": level, "timeout": 5_000_000}
            yield http_infer(f"http/priority/{model}/{level}", model, inputs, parameters=parameters)
            for kind in ("int64_param", "uint64_param") if level < 2**63 else ("uint64_param",):
                case = grpc_infer(f"grpc/priority/{model}/{kind} {level}", model, [tensor[:4] for tensor in inputs])
                setattr(case.message.parameters["priority"], kind, level)
                yield case


def cached():
    """Yields the same requests repeatedly over every protocol: only the first of them is executed.
    """
    values = [[0.0, float(number)] * (1 + number % 3) for number in range(20)] + [[-1.0, 0.0], [-2.0, 0.0]]
    for model in ("Cached", "CachedAlone"):
        for number, elements in enumerate(values):
            x = ("x", "FP32", [len(elements) // 2, 2], elements)
            yield http_infer(f"http/cache/{model}/{number} JSON", model, [(*x, False)], id="1")
            yield http_infer(f"http/cache/{model}/{number} binary", model, [(*x, True)])
            over_grpc = grpc_infer(f"grpc/cache/{model}/{number}", model, [x], number % 2 == 0, [], id="3")
            yield from (over_grpc, *streamed([over_grpc]))


def confused():
    """Yields requests that a cache must distinguish by more than the elements of their inputs."""
    for kind, shape, outputs in [
        ("shape", [1, 4], ["OUTPUT_1"]),
        ("shape", [2, 2], ["OUTPUT_1"]),
        ("outputs", [3, 4], ["OUTPUT_2", "OUTPUT_1"]),
        ("outputs", [3, 4], ["OUTPUT_1"]),
    ]:
        given = ("a", "FP32", shape, [0.0] * (shape[0] * shape[1]), False)
        asked = [{"name": name} for name in outputs]
        yield http_infer(f"http/cached {kind}/{shape} {outputs}", "CachedEither", [given], outputs=asked)


def streamed(cases):
    """Yields the gRPC cases as streams of one request."""
    return [Grpc(f"stream{case.name.removeprefix('grpc')}", "ModelStreamInfer", case.message) for case in cases]


def statistics(kind):
    """Yields requests for the statistics so far."""
    for path in ("/v2/models/stats", "/v2/models/AddSub/stats", "/v2/models/Versioned/stats"):
        yield Http(f"http/{kind}{path}", path, method="GET")
    for model in [*(f"I_{datatype}" for datatype in DATATYPES), "I_STRING", "AddSub", "Opt", "Fail", "Panic", "WrongRows", "WrongShape",
                  *(model for model, _ in COUNTED if model in ("PanicsAt", "Told")),
                  "Raw", "Scale", "NoBatch", "Describe", "Parameters", "Context", "Async", "AnyRank", "Owned", "LooseScale", "Cached", "CachedAlone"]:
        yield Http(f"http/{kind}/{model}", f"/v2/models/{model}/stats", method="GET")
        yield Grpc(f"grpc/{kind}/{model}", "ModelStatistics", pb.ModelStatisticsRequest(name=model))
