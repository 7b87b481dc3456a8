"""The ufuncs of CuPy: number of operands and results, and the types each has a loop for.

Loops are tried in this order; the first to which all operands can be cast runs. They are
written as in `numpy.ufunc.types`, with ``*`` in place of one letter of each type in a group.
"""

_INTEGERS = "bBhHiIlLqQ"
_REAL = "efd"
_GROUPS = {
    "bool": "?",
    "int": _INTEGERS,
    "float": _REAL,
    "complex": "FD",
    "inexact": _REAL + "FD",
}


def _expanded(text):
    """``"bool int **->*"`` as the list of loops; a loop without a star stands for itself."""
    groups, loops = [], []
    for word in text.split():
        if word in _GROUPS:
            groups.append(word)
        elif "*" in word:
            loops += [word.replace("*", c) for group in groups for c in _GROUPS[group]]
            groups = []
        else:
            loops.append(word)
    return tuple(loops)


_COMPARISON = "??->? qq->? QQ->? qQ->? Qq->? float **->?"
_TYPES = {
    "int float complex *->*": "conjugate reciprocal sign square",
    "bool int float complex *->*": "negative positive",
    "bool int float *->* F->f D->d": "absolute",
    "bool int float *->*": "ceil fix floor trunc",
    "inexact *->*": """
arccos arccosh arcsin arcsinh arctan arctanh cos cosh exp exp2 expm1 i0 log log10 log1p log2
rint sin sinc sinh sqrt tan tanh
""",
    "float *->*": "cbrt deg2rad fabs rad2deg",
    "inexact *->?": "isfinite isinf isnan",
    "float *->?": "signbit",
    "bool int float *->?": "logical_not",
    "bool int *->*": "invert",
    "b->B B->B h->B H->B i->B I->B l->B L->B q->B Q->B": "bitwise_count",
    "float *->*i": "frexp",
    "float *->**": "modf",
    "bool int float complex **->*": "add multiply subtract fmax fmin maximum minimum",
    "??->b int float complex **->*": "power",
    "int float **->*": "floor_divide fmod remainder",
    "int float **->**": "divmod",
    "qq->d qQ->d Qq->d QQ->d inexact **->*": "true_divide",
    "dd->d FF->D DD->D": "float_power",
    "float **->*": "heaviside logaddexp logaddexp2",
    "inexact **->*": "arctan2 copysign hypot nextafter",
    "bool int **->*": "bitwise_and bitwise_or bitwise_xor gcd lcm",
    "int **->*": "left_shift right_shift",
    _COMPARISON + " complex **->?": "equal not_equal greater greater_equal less less_equal",
    _COMPARISON: "logical_and logical_or",
    "bool int float **->?": "logical_xor",
    "ei->e fi->f el->e fl->f di->d dq->d": "ldexp",
}
_TERNARY = "bool int float complex"
CLIP = _expanded("bool int float ***->*")
WHERE = _expanded(f"{_TERNARY} ?**->*")
TYPES = {name: _expanded(types) for types, names in _TYPES.items() for name in names.split()}
ALIASES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_not": "invert",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate",
    "degrees": "rad2deg",
    "divide": "true_divide",
    "mod": "remainder",
    "pow": "power",
    "radians": "deg2rad",
}
# Loops that CuPy has in order to refuse them.
REFUSED = {
    ("negative", "?->?"): "the `-` operator, is not supported, use the `~` operator or the "
    "logical_not function instead.",
    ("subtract", "??->?"): "the `-` operator, is not supported, use the bitwise_xor, the `^` "
    "operator, or the logical_xor function instead.",
}
