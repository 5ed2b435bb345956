"""The suites of `run.py`: their files, models, options and environment."""

import dataclasses
import pathlib


@dataclasses.dataclass
class Run:
    """Test cases of a file with the same settings of the server."""

    file: str
    models: list | None = dataclasses.field(default_factory=list)
    tests: list = dataclasses.field(default_factory=list)
    # Options of the server: a list, or one per engine.
    arguments: list | dict = dataclasses.field(default_factory=list)
    environment: dict = dataclasses.field(default_factory=dict)
    server_environment: dict = dataclasses.field(default_factory=dict)
    # Starts a server for each test, because its statistics are compared.
    fresh: bool = False
    folder: str = "."
    label: str = ""
    seconds: int = 300
    # Tests whose failures do not count, with the reasons.
    skipped: dict = dataclasses.field(default_factory=dict)


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


LABELS = "\n".join(f"label{number}" for number in range(16))


def add_sub(name, datatypes=("int32",) * 3, max_batch_size=8, dims=(16,), swap=True, **more):
    """Returns a model for the sum and the difference. With `swap`, it has the versions of NVIDIA's
    models for that datatype.
    """
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


# The datatypes of the models in L0_infer.
COMBINATIONS = [
    *[(name,) * 3 for name in ("int8", "int16", "int32", "int64", "float16", "float32", "object")],
    ("float16", "float32", "float32"), ("int32", "int8", "int8"), ("int8", "int32", "int32"),
    ("int32", "int8", "int16"), ("int32", "float32", "float32"), ("float32", "int32", "int32"),
    ("int32", "float16", "int16"), ("object", "int32", "int32"), ("object", "int32", "object"),
    ("object", "object", "int32"), ("int32", "object", "object"), ("int32", "int32", "object"),
    ("int32", "object", "int32"),
]


def combinations(platforms, dims=(16,), **more):
    return [
        add_sub("_".join([platform + batch, *datatypes]), datatypes, rows, dims, **more)
        for platform in platforms for datatypes in COMBINATIONS for batch, rows in (("_nobatch", 0), ("", 8))
    ]


INFER = {"BACKENDS": "graphdef savedmodel", "ENSEMBLES": "0", "TRITON_SERVER_CPU_ONLY": "1"}

SUITES = {
    "L0_infer": [
        Run("infer_test.py", combinations(["graphdef", "savedmodel"]), environment=INFER),
    ],
}
