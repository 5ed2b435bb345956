"""Models with OpenAI routes, called by OpenAI's client, on both engines."""

import asyncio
import json
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import openai
import pytest

from wire import HTTP, TIMEOUT, TRITONSERVER, request

OPENAI = os.environ["PYTRITON_TEST_OPENAI"]


@pytest.fixture
def client():
    with openai.OpenAI(base_url=f"http://{OPENAI}/v1", api_key="any", max_retries=0, timeout=TIMEOUT) as client:
        yield client


def post(path, document, address=OPENAI, **headers):
    """Returns the status, the headers and the parsed body of a plain request."""
    body = document if isinstance(document, bytes) else json.dumps(document)
    status, headers, body = request("POST", path, body, headers, address=address)
    return status, headers, json.loads(body)


def refused(call, **members):
    """Returns the error of a request."""
    with pytest.raises(openai.APIStatusError) as raised:
        call(**members)
    error = raised.value
    return error.status_code, error.type, error.param, error.code, error.body["message"]


def counted(client):
    """Returns the number of active endless texts."""
    return int(client.completions.create(model="Counted", prompt="").choices[0].text)


def all_given_up(client):
    until = time.monotonic() + TIMEOUT
    while counted(client) > 0:
        assert time.monotonic() < until, "a text goes on that nobody waits for"
        time.sleep(0.02)


def test_models_are_listed(client):
    names = [model.id for model in client.models.list()]
    assert names == sorted(["Letters", "Members", "Demanding", "FailingText", "Counting", "Counted", "Said", "Whole", "Sender", "Besides", "Vectors", "NotFinite"])
    model = client.models.retrieve("Letters")
    assert (model.id, model.object, model.owned_by) == ("Letters", "model", "pytriton")
    assert abs(model.created - time.time()) < 3600
    # A model without text is not listed.
    for name in ["nope", "Count", "x%20y"]:
        assert refused(lambda: client.models.retrieve(name))[:4] == (404, "invalid_request_error", "model", "model_not_found")


def test_completion_is_returned(client):
    answer = client.completions.create(model="Letters", prompt="héllo\n\"wörld\"")
    assert answer.object == "text_completion" and answer.model == "Letters" and answer.id.startswith("cmpl-")
    (choice,) = answer.choices
    assert (choice.index, choice.text, choice.finish_reason) == (0, "héllo\n\"wörld\"", "stop")
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (13, 13, 26)
    answer = client.completions.create(model="Letters", prompt="hello", max_tokens=2)
    assert (answer.choices[0].text, answer.choices[0].finish_reason) == ("he", "length")
    # The function has one name for this parameter, and clients have two.
    answer = client.completions.create(model="Letters", prompt="hello", extra_body={"max_completion_tokens": 3})
    assert answer.choices[0].text == "hel"


def test_completion_is_streamed(client):
    chunks = list(client.completions.create(model="Letters", prompt="abc", max_tokens=2, stream=True))
    assert [(chunk.choices[0].text, chunk.choices[0].finish_reason) for chunk in chunks] == [
        ("a", None), ("b", None), ("", "length")]
    assert len({(chunk.id, chunk.created, chunk.model, chunk.object) for chunk in chunks}) == 1
    assert chunks[0].object == "text_completion" and all(chunk.usage is None for chunk in chunks)


def test_several_prompts_are_choices(client):
    prompts = [f"prompt {number}" for number in range(20)]
    answer = client.completions.create(model="Letters", prompt=prompts)
    assert [(choice.index, choice.text) for choice in answer.choices] == list(enumerate(prompts))
    assert answer.usage.prompt_tokens == sum(map(len, prompts))
    texts, reasons = [""] * 20, [None] * 20
    stream = client.completions.create(model="Letters", prompt=prompts, stream=True, stream_options={"include_usage": True})
    *chunks, last = stream
    for chunk in chunks:
        (choice,) = chunk.choices
        assert reasons[choice.index] is None
        texts[choice.index] += choice.text
        reasons[choice.index] = choice.finish_reason
    assert (texts, reasons) == (prompts, ["stop"] * 20)
    assert last.choices == [] and last.usage.prompt_tokens == sum(map(len, prompts))


