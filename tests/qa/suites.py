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


LABELS = "\n".join(f"label{number}" for number in range(32))


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


# Functions stand for what the suites compose of several models.
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
NEEDS_TENSORRT = "needs TensorRT"

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


SIMPLE = add_sub("simple", swap=False)

# The models of the client examples.
EXAMPLES = [
    SIMPLE, add_sub("simple_int8", ("int8",) * 3, swap=False), add_sub("simple_string", ("object",) * 3, swap=False),
    identity("simple_identity", "object"), identity("inception_graphdef", dims=(299, 299, 3)),
    identity("simple_sequence", "int32", dims=(1,)), identity("simple_dyna_sequence", "int32", dims=(1,)),
]

HTTP = [
    identity("onnx_zero_1_float32"), identity("onnx_zero_1_object", "object"),
    identity("onnx_zero_1_object_1_element", "object", dims=(1,)), identity("onnx_zero_1_float16", "float16", 1, (-1, -1)),
    identity("onnx_zero_3_float32", "float32", 3),
    identity("onnx_zero_1_float32_queue", max_queue_delay_microseconds=1_000_000, preferred_batch_size=[8],
             queue_policy={"max_queue_size": 1}),
]

MOCK_LLM = model("mock_llm", "mock_llm",
                 [tensor("PROMPT", "object", (1, 1)), tensor("STREAM", "bool", (1, 1)),
                  tensor("input_ids", "int32", (1, -1), optional=True)],
                 [tensor("TEXT", "object", (1, -1))], 0)


def batcher(dims, **more):
    options = {"preferred_batch_size": [2, 6], "max_queue_delay_microseconds": 10_000_000, "versions": [1], **more}
    return [
        add_sub("savedmodel_float32_float32_float32", ("float32",) * 3, 8, dims, swap=False, **options),
        identity("custom_zero_1_float32", function="ragged_identity", **options),
    ]


def batcher_runs(label, models, delays, **environment):
    """A run for each number of requests that the scheduler waits for."""
    runs = []
    for delay, tests in delays.items():
        server = {"TRITONSERVER_DELAY_SCHEDULER": str(delay)} if delay else {}
        tests = [f"BatcherTest.{test}" for test in tests]
        runs.append(Run("batcher_test.py", models, tests, environment={"BACKENDS": "savedmodel", **environment},
                        server_environment=server, fresh=True, label=label))
    return runs


BATCHER_TESTS = {
    0: ["test_static_batch_preferred", "test_static_batch_lt_any_preferred", "test_static_batch_not_preferred",
        "test_static_batch_gt_max_preferred", "test_multi_batch_not_preferred", "test_multi_batch_gt_max_preferred",
        "test_multi_batch_sum_gt_max_preferred", "test_multi_same_output0", "test_multi_same_output1",
        "test_multi_different_outputs", "test_multi_different_output_order"],
    2: ["test_multi_batch_delayed_sum_gt_max_preferred"],
    3: ["test_multi_batch_delayed_use_max_batch", "test_multi_batch_use_best_preferred"],
    6: ["test_multi_batch_use_biggest_preferred"],
}
BATCHER_SHAPE_TESTS = {
    0: ["test_multi_batch_not_preferred_different_shape", "test_multi_batch_preferred_different_shape",
        "test_multi_batch_different_shape_allow_ragged", "test_multi_batch_different_shape"],
    4: ["test_multi_batch_delayed_preferred_different_shape"],
}
BATCHER_PREFERRED_TESTS = {
    3: ["test_preferred_batch_only_use_no_preferred_size"], 4: ["test_preferred_batch_only_aligned"],
    5: ["test_preferred_batch_only_unaligned"], 7: ["test_preferred_batch_only_use_biggest_preferred"],
}


