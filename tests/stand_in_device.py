"""A stand-in for a GPU: the device "card" of PyTorch, whose numbers are in ordinary memory.

As on a GPU, a tensor must be transferred before it is used there, tensors of two devices do not mix, networks compute
with 16 bits under autocast, and transfers can be counted. install() changes PyTorch for the rest of the process, so
tests run it in processes of their own.
"""

import functools
import sys
from collections import Counter

import torch
from torch.utils import backend_registration
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map

NAME = "card"
CPU = torch.device("cpu")
counts = Counter()
"""Transfers "up" to the card and "down" from it, "non-blocking" ones, and operations with 16 bits ("half")."""


def is_possible():
    return hasattr(backend_registration, "_setup_privateuseone_for_python_backend")


class OnCard(torch.Tensor):
    """A tensor that PyTorch takes for one of the card."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, held):
        return torch.Tensor._make_wrapper_subclass(
            cls, held.shape, strides=held.stride(), dtype=held.dtype, device=torch.device(NAME, 0)
        )

    def __init__(self, held):
        self.held = held

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return compute(func, args, kwargs or {})


class Card(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return compute(func, args, kwargs or {})


def held(value):
    return value.held if isinstance(value, OnCard) else value


def compute(func, args, kwargs):
    """Compute an operation of PyTorch as a GPU would, or refuse it as a GPU would."""
    tensors = [value for value in tree_leaves((args, kwargs)) if isinstance(value, torch.Tensor)]
    ours = [value for value in tensors if isinstance(value, OnCard)]
    named = torch.device(kwargs["device"]) if kwargs.get("device") is not None else None
    kind = func.overloadpacket.__name__
    if kind == "to":  # in inference mode
        with Card():
            return func.decompose(*args, **kwargs)
    if kind == "_to_copy":
        return convert(func, args, kwargs, named)
    if kind == "copy_":
        to, source = (isinstance(value, OnCard) for value in args[:2])
        counts["up"] += to and not source
        counts["down"] += source and not to
        held(args[0]).copy_(held(args[1]))
        return args[0]
    if kind == "_local_scalar_dense":
        counts["down"] += len(ours)
        return func(held(args[0]))
    if not ours and (named is None or named.type != NAME):
        return func(*args, **kwargs)
    if any(not isinstance(value, OnCard) and value.dim() for value in tensors if ours):
        raise RuntimeError(f"Expected all tensors to be on the same device, found {NAME} and cpu in {func}")
    if named is not None:
        kwargs = {**kwargs, "device": CPU}
    found = func(*tree_map(held, args), **tree_map(held, kwargs))
    same = {id(value.held): value for value in ours}

    def wrap(value):
        if not isinstance(value, torch.Tensor):
            return value
        return same[id(value)] if id(value) in same else OnCard(value)

    return tree_map(wrap, found)


def convert(func, args, kwargs, named):
    is_here = isinstance(args[0], OnCard)
    goes_here = is_here if named is None else named.type == NAME
    counts["up"] += goes_here and not is_here
    counts["down"] += is_here and not goes_here
    if kwargs.get("non_blocking"):
        counts["non-blocking"] += 1
    kept = {name: value for name, value in kwargs.items() if name not in ("device", "non_blocking", "pin_memory")}
    found = func(held(args[0]), *args[1:], **kept)
    return OnCard(found) if goes_here else found


def in_half(function, *args, **kwargs):
    """Compute an operation with 16 bits, as autocast does with those that are accurate enough."""
    counts["half"] += 1
    dtype = torch.get_autocast_dtype(NAME)
    cast = tree_map(lambda x: x.to(dtype) if isinstance(x, torch.Tensor) and x.dtype == torch.float32 else x, args)
    with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)):
        return function(*cast, **kwargs)


_libraries = []


def install():
    """Add the device to PyTorch in this thread, and return the counts."""
    backend_registration._setup_privateuseone_for_python_backend(NAME)
    module = getattr(torch, NAME)
    type(module).get_amp_supported_dtype = staticmethod(lambda: [torch.float16, torch.bfloat16])
    everything = torch.library.Library("_", "IMPL", "AutocastPrivateUse1")
    everything.fallback(torch.library.fallthrough_kernel)
    networks = torch.library.Library("aten", "IMPL", "AutocastPrivateUse1")
    for name in ("conv2d", "linear"):
        networks.impl(name, functools.partial(in_half, getattr(torch.ops.aten, name).default))
    _libraries.extend([everything, networks])
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    torch.onnx.export = functools.partial(on_processor, torch.onnx.export)
    Card().__enter__()
    return counts


def on_processor(function, *args, **kwargs):
    """Call a function that records the operations of the processor and cannot do so through a mode."""
    with _disable_current_modes():
        return function(*args, **kwargs)


if __name__ == "__main__":
    # `python stand_in_device.py tengen …` is Tengen's command on a machine with such a device, `… serve` one of its
    # evaluation servers.
    install()
    if sys.argv[1] == "serve":
        from tengen.evaluators.server import main
    else:
        from tengen.cli import main
        from tengen.evaluators import device_servers

        device_servers._COMMAND = [sys.executable, __file__, "serve"]
        del sys.argv[1]
    main()
