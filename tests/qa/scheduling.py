"""The suites of the schedulers: batches, sequences, queues, cancellation."""

from builders import EMPTY_ROWS, NEEDS_ENSEMBLES, READS_LOG, Run, add_sub, identity, sequence


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


SEQUENCE_TESTS = {
    (0, 0): ["test_simple_sequence", "test_length1_sequence", "test_batch_size", "test_no_sequence_start",
             "test_no_sequence_start2", "test_no_sequence_end", "test_no_correlation_id"],
    (10, 2): ["test_backlog_fill"], (10, 3): ["test_backlog_fill_no_end"],
    (12, 2): ["test_backlog_same_correlation_id"], (16, 0): ["test_backlog_same_correlation_id_no_end"],
    (4, 0): ["test_backlog_sequence_timeout"], (8, 0): ["test_half_batch"],
    (12, 0): ["test_skip_batch", "test_full_batch", "test_ragged_batch", "test_backlog"],
}


EMPTY_ROW_TESTS = ("test_backlog_fill_no_end", "test_queue_delay_no_min_util", "test_queue_delay_half_min_util",
                   "test_queue_delay_full_min_util")


def sequence_runs(label, models, delays, instances, backends="custom", **environment):
    runs = []
    for (delay, backlog), tests in delays.items():
        server = {"TRITONSERVER_DELAY_SCHEDULER": str(delay), "TRITONSERVER_BACKLOG_DELAY_SCHEDULER": str(backlog)}
        environment = {"BACKENDS": backends, "ENSEMBLES": "0", "NO_BATCHING": "0", "IMPLICIT_STATE": "0",
                       "INITIAL_STATE_FILE": "0", "BATCHER_TYPE": "FIXED", "MODEL_INSTANCES": str(instances),
                       **environment}
        tests = [f"SequenceBatcherTest.{test}" for test in tests]
        runs.append(Run("sequence_batcher_test.py", models, tests, environment=environment,
                        server_environment=server if delay else {}, fresh=True, label=label,
                        skipped=dict.fromkeys(EMPTY_ROW_TESTS, EMPTY_ROWS)))
    return runs


def sequence_suite():
    runs = []
    for instances, rows in ((1, 4), (2, 2), (4, 1)):
        runs += sequence_runs(f"models{instances}", [sequence("custom_sequence_int32", "int32", rows, instances=instances)],
                              SEQUENCE_TESTS, instances)
    unbatched = ["savedmodel_nobatch_sequence_float32", "savedmodel_nobatch_sequence_bool"]
    runs += sequence_runs("models0", unbatched, SEQUENCE_TESTS, 4, "savedmodel", NO_BATCHING="1")
    models = [sequence("custom_sequence_int32", instances=1, max_queue_delay_microseconds=3_000_000),
              "custom_sequence_int32_half", "custom_sequence_int32_full"]
    tests = {(2, 0): ["test_queue_delay_no_min_util", "test_queue_delay_half_min_util", "test_queue_delay_full_min_util"]}
    runs += sequence_runs("queue_delay", models, tests, 1)
    timeout = sequence_runs("timeout", ["custom_sequence_int32_timeout"], {(0, 0): []}, 1)[0]
    timeout.tests = ["SequenceBatcherRequestTimeoutTest.test_request_timeout",
                     "SequenceBatcherRequestTimeoutTest.test_send_request_after_timeout"]
    timeout.fresh = False
    return [*runs, timeout]


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
        "max_priority_levels": queue(**slow, priority_levels=2**64 - 1, default_priority_level=2**32),
        "priority_with_policy": queue(
            preferred_batch_size=[4, 8, 32], max_queue_delay_microseconds=10_000_000, **levels,
            queue_policy={"delay": True, **policy}, priority_queue_policy={2: policy}),
    }
    return [Run("model_queue_test.py", models, [f"ModelQueueTest.test_{name}"],
                skipped={"test_max_queue_size": NEEDS_ENSEMBLES, "test_policy_reject": NEEDS_ENSEMBLES})
            for name, models in table.items()]


CANCELLED = ["dynamic_batch", "sequence_direct", "sequence_oldest"]
CANCELLED_IDENTITY = identity("custom_identity_int32", "int32", max_batch_size=1024,
                              parameters={"execute_delay_ms": "10000"})

ENSEMBLE_TESTS = ("test_ensemble_all_inputs", "test_ensemble_optional_same_input",
                  "test_ensemble_optional_mix_inputs", "test_ensemble_optional_mix_inputs_2",
                  "test_ensemble_optional_connecting_tensor", "test_ensemble_optional_pipeline")

def dyna_sequence_suite():
    """The strategy `oldest`."""
    def runs(tests, batching, candidates, delay, function=sequence):
        models = [function(f"custom_{name}dyna_sequence_int32", max_batch_size=8, sequence_batching="oldest",
                           max_candidate_sequences=candidates, instances=1, preferred_batch_size=[4],
                           parameters={"execute_delay_ms": "3", "add_sequence_id": "1"},
                           **({"max_queue_delay_microseconds": delay} if delay else {})) for name in ("", "string_")]
        environment = {"BACKENDS": "custom", "IMPLICIT_STATE": "0", "NO_BATCHING": batching}
        return [Run("dyna_sequence_batcher_test.py", models, [f"DynaSequenceBatcherTest.test_{name}" for name in tests],
                    environment=environment, fresh=True)]

    return runs(["simple_sequence", "length1_sequence"], "0", 6, 0) + runs(
        ["multi_sequence_different_shape", "multi_sequence", "multi_parallel_sequence", "backlog", "backlog_fill",
         "backlog_fill_no_end", "backlog_sequence_timeout"], "0", 4, 5_000_000)


SUITES = {
    "L0_dyna_sequence_batcher": dyna_sequence_suite(),
    "L0_optional_input": [
        Run("optional_input_test.py", ["identity_2_float32"], fresh=True, skipped=dict.fromkeys(ENSEMBLE_TESTS, NEEDS_ENSEMBLES)),
    ],
    "L0_model_queue": model_queue_suite(),
    "L0_request_cancellation": [
        Run("grpc_cancellation_test.py", [CANCELLED_IDENTITY], fresh=True,
            skipped={"test_grpc_async_infer_cancellation_at_step_start": READS_LOG}),
        Run("scheduler_test.py", CANCELLED, skipped={"test_ensemble_scheduler_request_cancellation": NEEDS_ENSEMBLES}),
    ],
    "L0_batcher": batcher_suite(),
    "L0_sequence_batcher": sequence_suite(),
}
