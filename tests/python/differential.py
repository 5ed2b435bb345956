"""Sends the corpus to two servers and compares their answers; what may differ stands in a table of a document.

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
# In which a tritonserver that has ended is back.
BACK = 20.0
DECOMPRESS = {"gzip": gzip.decompress, "deflate": zlib.decompress}
HEADERS = ("Content-Type", "Inference-Header-Content-Length", "Content-Encoding", "Accept-Encoding")
# What is measured is never the same twice.
MEASURED = re.compile(r'"(ns|last_inference)":\d+')
# All other models have FP32 where they have floats.
FLAT_FP64 = ("/v2/models/I_FP64/", "/v2/models/Owned/")
BEGIN, END = "<!-- differences -->", "<!-- end of differences -->"


class Engine:
    """A server, asked over connections that stay open; one that comes back is asked a stream again that its end has ended."""

    def __init__(self, http_address, grpc_address, comes_back=False):
        self.comes_back = comes_back
        self.address = http_address
        self.connection = http.client.HTTPConnection(http_address, timeout=TIMEOUT)
        self.channel = grpc.insecure_channel(grpc_address)
        self.stub = service_pb2_grpc.GRPCInferenceServiceStub(self.channel)

    def ask(self, case):
        """The parts of an answer by their names."""
        ask = {Http: self.ask_http, Grpc: self.ask_grpc, Conversation: self.converse}
        return ask[type(case)](case)

    def converse(self, case):
        """The parts of a stream's answers."""
        deadline = time.monotonic() + (BACK if self.comes_back else 0)
        while (parts := self.stream(case))["status"] == "UNAVAILABLE" and time.monotonic() < deadline:
            time.sleep(0.05)
        return parts

    def stream(self, case):
        """The answers of a stream, those to one request in their order."""
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
        # Of nothing at all protobuf says nothing.
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
                # An answer may end the connection; a second failure is this request's own.
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
    """The data of a stream of one event, framed as every event is."""
    data, end = body.removeprefix(b"data: "), b"\n\n"
    return data.removesuffix(end) if len(data) < len(body) and data.count(end) == 1 and data.endswith(end) else body


def document(text, flat=False):
    """An answer's JSON by value and as it is written; the message of an error is no JSON of its own."""
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
    """What FP32 makes of the numbers of a member that does not tell its element type."""
    if isinstance(value, list):
        return [single(one) for one in value]
    return float(np.float32(value)) if isinstance(value, float) else value


class Members(list):
    """The members of an object, in their order and as often as they came."""


def by_value(value):
    """Objects as lists of pairs, and the elements of FP32 tensors as what FP32 makes of them."""
    if isinstance(value, Members):
        single = ("datatype", "FP32") in value
        return [[name, member_by_value(name, member, single)] for name, member in value]
    return [by_value(one) for one in value] if isinstance(value, list) else value


# The maps of a model's configuration, whose order tritonserver leaves to chance.
MAPS = ("parameters", "priority_queue_policy")


def member_by_value(name, member, single):
    if single and name == "data":
        return [float(np.float32(one)) for one in member]
    return by_value(Members(sorted(member)) if name in MAPS else member)


class Table:
    """The rows of the document: which parts of which answers may differ, and how."""

    def __init__(self, path):
        text = Path(path).read_text().split(BEGIN)[1].split(END)[0]
        lines = [line.strip().strip("|") for line in text.strip().splitlines()[2:]]
        self.rows = [[cell.strip().strip("`").strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)] for line in lines]
        self.used = {row[0]: 0 for row in self.rows}
        if len(self.used) != len(self.rows):
            sys.exit("two rows have one name")

    def unlisted(self, case, theirs, ours):
        """What differs between two answers and is not allowed to."""
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
            # How it is written matters only where it says the same.
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
    """The status, and what is said with it."""
    return f"{parts['status']} {parts.get('text', '')}".strip()


def matches(text, glob):
    """Whether a text is what a cell says; `*` stands for anything, and nothing else is special."""
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
