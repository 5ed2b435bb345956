"""The suites of the protocols and their extensions."""

from builders import (
    BLANKS, CUDA, DELAYED, DIRECTORY, FUNCTION_TEXT, NEEDS_ENSEMBLES, NEEDS_TENSORRT, SIGNAL, WORDING,
    Run, add_sub, identity, model, tensor,
)

# The models of the client examples.
EXAMPLES = ["simple", "simple_int8", "simple_string", "simple_identity", "inception_graphdef", "simple_sequence",
            "simple_dyna_sequence"]

HTTP = ["onnx_zero_1_float32", "onnx_zero_1_object", "onnx_zero_1_object_1_element", "onnx_zero_1_float16",
        "onnx_zero_3_float32", "onnx_zero_1_float32_queue"]

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
        runs.append(Run("shared_memory_test.py", ["simple"], SHARED_MEMORY_TESTS, environment={"CLIENT_TYPE": client},
                        fresh=True, label=client))
        slow = add_sub("simple", swap=False, parameters={"execute_delay_ms": "10000"})
        runs.append(Run("shared_memory_test.py", [slow], label=client,
                        tests=[f"TestSharedMemoryUnregister.test_unregister_shm_during_inference_{client}"],
                        environment={"CLIENT_TYPE": client}))
    return runs


PARAMETERS = ["parameter", "ensemble"]

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


REPEAT = ["repeat_int32", "simple_repeat", "sequence_repeat", "fan_repeat", "repeat_square", "nested_square"]
INPUTS = ["input_all_required", "input_optional", "input_all_optional"]
SHAPES = ["pt_identity", add_sub("graphdef_object_int32_int32", ("object", "int32", "int32"), swap=False)]

# `repeat_int32` without the transaction policy `decoupled`.
REPEAT_ONCE = model(
    "repeat_int32", "repeat_once",
    [tensor("IN", "int32", (-1,)), tensor("DELAY", "uint32", (-1,)), tensor("WAIT", "uint32", (1,))],
    [tensor("OUT", "int32", (1,)), tensor("IDX", "uint32", (1,))], 0)


def metrics_suite():
    models = ["identity_cache_off", "identity_cache_on"]
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
    runs.append(Run("metrics_config_test.py", ["simple"],
                    ["MetricsConfigTest.test_model_namespacing_label_with_namespace_off"]))
    slow = {"max_batch_size": 4, "dims": (1,), "instances": 1, "parameters": {"execute_delay_ms": "2000"}}
    delay = {"max_queue_delay_microseconds": 100_000}
    queued = [
        "default", "dynamic", "max_queue_size",
        identity("sequence_direct", sequence_batching="direct", minimum_slot_utilization=1.0, **delay, **slow),
        identity("sequence_oldest", sequence_batching="oldest", max_candidate_sequences=4, **delay, **slow),
    ]
    return [*runs, Run("metrics_queue_size_test.py", queued, environment={
        "MAX_BATCH_SIZE": "4", "MAX_QUEUE_DELAY_US": "100000"},
        skipped={"test_ensemble_scheduler": NEEDS_ENSEMBLES})]


CLEANUP = [identity("custom_zero_1_float32", parameters={"execute_delay_ms": "1000"}), "repeat_int32",
           "repeat_int32_non_decoupled"]
CLEANUP_TESTS = ["simple_infer", "simple_infer_cancellation", "simple_infer_timeout", "streaming_infer", "streaming_timeout",
                 "streaming_cancellation", "decoupled_infer", "decoupled_cancellation", "decoupled_timeout",
                 "non_decoupled_streaming_multi_response"]
SHUTDOWN_TESTS = ["simple_infer_shutdownserver", "streaming_infer_shutdownserver", "decoupled_infer_shutdownserver",
                  "decoupled_infer_with_params_shutdownserver"]


def cleanup(tests, **options):
    return Run("cleanup_test.py", CLEANUP, [f"CleanUpTest.test_{name}" for name in tests], fresh=True, **options)


def trace_suite():
    global_settings = ["--trace-config", "triton,file=global_unittest.log", "--trace-config", "level=TIMESTAMPS",
                       "--trace-config", "rate=1"]
    spans = [argument for setting in (
        "level=TIMESTAMPS", "rate=1", "count=-1", "mode=opentelemetry", "opentelemetry,resource=test.key=test.value",
        "opentelemetry,resource=service.name=test_triton", "opentelemetry,url=localhost:10000/v1/traces",
        # `test_grpc_trace_model_cancel_in_queue` reads the first export, which must not contain the other request.
        "opentelemetry,bsp_schedule_delay=1000",
    ) for argument in ("--trace-config", setting)]
    required = model("input_all_required", "identity",
                     [tensor(f"INPUT{number}", "float32", (-1,)) for number in range(3)],
                     [tensor("OUTPUT0", "float32", (-1,))], 0, parameters={"execute_delay_ms": "5000"})
    models = ["simple", "dynamic_batch", required, REPEAT_ONCE,
              add_sub("ensemble_add_sub_int32_int32_int32", swap=False)]
    tests = ["http_trace_simple_model", "grpc_trace_simple_model", "streaming_grpc_trace_simple_model"]
    tests += [f"{test}_context_propagation" for test in tests]
    tests += ["grpc_trace_all_input_required_model_cancel", "grpc_trace_model_cancel_in_queue", "non_decoupled",
              "http_trace_triggered", "sagemaker_invocation_trace_simple_model_context_propagation",
              "sagemaker_invoke_trace_simple_model_context_propagation"]
    return [
        Run("trace_endpoint_test.py", ["simple"], arguments=global_settings),
        Run("opentelemetry_unittest.py", models, [f"OpenTelemetryTest.test_{test}" for test in tests],
            arguments=["--allow-sagemaker=true", *spans], collector=True, seconds=900,
            server_environment={"SAGEMAKER_TRITON_DEFAULT_MODEL_NAME": "simple"},
            skipped={"test_sagemaker_invoke_trace_simple_model_context_propagation": DIRECTORY}),
    ]


