//! The examples, called by NVIDIA's client.

use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Result, Server, finish, tritonserver};

use crate::python;

const DEADLINE: Duration = Duration::from_secs(30);

/// Runs Python code with a client of each protocol for a new server.
fn ask(binary: &str, lines: &str) -> Result<()> {
    ask_of(Server::start(binary, &[])?, lines)
}

fn ask_of(server: Server, lines: &str) -> Result<()> {
    let mut command = python()?.command();
    command
        .args(["-c", &format!("{PRELUDE}{lines}")])
        .arg(&server.banner().http)
        .arg(&server.banner().grpc)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"));
    finish(&mut command, DEADLINE)?.success("python")?;
    server.signal("TERM")?;
    assert_eq!(server.wait(DEADLINE)?.0.code(), Some(0));
    Ok(())
}

const PRELUDE: &str = "
import importlib.util
import pathlib
import sys
import numpy as np
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException, np_to_triton_dtype

EXAMPLES = pathlib.Path(sys.argv[3])

def script(path):
    spec = importlib.util.spec_from_file_location('script', EXAMPLES / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

def infer(model, **arrays):
    results = []
    for protocol, address in zip((tritonclient.http, tritonclient.grpc), sys.argv[1:]):
        with protocol.InferenceServerClient(address) as client:
            inputs = []
            for name, array in arrays.items():
                given = protocol.InferInput(name, list(array.shape), np_to_triton_dtype(array.dtype))
                inputs.append(given.set_data_from_numpy(array))
            results.append(client.infer(model, inputs))
    return results

def fails(model, text, **arrays):
    try:
        infer(model, **arrays)
    except InferenceServerException as error:
        assert text in error.message(), error
    else:
        raise AssertionError('it did not fail')

";

#[test]
fn linear() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_linear"),
        "
weights = np.add.outer(np.arange(20), np.arange(30)).astype(np.float32) / 16
x = np.random.default_rng(1).standard_normal((3, 20), dtype=np.float32)
for result in infer('Linear', x=x, scale=np.full((3, 1), 2.0, np.float32)):
    np.testing.assert_allclose(result.as_numpy('OUTPUT_1'), x @ weights * 2, rtol=1e-4, atol=1e-5)
",
    )
}

#[test]
fn add_sub() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_add_sub"),
        "
a, b = np.array([[1, 2]], np.float32), np.array([[3, 5]], np.float32)
for result in infer('AddSub', a=a, b=b):
    np.testing.assert_array_equal(result.as_numpy('add'), a + b)
    np.testing.assert_array_equal(result.as_numpy('sub'), a - b)
fails('AddSub', 'a is [1, 2] but b is [1, 3]', a=a, b=np.zeros((1, 3), np.float32))
",
    )
}

#[test]
fn identity() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_identity"),
        "
x = np.arange(32, dtype=np.float32).reshape(16, 2)
for result in infer('Identity', INPUT_1=x):
    np.testing.assert_array_equal(result.as_numpy('OUTPUT_1'), x)
x = np.array([[b'', b'a\\0', b'\\xff']], dtype=np.object_)
for result in infer('IdentityBytes', INPUT_1=x):
    assert result.as_numpy('OUTPUT_1').tolist() == x.tolist()
",
    )
}

#[test]
fn first_value() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_first_value"),
        "
x = np.array([[1, 2, 3], [0, 0, 5]], np.float32)
for temperature in (0.5, 1.0, 4.0):
    weights = np.exp(x / temperature)
    expected = weights / weights.sum(axis=1, keepdims=True)
    for result in infer('Softmax', scores=x, temperature=np.full((2, 1), temperature, np.float32)):
        np.testing.assert_allclose(result.as_numpy('OUTPUT_1'), expected, rtol=1e-5)
fails('Softmax', 'temperature must be positive', scores=x, temperature=np.zeros((2, 1), np.float32))
fails('Softmax', 'temperature', scores=x, temperature=np.array([[1], [2]], np.float32))
",
    )
}

