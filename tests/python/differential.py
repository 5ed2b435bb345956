"""Sends the corpus to two servers and compares their responses. The table in a document lists the
permitted differences.

Usage: differential.py EMBEDDED_HTTP EMBEDDED_GRPC TRITONSERVER_HTTP TRITONSERVER_GRPC DOCUMENT
"""

import fnmatch
import gzip
import http.client
import json
import re
import sys
import time
import zlib
from pathlib import Path

import grpc
import numpy as np
from google.protobuf import json_format
from tritonclient.grpc import service_pb2_grpc

from corpus import corpus
from memory import KEY, SIZE
from messages import Conversation, Grpc, Http

TIMEOUT = 20.0
# The time limit for the restart of a tritonserver.
BACK = 20.0
DECOMPRESS = {"gzip": gzip.decompress, "deflate": zlib.decompress}
HEADERS = ("Content-Type", "Inference-Header-Content-Length", "Content-Encoding", "Accept-Encoding")
# Measured values differ each time.
MEASURED = re.compile(r'"(ns|last_inference)":\d+')
# All other models use FP32 for floats.
FLAT_FP64 = ("/v2/models/I_FP64/", "/v2/models/Owned/")
BEGIN, END = "<!-- differences -->", "<!-- end of differences -->"


class Engine:
    """A server with keep-alive connections. If it restarts, a stream that its end interrupted is
    retried.
    """

    def __init__(self, http_address, grpc_address, comes_back=False):
        self.comes_back = comes_back
        self.address = http_address
        self.connection = http.client.HTTPConnection(http_address, timeout=TIMEOUT)
        self.channel = grpc.insecure_channel(grpc_address)
        self.stub = service_pb2_grpc.GRPCInferenceServiceStub(self.channel)

    def ask(self, case):
        """Returns the parts of a response by name."""
        ask = {Http: self.ask_http, Grpc: self.ask_grpc, Conversation: self.converse}
        return ask[type(case)](case)

    def converse(self, case):
        """Returns the parts of a stream's responses."""
        deadline = time.monotonic() + (BACK if self.comes_back else 0)
        while (parts := self.stream(case))["status"] == "UNAVAILABLE" and time.monotonic() < deadline:
            time.sleep(0.05)
        return parts

    def stream(self, case):
        """Returns the responses of a stream, grouped by request."""
        status, answers = {"status": "OK"}, {}
        try:
            for answer in self.stub.ModelStreamInfer(iter(case.messages), metadata=case.metadata, timeout=TIMEOUT):
                response = answer.infer_response
                contents = [content.hex() for content in response.raw_output_contents]
                del response.raw_output_contents[:]
                text = json_format.MessageToJson(answer, preserving_proto_field_name=True, indent=None, sort_keys=True)
                answers.setdefault(response.id, []).append((text, contents))
        except grpc.RpcError as error:
            status = {"status": error.code().name, "text": error.details()}
        return {**status, "json": json.dumps(answers, ensure_ascii=False, sort_keys=True)}

    def ask_grpc(self, case):
        try:
            call = getattr(self.stub, case.call)
            if isinstance(case.message, bytes):
                call = self.channel.unary_unary(f"/inference.GRPCInferenceService/{case.call}")
            if case.call == "ModelStreamInfer":
                (answer,) = call(iter([case.message]), timeout=TIMEOUT)
                if answer.error_message:
                    return {"status": "ERROR", "text": answer.error_message, "json": str(answer.infer_response)}
                answer = answer.infer_response
            else:
                answer = call(case.message, timeout=TIMEOUT)
        except grpc.RpcError as error:
            return {"status": error.code().name, "text": error.details()}
        tensors = []
        if case.call in ("ModelInfer", "ModelStreamInfer"):
            tensors = [content.hex() for content in answer.raw_output_contents]
            del answer.raw_output_contents[:]
        text = json_format.MessageToJson(answer, preserving_proto_field_name=True, indent=None, sort_keys=True)
        # Protobuf omits zeros, so the measured values are removed instead of set to zero.
        text = re.sub(r'(, )?"(ns|last_inference)": "\d+"', "", text)
        return {"status": "OK", "json": text, "tensors": " ".join(tensors)}

    def ask_http(self, case):
        for attempt in (1, 2):
            try:
                self.connection.request(case.method, case.path, case.body, case.headers)
                response = self.connection.getresponse()
                body = response.read()
                break
            except (http.client.HTTPException, OSError):
                self.connection.close()
                # The previous response may have ended the connection; a second failure belongs to
                # this request.
                if attempt == 2:
                    raise
        parts = {"status": str(response.status)}
        for name in HEADERS:
            parts[name.lower()] = str(response.headers[name])
        encoding = response.headers["Content-Encoding"]
        if encoding in DECOMPRESS:
            body = DECOMPRESS[encoding](body)
        length = response.headers["Inference-Header-Content-Length"]
        head, tail = (body, b"") if length is None else (body[: int(length)], body[int(length):])
        parts["tensors"] = tail.hex()
        if parts["content-type"].startswith("text/event-stream"):
            head = only_event(head)
        flat = "/generate" in case.path and not case.path.startswith(FLAT_FP64)
        return {**parts, **document(head, flat)}