VERTEX = {"AIP_HEALTH_ROUTE": "/health", "AIP_PREDICT_ROUTE": "/predict"}

SUITES = {
    "L0_http": [
        Run("http_test.py", HTTP),
        Run("generate_endpoint_test.py", ["mock_llm"], skipped={
            "test_complex_schema": WORDING, "test_invalid_input_types": WORDING, "test_parameters": WORDING,
            "test_generate_stream_response_error": FUNCTION_TEXT}),
        Run("python_http_aio_test.py", EXAMPLES),
        Run("http_client_plugin_test.py", HTTP),
        Run("http_restricted_api_test.py", ["simple"], arguments=[
            "--http-restricted-api=model-repository:admin-key=admin-value",
            "--http-restricted-api=inference,metadata:infer-key=infer-value"]),
    ],
    "L0_grpc": [
        Run("python_grpc_aio_test.py", [*EXAMPLES, "simple_string_dyna_sequence"]),
        Run("grpc_client_plugin_test.py", ["client_plugin_test"],
            arguments=["--http-header-forward-pattern", ".*", "--grpc-header-forward-pattern", ".*"]),
        Run("python_unit_test.py", ["simple"], arguments=[
            "--grpc-restricted-protocol=model-repository:admin-key=admin-value",
            "--grpc-restricted-protocol=inference,health:infer-key=infer-value"]),
    ],
    "L0_parameters": parameters_suite(),
    "L0_client_timeout": [
        Run("client_infer_timeout_test.py", ["custom_identity_int32"]),
        Run("client_non_infer_timeout_test.py", ["custom_identity_int32"],
            arguments=["--model-control-mode=explicit", "--load-model=custom_identity_int32"],
            server_environment={"TRITONSERVER_SERVER_DELAY_GRPC_RESPONSE_SEC": "2"},
            skipped={"test_grpc_register_cuda_shared_memory": CUDA}),
    ],
    "L0_decoupled": [
        Run("decoupled_test.py", REPEAT, tests=[f"DecoupledTest.test_{name}" for name in (
            "one_to_none", "one_to_one", "one_to_many", "no_streaming", "response_order", "wrong_shape")],
            fresh=True, seconds=1800),
        Run("decoupled_test.py", REPEAT, tests=["DecoupledTest.test_one_to_multi_many"],
            server_environment={"TRITONSERVER_DELAY_GRPC_RESPONSE": "2000"}, fresh=True, seconds=1800,
            omitted=DELAYED),
        Run("decoupled_test.py", [REPEAT_ONCE], tests=["NonDecoupledTest"]),
    ],
    "L0_input_validation": [
        Run("input_validation_test.py", INPUTS, tests=["InputValTest"]),
        Run("input_validation_test.py", SHAPES, tests=["InputShapeTest"],
            skipped={"test_wrong_input_shape_tensor_size": NEEDS_TENSORRT}),
    ],
    "L0_metrics": metrics_suite(),
    "L0_trace": trace_suite(),
    "L0_logging": [Run("logging_endpoint_test.py", ["simple"])],
    "L0_nan_inf": [Run("nan_inf_test.py", ["nan_inf_output"])],
    "L0_string_io": [Run("string_client_test.py", ["graphdef_nobatch_zero_1_object", "string_identity"])],
    "L0_vertex_ai": [Run("vertex_ai_test.py", ["addsub"], server_environment=VERTEX,
                         arguments=["--allow-vertex-ai=true"])],
    "L0_sagemaker": [
        Run("sagemaker_test.py", ["sm_model"], arguments=["--allow-sagemaker=true"],
            server_environment={"SAGEMAKER_TRITON_DEFAULT_MODEL_NAME": "sm_model"}),
    ],
    "L0_grpc_state_cleanup": [
        cleanup(CLEANUP_TESTS), cleanup(SHUTDOWN_TESTS, skipped={f"test_{name}": SIGNAL for name in SHUTDOWN_TESTS}),
        cleanup(["simple_infer_error_status", "streaming_error_status", "decoupled_error_status"],
                arguments=["--grpc-restricted-protocol=inference:infer-key=infer-value"]),
    ],
    "L0_shared_memory": shared_memory_suite(),
}
