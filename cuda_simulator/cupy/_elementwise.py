"""`ElementwiseKernel`: a loop around a body, generated for the types and layouts of a call."""

import re

import numpy as np

from cuda_simulator import compiler, library, loops, translate

from . import _parameters as parameters
from ._ndarray import ndarray
from .cuda import compiler as _compiler
from .cuda import runtime

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z_0-9]*")
_RETURN = re.compile(r"\breturn\b")


class ElementwiseKernel:
    """A kernel that does the same for every element of its arrays.

    Parameters
    ----------
    in_params, out_params : str
        Declarations, as ``"raw T x, float32 y"``. A type of one letter is a placeholder.
    operation : str
        What is done for element ``i``, in CUDA C++.
    name : str
        Name of the kernel.
    reduce_dims : bool
        Whether arrays may be given fewer dimensions where their layout allows.
    preamble : str
        C++ before the kernel.
    no_return, return_tuple : bool
        Whether a call returns nothing, or a tuple also for one output.
    **kwargs
        `loop_prep` and `after_loop`: C++ around the loop. `options`: of the compiler.
    """

    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name="kernel",
        reduce_dims=True,
        preamble="",
        no_return=False,
        return_tuple=False,
        **kwargs,
    ):
        self.in_params = parameters.declared(in_params, True)
        self.out_params = parameters.declared(out_params, False)
        self.params = (
            *self.in_params,
            *self.out_params,
            *parameters.declared("CIndexer _ind", False),
        )
        self.nin = len(self.in_params)
        self.nout = len(self.out_params)
        self.nargs = self.nin + self.nout
        self.operation = operation
        self.name = self.__name__ = checked_name(name)
        self.reduce_dims = reduce_dims
        self.preamble = preamble
        self.no_return = no_return
        self.return_tuple = return_tuple
        self.kwargs = kwargs
        self.cached_codes = {}
        self._loops = {}
        if any(p.name == "i" for p in self.in_params + self.out_params):
            raise ValueError("Can not use 'i' as a parameter name")

    @property
    def cached_code(self):
        """The code that was generated, where there is one only."""
        codes = list(self.cached_codes.values())
        return codes[0] if len(codes) == 1 else None

    def __call__(self, *args, **kwargs):
        """Run the kernel; outputs are allocated where they are not given.

        Parameters
        ----------
        *args : cupy.ndarray or scalar
            Inputs, and outputs behind them.
        size : int, optional
            Number of elements, where all arrays are raw.
        stream, block_size
            As in CuPy; a loop on the CPU heeds neither.
        """
        size = kwargs.pop("size", None)
        kwargs.pop("stream", None)
        block_size = kwargs.pop("block_size", 128)
        if kwargs:
            raise TypeError(f"Wrong arguments {kwargs}")
        if block_size <= 0:
            raise ValueError("block_size must be greater than zero")
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"Wrong number of arguments for {self.name!r}. It must be either {self.nin} or "
                f"{self.nargs} (with outputs), but given {len(args)}."
            )
        runtime.getDevice()
        parameters.checked(args)
        shape = self._shape(args, size)
        in_types, out_types, known = parameters.decide_types(
            self.in_params,
            self.out_params,
            parameters.given_dtypes(args[: self.nin]),
            parameters.given_dtypes(args[self.nin :]),
        )
        outputs = outputs_of(self.out_params, args[self.nin :], out_types, shape, size is not None)
        if 0 not in shape:
            self._run(args[: self.nin], outputs, in_types, known, shape, block_size)
        if self.no_return:
            return None
        return outputs[0] if self.nout == 1 and not self.return_tuple else tuple(outputs)

    def _shape(self, args, size):
        shapes = [
            a.shape
            for a, p in zip(args, self.params, strict=False)
            if not p.raw and isinstance(a, ndarray)
        ]
        if size is None:
            if not shapes:
                raise ValueError("Loop size is undecided.")
            if all(shape == shapes[0] for shape in shapes):
                return shapes[0]
            return np.broadcast_shapes(*shapes)
        if shapes:
            raise ValueError("Specified 'size' can be used only if all of the ndarray are 'raw'.")
        return (int(size),)

    def _run(self, inputs, outputs, in_types, known, shape, block_size):
        arguments = (*inputs, *outputs)
        layouts, shape, size = self._layouts(arguments, shape)
        packer = parameters.Packer(size, loops.ELEMENTS_PER_BLOCK)
        read = written = 0
        for position, (argument, layout) in enumerate(zip(arguments, layouts, strict=True)):
            if layout is None:
                packer.scalar(argument, in_types[position])
                continue
            packer.array(argument, *layout)
            if position < self.nin:
                read += argument.nbytes
            else:
                written += argument.nbytes
        packer.indexer(shape)
        key = (tuple(known.items()), tuple(packer.key), library.build_key())
        loop = self._loops.get(key)
        if loop is None:
            loop = self._loops[key] = self._compiled(known, packer.key)
        loop.run(packer, read, written, block_size)

    def _layouts(self, arguments, shape):
        """Shape and strides of each array (None for scalars), shape and size of the loop."""
        size = 1
        for length in shape:
            size *= length
        layouts = [(a.shape, a.strides) if isinstance(a, ndarray) else None for a in arguments]
        looped = [
            position
            for position, (layout, p) in enumerate(zip(layouts, self.params, strict=False))
            if layout is not None and not p.raw
        ]
        if not looped:
            return layouts, shape, size
        strides = [parameters.broadcast_strides(arguments[k], shape) for k in looped]
        if self.reduce_dims and len(shape) > 1:
            shape, strides = parameters.merged(shape, strides)
        for position, row in zip(looped, strides, strict=True):
            layouts[position] = (shape, row)
        return layouts, shape, size

    def _compiled(self, known, key):
        text = self._text(known, key)
        self.cached_codes[tuple(known.items())] = text.preamble + text.element
        return compiled(text)

    def _text(self, known, key):
        names, ctypes, elements, integers = [], [], [], {}
        for p, kind in zip(self.params, key, strict=True):
            looped = kind is not None and not p.raw and p.ctype is not None
            const = "const " if p.is_const else ""
            names.append(f"_raw_{p.name}" if looped else p.name)
            ctypes.append(None if p.ctype is None else const + p.ctype)
            if looped:
                place = "i" if kind[1] else "_ind.get()"
                elements.append(f"{const}{p.ctype} &{p.name} = _raw_{p.name}[{place}];")
            dtype = known.get(p.ctype, p.dtype)
            if not p.is_const and dtype is not None and dtype.kind in "iu":
                integers[p.name] = p.ctype
        operation = translate.saturated_casts(self.operation + ";")
        operation = translate.saturated_stores(operation, integers)
        stays = "_ind" not in operation and all("_ind" not in e for e in elements)
        return loops.Text(
            name=self.name,
            preamble=self.preamble,
            typedefs=parameters.typedefs(known),
            prologue=parameters.unpacked(names, ctypes, key),
            before=self.kwargs.get("loop_prep", "") + ";",
            element=element(self.name, "\n".join(elements), operation),
            after=self.kwargs.get("after_loop", "") + ";",
            index="" if stays else "_ind",
            options=tuple(self.kwargs.get("options", ())),
        )


