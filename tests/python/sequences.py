"""Consecutive requests of sequences, valid and invalid, over every protocol."""

from tritonclient.grpc import service_pb2 as pb

from messages import Grpc, Http, grpc_infer, http_infer

# Not models with several instances, because the instance of the first sequence is random.
MODELS = ["Direct", "Oldest"]
LONGEST = "x" * 128
# The sequence, and whether a request starts or ends it. IDs are unique per model and protocol.
STEPS = [
    ("never started", 1, False, False),
    ("never started, end", 1, False, True),
    ("start", 1, True, False),
    ("goes on", 1, False, False),
    ("goes on again", 1, False, False),
    ("another starts", 2, True, False),
    ("the one goes on", 1, False, False),
    ("the other ends", 2, False, True),
    ("end", 1, False, True),
    ("after its end", 1, False, False),
    ("after its end, end", 1, False, True),
    ("start and end", 3, True, True),
    ("start and end again", 3, True, True),
    ("after start and end", 3, False, False),
    ("start of a live one", 4, True, False),
    ("starts anew", 4, True, False),
    ("goes on anew", 4, False, False),
    ("ends anew", 4, False, True),
    ("a number", 5, True, False),
    ("the same as a text", "5", True, False),
    ("the number goes on", 5, False, True),
    ("the text goes on", "5", False, True),
    ("the longest text", LONGEST, True, True),
    ("a text that is too long", LONGEST + "y", True, True),
    ("no sequence", 0, True, False),
    ("no name", "", True, False),
    ("nothing at all", None, False, False),
    ("start alone", None, True, False),
    ("é", "é \" \\ \u2192", True, True),
    ("é not started", "é", False, False),
    ("the largest", 2**63 - 1, True, True),
]


def sequences():
    for model in [*MODELS, "Spread"]:
        yield from surface(model)
    for model in MODELS:
        for protocol, make in (("http", over_http), ("grpc", over_grpc), ("stream", over_stream)):
            for step, sequence, start, end in STEPS:
                parameters = {"sequence_start": start, "sequence_end": end}
                if sequence is not None:
                    parameters["sequence_id"] = sequence
                yield make(f"{protocol}/sequence/{model}/{step}", model, 1, parameters)
            yield from rows(protocol, make, model)
            yield from full(protocol, make, model)
        yield from mistyped(model)
        yield Http(f"http/counts/{model}", f"/v2/models/{model}/stats", method="GET")


def surface(model):
    """Yields requests for the metadata of the model."""
    for action in ("", "/config", "/ready"):
        yield Http(f"http/surface{action or '/metadata'}/{model}", f"/v2/models/{model}{action}", method="GET")
    yield Grpc(f"grpc/surface/config/{model}", "ModelConfig", pb.ModelConfigRequest(name=model))
    yield Grpc(f"grpc/surface/metadata/{model}", "ModelMetadata", pb.ModelMetadataRequest(name=model))


def rows(protocol, make, model):
    """Yields requests with more or fewer rows than the single row of a sequence request."""
    for count in (0, 2, 3, 9):
        for sequence in (0, 7):
            parameters = {"sequence_id": sequence, "sequence_start": True, "sequence_end": True}
            yield make(f"{protocol}/sequence rows/{model}/{count} {sequence}", model, count, parameters)


def full(protocol, make, model):
    """Two sequences occupy all slots, and a third one waits until it times out."""
    flags = {"sequence_start": True, "sequence_end": False}
    for sequence in (21, 22):
        yield make(f"{protocol}/sequence full/{model}/{sequence}", model, 1, {"sequence_id": sequence, **flags})
    late = {"sequence_id": 23, **flags, "timeout": 50_000}
    yield make(f"{protocol}/sequence full/{model}/late", model, 1, late)
    yield make(f"{protocol}/sequence full/{model}/after it", model, 1, {"sequence_id": 23})
    for sequence in (21, 22):
        parameters = {"sequence_id": sequence, "sequence_end": True, "timeout": 1}
        yield make(f"{protocol}/sequence full/{model}/{sequence} ends", model, 1, parameters)


def mistyped(model):
    """Yields invalid values for the ID, the start and the end of a sequence."""
    for name, value in [
        ("sequence_id", True), ("sequence_id", 1.5), ("sequence_id", -1), ("sequence_id", None), ("sequence_id", [1]),
        ("sequence_start", 1), ("sequence_start", "true"), ("sequence_end", 0), ("sequence_end", None),
    ]:
        parameters = {"sequence_id": 31, "sequence_start": True, "sequence_end": True, name: value}
        yield over_http(f"http/mistake/{name} is {value}/{model}", model, 1, parameters)
    for name, kind, value in [
        ("sequence_id", "bool_param", True), ("sequence_id", "double_param", 1.5), ("sequence_id", "uint64_param", 5),
        ("sequence_id", "int64_param", -1), ("sequence_start", "int64_param", 1), ("sequence_end", "string_param", "true"),
    ]:
        case = over_grpc(f"grpc/mistake/{name} {kind}/{model}", model, 1, {"sequence_start": True, "sequence_end": True})
        case.message.parameters["sequence_id"].int64_param = 31
        setattr(case.message.parameters[name], kind, value)
        yield case


def over_http(name, model, count, parameters):
    return http_infer(name, model, [("VALUE", "INT32", [count, 1], [7] * count, False)], id="s", parameters=parameters)


def over_grpc(name, model, count, parameters):
    given = ("VALUE", "INT32", [count, 1], [7] * count)
    return grpc_infer(name, model, [given], False, [], id="s", parameters=parameters)


def over_stream(name, model, count, parameters):
    return Grpc(name, "ModelStreamInfer", over_grpc(name, model, count, parameters).message)