def test_chat_completion_is_returned(client):
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "é"}], "name": "Ann"}]
    said = ["system: Be brief.\n", "userAnn: é\n"]
    answer = client.chat.completions.create(model="Said", messages=messages)
    assert answer.object == "chat.completion" and answer.id.startswith("chatcmpl-")
    (choice,) = answer.choices
    assert (choice.message.role, choice.message.content, choice.finish_reason) == ("assistant", "".join(said), "stop")
    assert answer.usage is None
    # A response can be sent again as a message.
    again = client.chat.completions.create(model="Said", messages=[*messages, choice.message])
    assert again.choices[0].message.content == "".join(said) + "assistant: " + "".join(said) + "\n"
    first, *chunks, last = client.chat.completions.create(model="Said", messages=messages, stream=True)
    assert (first.choices[0].delta.role, first.choices[0].delta.content) == ("assistant", "")
    assert [chunk.choices[0].delta.content for chunk in chunks] == said
    assert last.choices[0].finish_reason == "stop" and last.choices[0].delta.content is None
    with client.chat.completions.stream(model="Said", messages=messages) as stream:
        stream.until_done()
        assert stream.get_final_completion().choices[0].message.content == "".join(said)


@pytest.mark.parametrize("stream", [False, True])
def test_model_with_one_response(client, stream):
    messages = [{"role": "user", "content": "x" * 100_000}]
    options = {"stream_options": {"include_usage": True}} if stream else {}
    answer = client.chat.completions.create(model="Whole", messages=messages, stream=stream, **options)
    if stream:
        role, text, end, usage = answer
        assert text.choices[0].delta.content == messages[0]["content"]
        assert end.choices[0].finish_reason == "content_filter" and usage.usage.total_tokens == 3
    else:
        assert answer.choices[0].message.content == messages[0]["content"]
        assert answer.choices[0].finish_reason == "content_filter" and answer.usage.total_tokens == 3


def test_model_with_a_sender(client):
    messages = [{"role": "user", "content": str(number)} for number in range(50)]
    chunks = client.chat.completions.create(model="Sender", messages=messages, stream=True)
    assert [chunk.choices[0].delta.content for chunk in chunks] == ["", *map(str, range(50)), None]


def test_members_are_passed_to_inputs(client):
    def told(**members):
        return client.completions.create(model="Members", prompt="p", **members).choices[0].text

    assert told() == '"p" None None None None None None None None'
    members = {"max_tokens": 5, "temperature": 1, "top_p": 0.1, "seed": -7, "stop": "x", "echo": True, "user": "me"}
    # The function handles `stop` itself, so the text is not truncated.
    assert told(**members, extra_body={"top_k": 9}) == '"p" Some(5) Some(1.0) Some(0.1) Some(-7) Some(["x"]) Some(true) Some("me") Some(9)'
    assert 'Some(["x", "y"])' in told(stop=["x", "y"])
    assert told(extra_body={"temperature": None, "top_k": None}) == told()
    assert client.completions.create(model="Demanding", prompt="p", temperature=0.5).choices[0].text == "p 0.5"


def test_other_members_are_parameters(client):
    def told(**members):
        return json.loads(client.completions.create(model="Besides", prompt="p", **members).choices[0].text)

    assert told() == {}
    members = {"max_tokens": 5, "temperature": 0.5, "seed": -7, "stop": [], "user": "me"}
    expected = {**members, "stop": "[]", "top_k": 9, "deep": '{"a": [1]}', "yes": True}
    heard = told(**members, extra_body={"top_k": 9, "deep": {"a": [1]}, "yes": True, "pytriton.claim": "1", "parameters": {"z": 1}})
    assert {name: json.loads(value) if name == "deep" else value for name, value in heard.items()} == {**expected, "deep": {"a": [1]}}
    assert refused(client.completions.create, model="Besides", prompt="p", n=2)[:3] == (400, "invalid_request_error", "n")