def batcher_suite():
    runs = batcher_runs("FIXED", batcher((16,)), BATCHER_TESTS, BATCHER_TYPE="FIXED")
    runs += batcher_runs("VARIABLE", batcher((-1,)), BATCHER_TESTS, BATCHER_TYPE="VARIABLE")
    runs += batcher_runs("VARIABLE", batcher((-1,)), BATCHER_SHAPE_TESTS, BATCHER_TYPE="VARIABLE")
    runs += batcher_runs("", batcher((16,), preferred_batch_size=[4, 6], max_queue_delay_microseconds=0),
                         BATCHER_PREFERRED_TESTS, BATCHER_TYPE="FIXED")
    slow = {"parameters": {"execute_delay_ms": "100"}}
    for name, delay in (("default", 0), ("non_default", 20_000)):
        models = [identity("custom_zero_1_float32", max_batch_size=100, max_queue_delay_microseconds=delay,
                           dynamic_batching=True, **slow)]
        runs += batcher_runs("", models, {0: [f"test_max_queue_delay_only_{name}"]},
                             MAX_QUEUE_DELAY_MICROSECONDS=str(delay))
    slow["parameters"]["instance_wise_delay_multiplier"] = "4"
    for label, preserve in (("not_preserve", False), ("preserve", True)):
        models = [identity("custom_zero_1_float32", max_batch_size=4, preferred_batch_size=[4], instances=2,
                           preserve_ordering=preserve, **slow)]
        runs += batcher_runs(label, models, {12: ["test_multi_batch_preserve_ordering"]})
    timeout = identity(
        "dynamic_batch", max_batch_size=1, preferred_batch_size=[1], parameters={"execute_delay_ms": "8000"},
        queue_policy={"default_timeout_microseconds": 1_000_000, "max_queue_size": 8})
    return [*runs, Run("queue_timeout_test.py", [timeout])]


def sequence(name, datatype="int32", max_batch_size=4, dims=(-1,), **more):
    more = {"parameters": {"execute_delay_ms": "3"}, "sequence_batching": "direct",
            "max_sequence_idle_microseconds": 5_000_000, **more}
    return model(name, "sequence", [tensor("INPUT", datatype, dims)], [tensor("OUTPUT", datatype, dims)],
                 max_batch_size, **more)


SEQUENCE_TESTS = {
    (0, 0): ["test_simple_sequence", "test_length1_sequence", "test_batch_size", "test_no_sequence_start",
             "test_no_sequence_start2", "test_no_sequence_end", "test_no_correlation_id"],
    (10, 2): ["test_backlog_fill"], (10, 3): ["test_backlog_fill_no_end"],
    (12, 2): ["test_backlog_same_correlation_id"], (16, 0): ["test_backlog_same_correlation_id_no_end"],
    (4, 0): ["test_backlog_sequence_timeout"], (8, 0): ["test_half_batch"],
    (12, 0): ["test_skip_batch", "test_full_batch", "test_ragged_batch", "test_backlog"],
}


def sequence_runs(label, models, delays, instances, backends="custom", **environment):
    runs = []
    for (delay, backlog), tests in delays.items():
        server = {"TRITONSERVER_DELAY_SCHEDULER": str(delay), "TRITONSERVER_BACKLOG_DELAY_SCHEDULER": str(backlog)}
        environment = {"BACKENDS": backends, "ENSEMBLES": "0", "NO_BATCHING": "0", "IMPLICIT_STATE": "0",
                       "INITIAL_STATE_FILE": "0", "BATCHER_TYPE": "FIXED", "MODEL_INSTANCES": str(instances),
                       **environment}
        tests = [f"SequenceBatcherTest.{test}" for test in tests]
        runs.append(Run("sequence_batcher_test.py", models, tests, environment=environment,
                        server_environment=server if delay else {}, fresh=True, label=label))
    return runs


