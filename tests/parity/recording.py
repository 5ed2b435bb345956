"""Runs a stack of PyTriton's decorators on a batch of requests and records the results."""

import pytriton_parts  # noqa: F401

import dataclasses

import numpy as np
import wrapt
from pytriton import decorators as pytriton
from pytriton.model_config.common import DynamicBatcher
from pytriton.model_config.triton_model_config import TensorSpec, TritonModelConfig
from pytriton.proxy.types import Request

from tensors import DATATYPES, all_to_json, double


@dataclasses.dataclass(frozen=True)
class Decorator:
    """A decorator with its options."""

    name: str
    keys: tuple = ()
    options: dict = dataclasses.field(default_factory=dict)

    def apply(self, function):
        if self.name in ("batch", "sample", "group_by_keys", "pad_batch"):
            return getattr(pytriton, self.name)(function)
        if self.name in OURS:
            return OURS[self.name](function)
        options = dict(self.options)
        if "pad_value" in options:
            options["pad_fn"] = pytriton.ConstantPadder(options.pop("pad_value"))
        return getattr(pytriton, self.name)(*self.keys, **options)(function)

    def to_json(self):
        made = {"name": self.name}
        if self.keys:
            made["keys"] = list(self.keys)
        if self.name == "fill_optionals":
            made["defaults"] = all_to_json(self.options)
        else:
            made.update(self.options)
        return made


@wrapt.decorator
def trim(wrapped, instance, args, kwargs):
    """Removes the rows that `@pad_batch` adds, which PyTriton leaves to the function."""
    rows = next(iter(kwargs.values())).shape[0]
    return {name: output[:rows] for name, output in wrapped(*args, **kwargs).items()}


@wrapt.decorator
def apart(wrapped, instance, args, kwargs):
    """Groups requests with the same inputs and dims, and calls the function for each group."""
    groups = {}
    for index, request in enumerate(args[0]):
        inputs = tuple(sorted((name, value.shape[1:]) for name, value in request.items()))
        groups.setdefault(inputs, []).append(index)
    answers = {}
    for indices in groups.values():
        answers |= zip(indices, wrapped([args[0][index] for index in indices]))
    return [answers[index] for index in range(len(args[0]))]


# Steps that PyTriton does not have, to describe our behaviour.
OURS = {"apart": apart, "trim": trim}


@dataclasses.dataclass
class Model:
    """The part of a model's configuration that decorators read. An input has a name, an element
    type, dims, and a flag for optional.
    """

    inputs: list
    max_batch_size: int = 16
    preferred: tuple = ()
    batching: bool = True

    def config(self):
        inputs = [TensorSpec(name, dims, DATATYPES[kind], optional) for name, kind, dims, optional in self.inputs]
        batcher = DynamicBatcher(preferred_batch_size=list(self.preferred) or None)
        size = self.max_batch_size
        return TritonModelConfig("M", max_batch_size=size, batching=self.batching, batcher=batcher, inputs=inputs)

    def to_json(self):
        return {
            "inputs": [[name, kind, list(dims), optional] for name, kind, dims, optional in self.inputs],
            "max_batch_size": self.max_batch_size,
            "preferred_batch_size": list(self.preferred),
            "batching": self.batching,
        }


@dataclasses.dataclass
class Function:
    """Returns the result of `double` for the first input, and a number for each row, counted over
    all calls.
    """

    batching: bool = True
    # The dims of the first output in each call, without the batch axis; by default those of the
    # first input.
    dims: list = None
    # The number of surplus rows in the result.
    surplus: int = 0

    def __post_init__(self):
        self.calls, self.rows = [], 0

    def __call__(self, **inputs):
        seen = all_to_json(inputs)
        first = next(iter(inputs.values()))
        rows = first.shape[0] if self.batching else 1
        count = rows + self.surplus
        numbers = np.arange(self.rows, self.rows + count, dtype=np.int64)
        self.rows += count
        output = double(first)
        if self.surplus:
            output = np.repeat(output, [1] * (rows - 1) + [self.surplus + 1], axis=0)
        if self.dims:
            shape = (rows, *self.dims[len(self.calls) % len(self.dims)])
            output = np.resize(output, shape)
        outputs = {"OUTPUT_1": output, "row": numbers.reshape((count, 1) if self.batching else (1,))}
        self.calls.append({"inputs": seen, "outputs": all_to_json(outputs)})
        return outputs


def record(name, model, stack, requests, ours=None, **options):
    """Returns a case: the requests, the calls of the function, and the result or error of each
    request.

    `ours` is the reason for different behaviour in Rust. Then `stack` describes it, and the case
    contains the parts that differ, or an error if there is no result.
    """
    theirs = outcome(model, stack, requests, options)
    case = {
        "name": name,
        "model": model.to_json(),
        "decorators": [decorator.to_json() for decorator in stack],
        "requests": [all_to_json(request) for request in requests],
        **theirs,
    }
    if not ours:
        return case
    different = outcome(model, ours["stack"], requests, options) if "stack" in ours else {"fails": True}
    if different != theirs:
        different = {part: value for part, value in different.items() if theirs.get(part) != value}
        case["ours"] = {"why": ours["why"], **different}
    return case


def outcome(model, stack, requests, options):
    function = Function(batching=model.batching, **options)

    def inner(**inputs):
        return function(**inputs)

    decorated = inner
    for decorator in reversed(stack):
        decorated = decorator.apply(decorated)
    context = pytriton.TritonContext()
    context.model_configs[decorated] = model.config()
    decorated.__triton_context__ = context
    made = [Request({name: value.copy() for name, value in request.items()}) for request in requests]
    try:
        answers = decorated(made)
    except Exception as error:
        return {"calls": function.calls, "error": {"type": type(error).__name__, "message": str(error)}}
    return {"calls": function.calls, "responses": [all_to_json(answer) for answer in answers]}
