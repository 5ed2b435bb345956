"""An OpenTelemetry collector: accepts spans over HTTP, as protobuf and as JSON, and returns them
under `/spans`.

Prints its port. With `slow`, it never responds.
"""

import base64
import http.server
import json
import sys
import threading
import time

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SPANS = []
LOCK = threading.Lock()


def value(any_value):
    return getattr(any_value, any_value.WhichOneof("value"))


def attributes(pairs):
    return {pair.key: value(pair.value) for pair in pairs}


def read(content_type, body):
    if content_type == "application/json":
        return json_format.ParseDict(in_base64(json.loads(body)), ExportTraceServiceRequest(), ignore_unknown_fields=True)
    assert content_type == "application/x-protobuf", content_type
    return ExportTraceServiceRequest.FromString(body)


def in_base64(part):
    """Converts identifiers from hexadecimal, as in OTLP's JSON, to base 64, as in the JSON of
    protobuf.
    """
    if isinstance(part, list):
        return [in_base64(each) for each in part]
    if not isinstance(part, dict):
        return part
    identifiers = ("traceId", "spanId", "parentSpanId")
    return {
        name: base64.b64encode(bytes.fromhex(each)).decode() if name in identifiers else in_base64(each)
        for name, each in part.items()
    }


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if "slow" in sys.argv:
            time.sleep(3600)
        assert self.path == "/v1/traces", self.path
        message = read(self.headers["Content-Type"], body)
        for resource in message.resource_spans:
            of = attributes(resource.resource.attributes)
            for scope in resource.scope_spans:
                for span in scope.spans:
                    told = {
                        "service": of.get("service.name"),
                        "resource": of,
                        "scope": scope.scope.name,
                        "name": span.name,
                        "kind": span.kind,
                        "trace": span.trace_id.hex(),
                        "id": span.span_id.hex(),
                        "parent": span.parent_span_id.hex(),
                        "state": span.trace_state,
                        "begun": span.start_time_unix_nano,
                        "ended": span.end_time_unix_nano,
                        "links": [link.span_id.hex() for link in span.links],
                        "events": [event.name for event in span.events],
                        "status": span.status.code,
                        "message": span.status.message,
                        "attributes": attributes(span.attributes),
                    }
                    with LOCK:
                        SPANS.append(told)
        self.answer(b"", "application/x-protobuf")

    def do_GET(self):
        with LOCK:
            body = json.dumps(SPANS).encode()
        self.answer(body, "application/json")

    def answer(self, body, content_type):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
server.serve_forever()
