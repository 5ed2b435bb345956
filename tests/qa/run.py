#!/usr/bin/env python3
"""Runs NVIDIA's QA suites against a server of ours.

run.py CHECKOUT [--engine embedded|tritonserver] [--python PYTHON] [SUITE...]

CHECKOUT is a checkout of triton-inference-server/server, release 24.10. The test files run
unchanged, in a copy below --work; they expect the ports 8000, 8001 and 8002. PYTHON has the
packages of requirements-qa.txt.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

from suites import SUITES

HERE = pathlib.Path(__file__).resolve().parent
PORTS = (8000, 8001, 8002)
READY_SECONDS = 60
STOP_SECONDS = 40


def free(port):
    """Returns whether a port is free, and waits some seconds for a server that is ending."""
    for _ in range(50):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                return True
            except OSError:
                time.sleep(0.2)
    return False


class Server:
    """A server with the models of a run."""

    def __init__(self, options, run, folder):
        busy = [port for port in PORTS if not free(port)]
        if busy:
            sys.exit(f"expected the ports {PORTS} to be free, {busy} are in use: stop that server")
        models = folder / "models.json"
        models.write_text(json.dumps({
            "annotated": [model for model in run.models if isinstance(model, str)],
            "dynamic": [model for model in run.models if not isinstance(model, str)],
        }))
        self.log_path = folder / "server.log"
        arguments = [options.binary, "--engine", options.engine, "--restricted-endpoints="]
        own = run.arguments.get(options.engine, []) if isinstance(run.arguments, dict) else run.arguments
        arguments += [argument.replace("{folder}", str(folder)) for argument in own]
        environment = dict(os.environ, QA_MODELS=str(models), **run.server_environment)
        self.log = self.log_path.open("wb")
        self.process = subprocess.Popen(
            arguments, env=environment, cwd=folder, stdout=self.log, stderr=subprocess.STDOUT
        )
        until = time.monotonic() + READY_SECONDS
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > until:
                self.stop()
                text = self.log_path.read_text(errors="replace")[-3000:]
                raise RuntimeError(f"the server is not ready:\n{text}")
            time.sleep(0.05)

    def is_ready(self):
        """Returns whether the server accepts requests, which the last line of its banner states."""
        return b"\nready\n" in self.log_path.read_bytes()

    def stop(self):
        """Ends the server, and returns whether it had already ended."""
        died = self.process.poll() is not None
        if not died:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        return died


def names(options, run, folder):
    """Returns the names of the tests of a run."""
    if run.tests:
        return run.tests
    listing = (
        "import sys, unittest; sys.path.insert(0, '.');"
        f"module = __import__('{pathlib.Path(run.file).stem}');"
        "walk = lambda t: [x for s in t for x in walk(s)] if isinstance(t, unittest.TestSuite) else [t];"
        "print(*['.'.join(t.id().split('.')[1:]) for t in"
        " walk(unittest.defaultTestLoader.loadTestsFromModule(module))])"
    )
    listed = subprocess.run(
        [options.python, "-c", listing], cwd=folder, capture_output=True, text=True, check=False,
        env=dict(os.environ, **run.environment),
    )
    if listed.returncode:
        raise RuntimeError(listed.stderr)
    return listed.stdout.split()


def write_files(options, run, folder):
    """Writes the files that the tests of a run expect in their folder."""
    for path, content in run.files.items():
        file = folder / path
        if path.endswith("/"):
            file.mkdir(parents=True, exist_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
    if run.collector:
        collector = folder / "otelcol"
        collector.write_text(f"#!{options.python}\n" + (HERE / "collector.py").read_text())
        collector.chmod(0o755)


def outcomes(options, run, folder, tests):
    """Returns the outcomes of tests with one server."""
    write_files(options, run, folder)
    result = folder / "outcomes.json"
    result.unlink(missing_ok=True)
    server, found = None, {}
    try:
        server = Server(options, run, folder)
        environment = dict(os.environ, **run.environment, **run.server_environment)
        environment["SERVER_PID"] = str(server.process.pid)
        environment["SERVER_LOG"] = str(server.log_path)
        command = [options.python, str(HERE / "collect.py"), str(result), run.file, *tests]
        with (folder / "client.log").open("ab") as log:
            subprocess.run(
                command, cwd=folder, env=environment, stdout=log, stderr=log,
                timeout=run.seconds, check=False,
            )
        found = json.loads(result.read_text()) if result.exists() else {}
        if not found:
            text = (folder / "client.log").read_text(errors="replace")[-2000:]
            found = {test: ["failed", f"no result: {text}"] for test in tests or [run.file]}
        return found
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return {test: ["failed", str(error)] for test in tests or [run.file]}
    finally:
        if server and server.stop() and any(outcome[0] == "failed" for outcome in found.values()):
            print("    the server ended by itself, see", server.log_path)


def suite_outcomes(options, name, runs):
    """Returns the outcomes of a suite, by the names of the run and the test."""
    found = {}
    for number, run in enumerate(runs):
        if options.engine in run.omitted:
            found |= {f"{run.label} {test}".strip(): ["skipped", run.omitted[options.engine]] for test in run.tests}
            continue
        folder = pathlib.Path(options.work) / options.engine / f"{name}.{number}" / name
        shutil.rmtree(folder.parent, ignore_errors=True)
        shutil.copytree(pathlib.Path(options.checkout) / "qa" / name, folder)
        shutil.copytree(pathlib.Path(options.checkout) / "qa" / "common", folder.parent / "common")
        folder = folder / run.folder
        try:
            tests = names(options, run, folder) if run.fresh or options.only else run.tests
        except RuntimeError as error:
            found[f"{run.label or run.file}"] = ["failed", str(error)]
            continue
        if options.only:
            tests = [test for test in tests if options.only in f"{run.label} {test}"]
            if not tests:
                continue
        for batch in [[test] for test in tests] if run.fresh else [tests]:
            for test, outcome in outcomes(options, run, folder, batch).items():
                reason = run.skipped.get(test.split(".")[-1])
                if isinstance(reason, dict):
                    reason = reason.get(options.engine)
                if reason and outcome[0] == "failed":
                    outcome = ["skipped", reason]
                found[f"{run.label} {test}".strip()] = outcome
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("suites", nargs="*")
    parser.add_argument("--engine", choices=("embedded", "tritonserver"), default="embedded")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--binary", default=str(HERE / "../../target/qa/debug/qa_models"))
    parser.add_argument("--work", default=str(HERE / "../../target/qa/work"))
    parser.add_argument("--only", help="only tests whose label and name contain this")
    options = parser.parse_intermixed_args()
    options.binary = os.path.realpath(options.binary)
    options.python = os.path.abspath(options.python)
    unknown = [name for name in options.suites if name not in SUITES]
    if unknown:
        sys.exit(f"no suite {unknown}; expected some of {sorted(SUITES)}")
    total = {"passed": 0, "failed": 0, "skipped": 0}
    for name in options.suites or SUITES:
        found = suite_outcomes(options, name, SUITES[name])
        count = {kind: sum(outcome[0] == kind for outcome in found.values()) for kind in total}
        for kind in total:
            total[kind] += count[kind]
        print(f"{name}: " + ", ".join(f"{number} {kind}" for kind, number in count.items()), flush=True)
        for test, (kind, reason) in found.items():
            if kind != "passed":
                lines = reason.strip().splitlines() or [""]
                print(f"    {kind} {test}: {' / '.join(lines)[-300:]}", flush=True)
    print(f"{options.engine}: " + ", ".join(f"{number} {kind}" for kind, number in total.items()))


if __name__ == "__main__":
    main()
