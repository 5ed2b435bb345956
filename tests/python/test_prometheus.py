"""Evaluates the dashboard and the alert rules in Prometheus, with the metrics of servers."""

import json
import re
import socket
import subprocess
import urllib.parse

import pytest
import yaml

from asking import get, until
from observability import FOLDER, SERVERS, alerts, dashboard, panels, send_requests

PROMETHEUS, PROMTOOL = "/usr/bin/prometheus", "/usr/bin/promtool"
# The values of the dashboard's variables.
VARIABLES = {"$job": ".*", "$model": ".*", "$__rate_interval": "1m"}


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory):
    """Returns a function that requests a path of Prometheus, which has scraped the servers."""
    folder = tmp_path_factory.mktemp("prometheus")
    jobs = [{"job_name": name, "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]} for name, port in SERVERS.items()]
    settings = {"global": {"scrape_interval": "250ms", "evaluation_interval": "1s"},
                "rule_files": [str(FOLDER / "alerts.yaml")], "scrape_configs": jobs}
    (folder / "prometheus.yml").write_text(yaml.safe_dump(settings))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [PROMETHEUS, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
               f"--web.listen-address=127.0.0.1:{port}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(path, **parameters):
        status, text = get(port, f"/api/v1/{path}?{urllib.parse.urlencode(parameters)}")
        return json.loads(text)["data"] if status == 200 else None

    try:
        targets = "count_over_time(up[1m]) > 3"
        send_requests()
        until(lambda: len((ask("query", query=targets) or {"result": []})["result"]) == len(SERVERS), "it does not scrape")
        send_requests()
        counted = 'increase(nv_inference_request_success{model="I_FP32"}[1m]) > 0'
        until(lambda: ask("query", query=counted)["result"], "it does not scrape again")
        yield ask
    finally:
        process.terminate()
        process.wait()


def results(ask, expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    data = ask("query", query=expression)
    assert data is not None, expression
    return [result["metric"] for result in data["result"]]


def test_every_panel_shows_data(prometheus):
    for panel in panels():
        for target in panel["targets"]:
            found = results(prometheus, target["expr"])
            assert found, f"{panel['title']}: {target['expr']}"
            labels = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            # The caller is empty for calls of the program, and Prometheus drops empty labels.
            assert all(labels - {"caller"} <= set(metric) for metric in found), f"{panel['title']}: {found[0]}"
            # A legend names each line.
            names = [tuple(metric.get(label) for label in sorted(labels)) for metric in found]
            assert len(names) == len(set(names)), f"{panel['title']}: {target['legendFormat']}"


def test_annotations_are_valid(prometheus):
    for annotation in dashboard()["annotations"]["list"]:
        assert results(prometheus, annotation["expr"]) == []


def test_rules_are_evaluated(prometheus):
    until(lambda: prometheus("rules")["groups"][0]["rules"][0]["health"] == "ok", "rules are not evaluated")
    (group,) = prometheus("rules")["groups"]
    assert [rule["name"] for rule in group["rules"]] == list(alerts())
    assert {rule["health"] for rule in group["rules"]} == {"ok"}, group


def test_alert_rules_pass_their_tests():
    for command in (["check", "rules", "alerts.yaml"], ["test", "rules", "alerts_test.yaml"]):
        done = subprocess.run([PROMTOOL, *command], cwd=FOLDER, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
