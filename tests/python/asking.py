"""Sends HTTP requests, each on a new connection, and polls for conditions."""

import http.client
import time

DEADLINE = 30.0
LOCAL = "127.0.0.1"


def ask(method, host, port, path, body=None):
    """Returns the status and the text."""
    connection = http.client.HTTPConnection(host, port, timeout=DEADLINE)
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def get(port, path, host=LOCAL):
    """Sends a GET request. The status is None if there is no response."""
    try:
        return ask("GET", host, port, path)
    except OSError:
        return None, ""


def post(port, path, body, host=LOCAL):
    return ask("POST", host, port, path, body)


def until(condition, what):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)