def only_event(body):
    """Returns the data of a stream with one event, if it is framed correctly."""
    data, end = body.removeprefix(b"data: "), b"\n\n"
    return data.removesuffix(end) if len(data) < len(body) and data.count(end) == 1 and data.endswith(end) else body


def document(text, flat=False):
    """Returns the JSON of a response by value and as text. The message of an error is not compared
    as JSON.
    """
    try:
        text = MEASURED.sub(r'"\1":0', text.decode())
        parsed = json.loads(text, object_pairs_hook=Members)
    except ValueError:
        return {"json": repr(text), "form": ""}
    if isinstance(parsed, Members) and [name for name, _ in parsed] == ["error"]:
        return {"text": parsed[0][1], "form": ""}
    if flat:
        parsed = Members((name, single(member)) for name, member in parsed)
    return {"json": json.dumps(by_value(parsed), ensure_ascii=False), "form": text}


def single(value):
    """Converts the numbers of a member without a datatype to FP32."""
    if isinstance(value, list):
        return [single(one) for one in value]
    return float(np.float32(value)) if isinstance(value, float) else value


class Members(list):
    """The members of an object, in order and with duplicates."""


def by_value(value):
    """Converts objects to lists of pairs, and the elements of FP32 tensors to FP32."""
    if isinstance(value, Members):
        single = ("datatype", "FP32") in value
        return [[name, member_by_value(name, member, single)] for name, member in value]
    return [by_value(one) for one in value] if isinstance(value, list) else value


# The maps of a model's configuration; tritonserver sends them in random order.
MAPS = ("parameters", "priority_queue_policy")


def member_by_value(name, member, single):
    if single and name == "data":
        return [float(np.float32(one)) for one in member]
    return by_value(Members(sorted(member)) if name in MAPS else member)


class Table:
    """The rows of the document: the parts of responses that may differ, and how."""

    def __init__(self, path):
        text = Path(path).read_text().split(BEGIN)[1].split(END)[0]
        lines = [line.strip().strip("|") for line in text.strip().splitlines()[2:]]
        self.rows = [[cell.strip().strip("`").strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)] for line in lines]
        self.used = {row[0]: 0 for row in self.rows}
        if len(self.used) != len(self.rows):
            sys.exit("two rows have one name")

    def unlisted(self, case, theirs, ours):
        """Yields the differences between two responses that are not permitted."""
        one, other = answer(theirs), answer(ours)
        if one != other and self.allows(case, "answer", one, other):
            failed = all("text" in parts for parts in (theirs, ours))
            compared = ["content-type"] if failed else []
        else:
            compared = ["answer", *sorted({*ours, *theirs} - {"status", "text"})]
        theirs, ours = {**theirs, "answer": one}, {**ours, "answer": other}
        found = []
        for part in compared:
            one, other = theirs.get(part, ""), ours.get(part, "")
            # The form matters only if the values are equal.
            if one == other or part == "form" and theirs.get("json") != ours.get("json"):
                continue
            if not self.allows(case, part, one, other):
                found.append(f"{case}: {part}\n  tritonserver {one[:900]}\n  embedded     {other[:900]}")
        return found

    def allows(self, case, part, theirs, ours):
        for name, requests, parts, tritonserver, embedded, _ in self.rows:
            if (
                any(fnmatch.fnmatchcase(case, glob.strip()) for glob in requests.split(","))
                and part in parts.split(" ")
                and matches(theirs, tritonserver)
                and matches(ours, embedded)
            ):
                self.used[name] += 1
                return True
        return False


def answer(parts):
    """Returns the status and the error text."""
    return f"{parts['status']} {parts.get('text', '')}".strip()


def matches(text, glob):
    """Returns whether a text matches a cell, in which only `*` is special and matches any text."""
    return re.fullmatch(".*".join(map(re.escape, glob.split("*"))), text, re.DOTALL) is not None


def main():
    *addresses, path = sys.argv[1:]
    embedded, tritonserver = Engine(*addresses[:2]), Engine(*addresses[2:], comes_back=True)
    table, cases, unlisted, outcomes = Table(path), corpus(), [], {}
    shared = Path(f"/dev/shm{KEY}")
    shared.write_bytes(bytes(SIZE))
    try:
        for case in cases:
            try:
                ours, theirs = embedded.ask(case), tritonserver.ask(case)
            except Exception as error:
                sys.exit(f"{case.name}: {error!r}")
            outcomes[theirs["status"]] = outcomes.get(theirs["status"], 0) + 1
            unlisted += table.unlisted(case.name, theirs, ours)
    finally:
        shared.unlink()
    unused = [name for name, used in table.used.items() if not used]
    print(f"{len(cases)} requests, {outcomes}, differences that are listed: {table.used}")
    print("\n".join(unlisted[:60]))
    if len(cases) < 2000 or unlisted or unused:
        sys.exit(f"{len(unlisted)} differences are not listed, rows that match nothing: {unused}")


if __name__ == "__main__":
    main()
