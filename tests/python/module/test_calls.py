"""The test models as a Python module."""

import ast
import contextlib
import gc
import inspect
import json
import os
import pydoc
import signal
import threading
import time
import urllib.error
import urllib.request

import ml_dtypes
import numpy as np
import pytest
import test_module as models

PLAIN = {
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
}


def run(functions):
    """Calls functions on separate threads, and returns their results or exceptions."""
    results = [None] * len(functions)

    def one(index):
        try:
            results[index] = functions[index]()
        except Exception as error:
            results[index] = error

    threads = [threading.Thread(target=one, args=(index,)) for index in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    return results


@pytest.mark.parametrize("datatype", PLAIN)
def test_every_element_type_round_trips(datatype):
    identity = getattr(models, f"I_{datatype}")
    values = np.array([[0, 1, 1], [1, 0, 1]]).astype(PLAIN[datatype])
    for array in (values, np.asfortranarray(values), values[:, ::-1], values.astype(values.dtype.newbyteorder(">"))):
        output = identity(array)
        assert output.dtype == PLAIN[datatype]
        np.testing.assert_array_equal(output, array)
    # A list is converted to the input's type.
    output = identity(values.tolist())
    assert output.dtype == PLAIN[datatype]
    np.testing.assert_array_equal(output, values)


def test_bfloat16_is_32_bits_like_in_nvidias_client():
    values = np.array([[1.0, -2.5, 3.0]], dtype=np.float32)
    for array in (values, values.astype(ml_dtypes.bfloat16), [[1.0, -2.5, 3.0]]):
        output = models.I_BF16(array)
        assert output.dtype == np.float32
        np.testing.assert_array_equal(output, values)


@pytest.mark.parametrize(
    "texts",
    [
        np.array([["ä", "", "abc"]], dtype=object),
        np.array([["ä", "", "abc"]]),
        [["ä", "", "abc"]],
        [["ä".encode(), b"", b"abc"]],
    ],
)
def test_strings_are_returned_as_bytes(texts):
    output = models.I_STRING(texts)
    assert output.dtype == object and output.tolist() == [["ä".encode(), b"", b"abc"]]


def test_trailing_zero_bytes_are_kept():
    assert models.I_BYTES([[b"a\0", b"\0"]]).tolist() == [[b"a\0", b"\0"]]


def test_inputs_and_outputs_are_not_copied():
    for x in (np.ones((1, 3), np.float32), np.ones((4, 3), np.float32)[2:3], np.ones((1, 1 << 20), np.float32)):
        assert models.AddressOfInput(x)[0, 0] == x.ctypes.data
    for count in (3, 1 << 20):
        elements, address = models.AddressOfOutput(np.array([count], np.uint32))
        assert elements.ctypes.data == address[0] and elements.shape == (count,)
        assert not elements.flags.writeable
        del address
        gc.collect()
        assert elements.sum() == count


def test_inputs_are_released_after_a_call():
    freed = threading.Event()

    class Watched(np.ndarray):
        def __del__(self):
            freed.set()

    x = np.ones((1, 3), np.float32).view(Watched)
    models.I_FP32(x)
    del x
    deadline = time.monotonic() + 10
    while not freed.is_set() and time.monotonic() < deadline:
        # References that another thread has dropped are released at the next call.
        models.I_FP32(np.ones((1, 3), np.float32))
    assert freed.is_set()


def test_scalar_is_repeated_for_each_row():
    x = np.ones((3, 2), np.float32)
    np.testing.assert_array_equal(models.left_out(x, by=2), x * 2)
    np.testing.assert_array_equal(models.left_out(x, 0.5, np.float32(2.0)), x * 2 + 0.5)
    np.testing.assert_array_equal(models.left_out(x, None, np.full((3, 1), 2, np.float32)), x * 2)


def test_outputs_have_their_names():
    one = np.ones((2, 3), np.float32)
    outputs = models.AddSub(one, one)
    names = outputs._fields
    total, difference = outputs
    np.testing.assert_array_equal(total, one * 2)
    np.testing.assert_array_equal(difference, one * 0)
    spec = inspect.signature(models.AddSub)
    by_name = models.infer("AddSub", dict.fromkeys(spec.parameters, one))
    assert tuple(by_name) == names


def test_omitted_output_is_none():
    x = np.array([[1.5]], np.float32)
    outputs = models.Omits(-x)
    assert outputs._fields == ("OUTPUT_1", "OUTPUT_2")
    assert outputs.OUTPUT_1 == -1.5 and outputs.OUTPUT_2 is None
    assert models.Omits(x).OUTPUT_2 == 1.5
    assert models.infer("Omits", {"x": -x})["OUTPUT_2"] is None
    assert models.OmitsOnly(-x) is None
    assert models.OmitsOnly(x) == 1.5


def test_help_shows_the_signature_of_a_model():
    assert str(inspect.signature(models.left_out)) == "(x, offset=None, *, by)"
    text = pydoc.plaintext.document(models.left_out)
    for part in ("A name that Python cannot write", "offset : FP32 [batch, :], optional", "The offsets to add.", "Returns"):
        assert part in text
    text = pydoc.plaintext.document(models.Count)
    assert "Yields" in text
    text = pydoc.plaintext.document(models)
    assert "left_out" in text and "serve" in text


def test_stub_lists_every_function():
    stub = ast.parse(models.__pyi__)
    listed = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    functions = {name for name, value in vars(models).items() if callable(value) and not isinstance(value, type)}
    assert listed == {name for name in functions if not name.startswith("__")}


def test_functions_run_concurrently():
    meet = lambda: models.Meet(np.array([[2]], np.uint32))[0, 0]
    assert run([meet, meet]) == [2, 2]


def test_calls_of_several_threads_form_one_batch():
    gathered = lambda: int(models.Gathered(np.ones((1, 1), np.float32))[0, 0])
    assert max(run([gathered] * 8)) > 1


def test_state_is_loaded_once():
    x = np.ones((1, 1), np.float32)
    loaded = lambda: int(models.Loaded(x)[0, 0])
    first = loaded()
    assert run([loaded] * 4) == [first] * 4


def test_async_functions_work():
    x = np.ones((1, 1), np.float32)
    np.testing.assert_array_equal(models.Ferry(x), x)


def test_a_decoupled_model_is_a_generator():
    assert [answer.item() for answer in models.Count([[3]])] == [0, 1, 2]
    assert list(models.Count([[0]])) == []
    answers = models.FailsAt([[2]])
    assert [next(answers).item(), next(answers).item()] == [0, 1]
    with pytest.raises(models.InferenceError, match="no answer 2"):
        next(answers)
    assert list(answers) == []
    endless = models.Endless([[1]])
    first = next(endless).item()
    assert next(endless).item() == first + 1
    endless.close()
    assert list(endless) == []
    named = list(models.infer("Count", {"count": np.array([[2]], np.int32)}))
    assert [list(answer) for answer in named] == [["OUTPUT_1"], ["OUTPUT_1"]]


def test_a_request_has_parameters():
    def ask(value, **parameters):
        inputs = {"VALUE": np.array([[value]], np.int32)}
        outputs = models.infer("Sums", inputs, parameters={"sequence_id": 7, **parameters})
        return outputs["OUTPUT_1"].item()

    assert [ask(3, sequence_start=True), ask(4, sequence_end=True)] == [3, 7]
    with pytest.raises(ValueError, match="must specify the START flag"):
        ask(5)
    with pytest.raises(TypeError, match="parameter 'mine' is list, expected bool, int, float or str"):
        ask(5, mine=[])
    # An integer must not become a float.
    with pytest.raises(ValueError, match="parameter 'mine': 18446744073709551616 does not fit into 64 bits"):
        ask(5, mine=1 << 64)
    with pytest.raises(ValueError, match="mine"):
        ask(5, mine=1 << 63)
    np.testing.assert_array_equal(
        models.infer("I_FP32", {"INPUT_1": np.ones((1, 1), np.float32)}, parameters={"timeout": 1 << 40})["OUTPUT_1"], [[1]]
    )


def test_versions_are_separate_functions():
    x = np.ones((1, 1), np.int32)
    latest, first = models.Versioned(x), models.infer("Versioned", {"x": x}, version=1)
    with pytest.raises(LookupError, match="version 2 is not found"):
        models.infer("Versioned", {"x": x}, version=2)
    assert latest.item() != first["OUTPUT_1"].item()


def test_failures_have_their_own_exception_types():
    below = np.array([[-1]], np.float32)
    with pytest.raises(models.InferenceError) as error:
        models.Fail(below)
    assert str(error.value) == "model 'Fail' failed: -1 is below zero" and error.value.status == 500
    assert isinstance(error.value, RuntimeError)
    assert type(error.value).__module__ == "test_module"
    with pytest.raises(models.InferenceError, match="model 'Panic' panicked: -1 is below zero"):
        models.Panic(below)


def test_invalid_values_are_refused():
    with pytest.raises(ValueError, match="out of range for UINT8"):
        models.I_UINT8([[300]])
    with pytest.raises(TypeError, match="data-type is 'FP64'|FP64"):
        models.I_INT32([[0.5]])
    with pytest.raises(TypeError, match="numpy's element type complex64 is not supported"):
        models.I_FP32(np.ones((1, 1), np.complex64))
    with pytest.raises(TypeError, match="element 1 is float, expected bytes or str"):
        models.I_BYTES([["a", 0.5]])
    with pytest.raises(TypeError, match="I_FP32.. takes 1 inputs but 2 were given"):
        models.I_FP32([[1]], [[1]])


class Alarm(Exception):
    """The exception of a signal."""


@contextlib.contextmanager
def alarm(seconds):
    def ring(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        with pytest.raises(Alarm):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_signal_interrupts_a_call():
    with alarm(0.3):
        models.Computing(np.array([[2000]], np.uint32))


def test_arrays_are_not_read_after_an_error():
    """After an exception, the caller may write to the inputs."""
    reread = lambda: models.Reread(np.zeros(1, np.float32)).tolist()
    before, _ = reread()
    x = np.ones((1, 1), np.float32)
    with alarm(0.2):
        models.Rereads(x)
    x[:] = 2
    y = np.ones((1, 1), np.float32)
    with pytest.raises(models.InferenceError) as error:
        models.RereadsTooLong(y)
    y[:] = 2
    assert error.value.status == 504
    deadline = time.monotonic() + 20
    while reread()[0] < before + 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert reread() == [before + 2, 0]


def test_booleans_are_copied():
    """Not every byte is a valid boolean, so the input is copied when it is checked."""
    x = np.array([[True]])
    assert models.AddressOfTruth(x)[0, 0] != x.ctypes.data


def test_abandoned_generator_does_not_block_others():
    answers = models.Endless([[1]])
    next(answers)
    with models.serve(background=True, http_port=0, grpc_port=0, metrics_port=0, openai_port=0):
        begun = time.monotonic()
        del answers
        gc.collect()
        assert time.monotonic() - begun < 10


def test_generator_ends_if_the_server_stops_first():
    options = {"http_port": 0, "grpc_port": 0, "metrics_port": 0, "openai_port": 0, "exit_timeout_secs": 1}
    server = models.serve(background=True, **options)
    answers = models.Endless([[1]])
    next(answers)
    with pytest.raises(RuntimeError):
        server.stop()
    with pytest.raises(models.InferenceError):
        while True:
            next(answers)
    assert list(answers) == []


def test_forked_process_has_its_own_models():
    x = np.ones((1, 1), np.float32)
    models.I_FP32(x)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(int(not np.array_equal(models.I_FP32(x), x)))
    assert os.waitpid(child, 0)[1] == 0


MISTAKES = [
    ("I_FP32", {"INPUT_1": ("INT32", np.ones((1, 1), np.int32))}, TypeError),
    ("I_FP32", {"INPUT_1": ("FP32", np.ones((1,), np.float32))}, ValueError),
    ("I_FP32", {"INPUT_1": ("FP32", np.ones((1, 1, 1), np.float32))}, ValueError),
    ("I_FP32", {"INPUT_1": ("FP32", np.ones((17, 1), np.float32))}, ValueError),
    ("I_FP32", {"INPUT_1": ("FP32", np.ones((0, 1), np.float32))}, ValueError),
    ("I_FP32", {"other": ("FP32", np.ones((1, 1), np.float32))}, TypeError),
    ("I_FP32", {}, TypeError),
    (
        "I_FP32",
        {"INPUT_1": ("FP32", np.ones((1, 1), np.float32)), "z": ("FP32", np.ones((1, 1), np.float32))},
        TypeError,
    ),
    ("Fixed", {"INPUT_1": ("FP32", np.ones((1, 2, 4), np.float32))}, ValueError),
    (
        "left-out",
        {"x": ("FP32", np.ones((2, 1), np.float32)), "by": ("FP32", np.ones((1, 1), np.float32))},
        ValueError,
    ),
    (
        "left-out",
        {"x": ("FP32", np.ones((2, 1), np.float32)), "by": ("FP32", np.array([[1], [2]], np.float32))},
        ValueError,
    ),
    ("Fail", {"INPUT_1": ("FP32", np.array([[-1]], np.float32))}, RuntimeError),
    ("Panic", {"INPUT_1": ("FP32", np.array([[-1]], np.float32))}, RuntimeError),
    ("WrongShape", {"INPUT_1": ("FP32", np.array([[-1]], np.float32))}, RuntimeError),
]


def refusal(http, model, inputs):
    """Returns the error that an HTTP client receives."""
    listed = [
        {"name": name, "datatype": datatype, "shape": array.shape, "data": array.ravel().tolist()}
        for name, (datatype, array) in inputs.items()
    ]
    body = json.dumps({"inputs": listed}).encode()
    request = urllib.request.Request(f"http://{http}/v2/models/{model}/infer", body)
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request, timeout=20)
    return error.value.code, json.load(error.value)["error"]


def test_errors_have_the_texts_of_clients():
    with models.serve(background=True, http_port=0, grpc_port=0, metrics_port=0, openai_port=0) as server:
        for model, inputs, kind in MISTAKES:
            status, told = refusal(server.http, model, inputs)
            with pytest.raises(kind) as error:
                models.infer(model, {name: array for name, (_, array) in inputs.items()})
            assert str(error.value) == told
            assert getattr(error.value, "status", 400) == status
            function = getattr(models, model.replace("-", "_"))
            with pytest.raises(kind) as error:
                function(**{name: array for name, (_, array) in inputs.items()})
            assert str(error.value) == told


def test_serves_and_stops():
    import tritonclient.grpc
    import tritonclient.http

    x = np.ones((2, 3), np.float32)
    server = models.serve(background=True, http_port=0, grpc_port=0, metrics_port=0, openai_port=0)
    assert server.http in repr(server)
    with pytest.raises(RuntimeError, match="already"):
        models.serve(background=True, http_port=0)
    for client, at in ((tritonclient.http, server.http), (tritonclient.grpc, server.grpc)):
        with client.InferenceServerClient(at) as asked:
            given = client.InferInput("INPUT_1", x.shape, "FP32")
            given.set_data_from_numpy(x)
            np.testing.assert_array_equal(asked.infer("I_FP32", [given]).as_numpy("OUTPUT_1"), x)
    np.testing.assert_array_equal(models.I_FP32(x), x)
    body = urllib.request.urlopen(f"http://{server.metrics}/metrics", timeout=20).read().decode()
    assert 'nv_inference_request_success{model="I_FP32",version="1"} 3' in body
    server.stop()
    server.stop()
    assert repr(server) == "<stopped Server>"
    with pytest.raises(OSError):
        urllib.request.urlopen(f"http://{server.http}/v2", timeout=20)
    np.testing.assert_array_equal(models.I_FP32(x), x)


def test_options_match_the_command_line():
    with pytest.raises(RuntimeError, match="--no-such-option"):
        models.serve(background=True, no_such_option=1)
    with pytest.raises(ValueError, match="embedded engine"):
        models.serve(background=True, engine="tritonserver")
    options = {"http_port": 0, "allow_grpc": False, "allow_metrics": False, "openai_port": 0}
    with models.serve(background=True, **options) as server:
        assert server.grpc is None and server.metrics is None
