"""Fixtures of all tests."""

import pytest
import tritonclient.grpc
import tritonclient.http

import wire


@pytest.fixture(params=[tritonclient.http, tritonclient.grpc], ids=["http", "grpc"])
def protocol(request):
    """Both of NVIDIA's clients in turn."""
    return request.param


@pytest.fixture
def client(protocol):
    """A client of the protocol."""
    client = wire.connect(protocol)
    yield client
    client.close()


@pytest.fixture
def http():
    """An HTTP client."""
    client = wire.connect(tritonclient.http)
    yield client
    client.close()


@pytest.fixture
def grpc():
    """A gRPC client."""
    client = wire.connect(tritonclient.grpc)
    yield client
    client.close()


@pytest.fixture
def then_right():
    """Checks after the test that a valid request has a correct response."""
    yield
    wire.add_sub_is_right()