ElementwiseKernel.__module__ = "cupy"


def checked_name(name):
    """A kernel's name, which must be an identifier."""
    if not _NAME.fullmatch(name):
        raise ValueError(f'Invalid kernel name: "{name}"')
    return name


def outputs_of(params, given, types, shape, is_sized):
    """Output arrays of a call: the given ones, checked, or new ones."""
    if not given:
        if any(p.raw for p in params) and not is_sized:
            raise ValueError("Output array size is Undecided")
        return [ndarray(shape, dtype) for dtype in types]
    for array, p in zip(given, params, strict=True):
        if not isinstance(array, ndarray):
            raise TypeError("Output arguments type must be cupy.ndarray")
        if not p.raw and array.shape != shape:
            raise ValueError("Out shape is mismatched")
    return list(given)


def element(name, declarations, operation):
    """A loop's body, in which `continue`, `break` and `return` end the element only."""
    once = f'do {{\n#line 1 "{name}.operation"\n{operation}\n}} while (0);'
    if _RETURN.search(library.without_comments(operation)):
        once = f"[&]() __attribute__((always_inline)) {{\n{once}\n}}();"
    return f"{declarations}\n{once}"


def compiled(text):
    """The loop of a text; `CompileException` where the compiler refuses it."""
    try:
        return loops.load(text)
    except compiler.CompileError as error:
        raise _compiler.CompileException(
            str(error), text.preamble + text.element, text.name, text.options, "simulator"
        ) from None