def sequence_suite():
    runs = []
    for instances, rows in ((1, 4), (2, 2), (4, 1)):
        runs += sequence_runs(f"models{instances}", [sequence("custom_sequence_int32", "int32", rows, instances=instances)],
                              SEQUENCE_TESTS, instances)
    unbatched = [sequence("savedmodel_nobatch_sequence_float32", "float32", 0, (1,), instances=4),
                 sequence("savedmodel_nobatch_sequence_bool", "int32", 0, (1,), instances=4)]
    runs += sequence_runs("models0", unbatched, SEQUENCE_TESTS, 4, "savedmodel", NO_BATCHING="1")
    queue = {"max_queue_delay_microseconds": 3_000_000, "instances": 1}
    models = [sequence(f"custom_sequence_int32{suffix}", minimum_slot_utilization=utilization, **queue)
              for suffix, utilization in (("", 0.0), ("_half", 0.5), ("_full", 1.0))]
    tests = {(2, 0): ["test_queue_delay_no_min_util", "test_queue_delay_half_min_util", "test_queue_delay_full_min_util"]}
    runs += sequence_runs("queue_delay", models, tests, 1)
    slow = identity("custom_sequence_int32_timeout", "int32", 1, (1,), 1, sequence_batching="direct", instances=1,
                    max_sequence_idle_microseconds=50_000_000, parameters={"execute_delay_ms": "5000"})
    timeout = sequence_runs("timeout", [slow], {(0, 0): []}, 1)[0]
    timeout.tests = ["SequenceBatcherRequestTimeoutTest.test_request_timeout",
                     "SequenceBatcherRequestTimeoutTest.test_send_request_after_timeout"]
    timeout.fresh = False
    return [*runs, timeout]


SHARED_MEMORY_TESTS = [
    f"SharedMemoryTest.test_{name}" for name in (
        "invalid_create_shm", "valid_create_set_register", "unregister_before_register", "unregister_after_register",
        "reregister_after_register", "unregister_after_inference", "register_after_inference", "too_big_shm",
        "mixed_raw_shm", "unregisterall", "infer_offset_out_of_bound", "infer_byte_size_out_of_bound",
        "register_out_of_bound", "python_client_leak")
]


def shared_memory_suite():
    runs = []
    for client in ("http", "grpc"):
        runs.append(Run("shared_memory_test.py", [SIMPLE], SHARED_MEMORY_TESTS, environment={"CLIENT_TYPE": client},
                        fresh=True, label=client))
        slow = add_sub("simple", swap=False, parameters={"execute_delay_ms": "10000"})
        runs.append(Run("shared_memory_test.py", [slow], label=client,
                        tests=[f"TestSharedMemoryUnregister.test_unregister_shm_during_inference_{client}"],
                        environment={"CLIENT_TYPE": client}))
    return runs


PARAMETERS = [
    model(name, "parameters", [tensor("INPUT0", "float32", (1,))],
          [tensor("key", "object", (-1,)), tensor("value", "object", (-1,))], 0)
    for name in ("parameter", "ensemble")
]


def parameters_suite():
    def forward(pattern):
        return ["--http-header-forward-pattern", pattern, "--grpc-header-forward-pattern", pattern]

    table = [
        ("test_params", []), ("test_headers", forward("my_header.*")),
        ("test_header_forward_pattern_case_insensitive", forward("MY_HEADER.*")),
    ]
    return [Run("parameters_test.py", PARAMETERS, arguments=arguments, environment={"TEST_HEADER": name}, label=name)
            for name, arguments in table] + [
        Run("parameters_test.py", PARAMETERS, arguments=["--grpc-header-forward-pattern", "(?-i)MY_HEADER.*"],
            environment={"TEST_HEADER": "test_grpc_header_forward_pattern_case_sensitive"},
            label="test_grpc_header_forward_pattern_case_sensitive",
            tests=[f"InferenceParametersTest.{test}" for test in (
                "test_grpc_parameter", "test_async_grpc_parameter", "test_grpc_async_parameter",
                "test_grpc_stream_parameter")])]


def queue(delay_execution=0, **options):
    """The model of L0_model_queue, and one in the place of its ensemble."""
    return [identity(name, dims=(-1,), max_batch_size=32, instances=1,
                     parameters={"execute_delay_ms": str(delay_execution)} if delay_execution else {}, **options)
            for name in ("custom_zero_1_float32", "ensemble_zero_1_float32")]


