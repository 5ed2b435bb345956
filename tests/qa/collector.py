"""A collector of OpenTelemetry with the settings of `L0_trace/trace-config.yaml`: it receives spans
over HTTP on port 10000, and appends a line of JSON to `collected_traces.json` when it has ten spans,
or some seconds after the first.
"""

import base64
import http.server
import json
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PORT = 10000
MAX_SPANS = 10
# The tests read the file ten seconds after a request, and servers may export every five seconds.
BATCH_SECONDS = 3
IDENTIFIERS = ("traceId", "spanId", "parentSpanId")


class Batch:
    """The spans that are not in the file yet."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")
        self.lock = threading.Lock()
        self.resource_spans = []
        self.timer = None

    def add(self, resource_spans):
        with self.lock:
            self.resource_spans += resource_spans
            spans = [span for resource in self.resource_spans for scope in resource["scopeSpans"]
                     for span in scope["spans"]]
            if len(spans) >= MAX_SPANS:
                self.write()
            elif spans and self.timer is None:
                self.timer = threading.Timer(BATCH_SECONDS, self.expire)
                self.timer.start()

    def expire(self):
        with self.lock:
            self.write()

    def write(self):
        if self.timer is not None:
            self.timer.cancel()
        if self.resource_spans:
            self.file.write(json.dumps({"resourceSpans": self.resource_spans}, separators=(",", ":")) + "\n")
            self.file.flush()
        self.resource_spans, self.timer = [], None


def resource_spans(content_type, body):
    """Returns the spans of a request in OTLP's JSON, which a collector writes with all members."""
    if content_type == "application/json":
        request = json.loads(body)
    else:
        message = ExportTraceServiceRequest.FromString(body)
        request = json_format.MessageToDict(message)
        in_hexadecimal(request)
    for resource in request.get("resourceSpans", []):
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                span.setdefault("parentSpanId", "")
                span.setdefault("events", [])
    return request.get("resourceSpans", [])


def in_hexadecimal(part):
    """Converts identifiers from base 64, as in the JSON of protobuf, to hexadecimal."""
    if isinstance(part, list):
        for each in part:
            in_hexadecimal(each)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name in IDENTIFIERS:
                part[name] = base64.b64decode(value).hex()
            else:
                in_hexadecimal(value)


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.batch.add(resource_spans(self.headers["Content-Type"], body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Collector)
    server.batch = Batch("collected_traces.json")
    server.serve_forever()


if __name__ == "__main__":
    main()
