from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

class InferenceError(RuntimeError):
    status: int

class Server:
    @property
    def http(self) -> str | None: ...
    @property
    def grpc(self) -> str | None: ...
    @property
    def metrics(self) -> str | None: ...
    def stop(self) -> None: ...
    def __enter__(self) -> Server: ...
    def __exit__(self, *exception: object) -> None: ...

@overload
def serve(*, background: Literal[False] = False, **options: object) -> None: ...
@overload
def serve(*, background: Literal[True], **options: object) -> Server: ...
def infer(
    model: str,
    inputs: dict[str, Any],
    *,
    version: int | None = None,
    parameters: dict[str, Any] | None = None,
) -> Any: ...

def Countdown(*args: ArrayLike | None, **kwargs: ArrayLike | None) -> Iterator[NDArray[np.int32]]:
    """Counts down to zero.

    Parameters
    ----------
    from : INT32 [:]

    Yields
    ------
    OUTPUT_1 : INT32 [:]

    Tensors have no batch axis.
    """

def Linear(x: ArrayLike, scale: ArrayLike) -> NDArray[np.float32]:
    """Multiplies each row by the weights.

    Parameters
    ----------
    x : FP32 [batch, 20]
        The rows.
    scale : FP32 [batch, 1]
        A factor for all products.

    Returns
    -------
    OUTPUT_1 : FP32 [batch, 30]

    At most 16 rows per call.
    """