def test_unsupported_members_are_refused(client):
    # Parameters that only affect the style are ignored.
    harmless = {"temperature": 0.3, "top_p": 1, "presence_penalty": 0.1, "frequency_penalty": -1, "seed": 1, "user": "me",
                "n": 1, "best_of": 1, "echo": False, "suffix": "", "logit_bias": {}}
    answer = client.completions.create(model="Letters", prompt="ab", **harmless, extra_body={"unknown": {"a": [1]}})
    assert answer.choices[0].text == "ab"
    messages = [{"role": "user", "content": "x"}]
    harmless = {"tools": [], "tool_choice": "auto", "response_format": {"type": "text"}, "logprobs": False, "modalities": ["text"],
                "metadata": {"a": "b"}, "store": False, "service_tier": "auto", "reasoning_effort": "low"}
    answer = client.chat.completions.create(model="Said", messages=messages, **harmless)
    assert answer.choices[0].message.content == "user: x\n"
    # Parameters that would change the response are refused.
    for name, value in [("n", 2), ("best_of", 2), ("echo", True), ("suffix", "x"), ("logprobs", 0), ("logit_bias", {"1": 1}),
                        ("max_tokens", 5)]:
        call = lambda: client.completions.create(model="FailingText", prompt="1", **{name: value})
        assert refused(call) == (400, "invalid_request_error", name, "unsupported_parameter",
                                 f"Unsupported parameter: '{name}' is not supported with this model."), name
    tool = {"type": "function", "function": {"name": "f"}}
    for name, value in [("tools", [tool]), ("tool_choice", "required"), ("response_format", {"type": "json_object"}), ("logprobs", True),
                        ("n", 3), ("modalities", ["text", "audio"]), ("audio", {"voice": "x", "format": "wav"}),
                        ("max_completion_tokens", 5), ("max_tokens", 5), ("functions", [{"name": "f"}])]:
        call = lambda: client.chat.completions.create(model="Said", messages=messages, **{name: value})
        assert refused(call)[:4] == (400, "invalid_request_error", name, "unsupported_parameter"), name


@pytest.mark.parametrize("stream", [False, True])
def test_text_ends_at_a_stop_sequence(client, stream):
    def text(prompt, stop):
        answer = client.completions.create(model="Letters", prompt=prompt, stop=stop, stream=stream)
        if not stream:
            return answer.choices[0].text, answer.choices[0].finish_reason
        chunks = list(answer)
        return "".join(chunk.choices[0].text for chunk in chunks), chunks[-1].choices[0].finish_reason

    assert text("one two three", "two") == ("one ", "stop")
    assert text("one two three", ["three", " two"]) == ("one", "stop")
    assert text("ab\n\nQ: c", "\n\nQ:") == ("ab", "stop")
    assert text("ab\n\nQ", "\n\nQ:") == ("ab\n\nQ", "stop")
    assert text("äöü", ["öü", "x"]) == ("ä", "stop")
    # The function never ends on its own.
    endless = client.completions.create(model="Counting", prompt="1", stop="20", stream=stream)
    got = "".join(chunk.choices[0].text for chunk in endless) if stream else endless.choices[0].text
    assert got == "".join(f"{number} " for number in range(20))
    all_given_up(client)


