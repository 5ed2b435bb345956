"""The dashboard and the alert rules of `deploy/observability`, and the servers that they show."""

import json
import os
import re

import numpy as np
import pytest
import tritonclient.http
import yaml
from tritonclient.utils import InferenceServerException

from asking import get
from manifests import DEPLOY
from wire import METRICS, connect, infer

FOLDER = DEPLOY / "observability"
# The ports of a second server, whose route calls a model.
CALLS_HTTP, CALLS_METRICS = (address.rsplit(":", 1)[1] for address in os.environ["PYTRITON_TEST_CALLS"].split(","))
# The metrics ports.
SERVERS = {"models": METRICS.rsplit(":", 1)[1], "calls": CALLS_METRICS}
# Labels that Prometheus adds.
ADDED = {"job", "instance"}


def send_requests():
    """Sends requests that succeed, fail, are cached, and call another model."""
    value = np.ones((1, 2), dtype=np.float32)
    with connect(tritonclient.http) as client:
        for _ in range(2):
            infer(tritonclient.http, client, "I_FP32", {"INPUT_1": value})
            infer(tritonclient.http, client, "CachedEither", {"a": value})
        with pytest.raises(InferenceServerException):
            infer(tritonclient.http, client, "Fail", {"INPUT_1": -value})
    assert get(CALLS_HTTP, "/double/1")[0] == 200


def exported():
    """Returns the names of the labels of each metric."""
    found = {}
    for port in SERVERS.values():
        status, text = get(port, "/metrics")
        assert status == 200
        for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", text, re.M):
            found.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return found


def dashboard():
    return json.loads((FOLDER / "dashboard.json").read_text())


def panels():
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def alerts():
    (group,) = yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def alert_tests():
    return yaml.safe_load((FOLDER / "alerts_test.yaml").read_text())["tests"]


def expressions():
    """Yields each query of the dashboard and each rule with its place."""
    for panel in panels():
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for annotation in dashboard()["annotations"]["list"]:
        yield annotation["name"], annotation["expr"]
    for name, rule in alerts().items():
        yield name, rule["expr"]
