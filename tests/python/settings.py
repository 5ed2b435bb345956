"""Requests about log and trace settings. The last of them restore the settings."""

import json

from tritonclient.grpc import service_pb2 as pb

from messages import Grpc, Http

LOG, TRACE = "/v2/logging", "/v2/trace/setting"
LOGS = {
    "nothing": {}, "list": [], "unknown": {"x": 1}, "null": {"log_info": None, "log_file": None, "log_format": None},
    "all": {"log_info": False, "log_warning": False, "log_error": True, "log_verbose_level": 2, "log_format": "ISO8601"},
    "file": {"log_file": "x", "log_info": True}, "number for truth": {"log_error": False, "log_info": 1},
    "text for truth": {"log_warning": "true"}, "half": {"log_info": True, "log_warning": 0}, "negative": {"log_verbose_level": -1},
    "text for level": {"log_verbose_level": "1"}, "truth for level": {"log_verbose_level": True}, "format": {"log_format": "bogus"},
    "number for format": {"log_format": 1},
    "back": {"log_info": True, "log_warning": True, "log_error": True, "log_verbose_level": 0, "log_format": "default"},
}
TRACES = {
    "nothing": {}, "list": [], "unknown": {"x": 1, "trace_mode": "opentelemetry"}, "rate": {"trace_rate": "7"}, "rate with more": {"trace_rate": "5x"},
    "negative rate": {"trace_rate": "-1"}, "no rate": {"trace_rate": "x"}, "empty rate": {"trace_rate": ""}, "large rate": {"trace_rate": "99999999999"},
    "larger than signed": {"trace_rate": "2147483648"}, "number for rate": {"trace_rate": 5}, "rate of all": {"trace_rate": None},
    "count": {"trace_count": "12"}, "any count": {"trace_count": "-1"}, "count below": {"trace_count": "-2"}, "no count": {"trace_count": "x"},
    "large count": {"trace_count": "99999999999"}, "count of all": {"trace_count": None}, "frequency": {"log_frequency": "3"},
    "no frequency": {"log_frequency": "x"}, "large frequency": {"log_frequency": "99999999999"}, "frequency of all": {"log_frequency": None},
    "file": {"trace_file": "x"}, "null file": {"trace_file": None}, "off": {"trace_level": ["OFF"]}, "off and more": {"trace_level": ["OFF", "TENSORS"]},
    "no level": {"trace_level": []}, "other level": {"trace_level": ["bogus"]}, "text for level": {"trace_level": "OFF"},
    "number in level": {"trace_level": [1]}, "level without a file": {"trace_level": ["TIMESTAMPS"]}, "level of all": {"trace_level": None},
}


def settings():
    """Yields requests that read, change and restore the settings."""
    yield from logs()
    for path, model in ((TRACE, ""), ("/v2/models/I_FP32/trace/setting", "I_FP32"), (TRACE, "")):
        yield from traces(path, model)
    # A setting without a value for the model follows the global one.
    for path, body in [("/v2/models/I_FP32/trace/setting", {"trace_rate": "3"}), (TRACE, {"trace_rate": "9", "trace_count": "4"})]:
        yield Http(f"http/settings/layers {path}", path, json.dumps(body).encode())
        for told in (TRACE, "/v2/models/I_FP32/trace/setting", "/v2/models/AddSub/trace/setting"):
            yield Http(f"http/settings/layers {path} {told}", told, method="GET")
    for path in ("/v2/models/I_FP32/trace/setting", TRACE):
        yield Http(f"http/settings/clear {path}", path, json.dumps({"trace_rate": None, "trace_count": None}).encode())
        yield Http(f"http/settings/cleared {path}", path, method="GET")
    for path in ("/v2/models/Nope/trace/setting", "/v2/models/I_FP32/versions/1/trace/setting"):
        for method in ("GET", "POST"):
            yield Http(f"http/settings/{method} {path}", path, b"{}" if method == "POST" else b"", method=method)
    yield Grpc("grpc/settings/unknown model", "TraceSetting", pb.TraceSettingRequest(model_name="Nope"))
    for method, path in (("PUT", LOG), ("DELETE", TRACE), ("HEAD", LOG)):
        yield Http(f"http/settings/{method} {path}", path, method=method)


def logs():
    yield Http("http/settings/log", LOG, method="GET")
    yield Http("http/settings/log/syntax", LOG)
    for name, body in LOGS.items():
        yield Http(f"http/settings/log/{name}", LOG, json.dumps(body).encode())
        yield Http(f"http/settings/log/{name} told", LOG, method="GET")
    for name, body in LOGS.items():
        if not isinstance(body, dict) or None in body.values():
            continue
        made = pb.LogSettingsRequest()
        for setting, value in body.items():
            kind = "bool_param" if isinstance(value, bool) else "uint32_param" if isinstance(value, int) else "string_param"
            if value != -1:
                setattr(made.settings[setting], kind, value)
        yield Grpc(f"grpc/settings/log/{name}", "LogSettings", made)
        yield Grpc(f"grpc/settings/log/{name} told", "LogSettings", pb.LogSettingsRequest())


def traces(path, model):
    yield Http(f"http/settings/trace{model}", path, method="GET")
    yield Http(f"http/settings/trace{model}/syntax", path)
    for name, body in TRACES.items():
        yield Http(f"http/settings/trace{model}/{name}", path, json.dumps(body).encode())
        yield Http(f"http/settings/trace{model}/{name} told", path, method="GET")
    for name, body in TRACES.items():
        if not isinstance(body, dict):
            continue
        made = pb.TraceSettingRequest(model_name=model)
        for setting, value in body.items():
            values = [] if value is None else value if isinstance(value, list) else [value]
            made.settings[setting].value.extend(str(value) for value in values)
        yield Grpc(f"grpc/settings/trace{model}/{name}", "TraceSetting", made)
    made = pb.TraceSettingRequest(model_name=model)
    made.settings["trace_rate"].value.extend(["1", "2"])
    yield Grpc(f"grpc/settings/trace{model}/several", "TraceSetting", made)
    yield Grpc(f"grpc/settings/trace{model}", "TraceSetting", pb.TraceSettingRequest(model_name=model))