def model_queue_suite():
    slow = {"preferred_batch_size": [4, 8], "max_queue_delay_microseconds": 10_000_000}
    levels = {"priority_levels": 2, "default_priority_level": 2}
    policy = {"allow_timeout_override": True, "default_timeout_microseconds": 11_000_000}
    table = {
        "max_queue_size": queue(5000, preferred_batch_size=[4, 8], queue_policy={"max_queue_size": 8}),
        "policy_delay": queue(**slow, queue_policy={"delay": True, "default_timeout_microseconds": 100_000}),
        "policy_reject": queue(**slow, queue_policy={"default_timeout_microseconds": 100_000}),
        "timeout_override": queue(**slow, queue_policy={"allow_timeout_override": True,
                                                        "default_timeout_microseconds": 1_000_000}),
        "priority_levels": queue(**slow, **levels),
        "max_priority_levels": queue(**slow, priority_levels=2**32 - 1, default_priority_level=2**31),
        "priority_with_policy": queue(
            preferred_batch_size=[4, 8, 32], max_queue_delay_microseconds=10_000_000, **levels,
            queue_policy={"delay": True, **policy}, priority_queue_policy={2: policy}),
    }
    return [Run("model_queue_test.py", models, [f"ModelQueueTest.test_{name}"],
                skipped={"test_max_priority_levels": "needs 2^64 - 1 priority levels, an option has 32 bits"})
            for name, models in table.items()]


def repeat(name, kind="", outputs=2, dims=(-1,), **parameters):
    return model(name, "repeat",
                 [tensor("IN", "int32", dims), tensor("DELAY", "uint32", dims), tensor("WAIT", "uint32", (1,))],
                 [tensor("OUT", "int32", (1,)), tensor("IDX", "uint32", (1,))][:outputs], 0,
                 parameters={"repeat": kind, **parameters}, **({} if parameters else {"batches_in_flight": 8}))


REPEAT = [repeat("repeat_int32"), repeat("simple_repeat"), repeat("sequence_repeat"), repeat("fan_repeat", "fan", 1),
          repeat("repeat_square", "square", 1), repeat("nested_square", "square", 1)]


def inputs_of(name, required, optional):
    inputs = [tensor(f"INPUT{number}", "float32", (-1,), **({"optional": True} if number >= required else {}))
              for number in range(required + optional)]
    return model(name, "constant", inputs, [tensor("OUTPUT0", "float32", (1,))], 0)


INPUTS = [inputs_of("input_all_required", 3, 0), inputs_of("input_optional", 3, 1), inputs_of("input_all_optional", 0, 3)]
SHAPES = [identity("pt_identity", dims=(8,)), add_sub("graphdef_object_int32_int32", ("object", "int32", "int32"), swap=False)]

TIMEOUT = identity("custom_identity_int32", "int32", parameters={"execute_delay_ms": "3000"})

CANCELLED = [
    identity("dynamic_batch", max_batch_size=2, instances=1, max_queue_delay_microseconds=600_000,
             parameters={"execute_delay_ms": "6000"}),
    *[identity(f"sequence_{name}", max_batch_size=1, instances=1, sequence_batching=name,
               max_sequence_idle_microseconds=6_000_000, parameters={"execute_delay_ms": "6000"}, **more)
      for name, more in (("direct", {}), ("oldest", {"max_candidate_sequences": 1}))],
]
CANCELLED_IDENTITY = identity("custom_identity_int32", "int32", max_batch_size=1024,
                              parameters={"execute_delay_ms": "10000"})


