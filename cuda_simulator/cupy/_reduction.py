"""`ReductionKernel`: map, reduce and post-map, generated for the types and layouts of a call.

Values are added up in the order of CuPy's: 512 partial results, each of every 512th value,
which a tree then joins.
"""

import math

import numpy as np

from cuda_simulator import library, loops, translate

from . import _parameters as parameters
from ._core import internal
from ._elementwise import checked_name, compiled, outputs_of
from ._ndarray import ndarray
from .cuda import runtime

_WIDTH = 512
_ELEMENT = """\
    _type_reduce sim_part[{width}];
    int sim_width = 1;
    while (sim_width < {width} && sim_width < sim_count) sim_width *= 2;
    {start}
    _in_ind.set(i * sim_count);
    for (ptrdiff_t _J = 0; _J < sim_count; ++_J, _in_ind.sim_next()) {{
        const ptrdiff_t sim_place = i * sim_count + _J;
        const int sim_lane = (int)(_J & (sim_width - 1));
{inputs}
        const _type_reduce sim_value = static_cast<_type_reduce>({map});
        {first}sim_part[sim_lane] = REDUCE(sim_part[sim_lane], sim_value);
    }}
    for (int sim_step = sim_width / 2; sim_step; sim_step /= 2)
        for (int sim_lane = 0; sim_lane < sim_step; ++sim_lane) {{
            if (sim_lane + sim_step >= sim_count) break;
            sim_part[sim_lane] = REDUCE(sim_part[sim_lane], sim_part[sim_lane + sim_step]);
        }}
{outputs}
    POST_MAP(sim_part[0]);"""
_IDENTITY = "for (int k = 0; k < sim_width; ++k) sim_part[k] = _type_reduce({identity});"
_FROM_FIRST = "if (_J < sim_width) sim_part[sim_lane] = sim_value; else "


