"""The suites that load and unload models.

Tests that write models or configurations to a model repository on disk are not here: functions are
compiled in. `files` holds what tests copy and delete without an effect on the server.
"""

from builders import (
    COMPLETION, DISCARDED, NEEDS_ENSEMBLES, SHUTDOWN, Run, add_sub, identity, model, sequence, tensor,
)

EXPLICIT = ["--model-control-mode=explicit"]
NOT_EXIT = ["--exit-on-error=false", "--strict-readiness=true"]


def swapped(*names, **more):
    """The versions 1 and 3 of NVIDIA's models for FP32."""
    return [add_sub(f"{name}_float32_float32_float32", ("float32",) * 3, **more) for name in names]


def failing(name):
    """A model that cannot be loaded."""
    return model(name, "failing_load", [tensor("INPUT0", "float32", (16,))], [tensor("OUTPUT0", "float32", (16,))])


def lifecycle(tests, models, arguments=(), environment=None, **more):
    return Run("lifecycle_test.py", models, [f"LifeCycleTest.test_{test}" for test in tests],
               arguments=list(arguments), environment=environment or {}, fresh=True, **more)


def lifecycle_suite():
    graphdef, onnx = "graphdef_float32_float32_float32", "onnx_float32_float32_float32"
    reloaded = "identity_zero_1_int32"
    first = {"versions": [1], "specific": [1]}
    parallel = model(
        "openvino_float32_float32_float32", "add_sub",
        [tensor(f"INPUT{number}", "float32", (-1, 16)) for number in (0, 1)],
        [tensor(f"OUTPUT{number}", "float32", (-1, 16)) for number in (0, 1)], 0,
        sequence_batching="direct", max_sequence_idle_microseconds=10_000_000, instances=5)
    slow = {"parameters": {"execute_delay_ms": "5000"}}
    return [
        # Models that cannot be loaded.
        lifecycle(["parse_error_modelfail"], [failing(graphdef), *swapped("savedmodel", "onnx")], NOT_EXIT),
        lifecycle(["parse_error_modelfail_nostrict"], [failing(graphdef), *swapped("savedmodel", "onnx")],
                  ["--exit-on-error=false", "--strict-readiness=false"]),
        lifecycle(["parse_error_no_model_config"], swapped("savedmodel", "onnx")),
        lifecycle(["init_error_modelfail"], [
            failing("onnx_sequence_int32"), failing("onnx_int32_int32_int32"), *swapped("graphdef", "savedmodel", "onnx")],
            NOT_EXIT),
        lifecycle(["parse_error_model_no_version"], [failing(graphdef), *swapped("savedmodel", "onnx", "plan")], NOT_EXIT),
        lifecycle(["parse_ignore_zero_prefixed_version", "parse_ignore_non_intergral_version"],
                  swapped("savedmodel", **first)),
        lifecycle(["model_control_fail"], [failing(onnx)], EXPLICIT),
        # Files that change without an effect.
        lifecycle(["dynamic_model_load_unload_disabled"], swapped("onnx"), ["--model-control-mode=none"],
                  files={"savedmodel_float32_float32_float32/": "", f"models/{onnx}/": ""}),
        lifecycle(["dynamic_version_load_unload_disabled"], [add_sub("graphdef_int32_int32_int32")],
                  ["--model-control-mode=none"],
                  files={f"models/graphdef_int32_int32_int32/{version}/": "" for version in (1, 2)}),
        *[lifecycle(["model_availability_on_reload_3"], [reloaded], [*EXPLICIT, f"--load-model={reloaded}"],
                    environment, label=label,
                    files={"config.pbtxt.new": "", f"models/{reloaded}/config.pbtxt": ""})
          for label, environment in (("http", {}), ("grpc", {"TRITONSERVER_USE_GRPC": "1"}))],
        lifecycle(["file_override_security"], [reloaded], EXPLICIT),
        lifecycle(["model_repository_index"], swapped(
            "graphdef", "savedmodel", "simple_savedmodel", "simple_graphdef", "libtorch", "simple_libtorch", "plan", "simple_plan",
            **first),
            [*EXPLICIT, *(f"--load-model={name}_float32_float32_float32" for name in (
                "graphdef", "savedmodel", "simple_savedmodel"))]),
        # Concurrent loads.
        lifecycle(["concurrent_model_load_speedup"], ["identity_zero_1_int32_1", "identity_zero_1_int32_2",
                                                      "python_identity_fp32_1", "python_identity_fp32_2"], EXPLICIT),
        lifecycle(["concurrent_model_instance_load_speedup"], ["identity_fp32"], EXPLICIT,
                  skipped={"test_concurrent_model_instance_load_speedup": COMPLETION}),
        lifecycle(["concurrent_model_instance_load_sanity"], [parallel], EXPLICIT, {"PARALLEL_BACKENDS": "openvino"},
                  skipped={"test_concurrent_model_instance_load_sanity": COMPLETION}),
        lifecycle(["concurrent_model_load_unload"], [
            reloaded, identity("ensemble_zero_1_float32"), identity("custom_zero_1_float32")], EXPLICIT,
            skipped={"test_concurrent_model_load_unload": NEEDS_ENSEMBLES}),
        lifecycle(["concurrent_same_model_load_unload_stress"],
                  [identity(reloaded, "int32", max_batch_size=0)], EXPLICIT, seconds=450,
                  skipped={"test_concurrent_same_model_load_unload_stress": DISCARDED}),
        # Shutdown.
        lifecycle(["shutdown_dynamic"], [identity("custom_zero_1_float32", instances=1, **slow)],
                  skipped={"test_shutdown_dynamic": SHUTDOWN}),
        lifecycle(["shutdown_sequence"], [sequence("custom_sequence_int32", instances=1)],
                  skipped={"test_shutdown_sequence": SHUTDOWN}),
        lifecycle(["shutdown_while_loading"], ["identity_fp32"], EXPLICIT),
        lifecycle(["shutdown_with_live_connection"], [add_sub("add_sub", ("float32",) * 3, 0, swap=False)],
                  skipped={"test_shutdown_with_live_connection": SHUTDOWN}),
    ]


def response_cache_suite():
    """A function replaces the ensemble."""
    files = {f"models/ensemble_models/{name}_float32_float32_float32/config.pbtxt": ""
             for name in ("simple_graphdef", "graphdef")}

    def cached(tests, size, *cached):
        models = [model for name in ("simple_graphdef", "graphdef")
                  for model in swapped(name, **({"response_cache": True} if name in cached else {}))]
        return Run("ensemble_cache_test.py", models, [f"EnsembleCacheTest.test_ensemble_{test}" for test in tests],
                   arguments=[*EXPLICIT, "--cache-config", f"local,size={size}"], files=files, fresh=True,
                   skipped={"test_ensemble_composing_model_cache_enabled": NEEDS_ENSEMBLES})

    return [
        cached(["top_level_response_cache"], 8192, "simple_graphdef"),
        cached(["all_models_cache_enabled"], 8192, "simple_graphdef", "graphdef"),
        cached(["composing_model_cache_enabled"], 8192, "graphdef"),
        cached(["cache_insertion_failure"], 200, "simple_graphdef"),
    ]


SUITES = {"L0_lifecycle": lifecycle_suite(), "L0_response_cache": response_cache_suite()}