def metrics_suite():
    models = [identity("identity_cache_off", max_batch_size=8),
              identity("identity_cache_on", max_batch_size=8, response_cache=True)]
    cache = ["--cache-config", "local,size=1048576"]
    summaries = ["--metrics-config", "summary_latencies=true"]
    counters = ["--metrics-config", "counter_latencies=true"]
    table = [
        ("default", models[:1], [], ["inf_counters_exist", "inf_summaries_missing", "cache_counters_missing",
                                     "cache_summaries_missing"]),
        ("summaries", models[:1], summaries, ["inf_counters_exist", "inf_summaries_exist", "cache_counters_missing",
                                              "cache_summaries_missing"]),
        ("summaries alone", models[:1], [*summaries, "--metrics-config", "counter_latencies=false"],
         ["inf_counters_missing", "inf_summaries_exist", "cache_counters_missing", "cache_summaries_missing"]),
        ("cache", models[1:], [*cache, *summaries, *counters],
         ["inf_counters_exist", "inf_summaries_exist_with_cache", "cache_counters_exist", "cache_summaries_exist"]),
    ]
    runs = [Run("metrics_config_test.py", models, [f"MetricsConfigTest.test_{name}" for name in tests],
                arguments=arguments, label=label) for label, models, arguments, tests in table]
    quantiles = "0.1:0.0.1,0.7:0.01,0.75:0.01"
    runs.append(Run("metrics_config_test.py", models[:1], ["MetricsConfigTest.test_summaries_custom_quantiles"],
                    arguments=[*summaries, "--metrics-config", f"summary_quantiles={quantiles}"],
                    environment={"SUMMARY_QUANTILES": quantiles}))
    runs.append(Run("metrics_config_test.py", [SIMPLE],
                    ["MetricsConfigTest.test_model_namespacing_label_with_namespace_off"]))
    slow = {"max_batch_size": 4, "dims": (1,), "instances": 1, "parameters": {"execute_delay_ms": "2000"}}
    delay = {"max_queue_delay_microseconds": 100_000}
    queued = [
        identity("default", dynamic_batching=False, **slow), identity("dynamic", **delay, **slow),
        identity("max_queue_size", queue_policy={"max_queue_size": 4}, **delay, **slow),
        identity("sequence_direct", sequence_batching="direct", minimum_slot_utilization=1.0, **delay, **slow),
        identity("sequence_oldest", sequence_batching="oldest", max_candidate_sequences=4, **delay, **slow),
    ]
    return [*runs, Run("metrics_queue_size_test.py", queued, environment={
        "MAX_BATCH_SIZE": "4", "MAX_QUEUE_DELAY_US": "100000"},
        skipped={"test_ensemble_metrics": NEEDS_ENSEMBLES, "test_ensemble": NEEDS_ENSEMBLES})]


NEEDS_ENSEMBLES = "needs an ensemble"
ENSEMBLE_TESTS = ("test_ensemble_all_inputs", "test_ensemble_optional_same_input",
                  "test_ensemble_optional_connecting_tensor", "test_ensemble_optional_pipeline")

OPTIONAL = model("identity_2_float32", "optional_identity",
                 [tensor(f"INPUT{number}", "float32", (1,), optional=True) for number in (0, 1)],
                 [tensor(f"OUTPUT{number}", "float32", (1,)) for number in (0, 1)], 4,
                 preferred_batch_size=[4], max_queue_delay_microseconds=5_000_000)

VERTEX = {"AIP_HEALTH_ROUTE": "/health", "AIP_PREDICT_ROUTE": "/predict"}

