"""What the tables of suites are made of: runs of test files, and models."""

import dataclasses


@dataclasses.dataclass
class Run:
    """Test cases of a file that share the settings of the server."""

    file: str
    # Names of annotated functions (src/models), and models to define at run time (src/dynamic).
    models: list = dataclasses.field(default_factory=list)
    tests: list = dataclasses.field(default_factory=list)
    # Options of the server: a list, or one for each engine.
    arguments: list | dict = dataclasses.field(default_factory=list)
    environment: dict = dataclasses.field(default_factory=dict)
    server_environment: dict = dataclasses.field(default_factory=dict)
    # A server for each test, as its statistics count.
    fresh: bool = False
    folder: str = "."
    label: str = ""
    seconds: int = 300
    # Contents of files that the tests expect, by path; a directory ends with a slash.
    files: dict = dataclasses.field(default_factory=dict)
    # Whether the tests start an OpenTelemetry collector.
    collector: bool = False
    # Why tests that fail are not counted as failed, by their name: a reason, or one for each
    # engine.
    skipped: dict = dataclasses.field(default_factory=dict)
    # Why the tests are not run, by the name of the engine.
    omitted: dict = dataclasses.field(default_factory=dict)


DATATYPES = {
    "bool": "BOOL", "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64",
    "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64",
    "float16": "FP16", "float32": "FP32", "float64": "FP64", "object": "BYTES",
}


def tensor(name, datatype, dims, **more):
    return {"name": name, "datatype": DATATYPES.get(datatype, datatype), "dims": list(dims), **more}


def model(name, function, inputs, outputs, max_batch_size=8, **more):
    return {"name": name, "function": function, "inputs": inputs, "outputs": outputs,
            "max_batch_size": max_batch_size, **more}


LABELS = "\n".join(f"label{number}" for number in range(32))


def add_sub(name, datatypes=("int32",) * 3, max_batch_size=8, dims=(16,), swap=True, **more):
    """The sum and the difference. With `swap`, the versions of NVIDIA's models for that datatype."""
    first, second, third = datatypes
    if swap and first == second == third:
        policies = {"int8": {"latest": 1}, "int16": {"latest": 2}, "int32": {},
                    "float16": {"specific": [1]}, "float32": {"specific": [1, 3]}}
        if first in policies:
            more = {"versions": [1, 2, 3], **policies[first], **more}
    return model(name, "add_sub",
                 [tensor("INPUT0", first, dims), tensor("INPUT1", first, dims)],
                 [tensor("OUTPUT0", second, dims, labels=LABELS), tensor("OUTPUT1", third, dims)],
                 max_batch_size, **more)


def identity(name, datatype="float32", count=1, dims=(-1,), max_batch_size=8, function="identity", **more):
    names = [number for number in range(count)]
    return model(name, function, [tensor(f"INPUT{number}", datatype, dims) for number in names],
                 [tensor(f"OUTPUT{number}", datatype, dims) for number in names], max_batch_size, **more)


def sequence(name, datatype="int32", max_batch_size=4, dims=(-1,), **more):
    more = {"parameters": {"execute_delay_ms": "3"}, "sequence_batching": "direct",
            "max_sequence_idle_microseconds": 5_000_000, **more}
    return model(name, "sequence", [tensor("INPUT", datatype, dims)], [tensor("OUTPUT", datatype, dims)],
                 max_batch_size, **more)


# Why a test that fails is not counted as failed.
NEEDS_TENSORRT = "needs TensorRT"
NEEDS_ENSEMBLES = "needs an ensemble"
NEEDS_BACKEND = "needs a model of TensorFlow"
READS_LOG = "reads tritonserver's log"
WORDING = "expects Triton's words for a parser error"
BLANKS = "expects a blank behind the value of a header"
FUNCTION_TEXT = "expects the text of a failed function without the name of the model"
CUDA = "needs CUDA"
SIGNAL = "expects that requests are refused some milliseconds after SIGINT"
COMPLETION = "expects that Triton completes a configuration from the files of a model"
EMPTY_ROWS = "counts an empty row for each idle slot, as NVIDIA's sequence backend does"
DIRECTORY = "loads a model from a directory"
SHUTDOWN = "expects that requests are accepted and refused on open connections during shutdown"
DELAYED = {"tritonserver": "takes 20 hours, because each of 37 000 responses is sent two seconds late"}
DISCARDED = {
    "tritonserver": "tritonserver ends with signal 11 if models that have changed are loaded and unloaded concurrently",
}
