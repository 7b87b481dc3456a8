"""What has to be rewritten in CUDA sources that were written for CuPy and not for us."""

import re
from typing import NamedTuple

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"][^>"\n]+[>"]).*$', re.MULTILINE)
_DYNAMIC_SHARED = re.compile(
    r'\bextern\s+(?:"C"\s+)?(?:__align__\s*\([^)]*\)\s*)?__shared__\s+'
    r"(?:__align__\s*\([^)]*\)\s*)?([\w:<>,\s]+?[\s>])\s*(\w+)\s*\[\s*\]\s*;"
)
_STATIC_SHARED = re.compile(r"//[^\n]*|/\*.*?\*/|[{}]|\b__shared__\b([^;{}]*);", re.DOTALL)
_STD_SPECIALIZATION = re.compile(r"\b(?:struct|class)\s+(?:::\s*)?std\s*::\s*\w+\s*<")
# Types of kernels and templates are named with one capital letter.
_CAST_TO_PARAMETER = re.compile(r"\(([A-Z])\)\s*(?=[A-Za-z_(])")
_NAME = re.compile(r"[A-Za-z_]\w*")


class Source(NamedTuple):
    """A source in the parts that a unit is made from."""

    includes: str
    code: str
    has_std: bool  # specializes templates of namespace std, so lies in no namespace


def source(code: str) -> Source:
    """Rewrite what a host compiler does not take.

    Includes are taken out, since the code is put into a namespace; ``extern __shared__``
    arrays become pointers to the block's dynamic shared memory, and behind each declaration of
    static shared memory in a function the engine is told of it.
    """
    includes = "\n".join(f"#include {name}" for name in _INCLUDE.findall(code))
    code = _INCLUDE.sub("", code)
    code = _DYNAMIC_SHARED.sub(r"\1* const \2 = (\1*)sim_dynamic_shared();", code)
    code = _telling(code)
    return Source(includes, code, _STD_SPECIALIZATION.search(code) is not None)


def _telling(code):
    """A source with a macro for each variable behind declarations of static shared memory."""
    depth = 0

    def told(found):
        nonlocal depth
        depth += (found[0] == "{") - (found[0] == "}")
        if found[1] is None or depth == 0:
            return found[0]
        names = filter(None, map(_declared, _split(found[1])))
        return found[0] + "".join(f" SIM_STATIC_SHARED({name})" for name in names)

    return _STATIC_SHARED.sub(told, code)


def _declared(declarator):
    """Name that a declarator without a value declares; None where that is not plain."""
    found = re.search(r"(\w+)\s*(?:\[[^\[\]]+\]\s*)*$", declarator)
    return found and found[1]


def _split(declaration):
    """Declarators of a declaration, the first one with the type."""
    parts, brackets, angles = [""], 0, 0
    for character in declaration:
        brackets += (character in "([") - (character in ")]")
        if brackets == 0:  # where `<` is no comparison
            angles += (character == "<") - (character == ">")
        if character == "," and brackets == angles == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def definitions(options: tuple[str, ...]) -> str:
    """Preprocessor lines of the ``-D`` and ``-U`` options; the others do not count here."""
    lines = []
    options = iter(options)
    for option in options:
        for flag, word in (
            ("-D", "define"),
            ("--define-macro=", "define"),
            ("-U", "undef"),
            ("--undefine-macro=", "undef"),
        ):
            if option.startswith(flag):
                value = option[len(flag) :] or next(options)
                name, is_valued, value = value.strip().partition("=")
                if word == "define":
                    name = f"{name} {value if is_valued else 1}"
                lines.append(f"#{word} {name}")
    return "".join(line + "\n" for line in lines)


def saturated_stores(operation: str, outputs: dict[str, str]) -> str:
    """Let plain assignments to integer outputs convert floating values as CUDA does.

    Parameters
    ----------
    operation : str
        The body of a loop.
    outputs : dict of str
        C type by name of output.
    """
    if "#define" in operation:
        return operation
    for name, ctype in outputs.items():
        store = re.compile(
            rf"((?:^|[;{{}}):]|\belse\b)\s*)({name}\s*(?:\[[^\[\];=]*\])?)\s*=(?!=)([^;{{}}]+);"
        )

        def rewritten(match, ctype=ctype):
            before, target, value = match.groups()
            if _has_bare_comma(value):
                return match[0]
            return f"{before}{target} = sim_stored<{ctype}>({value.strip()});"

        operation = store.sub(rewritten, operation)
    return operation


def saturated_casts(code: str) -> str:
    """Let casts to a kernel's or template's type, as in ``(T)x[i]``, convert as CUDA does."""
    parts, end = [], 0
    for match in _CAST_TO_PARAMETER.finditer(code):
        if match.start() < end:
            continue
        stop = _end_of_operand(code, match.end())
        if stop is None:
            continue
        operand = saturated_casts(code[match.end() : stop])
        parts += [code[end : match.end()], f"sim_stored<{match[1]}>({operand})"]
        end = stop
    return "".join(parts) + code[end:]


def _end_of_operand(code, position):
    """Where a name or parenthesis with its calls, indices and members ends, if it is one."""
    if code[position] != "(":
        position = _NAME.match(code, position).end()
    while position < len(code) and code[position] in "([.":
        if code[position] == ".":
            name = _NAME.match(code, position + 1)
            if name is None:
                return None
            position = name.end()
            continue
        position = _end_of_bracket(code, position)
        if position is None:
            return None
    return None if code.startswith("<", position) else position


def _end_of_bracket(code, start):
    depth = 0
    for position in range(start, len(code)):
        depth += (code[position] in "([") - (code[position] in ")]")
        if depth == 0:
            return position + 1
    return None


def _has_bare_comma(expression):
    depth = 0
    for character in expression:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            return True
    return False
