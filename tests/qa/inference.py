"""The suites that infer with every datatype and shape."""

from builders import NEEDS_BACKEND, Run, add_sub, identity, model, tensor

# The datatypes of the models that L0_infer uses.
COMBINATIONS = [
    *[(name,) * 3 for name in ("int8", "int16", "int32", "int64", "float16", "float32", "object")],
    ("float16", "float32", "float32"), ("int32", "int8", "int8"), ("int8", "int32", "int32"),
    ("int32", "int8", "int16"), ("int32", "float32", "float32"), ("float32", "int32", "int32"),
    ("int32", "float16", "int16"), ("object", "int32", "int32"), ("object", "int32", "object"),
    ("object", "object", "int32"), ("int32", "object", "object"), ("int32", "int32", "object"),
    ("int32", "object", "int32"),
]


def combinations(platforms, dims=(16,), datatypes=None, **more):
    return [
        add_sub("_".join([platform + batch, *names]), names, rows, dims, **more)
        for platform in platforms for names in datatypes or COMBINATIONS
        for batch, rows in (("_nobatch", 0), ("", 8))
    ]


ENSEMBLES = ("", "simple_", "sequence_", "fan_")
PLATFORMS = ("graphdef", "savedmodel")


def ensembles(platforms=PLATFORMS, **more):
    return combinations([prefix + platform for prefix in ENSEMBLES for platform in platforms], **more)


# Functions replace the ensembles that the suites compose of several models.
MIXED = [
    add_sub(name, names, rows, swap=False) for name, names, rows in [
        ("mix_type_int32_float32_float32", ("int32", "float32", "float32"), 8),
        ("mix_ensemble_int32_float32_float32", ("int32", "float32", "float32"), 8),
        ("mix_platform_float32_float32_float32", ("float32",) * 3, 8),
        ("batch_to_nobatch_float32_float32_float32", ("float32",) * 3, 8),
        ("nobatch_to_batch_float32_float32_float32", ("float32",) * 3, 8),
        ("mix_nobatch_batch_float32_float32_float32", ("float32",) * 3, 8),
        ("label_override_int32_float32_float32", ("int32", "float32", "float32"), 8),
        ("wrong_label_int32_float32_float32", ("int32", "float32", "float32"), 8),
    ]
] + [
    add_sub(name, ("float32",) * 3, 0, (8, 16), swap=False) for name in
    ("batch_to_nobatch_nobatch_float32_float32_float32", "nobatch_to_batch_nobatch_float32_float32_float32")
]

INFER = {"BACKENDS": "graphdef savedmodel", "TRITON_SERVER_CPU_ONLY": "1"}

# The models that L0_infer_variable uses: of one to three dimensions of any size.
VARIABLE = [
    model
    for rank, names in [
        (1, ("float32",) * 3), (2, ("float32", "int32", "int32")), (2, ("float32", "int64", "int64")),
        (3, ("float32", "int32", "int64")), (1, ("float32", "float32", "int32")), (2, ("int32",) * 3),
        (3, ("int32", "int32", "float32")), (1, ("object",) * 3), (2, ("object", "int32", "int32")),
        (2, ("object", "object", "int32")), (3, ("object", "int32", "object")),
    ]
    for model in combinations(
        [prefix + platform for prefix in ENSEMBLES for platform in (*PLATFORMS, "onnx", "libtorch", "plan")],
        (-1,) * rank, [names], swap=False)
]


def zero_models(names, datatypes=("float32", "float16", "object", "bool"), counts=(1, 3)):
    """Identities of tensors of any size."""
    ranks = {("float16", 1): 2, ("float16", 3): 2, ("object", 3): 2}
    return [
        identity(f"{name}{batch}_zero_{count}_{datatype}", datatype, count,
                 (-1,) * ranks.get((datatype, count), 1), rows)
        for name in names for datatype in datatypes for count in counts for batch, rows in (("_nobatch", 0), ("", 8))
    ]


ZERO = ("graphdef", "savedmodel", "onnx", "simple_zero", "sequence_zero", "fan_zero")


def reshape(name, datatype, inputs, outputs=None, prefix="", max_batch_size=8):
    outputs = outputs or inputs
    return model(f"{name}_{len(inputs)}_{datatype}", "reshape",
                 [tensor(f"INPUT{prefix}{number}", datatype, dims) for number, dims in enumerate(inputs)],
                 [tensor(f"OUTPUT{prefix}{number}", datatype, dims) for number, dims in enumerate(outputs)],
                 max_batch_size)


def reshape_models():
    table = [
        ("float32", ([1],), None), ("float32", ([1], [8]), None),
        ("float32", ([4, 4], [2], [2, 2, 3]), None),
        ("float32", ([4, 4], [2], [2, 2, 3], [1]), ([16], [1, 2], [3, 2, 2], [1])),
        ("int32", ([2, 4, 5, 6],), None), ("int32", ([4, 1], [2]), ([1, 4], [1, 2])),
        ("int32", ([1, 4, 1], [8], [2, 2, 3]), None), ("object", ([1],), None),
    ]
    names = [("graphdef", ""), ("savedmodel", ""), ("onnx", ""), ("libtorch", ""), ("custom", "")]
    names = [(f"{name}{batch}_zero", prefix, rows) for name, prefix in names
             for batch, rows in (("_nobatch", 0), ("", 8))]
    names += [(f"{name}_reshape{batch}_zero", "", rows) for name in ("simple", "sequence", "fan")
              for batch, rows in (("_nobatch", 0), ("", 8))]
    models = [reshape(name, datatype, inputs, outputs, prefix, rows)
              for datatype, inputs, outputs in table for name, prefix, rows in names]
    plan = (([1], [8]), None), (([4, 4], [2], [2, 2, 3], [1]), ([2, 2, 4], [1, 2, 1], [3, 2, 2], [1, 1, 1]))
    return models + [
        reshape(f"plan{batch}_zero", "float32", inputs, outputs, "", rows)
        for inputs, outputs in plan for batch, rows in (("_nobatch", 0), ("", 8))
    ]


STATUS = [
    *combinations(PLATFORMS),
    *(add_sub(f"{name}_float32_float32_float32", ("float32",) * 3) for name in ("onnx", "plan", "libtorch")),
]

SUITES = {
    "L0_infer": [Run("infer_test.py", ensembles() + MIXED, environment=INFER)],
    "L0_infer_zero": [Run("infer_zero_test.py", zero_models(ZERO), environment={"BACKENDS": "graphdef savedmodel onnx"})],
    "L0_infer_variable": [Run("infer_variable_test.py", VARIABLE)],
    "L0_infer_reshape": [Run("infer_reshape_test.py", reshape_models())],
    "L0_client_nobatch": [Run("client_test.py", combinations(["graphdef"], datatypes=[("int32", "int8", "int8")]))],
    "L0_output_name": [
        Run("output_name_test.py", zero_models((*PLATFORMS, "onnx", "libtorch", "plan"), ("float32",), (1,))),
    ],
    "L0_server_status": [
        Run("server_status_test.py", STATUS, ["ServerMetadataTest"], environment={"TRITON_SERVER_VERSION": "2.51.0"},
            skipped={"test_model_latest_infer": NEEDS_BACKEND}),
    ],
}