#[test]
fn native_backend() -> Result<()> {
    let binary = env!("CARGO_BIN_EXE_example_native_backend");
    ask_of(
        Server::start_native(binary.as_ref(), crate::folder(), &[])?,
        "
x = np.arange(32, dtype=np.float32).reshape(16, 2)
for result in infer('Identity', INPUT_1=x):
    np.testing.assert_array_equal(result.as_numpy('OUTPUT_1'), x)

fails('Identity', \"data-type is 'INT32', but model 'Identity' expects 'FP32'\", INPUT_1=x.astype(np.int32))
fails('Identity', \"expected 1 inputs but got 2 inputs for model 'Identity'\", INPUT_1=x, INPUT_2=x)
fails('Identity', 'batch-size must be <= 16', INPUT_1=np.zeros((17, 2), np.float32))

with tritonclient.http.InferenceServerClient(sys.argv[1], concurrency=16) as client:
    def begin(value):
        given = tritonclient.http.InferInput('INPUT_1', [1, 3], 'FP32')
        return client.async_infer('Identity', [given.set_data_from_numpy(np.full((1, 3), value, np.float32))])
    for value, begun in enumerate([begin(value) for value in range(200)]):
        assert begun.get_result().as_numpy('OUTPUT_1').tolist() == [[value] * 3]
    (counts,) = client.get_inference_statistics('Identity')['model_stats']
assert counts['inference_count'] == 2 * 16 + 200, counts
assert counts['inference_stats']['success']['count'] == 202, counts
batches = counts['batch_stats']
assert sum(batch['compute_infer']['count'] for batch in batches) == counts['execution_count'], counts
assert sum(batch['batch_size'] * batch['compute_infer']['count'] for batch in batches) == 232, counts
",
    )
}

#[test]
fn stateful() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_stateful"),
        "
ids = np.array([[0, 999], [5, 7]], np.int64)
expected = np.arange(8000, dtype=np.float32).reshape(1000, 8)[ids]
for result in infer('Embedding', ids=ids):
    np.testing.assert_array_equal(result.as_numpy('OUTPUT_1'), expected)
fails('Embedding', 'there is no vector of id -1', ids=np.array([[-1]], np.int64))
",
    )
}

#[test]
fn streaming() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_streaming"),
        "
client, other = script('streaming/client.py'), script('streaming/openai_client.py')
text = ' '.join((EXAMPLES.parent / 'LICENSE').read_text().split())
url = f'http://{sys.argv[1]}/v1'

words = list(client.words(sys.argv[2], 'You may', 40))
assert len(words) == 40 and all(word[0] == ' ' for word in words), words
assert words == list(client.words(sys.argv[2], 'You may', 40))
assert words != list(client.words(sys.argv[2], 'You may', 40, seed=2))
assert words == list(other.words(url, 'You may', 40))
said, usage = other.answer(url, 'You may')
assert said == ''.join(words[:20]) and (usage.prompt_tokens, usage.completion_tokens) == (2, 20)
# Each two words in a row are the licence's.
said = ['You', 'may', *(word[1:] for word in words)]
for start in range(len(said) - 3):
    assert ' '.join(said[start : start + 2]) in text, said
assert list(client.words(sys.argv[2], 'zzz')) == []
assert list(client.words(sys.argv[2], 'You may', 0)) == []
try:
    list(client.words(sys.argv[2], 'You may', 1001))
except InferenceServerException as error:
    assert 'max_tokens must be at most 1000, not 1001' in str(error), error
else:
    raise AssertionError('it did not fail')
",
    )
}

#[test]
fn runtime_models() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_runtime_models"),
        "
x = np.array([[1, 2], [3, -4]], np.float32)
for result in infer('square', x=x):
    np.testing.assert_array_equal(result.as_numpy('y'), x * x)
for result in infer('line', x=x):
    np.testing.assert_array_equal(result.as_numpy('y'), 2 * x + 1)
",
    )
}

#[test]
fn runtime_models_with_tritonserver() -> Result<()> {
    let binary = env!("CARGO_BIN_EXE_example_runtime_models");
    let path = tritonserver(crate::MODELS.as_ref(), crate::folder())?;
    let mut command = Command::new(binary);
    command.env("PYTRITON_ENGINE", "tritonserver");
    command.env("PYTRITON_TRITONSERVER", path);
    command.env("POLYNOMIALS", "cube=0,0,0,1");
    command.args([
        "--http-port=0",
        "--grpc-port=0",
        "--metrics-port=0",
        "--openai-port=0",
        "--docs-port=0",
    ]);
    ask_of(
        Server::spawn(&mut command)?,
        "
x = np.array([[1, 2], [3, -4]], np.float32)
for result in infer('cube', x=x):
    np.testing.assert_array_equal(result.as_numpy('y'), x * x * x)
",
    )
}

#[test]
fn multi_instance() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_multi_instance"),
        "
x = np.array([[1, 2, 3], [0, 1, 0]], np.float32)
weights = np.add.outer(np.arange(3), np.arange(2)).astype(np.float32)
devices = set()
with tritonclient.http.InferenceServerClient(sys.argv[1], concurrency=8) as client:
    def begin():
        given = tritonclient.http.InferInput('x', [2, 3], 'FP32')
        return client.async_infer('Network', [given.set_data_from_numpy(x)])
    for _ in range(200):
        for begun in [begin() for _ in range(8)]:
            result = begun.get_result()
            np.testing.assert_array_equal(result.as_numpy('y'), x @ weights)
            devices.update(result.as_numpy('device').ravel().tolist())
        if len(devices) == 2:
            break
assert devices == {b'gpu:0', b'gpu:1'}, devices
",
    )
}

#[test]
fn online_learning() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_online_learning"),
        "
client = script('online_learning/client.py')
random = np.random.default_rng(1)
slope, offset, rate = np.float32(0), np.float32(0), np.float32(0.1)

def learn(x, y):
    global slope, offset
    error = y - (slope * x + offset)
    slope, offset = slope + rate * error * x, offset + rate * error
    return error * error

