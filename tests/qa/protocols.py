"""The suites of the protocols and their extensions."""

from builders import (
    BLANKS, CUDA, FUNCTION_TEXT, MALFORMED, NEEDS_ENSEMBLES, NEEDS_TENSORRT, ORDER, SIGNAL, SIMPLE, WORDING, Run, add_sub,
    identity, model, tensor,
)

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


HTTP_PARAMETER_TESTS = ("test_async_http_parameter", "test_ensemble_parameter_forwarding", "test_http_async_parameter",
                        "test_http_parameter")


def parameters_suite():
    def forward(pattern):
        return ["--http-header-forward-pattern", pattern, "--grpc-header-forward-pattern", pattern]

    table = [
        ("test_params", []), ("test_headers", forward("my_header.*")),
        ("test_header_forward_pattern_case_insensitive", forward("MY_HEADER.*")),
    ]
    return [Run("parameters_test.py", PARAMETERS, arguments=arguments, environment={"TEST_HEADER": name}, label=name,
                skipped=dict.fromkeys(HTTP_PARAMETER_TESTS, BLANKS) if arguments else {})
            for name, arguments in table] + [
        Run("parameters_test.py", PARAMETERS, arguments=["--grpc-header-forward-pattern", "(?-i)MY_HEADER.*"],
            environment={"TEST_HEADER": "test_grpc_header_forward_pattern_case_sensitive"},
            label="test_grpc_header_forward_pattern_case_sensitive",
            tests=[f"InferenceParametersTest.{test}" for test in (
                "test_grpc_parameter", "test_async_grpc_parameter", "test_grpc_async_parameter",
                "test_grpc_stream_parameter")])]


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
                    environment={"SUMMARY_QUANTILES": quantiles},
                    skipped={"test_summaries_custom_quantiles": MALFORMED}))
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
        skipped={"test_ensemble_scheduler": NEEDS_ENSEMBLES})]


CLEANUP = [identity("custom_zero_1_float32", parameters={"execute_delay_ms": "1000"}), repeat("repeat_int32"),
           repeat("repeat_int32_non_decoupled", one_response="1")]
CLEANUP_TESTS = ["simple_infer", "simple_infer_cancellation", "simple_infer_timeout", "streaming_infer", "streaming_timeout",
                 "streaming_cancellation", "decoupled_infer", "decoupled_cancellation", "decoupled_timeout",
                 "non_decoupled_streaming_multi_response"]
SHUTDOWN_TESTS = ["simple_infer_shutdownserver", "streaming_infer_shutdownserver", "decoupled_infer_shutdownserver",
                  "decoupled_infer_with_params_shutdownserver"]


def cleanup(tests, **options):
    return Run("cleanup_test.py", CLEANUP, [f"CleanUpTest.test_{name}" for name in tests], fresh=True, **options)


VERTEX = {"AIP_HEALTH_ROUTE": "/health", "AIP_PREDICT_ROUTE": "/predict"}

SUITES = {
    "L0_http": [
        Run("http_test.py", HTTP),
        Run("generate_endpoint_test.py", [MOCK_LLM], skipped={
            "test_complex_schema": WORDING, "test_invalid_input_types": WORDING, "test_parameters": WORDING,
            "test_generate_stream_response_error": FUNCTION_TEXT}),
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
            server_environment={"TRITONSERVER_SERVER_DELAY_GRPC_RESPONSE_SEC": "2"},
            skipped={"test_grpc_register_cuda_shared_memory": CUDA}),
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
            skipped={"test_wrong_input_shape_tensor_size": NEEDS_TENSORRT,
                     "test_input_string_shape_validation": ORDER}),
    ],
    "L0_metrics": metrics_suite(),
    "L0_trace": [
        Run("trace_endpoint_test.py", [SIMPLE], arguments=[
            "--trace-config", "triton,file=global_unittest.log", "--trace-config", "level=TIMESTAMPS",
            "--trace-config", "rate=1"]),
    ],
    "L0_logging": [Run("logging_endpoint_test.py", [SIMPLE])],
    "L0_nan_inf": [Run("nan_inf_test.py", [
        model("nan_inf_output", "nan_inf", [tensor("INPUT0", "float32", (1,))], [tensor("OUTPUT0", "float32", (-1,))], 0)])],
    "L0_string_io": [Run("string_client_test.py", [
        identity("graphdef_nobatch_zero_1_object", "object", max_batch_size=0),
        identity("string_identity", "object", max_batch_size=0)])],
    "L0_vertex_ai": [Run("vertex_ai_test.py", [add_sub("addsub", swap=False)], server_environment=VERTEX,
                         arguments=["--allow-vertex-ai=true"])],
    "L0_sagemaker": [
        Run("sagemaker_test.py", [add_sub("sm_model", swap=False)], arguments=["--allow-sagemaker=true"],
            server_environment={"SAGEMAKER_TRITON_DEFAULT_MODEL_NAME": "sm_model"}),
    ],
    "L0_grpc_state_cleanup": [
        cleanup(CLEANUP_TESTS), cleanup(SHUTDOWN_TESTS, skipped={f"test_{name}": SIGNAL for name in SHUTDOWN_TESTS}),
        cleanup(["simple_infer_error_status", "streaming_error_status", "decoupled_error_status"],
                arguments=["--grpc-restricted-protocol=inference:infer-key=infer-value"]),
    ],
    "L0_shared_memory": shared_memory_suite(),
}