class ReductionKernel:
    """A kernel that reduces arrays along axes.

    Parameters
    ----------
    in_params, out_params : str
        Declarations, as for `ElementwiseKernel`.
    map_expr : str
        What a value is made of.
    reduce_expr : str
        What the values ``a`` and ``b`` are joined to.
    post_map_expr : str
        Assigns the output from the result ``a``.
    identity : str
        What a reduction starts with; empty: the first value.
    name : str
        Name of the kernel.
    reduce_type : str, optional
        C type of what is reduced, the first output's by default.
    reduce_dims : bool
        Whether arrays may be given fewer dimensions where their layout allows.
    preamble : str
        C++ before the kernel.
    options : tuple of str
        Options of the compiler.
    """

    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name="reduce_kernel",
        reduce_type=None,
        reduce_dims=True,
        preamble="",
        options=(),
    ):
        self.name = self.__name__ = checked_name(name)
        self.in_params = parameters.declared(in_params, True)
        self.out_params = parameters.declared(out_params, False)
        self.nin = len(self.in_params)
        self.nout = len(self.out_params)
        self.nargs = self.nin + self.nout
        self.map_expr = map_expr
        self.reduce_expr = reduce_expr
        self.post_map_expr = post_map_expr
        self.identity = "" if identity is None else str(identity)
        self.reduce_type = self.out_params[0].ctype if reduce_type is None else reduce_type
        self.reduce_dims = reduce_dims
        self.preamble = preamble
        self.options = options
        self.cached_codes = {}
        self._loops = {}

    def __call__(self, *args, **kwargs):
        """Run the kernel.

        Parameters
        ----------
        *args : cupy.ndarray or scalar
            Inputs, and outputs behind them.
        out : cupy.ndarray, optional
            The output.
        axis : int or tuple of int, optional
            Axes to reduce along, all by default.
        keepdims : bool
            Whether these axes stay, with length one.
        stream
            As in CuPy; of no effect.
        """
        out = kwargs.pop("out", None)
        axis = kwargs.pop("axis", None)
        keepdims = kwargs.pop("keepdims", False)
        kwargs.pop("stream", None)
        if kwargs:
            raise TypeError(f"Wrong arguments {kwargs}")
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"Wrong number of arguments for {self.name!r}")
        inputs, given = args[: self.nin], args[self.nin :]
        if out is not None:
            if self.nout != 1:
                raise NotImplementedError("`out` with several outputs")
            if given:
                raise ValueError("cannot specify 'out' as both a positional and keyword argument")
            given = (out,)
        runtime.getDevice()
        parameters.checked((*inputs, *given))
        in_types, out_types, known = parameters.decide_types(
            self.in_params,
            self.out_params,
            parameters.given_dtypes(inputs),
            parameters.given_dtypes(given),
        )
        looped = self._looped(self.in_params, inputs)
        if not looped:
            raise ValueError("Loop size is undecided.")
        shape = np.broadcast_shapes(*(inputs[k].shape for k in looped))
        reduced = internal._normalize_axis_indices(axis, len(shape))
        kept = tuple(k for k in range(len(shape)) if k not in reduced)
        out_shape = tuple(
            shape[k] if k in kept else 1 for k in range(len(shape)) if keepdims or k in kept
        )
        outputs = outputs_of(self.out_params, given, out_types, out_shape, False)
        if 0 in shape and not self.identity:
            raise ValueError(
                f"zero-size array to reduction operation {self.name} which has no identity"
            )
        if 0 not in out_shape:
            self._run(inputs, outputs, in_types, known, shape, (kept, reduced))
        return outputs[0] if self.nout == 1 else tuple(outputs)

    @staticmethod
    def _looped(params, arguments):
        """Places of the arguments that are gone through element by element."""
        pairs = enumerate(zip(params, arguments, strict=True))
        return [k for k, (p, a) in pairs if not p.raw and isinstance(a, ndarray)]

    def _run(self, inputs, outputs, in_types, known, shape, axes):
        kept, reduced = axes
        order = kept + reduced  # a result's values follow each other in this order
        in_layouts, in_shape = self._layouts(self.in_params, inputs, shape, order)
        out_layouts, out_shape = self._layouts(self.out_params, outputs, shape, kept)
        count = math.prod(shape[k] for k in reduced)
        size = math.prod(shape[k] for k in kept)
        packer = parameters.Packer(size, max(1, loops.ELEMENTS_PER_BLOCK // max(count, 1)))
        for argument, layout, dtype in zip(inputs, in_layouts, in_types, strict=True):
            if layout is None:
                packer.scalar(argument, dtype)
            else:
                packer.array(argument, *layout)
        for argument, layout in zip(outputs, out_layouts, strict=True):
            packer.array(argument, *layout)
        packer.indexer([length or 1 for length in in_shape])  # nothing is looked up in none
        packer.indexer(out_shape)
        packer.scalar(count, np.dtype(np.int64))
        key = (tuple(known.items()), tuple(packer.key), library.build_key())
        if key not in self._loops:
            text = self._text(known, packer.key)
            self.cached_codes[tuple(known.items())] = text.preamble + text.element
            self._loops[key] = compiled(text)
        read = sum(a.nbytes for a in inputs if isinstance(a, ndarray))
        self._loops[key].run(packer, read, sum(a.nbytes for a in outputs))

    def _layouts(self, params, arguments, shape, order):
        """Shape and strides of each array, with axes in `order`, and the shape of all."""
        looped = self._looped(params, arguments)
        target = tuple(shape[k] for k in order)
        rows = []
        for k in looped:
            array = arguments[k]
            if params is self.out_params and array.ndim < len(shape):
                rows.append(list(array.strides))  # the reduced axes are gone already
            else:
                strides = parameters.broadcast_strides(array, shape)
                rows.append([strides[axis] for axis in order])
        if self.reduce_dims and len(target) > 1 and 0 not in target:
            target, rows = parameters.merged(target, rows)
        layouts = [(a.shape, a.strides) if isinstance(a, ndarray) else None for a in arguments]
        for k, row in zip(looped, rows, strict=True):
            layouts[k] = (target, row)
        return layouts, target

    def _text(self, known, key):
        params = (*self.in_params, *self.out_params)
        names, ctypes, declarations, integers = [], [], ([], []), {}
        for position, (p, kind) in enumerate(zip(params, key, strict=False)):
            is_output = position >= self.nin
            looped = kind is not None and not p.raw
            const = "const " if p.is_const else ""
            names.append(f"_raw_{p.name}" if looped else p.name)
            ctypes.append(const + p.ctype)
            if looped:
                linear = "i" if is_output else "sim_place"
                place = linear if kind[1] else f"_{'out' if is_output else 'in'}_ind.get()"
                declarations[is_output].append(
                    f"{const}{p.ctype} &{p.name} = _raw_{p.name}[{place}];"
                )
            dtype = known.get(p.ctype, p.dtype)
            if is_output and dtype.kind in "iu":
                integers[p.name] = p.ctype
        post_map = translate.saturated_stores(self.post_map_expr + ";", integers)
        start, first = _IDENTITY.format(identity=self.identity), ""
        if not self.identity:
            start, first = "", _FROM_FIRST
        return loops.Text(
            name=self.name,
            preamble=self.preamble,
            typedefs=parameters.typedefs(known),
            definitions=(
                f"typedef {self.reduce_type} _type_reduce;\n"
                f"#define REDUCE(a, b) ({self.reduce_expr})\n"
                f"#define POST_MAP(a) ({post_map.rstrip(';')})"
            ),
            prologue=parameters.unpacked(
                [*names, "_in_ind", "_out_ind", "sim_count"],
                [*ctypes, None, None, "const long long"],
                key,
            ),
            before="",
            element=_ELEMENT.format(
                width=_WIDTH,
                start=start,
                first=first,
                inputs="\n".join(declarations[0]),
                map=self.map_expr,
                outputs="\n".join(declarations[1]),
            ),
            after="",
            index="_out_ind",
            options=tuple(self.options),
        )


ReductionKernel.__module__ = "cupy"