def test_errors_have_the_openai_format(client):
    create, chat = client.completions.create, client.chat.completions.create
    kind = "invalid_request_error"
    messages = [{"role": "user", "content": "x"}]
    assert refused(create, model="nope", prompt="x") == (404, kind, "model", "model_not_found", "The model 'nope' does not exist")
    assert refused(create, model="Count", prompt="x")[3] == "model_not_found"
    assert refused(create, model="Said", prompt="x") == (
        404, kind, "model", None,
        "The model 'Said' is not served over /v1/completions. Did you mean to use /v1/chat/completions?")
    assert refused(chat, model="Letters", messages=messages)[0] == 404
    missing = (400, kind, "temperature", "missing_required_parameter", "Missing required parameter: 'temperature'.")
    assert refused(create, model="Demanding", prompt="x") == missing
    for prompt in [5, True, {}, [1, 2], [[1]], [], ["x", 1], ["x"] * 129]:
        assert refused(create, model="Letters", prompt=prompt)[:4] == (400, kind, "prompt", "invalid_value"), prompt
    for bad, param in [
        ("x", "messages"), ([], "messages"), (["x"], "messages[0]"), ([{"role": "x", "content": ""}], "messages[0].role"),
        ([*messages, {"role": "user", "content": 5}], "messages[1].content"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}], "messages[0].content[0].type"),
        ([{"role": "assistant", "content": None, "tool_calls": [{}]}], "messages[0].tool_calls"),
    ]:
        assert refused(chat, model="Said", messages=bad)[:4] == (400, kind, param, "invalid_value"), bad
    for name, value in [
        ("temperature", "hot"), ("temperature", [1]), ("top_p", True), ("seed", 1.5), ("max_tokens", "5"), ("max_tokens", -1),
        ("max_tokens", 2**32), ("stop", 5), ("stop", ["x", 5]), ("stop", ""), ("stop", ["x"] * 17), ("stop", "x" * 257), ("user", 5),
        ("stream", "yes"), ("stream_options", {"include_usage": True}),
    ]:
        call = lambda: create(model="Letters", prompt="x", extra_body={name: value})
        assert refused(call)[:4] == (400, kind, name, "invalid_value"), (name, value)
    for options in [5, {"include_usage": 5}]:
        status, _, answer = post("/v1/completions", {"model": "Letters", "prompt": "x", "stream": True, "stream_options": options})
        assert status == 400 and answer["error"]["param"].startswith("stream_options"), answer


def test_clients_do_not_retry_a_failed_function():
    with openai.OpenAI(base_url=f"http://{OPENAI}/v1", api_key="any", timeout=TIMEOUT) as client:
        begun = time.monotonic()
        for stream in [False, True]:
            call = lambda: client.completions.create(model="FailingText", prompt="0", stream=stream)
            assert refused(call) == (500, "server_error", None, None, "model 'FailingText' failed: no piece 0")
        for text, message in [("fail", "model 'Whole' failed: as it was told"), ("panic", "model 'Whole' panicked: as it was told")]:
            call = lambda: client.chat.completions.create(model="Whole", messages=[{"role": "user", "content": text}])
            assert refused(call) == (500, "server_error", None, None, message)
        assert refused(lambda: client.completions.create(model="FailingText", prompt="3"))[4].endswith("no piece 3")
        # The client would wait half a second before it retries.
        assert time.monotonic() - begun < 2


def test_failure_during_a_stream_is_an_error(client):
    heard = []
    with pytest.raises(openai.APIError, match="no piece 3"):
        for chunk in client.completions.create(model="FailingText", prompt="3", stream=True):
            heard.append(chunk.choices[0].text)
    assert heard == ["0 ", "1 ", "2 "]
    document = {"model": "FailingText", "prompt": "2", "stream": True}
    _, headers, body = request("POST", "/v1/completions", json.dumps(document), address=OPENAI)
    assert headers["content-type"].startswith("text/event-stream")
    assert b"[DONE]" not in body and b"id:" not in body.replace(b'"id":', b"")
    _, _, body = request("POST", "/v1/completions", json.dumps({**document, "model": "Letters"}), address=OPENAI)
    assert body.endswith(b"\n\ndata: [DONE]\n\n")


