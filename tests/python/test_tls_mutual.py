"""Ports that require client certificates."""

import os
import pathlib
import socket
import ssl

import grpc
import pytest
import tritonclient.grpc
from tritonclient.utils import InferenceServerException

from wire import CA, GRPC, HTTP, METRICS, TIMEOUT

FOLDER = pathlib.Path(CA).parent
PORTS = {"http": (HTTP, "/v2/health/live"), "metrics": (METRICS, "/metrics")}
if os.environ["PYTRITON_TEST_TLS"] == "grpc":
    PORTS = {}
BAD = [None, "foreign_client", "expired_client", "server"]


def ask(port, client, version):
    """Returns the response to a request over a connection with that certificate."""
    address, path = PORTS[port]
    context = ssl.create_default_context(cafile=CA)
    context.minimum_version = context.maximum_version = version
    if client is not None:
        context.load_cert_chain(FOLDER / f"{client}.pem", FOLDER / f"{client}.key")
    host, number = address.split(":")
    with socket.create_connection((host, int(number)), timeout=TIMEOUT) as stream:
        with context.wrap_socket(stream, server_hostname="localhost") as stream:
            stream.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            return stream.recv(100)


versions = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])


@versions
@pytest.mark.parametrize("port", PORTS)
def test_client_with_a_certificate_is_served(port, version):
    for _ in range(2):
        assert ask(port, "client", version).startswith(b"HTTP/1.1 200")


@versions
@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("client", BAD)
def test_client_without_a_valid_certificate_is_refused(port, client, version):
    with pytest.raises(OSError):
        assert ask(port, client, version) == b"", "it is answered"
        raise ConnectionResetError


def triton(client):
    files = {}
    if client is not None:
        files = {
            "private_key": str(FOLDER / f"{client}.key"),
            "certificate_chain": str(FOLDER / f"{client}.pem"),
        }
    return tritonclient.grpc.InferenceServerClient(GRPC, ssl=True, root_certificates=CA, **files)


def test_grpc_client_with_a_certificate_is_served():
    assert triton("client").is_server_ready(client_timeout=TIMEOUT)


@pytest.mark.parametrize("client", BAD)
def test_grpc_client_without_a_valid_certificate_is_refused(client):
    with pytest.raises(InferenceServerException) as raised:
        triton(client).is_server_ready(client_timeout=5)
    assert raised.value.status() == str(grpc.StatusCode.UNAVAILABLE)
