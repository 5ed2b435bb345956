"""Tests three servers behind a proxy configured as in `deploy/`: a rolling restart, a `kill -9`,
and the combined throughput.

Usage: unshare --map-root-user --net PYTHON balanced.py BINARY PROXY...

The ports are those of the proxy's file, in a network namespace of its own.
"""

import http.client
import json
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import tritonclient.grpc

from asking import DEADLINE, LOCAL, get, until
from network import lo_up

HTTP, GRPC = 8000, 8001
CLIENTS = 6
# Functions that each server calls one at a time. They do not use the processor, so that three
# servers are faster than one.
OVER_HTTP, OVER_GRPC, MILLISECONDS = "Slow", "Unordered", 20
MEASURED = 1.5


class Server:
    """One of the three servers."""

    def __init__(self, binary, port):
        self.command = [binary, "--engine=embedded", *(f"--{name}-port={port + at}" for at, name in enumerate(("http", "grpc", "metrics")))]
        self.port = port
        self.start()

    def start(self):
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen(self.command, stdout=self.output, stderr=subprocess.STDOUT)
        until(lambda: get(self.port, "/v2/health/ready")[0] == 200, "it does not start")

    def is_back(self):
        """Waits until the proxy sends requests of both protocols to this server."""
        for model in (OVER_HTTP, OVER_GRPC):
            line = re.compile(rf'^nv_inference_request_success\{{model="{model}",version="1"\}} [^0]', re.M)
            until(lambda: line.search(get(self.port + 2, "/metrics")[1]), f"the proxy sends nobody to it for {model}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(DEADLINE) == 0


class Load:
    """Clients of both protocols with keep-alive connections."""

    def __init__(self, http_port, grpc_port):
        self.ports = http_port, grpc_port
        self.ending = threading.Event()
        self.answered, self.lost, self.again = [], [], 0
        self.threads = [threading.Thread(target=self.run, args=(ask,)) for ask in (self.over_http, self.over_grpc) * CLIENTS]
        for thread in self.threads:
            thread.start()

    def run(self, asks):
        for answer in asks():
            if self.ending.is_set():
                return

    def over_http(self):
        tensor = {"name": "milliseconds", "shape": [1, 1], "datatype": "UINT32", "data": [MILLISECONDS]}
        body = json.dumps({"inputs": [tensor]})
        connection = http.client.HTTPConnection(LOCAL, self.ports[0], timeout=DEADLINE)
        while True:
            try:
                connection.request("POST", f"/v2/models/{OVER_HTTP}/infer", body)
                response = connection.getresponse()
                text = response.read()
                assert response.status == 200, f"{response.status} {text}"
                assert json.loads(text)["outputs"][0]["data"] == [MILLISECONDS]
                self.answered.append(time.monotonic())
            except http.client.RemoteDisconnected:
                # A connection that is closed before a response, as HTTP permits: clients retry on a
                # new one.
                self.again += 1
                connection.close()
            except Exception as error:
                self.lost.append(f"HTTP: {error}")
                connection.close()
            yield

    def over_grpc(self):
        given = tritonclient.grpc.InferInput("milliseconds", [1, 1], "UINT32")
        given.set_data_from_numpy(np.array([[MILLISECONDS]], np.uint32))
        with tritonclient.grpc.InferenceServerClient(f"{LOCAL}:{self.ports[1]}") as client:
            while True:
                try:
                    assert client.infer(OVER_GRPC, [given]).as_numpy("OUTPUT_1").tolist() == [[MILLISECONDS]]
                    self.answered.append(time.monotonic())
                except Exception as error:
                    self.lost.append(f"gRPC: {error}")
                yield

    def rate(self):
        """Returns the responses per second in the next interval."""
        begun = len(self.answered)
        time.sleep(MEASURED)
        return (len(self.answered) - begun) / MEASURED

    def end(self):
        self.ending.set()
        for thread in self.threads:
            thread.join()


def main():
    binary, *proxy = sys.argv[1:]
    lo_up()
    servers = [Server(binary, port) for port in (8100, 8200, 8300)]
    alone = Load(8100, 8101)
    one = alone.rate()
    alone.end()
    assert not alone.lost, alone.lost[:5]
    output = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(proxy, stdout=output, stderr=subprocess.STDOUT)
    try:
        until(lambda: get(HTTP, "/v2/health/ready")[0] == 200 or process.poll() is not None, "the proxy does not start")
        with tritonclient.grpc.InferenceServerClient(f"{LOCAL}:{GRPC}") as client:
            # A proxy without a healthy server responds itself.
            until(lambda: ready(client), "the proxy has no server for gRPC")
        load = Load(HTTP, GRPC)
        try:
            for server in servers:
                server.is_back()
            three = load.rate()
            print(f"requests a second: {three:.0f} with three, {one:.0f} of one alone")
            begun = len(load.answered)
            for server in servers:
                server.stop()
                server.start()
                server.is_back()
            print(f"rolling restart: {len(load.lost)} of {len(load.answered) - begun} requests lost, {load.again} asked again by the client")
            assert not load.lost and load.again == 0, (load.again, load.lost[:5])
            begun = len(load.answered)
            servers[0].process.kill()
            servers[0].process.wait()
            until(lambda: len(load.answered) > begun + 100, "nobody is answered any more")
            servers[0].start()
            servers[0].is_back()
            print(f"kill -9: {len(load.lost)} of {len(load.answered) - begun} requests lost")
            # A response that has started cannot be retried on another server.
            assert len(load.lost) <= 2, load.lost
        finally:
            load.end()
        assert three > 1.3 * one
    except BaseException:
        output.seek(0)
        print(output.read()[-4000:], file=sys.stderr)
        raise
    finally:
        for one in (process, *(server.process for server in servers)):
            one.kill()


def ready(client):
    try:
        return client.is_server_ready()
    except Exception:
        return False


main()