SUITES = {
    "L0_infer": [
        Run("infer_test.py", ensembles() + MIXED, environment=INFER),
    ],
    "L0_infer_zero": [Run("infer_zero_test.py", zero_models(ZERO), environment={"BACKENDS": "graphdef savedmodel onnx"})],
    "L0_infer_variable": [Run("infer_variable_test.py", VARIABLE)],
    "L0_infer_reshape": [Run("infer_reshape_test.py", reshape_models())],
    "L0_http": [
        Run("http_test.py", HTTP),
        Run("generate_endpoint_test.py", [MOCK_LLM]),
        Run("python_http_aio_test.py", EXAMPLES),
        Run("http_client_plugin_test.py", HTTP),
        Run("http_restricted_api_test.py", [SIMPLE], arguments=[
            "--http-restricted-api=model-repository:admin-key=admin-value",
            "--http-restricted-api=inference,metadata:infer-key=infer-value"]),
    ],
    "L0_grpc": [
        Run("python_grpc_aio_test.py", [*EXAMPLES, identity("simple_string_dyna_sequence", "int32", dims=(1,))]),
        Run("grpc_client_plugin_test.py", [model(
            "client_plugin_test", "expected_headers", [tensor("EXPECTED_HEADERS", "object", (1,))],
            [tensor("TEST_SUCCESS", "bool", (1,))], 0)],
            arguments=["--http-header-forward-pattern", ".*", "--grpc-header-forward-pattern", ".*"]),
        Run("python_unit_test.py", [SIMPLE], arguments=[
            "--grpc-restricted-protocol=model-repository:admin-key=admin-value",
            "--grpc-restricted-protocol=inference,health:infer-key=infer-value"]),
    ],
    "L0_parameters": parameters_suite(),
    "L0_client_timeout": [
        Run("client_infer_timeout_test.py", [TIMEOUT]),
        Run("client_non_infer_timeout_test.py", [TIMEOUT],
            arguments=["--model-control-mode=explicit", "--load-model=custom_identity_int32"],
            server_environment={"TRITONSERVER_SERVER_DELAY_GRPC_RESPONSE_SEC": "2"}),
    ],
    "L0_decoupled": [
        Run("decoupled_test.py", REPEAT, tests=[f"DecoupledTest.test_{name}" for name in (
            "one_to_none", "one_to_one", "one_to_many", "no_streaming", "response_order", "wrong_shape")], seconds=900),
        Run("decoupled_test.py", REPEAT, tests=["DecoupledTest.test_one_to_multi_many"],
            server_environment={"TRITONSERVER_DELAY_GRPC_RESPONSE": "2000"}, seconds=900),
        Run("decoupled_test.py", [repeat("repeat_int32", one_response="1")], tests=["NonDecoupledTest"]),
    ],
    "L0_input_validation": [
        Run("input_validation_test.py", INPUTS, tests=["InputValTest"]),
        Run("input_validation_test.py", SHAPES, tests=["InputShapeTest"],
            skipped={"test_wrong_input_shape_tensor_size": NEEDS_TENSORRT}),
    ],
    "L0_model_queue": model_queue_suite(),
    "L0_request_cancellation": [
        Run("grpc_cancellation_test.py", [CANCELLED_IDENTITY], fresh=True),
        Run("scheduler_test.py", CANCELLED, skipped={"test_ensemble_cancellation": NEEDS_ENSEMBLES}),
    ],
    "L0_metrics": metrics_suite(),
    "L0_trace": [
        Run("trace_endpoint_test.py", [SIMPLE], arguments=[
            "--trace-config", "triton,file=global_unittest.log", "--trace-config", "level=TIMESTAMPS",
            "--trace-config", "rate=1"]),
    ],
    "L0_logging": [Run("logging_endpoint_test.py", [SIMPLE])],
    "L0_optional_input": [
        Run("optional_input_test.py", [OPTIONAL], fresh=True, skipped=dict.fromkeys(ENSEMBLE_TESTS, NEEDS_ENSEMBLES)),
    ],
    "L0_nan_inf": [Run("nan_inf_test.py", [
        model("nan_inf_output", "nan_inf", [tensor("INPUT0", "float32", (1,))], [tensor("OUTPUT0", "float32", (-1,))], 0)])],
    "L0_string_io": [Run("string_client_test.py", [
        identity("graphdef_nobatch_zero_1_object", "object", max_batch_size=0),
        identity("string_identity", "object", dims=(1,), max_batch_size=8)])],
    "L0_client_nobatch": [Run("client_test.py", combinations(["graphdef"], datatypes=[("int32", "int8", "int8")]))],
    "L0_server_status": [Run("server_status_test.py", combinations(PLATFORMS), ["ServerMetadataTest"])],
    "L0_vertex_ai": [Run("vertex_ai_test.py", [add_sub("addsub", swap=False)], server_environment=VERTEX,
                         arguments=["--allow-vertex-ai=true"])],
    "L0_shared_memory": shared_memory_suite(),
    "L0_batcher": batcher_suite(),
    "L0_sequence_batcher": sequence_suite(),
}
