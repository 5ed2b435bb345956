"""Streams of requests with any number of responses: the responses, failures and ends that are sent.
"""

from messages import Conversation, Grpc, grpc_infer

END = "triton_enable_empty_final_response"
# The models, and the input that determines the number of responses.
COUNTED = [("Count", "count"), ("FailsAt", "at"), ("PanicsAt", "at"), ("Told", "value"), ("Apart", "value")]


def asked(model, given, value, id="", rows=1, **parameters):
    """Returns one request of a stream."""
    inputs = [(given, "INT32", [rows, 1], [value] * rows)]
    return grpc_infer("", model, inputs, id=id, parameters=parameters).message


def conversations():
    """Returns all streams in order."""
    return [*alone(), *whole(), *together(), *refused()]


def alone():
    """Yields single requests: every number of responses, every position of a failure, with and
    without an end marker.
    """
    for model, given in COUNTED:
        for value in (-1, 0, 1, 2, 3, 17):
            for end in (None, True, False):
                said = {} if end is None else {END: end}
                for id in ("", "é 7"):
                    message = asked(model, given, value, id, **said)
                    yield Conversation(f"stream/alone/{model}/{value} {end} {id}", [message])
        yield Conversation(f"stream/alone/{model}/two rows", [asked(model, given, 2, "r", rows=2, **{END: True})])
    for values in ([0, 0], [1, 2], [3, 0]):
        inputs = [("value", "INT32", [1, 2], values)]
        message = grpc_infer("", "Repeat", inputs, parameters={END: True}).message
        yield Conversation(f"stream/alone/Repeat/{values}", [message])


def whole():
    """Models with one response mark it as the last."""
    for end in (None, True, False):
        said = {} if end is None else {END: end}
        yield Conversation(f"stream/whole/{end}", [asked("I_INT32", "INPUT_1", 7, "w", **said)])


def together():
    """Yields several requests on one stream, some of which fail. They are of one model, because
    tritonserver 2.51 aborts intermittently if responses of several models meet on a stream.
    """
    for count in (0, 2, 5):
        messages = [asked("FailsAt", "at", number, f"f{number}", **{END: True}) for number in range(count)]
        yield Conversation(f"stream/together/FailsAt/{count}", messages)
        messages = [asked("Count", "count", number, f"c{number}", **{END: number % 2 == 0}) for number in range(count)]
        yield Conversation(f"stream/together/Count/{count}", messages)
        messages = [
            asked("FailsAt", given, 1, f"{number} {given}") for number in range(count) for given in ("at", "nope")
        ]
        yield Conversation(f"stream/together/refused/{count}", messages)


def refused():
    """Yields requests that reach no function, and calls with a single response."""
    good = asked("Count", "count", 1, "g")
    for name, change in {
        "no model": {"model_name": "Nope"}, "no version": {"model_version": "7"}, "bad version": {"model_version": "x"},
    }.items():
        message = type(good)()
        message.CopyFrom(good)
        for field, value in change.items():
            setattr(message, field, value)
        yield Conversation(f"stream/refused/{name}", [message])
    yield Conversation("stream/refused/datatype", [grpc_infer("", "Count", [("count", "FP32", [1, 1], [1.0])]).message])
    yield Conversation("stream/refused/shape", [grpc_infer("", "Count", [("count", "INT32", [1, 1, 1], [1])]).message])
    yield Conversation("stream/refused/rows", [asked("Count", "count", 1, "", rows=9)])
    for model, given in COUNTED:
        yield Grpc(f"grpc/decoupled/{model}", "ModelInfer", asked(model, given, 1))


def strict():
    """Yields streams that a failure ends with its status. One in some hundreds of them makes
    tritonserver 2.51 crash soon after.
    """
    metadata = (("triton_grpc_error", "true"),)
    for value in (-1, 0):
        yield Conversation(f"stream/strict/FailsAt/{value}", [asked("FailsAt", "at", value, "s")], metadata)
    yield Conversation("stream/strict/refused", [asked("Nope", "x", 1, "s")], metadata)
    yield Conversation("stream/strict/well", [asked("Count", "count", 2, "s", **{END: True})], metadata)
