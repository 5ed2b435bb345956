"""A module that serves in the foreground, in a separate process."""

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

SERVE = """
import test_module as models
try:
    models.serve(http_port=0, grpc_port=0, metrics_port=0, openai_port=0)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise
print("went on", flush=True)
"""


def hear_ctrl_c():
    """Restores SIGINT, which shells ignore for background processes and their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def served(program=SERVE):
    """Starts the process, and yields it with its addresses."""
    command = [sys.executable, "-c", program]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, preexec_fn=hear_ctrl_c, **pipes)
    try:
        lines = []
        for line in process.stdout:
            if line == "ready\n":
                break
            lines.append(line.split())
        yield process, dict(lines)
    finally:
        process.kill()
        process.communicate(timeout=20)


def ask(addresses, milliseconds):
    inputs = [{"name": "milliseconds", "datatype": "UINT32", "shape": [1, 1], "data": [milliseconds]}]
    url = f"{addresses['http']}/v2/models/Computing/infer"
    request = urllib.request.Request(url, json.dumps({"inputs": inputs}).encode())
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["outputs"][0]["data"]


def begin(addresses, milliseconds):
    """Sends a request on a separate thread. Returns when the function is called, with the list for
    the response.
    """
    answers = []

    def one():
        try:
            answers.append(ask(addresses, milliseconds))
        except Exception as error:
            answers.append(error)

    thread = threading.Thread(target=one)
    thread.start()
    deadline = time.monotonic() + 20
    while 'pytriton_requests_running{model="Computing",version="1"} 1' not in metrics(addresses):
        assert time.monotonic() < deadline
    return thread, answers


def metrics(addresses):
    with urllib.request.urlopen(addresses["metrics"], timeout=20) as response:
        return response.read().decode()


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, -signal.SIGINT, "interrupted\n"), (signal.SIGTERM, 0, "went on\n")],
)
def test_signal_stops_the_server_after_accepted_requests(number, code, said):
    with served() as (process, addresses):
        assert ask(addresses, 1) == [1]
        thread, answers = begin(addresses, 1500)
        process.send_signal(number)
        thread.join(30)
        assert answers == [[1500]]
        out, errors = process.communicate(timeout=30)
        assert (process.returncode, out) == (code, said), errors
        assert errors.count("KeyboardInterrupt") == (number == signal.SIGINT), errors
        with pytest.raises(OSError):
            ask(addresses, 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_second_signal_stops_the_server_at_once(number):
    with served() as (process, addresses):
        begin(addresses, 20_000)
        process.send_signal(number)
        refused = f"{addresses['http']}/v2/health/ready"
        deadline = time.monotonic() + 20
        while True:
            try:
                urllib.request.urlopen(refused, timeout=20).close()
            except OSError:
                break
            assert time.monotonic() < deadline
        process.send_signal(number)
        process.communicate(timeout=10)
        assert process.returncode == -number


HANDLED = """
import signal
import sys
import test_module as models
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
models.serve(http_port=0, grpc_port=0, metrics_port=0, openai_port=0)
"""


def test_existing_signal_handler_is_kept():
    with served(HANDLED) as (process, _):
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 7, errors


INTERRUPTED = """
import os, signal, sys, threading, time, urllib.request
import test_module as models

def interrupt():
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)
    open(sys.argv[1]).read()

# The start waits until the log is read, and the signal arrives before.
os.mkfifo(sys.argv[1])
threading.Thread(target=interrupt, daemon=True).start()
ports = {"http_port": 0, "grpc_port": 0, "metrics_port": 0, "openai_port": 0}
try:
    models.serve(background=BACKGROUND, log_file=sys.argv[1], **ports)
except KeyboardInterrupt:
    print("interrupted")
assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
with models.serve(background=True, **ports) as server:
    urllib.request.urlopen(f"http://{server.http}/v2/health/ready", timeout=20).close()
"""


@pytest.mark.parametrize("background", [True, False])
def test_server_does_not_outlive_a_signal_during_its_start(tmp_path, background):
    program = INTERRUPTED.replace("BACKGROUND", str(background))
    command = [sys.executable, "-c", program, str(tmp_path / "log")]
    process = subprocess.run(
        command, preexec_fn=hear_ctrl_c, capture_output=True, text=True, timeout=60
    )
    assert (process.returncode, process.stdout) == (0, "interrupted\n"), process.stderr


CLOSED = """
import os, signal, sys, threading, time
import test_module as models

def terminate():
    while signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        time.sleep(0.01)
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGTERM)

{close}
threading.Thread(target=terminate, daemon=True).start()
models.serve(http_port=0, grpc_port=0, metrics_port=0, openai_port=0)
os.write(2, b"went on")
os._exit(0)
"""


@pytest.mark.parametrize(
    "close",
    ["sys.stdout.close()", "reader, writer = os.pipe(); os.dup2(writer, 1); os.close(reader)"],
)
def test_server_needs_no_standard_output(close):
    command = [sys.executable, "-c", CLOSED.format(close=close)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert process.returncode == 0 and "went on" in process.stderr, process.stderr


LOGGED = """
import test_module as models
models.I_FP32([[1]])
with models.serve(background=True, http_port=0, grpc_port=0, metrics_port=0, openai_port=0, **{options}):
    try:
        models.Panic([[-1]])
    except models.InferenceError as error:
        print(error)
"""


def logged(**options):
    program = [sys.executable, "-c", LOGGED.format(options=options)]
    return subprocess.run(program, capture_output=True, text=True, timeout=60, check=True)


def test_log_lines_match_the_server(tmp_path):
    process = logged()
    assert process.stdout == "model 'Panic' panicked: -1 is below zero\n"
    assert "INFO" in process.stderr and "engine embedded" in process.stderr, process.stderr
    # The log mentions the access token once.
    assert process.stderr.count("access token") == 1, process.stderr
    assert "ERROR" in process.stderr and "panicked: -1 is below zero" in process.stderr, process.stderr
    process = logged(log_info=False, log_format="json")
    lines = [json.loads(line) for line in process.stderr.splitlines()]
    # The server warns about unrestricted endpoints in these tests.
    levels = [line["level"] for line in lines if "RESTRICTED_ENDPOINTS" not in line["message"]]
    assert levels == ["ERROR"], lines
    path = tmp_path / "log"
    process = logged(log_file=str(path))
    assert "panicked: -1 is below zero" not in process.stderr
    assert "panicked: -1 is below zero" in path.read_text()
