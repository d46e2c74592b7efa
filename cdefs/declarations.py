"""Reads the headers under cdefs/ and turns each declaration into a check the C compiler makes.

cffi believes what it is told: a wrong integer width, return type, field or constant compiles and then corrupts.
So each prototype, struct field, size and constant becomes a ``_Static_assert`` against the real headers. The
grammar is deliberately small (one ``#define`` a line, one declaration a statement); anything else is refused.
"""

import re
from collections.abc import Iterator
from pathlib import Path

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CONSTANT = re.compile(r"#define\s+(\w+)\s+(\S+)")
_RESULT = r"(?P<result>[\w\s]+?[\s*]+)"
_PARAMETERS = r"\((?P<parameters>(?:[^()]|\([^()]*\))*)\)"  # a parameter may be a pointer to a function
_PROTOTYPE = re.compile(_RESULT + r"(?P<name>\w+)" + _PARAMETERS, re.DOTALL)
_FUNCTION_TYPE = re.compile(r"typedef\s+" + _RESULT + r"\(\*(?P<name>\w+)\)" + _PARAMETERS, re.DOTALL)
_NAMED_STRUCT = re.compile(
    r"typedef\s+(?P<kind>struct|union)\s*\{(?P<fields>[^{}]*)\}\s*(?P<name>\w+)", re.DOTALL
)
_ENUM = re.compile(r"typedef\s+enum\s*\{\s*(?P<name>\w+)\s*=\s*(?P<value>\w+)\s*\}\s*\w+", re.DOTALL)
_SCALAR = re.compile(r"typedef\s+(?P<type>[\w\s]+?[\s*]+)(?P<name>\w+)", re.DOTALL)
_STRUCT = re.compile(r"struct\s+(?P<name>\w+)\s*\{(?P<fields>[^{}]*)\}", re.DOTALL)
_FIELD = re.compile(r"(?P<type>[\w\s]+?[\s*]+)(?P<name>\w+)(?P<array>(\[\w+\])?)", re.DOTALL)
_STATEMENT = re.compile(r"(?:[^;{}]|\{[^{}]*\})+;")


class UnrecognisedError(ValueError):
    """A declaration outside the small grammar that can be checked."""


def read_headers(folder: Path) -> str:
    """The declarations of every header in `folder` that is not C code of its own, in name order."""
    return "\n".join(path.read_text() for path in sorted(folder.glob("*.h")) if path.name != "preamble.h")


def static_asserts(text: str) -> Iterator[str]:
    """One `_Static_assert` for each thing that `text` declares.

    Raises UnrecognisedError for a declaration that could not be checked.
    """
    plain = _COMMENT.sub("", text)
    for line in re.findall(r"^#.*$", plain, re.MULTILINE):
        match = _CONSTANT.fullmatch(line.strip())
        if match is None:
            raise UnrecognisedError(line)
        name, value = match.groups()
        if value != "...":
            yield _assert(f"({name}) == ({value})", f"{name} is not {value}")
    for statement in _STATEMENT.findall(re.sub(r"^#.*$", "", plain, flags=re.MULTILINE)):
        yield from _check_statement(statement.strip().removesuffix(";").strip())


def _check_statement(statement: str) -> Iterator[str]:
    if struct := _STRUCT.fullmatch(statement):
        yield from _check_struct(f"struct {struct['name']}", struct["fields"])
    elif struct := _NAMED_STRUCT.fullmatch(statement):
        yield from _check_struct(struct["name"], struct["fields"], struct["kind"])
    elif enum := _ENUM.fullmatch(statement):
        yield _assert(f"({enum['name']}) == ({enum['value']})", f"{enum['name']} is not {enum['value']}")
    elif function := _FUNCTION_TYPE.fullmatch(statement):
        pointer = f"{function['result'].strip()} (*)({function['parameters']})"
        yield _same_type(f"*({function['name']} *)0", pointer, f"type {function['name']}")
    elif scalar := _SCALAR.fullmatch(statement):
        yield _same_type(f"*({scalar['name']} *)0", scalar["type"].strip(), f"type {scalar['name']}")
    elif prototype := _PROTOTYPE.fullmatch(statement):
        pointer = f"{prototype['result'].strip()} (*)({prototype['parameters']})"
        yield _same_type(f"&{prototype['name']}", pointer, f"prototype of {prototype['name']}")
    else:
        raise UnrecognisedError(statement)


def _check_struct(name: str, body: str, kind: str = "struct") -> Iterator[str]:
    fields = [field.strip() for field in body.split(";") if field.strip()]
    partial = fields[-1] == "..."
    twin = f"{kind} {{ " + " ".join(f"{field};" for field in fields) + " }"
    for field in fields[: -1 if partial else None]:
        match = _FIELD.fullmatch(field)
        if match is None:
            raise UnrecognisedError(f"{name}: {field}")
        member = match["name"]
        wanted = match["type"].strip() + match["array"]
        yield _same_type(f"(({name} *)0)->{member}", wanted, f"{name}.{member}")
        if not partial:
            same_place = f"__builtin_offsetof({name}, {member}) == __builtin_offsetof({twin}, {member})"
            yield _assert(same_place, f"offset of {name}.{member}")
    if not partial:
        yield _assert(f"sizeof({name}) == sizeof({twin})", f"size of {name}")


def _same_type(expression: str, wanted: str, what: str) -> str:
    return _assert(f"__builtin_types_compatible_p(__typeof__({expression}), {wanted})", f"{what} differs")


def _assert(condition: str, message: str) -> str:
    return f'_Static_assert({" ".join(condition.split())}, "{message}");'