def test_disconnect_ends_the_function(client):
    for _ in range(3):
        with client.completions.create(model="Counting", prompt="5", stream=True) as stream:
            assert [next(iter(stream)).choices[0].text for _ in range(2)] == ["0 ", "1 "]
            assert counted(client) == 1
        all_given_up(client)
    # Also for a client without streaming, before anything was sent.
    host, port = OPENAI.split(":")
    with socket.create_connection((host, int(port)), TIMEOUT) as bare:
        body = json.dumps({"model": "Counting", "prompt": "5"}).encode()
        bare.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        while counted(client) == 0:
            time.sleep(0.01)
    all_given_up(client)


def test_event_is_sent_at_once(client):
    begun, arrived = time.monotonic(), []
    for chunk in client.completions.create(model="Counting", prompt="100", stop="4", stream=True):
        arrived.append(time.monotonic() - begun)
    assert all(later - earlier > 0.05 for earlier, later in zip(arrived, arrived[1:4])), arrived


def test_concurrent_completions_are_separate():
    def text_of(client, text, stream):
        answer = client.completions.create(model="Letters", prompt=text, stream=stream)
        return "".join(chunk.choices[0].text for chunk in answer) if stream else answer.choices[0].text

    def ask(number):
        with openai.OpenAI(base_url=f"http://{OPENAI}/v1", api_key="any", max_retries=0, timeout=TIMEOUT) as client:
            for again in range(5):
                text = f"{number}/{again} " * 20
                assert text_of(client, text, (number + again) % 2 == 0) == text

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(ask, range(32)))


def test_burst_loses_no_piece():
    def ask(number):
        # One piece per letter, as fast as the function sends them.
        for again in range(3):
            text = f"{number}/{again} " * 250
            status, _, answer = post("/v1/completions", {"model": "Letters", "prompt": text})
            assert (status, answer["choices"][0]["text"]) == (200, text)

    with ThreadPoolExecutor(32) as threads:
        list(threads.map(ask, range(32)))


def test_asyncio_client():
    async def ask(client, number):
        messages = [{"role": "user", "content": f"{number}-{index}"} for index in range(5)]
        stream = await client.chat.completions.create(model="Sender", messages=messages, stream=True)
        heard = [chunk.choices[0].delta.content async for chunk in stream]
        assert heard == ["", *(message["content"] for message in messages), None]

    async def run():
        async with openai.AsyncOpenAI(base_url=f"http://{OPENAI}/v1", api_key="any", max_retries=0, timeout=TIMEOUT) as client:
            await asyncio.gather(*(ask(client, number) for number in range(20)))
            stream = await client.completions.create(model="Counting", prompt="5", stream=True)
            async for _ in stream:
                break
            await stream.close()

    asyncio.run(run())
    with openai.OpenAI(base_url=f"http://{OPENAI}/v1", api_key="any") as client:
        all_given_up(client)


def test_requests_without_a_client_library():
    for method, path, status, code in [
        ("GET", "/v1/nope", 404, "unknown_url"), ("GET", "/v1/models/", 404, "unknown_url"), ("GET", "/v1/models/a/b", 404, "unknown_url"),
        ("POST", "/v1/models", 405, None), ("GET", "/v1/completions", 405, None), ("DELETE", "/v1/chat/completions", 405, None),
    ]:
        got, headers, body = request(method, path, address=OPENAI)
        assert (got, json.loads(body)["error"]["code"]) == (status, code), path
        assert ("Allow" in headers) == (status == 405), path
    for body in [b"", b"{", b"[]", b"5", b'"x"', b"\xff", b"{} x", b'{"model":"Letters","prompt":"x","prompt":"y"}', b"[" * 100_000,
                 b'{"model":"Letters","prompt":' + b"[" * 100_000]:
        status, _, answer = post("/v1/completions", body)
        assert status == 400 and answer["error"]["type"] == "invalid_request_error", body[:40]
    for document, param in [({}, "model"), ({"model": 5}, "model"), ({"model": "Letters"}, "prompt"), ({"model": "Letters", "prompt": None}, "prompt")]:
        status, _, answer = post("/v1/completions", document)
        assert (status, answer["error"]["param"]) == (400, param), document
    status, _, answer = post("/v1/completions", {"model": "Letters", "prompt": "x"}, Authorization="Bearer any")
    assert status == 200 and answer["choices"][0]["text"] == "x"
    status, _, answer = post("/v1/completions", {"model": "Letters", "prompt": "x"}, **{"Content-Encoding": "gzip"})
    assert status == 400 and "identity" in answer["error"]["message"]
    # An ignored member may be nested to any depth.
    deep = b'{"model":"Letters","prompt":"x","y":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
    assert post("/v1/completions", deep)[0] == 200
    surrogate = b'{"model":"Letters","prompt":"\\ud800"}'
    assert post("/v1/completions", surrogate)[0] == 400


