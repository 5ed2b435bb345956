"""The metrics of the dashboard and of the alert rules are those that servers export."""

import re

import pytest

from manifests import DEPLOY
from observability import ADDED, alert_tests, alerts, dashboard, exported, expressions, panels, send_requests


@pytest.fixture(scope="module")
def metrics():
    send_requests()
    return exported()


def test_every_metric_is_exported(metrics):
    used = set()
    for place, expression in expressions():
        names = set(re.findall(r"\b(?:nv|pytriton|process)_\w+", expression))
        assert names and names <= set(metrics), f"{place}: {names - set(metrics)}"
        used |= names
    variables = [variable["query"] for variable in dashboard()["templating"]["list"] if variable["type"] == "query"]
    for query in variables:
        name, label = re.fullmatch(r"label_values\((\w+).*, (\w+)\)", query["query"]).groups()
        assert label in metrics[name] | ADDED, query
    # Load, errors, saturation and certificates are shown.
    for name in ("nv_inference_request_failure", "nv_inference_pending_request_count", "pytriton_instance_busy_seconds_total",
                 "pytriton_server_requests_queued", "pytriton_certificate_expiry_timestamp_seconds"):
        assert name in used


def test_alerts_are_tested_with_series_of_servers(metrics):
    for test in alert_tests():
        for series in test["input_series"]:
            name, labels = re.fullmatch(r"(\w+)\{(.*)\}", series["series"]).groups()
            assert set(re.findall(r'(\w+)="', labels)) == metrics[name] | ADDED, series


def test_every_alert_is_tested():
    fires, is_quiet = set(), set()
    for test in alert_tests():
        for case in test["alert_rule_test"]:
            (fires if case["exp_alerts"] else is_quiet).add(case["alertname"])
    assert fires == set(alerts())
    # The others are tested with a second series that does not match.
    assert fires - is_quiet <= {"PytritonFileDescriptors", "PytritonCertificateExpires", "PytritonSpansDropped"}


def test_alerts_have_a_severity_and_texts():
    for name, rule in alerts().items():
        assert rule["labels"]["severity"] in ("info", "warning", "critical"), name
        assert set(rule["annotations"]) == {"summary", "description"}, name


def test_alerts_are_documented():
    documented = {}
    for line in (DEPLOY.parent / "docs" / "operations.md").read_text().splitlines():
        if line.startswith("| `Pytriton"):
            names, severities, _ = line.strip("| ").split(" | ")
            documented |= dict(zip(re.findall(r"`(\w+)`", names), severities.split(", "), strict=True))
    assert documented == {name: rule["labels"]["severity"] for name, rule in alerts().items()}


def test_panels_do_not_overlap():
    places, numbers = set(), set()
    for panel in dashboard()["panels"]:
        assert panel["id"] not in numbers
        numbers.add(panel["id"])
        at = panel["gridPos"]
        for x in range(at["x"], at["x"] + at["w"]):
            for y in range(at["y"], at["y"] + at["h"]):
                assert x < 24 and (x, y) not in places, panel["title"]
                places.add((x, y))


def test_panels_use_the_variables():
    known = {variable["name"] for variable in dashboard()["templating"]["list"]} | {"__rate_interval"}
    for panel in panels():
        assert panel["datasource"]["uid"] == "${datasource}" and panel["description"], panel["title"]
        for target in panel["targets"]:
            found = set(re.findall(r"\$(\w+)", target["expr"]))
            assert "job" in found and found <= known, target