ends = np.array([[-1], [1]], np.float32)
for result in infer('predict', x=ends):
    np.testing.assert_array_equal(result.as_numpy('y'), np.zeros((2, 1), np.float32))
with tritonclient.http.InferenceServerClient(sys.argv[1]) as server:
    for _ in range(40):
        x = random.uniform(-1, 1, (16, 1)).astype(np.float32)
        y = (3 * x - 2 + 0.1 * random.standard_normal((16, 1))).astype(np.float32)
        losses = client.fit(server, x, y)
        expected = [[learn(*point)] for point in zip(x[:, 0], y[:, 0])]
        np.testing.assert_allclose(losses, expected, rtol=1e-3, atol=1e-6)
        for result in infer('predict', x=ends):
            np.testing.assert_allclose(result.as_numpy('y'), slope * ends + offset, atol=1e-5)
    np.testing.assert_allclose(client.predict(server, ends), 3 * ends - 2, atol=0.2)
fails('fit', 'expected 2 inputs but got 1 inputs', x=ends)
",
    )
}

#[test]
fn optionals() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_optionals"),
        "
x = np.array([[1, 2], [3, 4]], np.float32)
scale, offset = np.full((2, 2), 3, np.float32), np.full((2, 2), 0.5, np.float32)
for given, expected in (
    ({}, x),
    ({'scale': scale}, 3 * x),
    ({'offset': offset}, x + 0.5),
    ({'scale': scale, 'offset': offset}, 3 * x + 0.5),
):
    for result in infer('Transform', x=x, **given):
        np.testing.assert_array_equal(result.as_numpy('OUTPUT_1'), expected)
",
    )
}

#[test]
fn parameters() -> Result<()> {
    let forwarded = [
        "--http-header-forward-pattern",
        "x-.*",
        "--grpc-header-forward-pattern",
        "x-.*",
    ];
    let server = Server::start(env!("CARGO_BIN_EXE_example_parameters"), &forwarded)?;
    ask_of(
        server,
        "
text = np.array([[b'hello']], np.object_)
for protocol, address in zip((tritonclient.http, tritonclient.grpc), sys.argv[1:]):
    with protocol.InferenceServerClient(address) as client:
        given = protocol.InferInput('text', [1, 1], 'BYTES').set_data_from_numpy(text)
        for options, expected in (
            ({}, b'hello stranger, from instance 0'),
            ({'parameters': {'times': 2}}, b'hello hello stranger, from instance 0'),
            ({'headers': {'x-user': 'ada'}}, b'hello ada, from instance 0'),
        ):
            result = client.infer('Greet', [given], **options)
            assert result.as_numpy('OUTPUT_1').tolist() == [[expected]], result.as_numpy('OUTPUT_1')
        try:
            client.infer('Greet', [given], parameters={'times': 10})
        except InferenceServerException as error:
            assert 'times must be from 1 to 9, not 10' in error.message(), error
        else:
            raise AssertionError('it did not fail')
",
    )
}

#[test]
fn multiple_models() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_multiple_models"),
        "
a, b = np.array([1, 2], np.int64), np.array([10, -2], np.int64)
for result in infer('Sum', a=a, b=b):
    np.testing.assert_array_equal(result.as_numpy('OUTPUT_1'), a + b)
x = np.array([[1, 4], [2, 8]], np.float64)
for protocol, address in zip((tritonclient.http, tritonclient.grpc), sys.argv[1:]):
    with protocol.InferenceServerClient(address) as client:
        given = protocol.InferInput('x', [2, 2], 'FP64').set_data_from_numpy(x)
        for version, expected in (('1', [[2.5], [5]]), ('2', [[2], [4]]), ('', [[2], [4]])):
            result = client.infer('Mean', [given], model_version=version)
            np.testing.assert_allclose(result.as_numpy('OUTPUT_1'), expected)
seen = [result.as_numpy('OUTPUT_1').tolist() for result in infer('Counter', x=np.zeros((2, 1), np.uint8))]
assert seen == [[[2], [2]], [[4], [4]]], seen
",
    )
}

#[test]
fn grouping() -> Result<()> {
    ask(
        env!("CARGO_BIN_EXE_example_grouping"),
        "
start, length = np.array([[10], [20], [30]], np.int32), np.array([[1], [3], [1]], np.uint8)
for result in infer('Beam', start=start, length=length):
    assert result.as_numpy('OUTPUT_1').tolist() == [[11, 0, 0], [21, 22, 23], [31, 0, 0]]
for rows, compiled in ((1, 1), (2, 4), (4, 4), (5, 8), (8, 8)):
    x = np.arange(rows, dtype=np.float32).reshape(rows, 1)
    for result in infer('Compiled', x=x):
        np.testing.assert_array_equal(result.as_numpy('OUTPUT_1'), 2 * x)
        np.testing.assert_array_equal(result.as_numpy('OUTPUT_2'), np.full((rows, 1), compiled))
",
    )
}