def test_requests_refused_early_have_the_openai_format():
    host, port = OPENAI.split(":")
    with socket.create_connection((host, int(port)), TIMEOUT) as bare:
        bare.sendall(b"GET /v1/models HTTP/1.1\r\n\r\n")
        answer = b"".join(iter(lambda: bare.recv(4096), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 "), answer
    assert json.loads(body)["error"]["type"] == "invalid_request_error"


def test_large_request_takes_linear_time():
    text = "x" * (4 << 20)
    begun = time.monotonic()
    for path, document in [
        ("/v1/chat/completions", {"model": "Whole", "messages": [{"role": "user", "content": text}]}),
        ("/v1/chat/completions", {"model": "Whole", "messages": [{"role": "user", "content": "é\n"}] * 50_000}),
        ("/v1/completions", {"model": "Demanding", "prompt": text, "temperature": 1, "stop": ["x" * 256] * 16}),
    ]:
        status, _, answer = post(path, document)
        assert status == 200, answer
    too_large = b'{"model":"Whole","x":"' + b"x" * (65 << 20) + b'"}'
    host, port = OPENAI.split(":")
    with socket.create_connection((host, int(port)), TIMEOUT) as bare:
        bare.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(too_large))
        assert bare.recv(1000).startswith(b"HTTP/1.1 413 ")
    assert time.monotonic() - begun < TIMEOUT


def test_openai_models_are_also_served_over_kserve():
    status, _, body = request("POST", "/v2/models/Letters/generate_stream", json.dumps({"prompt": "x", "max_tokens": 0}), address=HTTP)
    model = {"model_name": "Letters", "model_version": "1", "text": ""}
    assert status == 200 and [json.loads(event[6:]) for event in body.split(b"\n\n") if event] == [
        {"completion_tokens": 0, "finish_reason": "length", "prompt_tokens": 1, **model}]
    message = json.dumps({"role": "user", "content": "x"})
    document = {"inputs": [{"name": "messages", "datatype": "BYTES", "shape": [1], "data": [message]}]}
    status, _, answer = post("/v2/models/Whole/infer", document, address=HTTP)
    assert status == 200 and answer["outputs"][0] == {"name": "text", "datatype": "BYTES", "shape": [1], "data": ["x"]}
    assert answer["parameters"] == {"completion_tokens": 2, "finish_reason": "content_filter", "prompt_tokens": 1}
    document["inputs"][0]["data"] = ["x"]
    status, _, answer = request("POST", "/v2/models/Whole/infer", json.dumps(document), address=HTTP)
    assert status == 400 and b"element 0 is not a valid message" in answer


@pytest.mark.skipif(TRITONSERVER, reason="tritonserver's own port has no routes of OpenAI's")
def test_http_port_also_has_the_routes(client):
    status, _, answer = post("/v1/completions", {"model": "Letters", "prompt": "x"}, address=HTTP)
    assert status == 200 and answer["choices"][0]["text"] == "x"
    assert request("GET", "/v2", address=OPENAI)[0] == 404
