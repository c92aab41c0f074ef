"""Write values of other languages: as JSON for people and models, and as typed expressions for programs.

Items about calls in Java, JavaScript, TypeScript or C++ show values as JSON: null, true, 5, 0.5, "x", lists, and
objects with text keys. Values without a JSON form (sets, infinities, objects of classes) make no item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from annotator.construction import canonical
from annotator.construction.canonical import Form
from annotator.construction.task_material import ConstructionError

_JAVA_COLLECTIONS = {
    "List": "ArrayList", "ArrayList": "ArrayList", "Collection": "ArrayList", "Iterable": "ArrayList",
    "LinkedList": "LinkedList", "Deque": "ArrayDeque", "ArrayDeque": "ArrayDeque", "Queue": "ArrayDeque",
    "Map": "LinkedHashMap", "HashMap": "HashMap", "LinkedHashMap": "LinkedHashMap", "TreeMap": "TreeMap",
}  # fmt: skip
_JAVA_INTEGERS = {"int": "", "Integer": "", "short": "(short) ", "Short": "(short) ", "byte": "(byte) ",
               "Byte": "(byte) ", "long": "L", "Long": "L"}  # fmt: skip
_BOXED = {"int": "Integer", "long": "Long", "double": "Double", "boolean": "Boolean", "char": "Character"}
_CPP_LISTS = ("vector", "deque", "list", "array")
_CPP_MAPS = ("map", "unordered_map")
_CPP_INTEGER = re.compile(r"(?:(?:unsigned|signed|long|short|int)\b\s*)+|(?:size_t|u?int(?:8|16|32|64)_t)")
_LAST_BASIC_CHARACTER = "\uffff"
_INTEGER_LIMITS = {"int": 2**31, "Integer": 2**31, "short": 2**15, "Short": 2**15, "byte": 2**7, "Byte": 2**7}


class _UnwritableError(Exception):
    """The value does not fit the type, or the type is unknown."""


def read_form(value: object) -> Form:
    """Return the canonical form of a value that a harness printed."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return canonical.integer_form(value)
    if isinstance(value, list):
        return [read_form(item) for item in value]
    if isinstance(value, dict) and "$f" in value:
        return canonical.float_form(float(str(value["$f"])))
    if isinstance(value, dict) and isinstance(value.get("$d"), list):
        return canonical.mapping_form([(str(name), read_form(part)) for name, part in value["$d"]])
    raise ConstructionError("The sandbox answered with something that is not a value.")


def form_json(form: Form) -> str:
    """Return a form as JSON, or as a Python expression if it has no JSON form."""
    tag = canonical.tag_of(form)
    body = canonical.body_of(form)
    if tag in ("none", "bool", "int", "str"):
        return _json_text(body)
    if tag in ("list", "$t"):
        return f"[{', '.join(form_json(item) for item in body)}]"
    if tag == "$d":
        return "{" + ", ".join(f"{_json_text(_key_text(name))}: {form_json(part)}" for name, part in body) + "}"
    return canonical.form_text(form)


def _json_text(value: object) -> str:
    """Return a plain value as JSON with invisible characters, such as a no-break space, escaped.

    Characters beyond U+FFFF stay, since their escape has two parts, which Python does not read as one character.
    """
    text = json.dumps(value, ensure_ascii=False)
    return "".join(
        json.dumps(letter)[1:-1] if letter <= _LAST_BASIC_CHARACTER and not letter.isprintable() else letter
        for letter in text
    )


def is_json_form(form: Form) -> bool:
    """Return whether a form can be written as JSON."""
    tag = canonical.tag_of(form)
    body = canonical.body_of(form)
    if tag in ("list", "$t"):
        return all(is_json_form(item) for item in body)
    if tag == "$d":
        return all(is_json_form(value) for _, value in body)
    return tag in ("none", "bool", "int", "$i", "str") or (tag == "$f" and str(body) not in ("nan", "inf", "-inf"))


def with_text_keys(form: Form) -> Form:
    """Return a form with all keys converted to texts, as in JSON."""
    tag = canonical.tag_of(form)
    body = canonical.body_of(form)
    if tag in ("list", "$t"):
        return [with_text_keys(item) for item in body]
    if tag == "$d":
        return canonical.mapping_form([(_key_text(name), with_text_keys(part)) for name, part in body])
    return form


def _key_text(form: Form) -> str:
    return form if isinstance(form, str) else form_json(form)


def foreign_expression(form: Form, kind: str, language: str) -> str | None:
    """Return a value as an expression of a language for a parameter of type ``kind``.

    None if the value does not fit the type, or the type is unknown. JavaScript and TypeScript need no type.
    """
    if language in ("javascript", "typescript"):
        return _script_expression(form)
    write = _java_expression if language == "java" else _cpp_expression
    try:
        return write(form, _normalise_type(kind))
    except _UnwritableError:
        return None


def _script_expression(form: Form) -> str | None:
    # An object literal would take its prototype from the key ``__proto__``.
    return form_json(form) if is_json_form(form) and "__proto__" not in canonical.form_key(form) else None


def _normalise_type(kind: str) -> str:
    kind = re.sub(r"@\w+(?:\([^)]*\))?|\b(?:const|final|constexpr)\b|&", " ", kind)
    kind = re.sub(r"\b(?:std::|java\.util\.)", "", kind)
    return re.sub(r"\s*([<>,\[\]*])\s*", r"\1", " ".join(kind.split()))


def _split_generic(kind: str) -> tuple[str, list[str]]:
    """Return the name of a generic type and its arguments."""
    name, _, rest = kind.partition("<")
    if not rest.endswith(">"):
        return kind, []
    arguments = [""]
    depth = 0
    for letter in rest[:-1]:
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            arguments.append("")
        else:
            arguments[-1] += letter
    return name, arguments


def _whole_number(form: Form, kind: str) -> int:
    if canonical.tag_of(form) not in ("int", "$i"):
        raise _UnwritableError
    value = int(canonical.body_of(form))
    limit = _INTEGER_LIMITS.get(kind, 2**63)
    if not -limit <= value < limit:
        raise _UnwritableError
    return value


def _real_number(form: Form) -> str:
    if canonical.tag_of(form) not in ("int", "$f"):
        raise _UnwritableError
    text = repr(float(canonical.body_of(form)))
    if text in ("nan", "inf", "-inf"):
        raise _UnwritableError
    return text


def _text_of(form: Form, *, is_character: bool = False) -> str:
    if not isinstance(form, str) or (is_character and len(form) != 1) or any(ord(sign) > 0xFFFF for sign in form):
        raise _UnwritableError
    return form


def _list_items(form: Form) -> list[Form]:
    if canonical.tag_of(form) not in ("list", "$t"):
        raise _UnwritableError
    return list(canonical.body_of(form))


def _mapping_pairs(form: Form) -> list[tuple[Form, Form]]:
    if canonical.tag_of(form) != "$d":
        raise _UnwritableError
    return [(name, part) for name, part in form["$d"]]


def _map_key(text: Form, write: Mapping[str, str], kind: str) -> Form:
    """Return a JSON text key as the value it stands for in a map whose keys are not texts."""
    if isinstance(text, str) and kind not in write:
        try:
            return read_form(json.loads(text))
        except (ValueError, ConstructionError) as error:
            raise _UnwritableError from error
    return text


_TEXTS = dict.fromkeys(("String", "CharSequence", "Character", "char", "string"), "")


# -- Java --------------------------------------------------------------------------------------------------------


def _java_expression(form: Form, kind: str) -> str:
    if kind.endswith("[]"):
        inner = kind.removesuffix("[]")
        if "<" in inner:
            # Java makes no arrays of generic types.
            raise _UnwritableError
        return f"new {kind} {{{', '.join(_java_expression(item, inner) for item in _list_items(form))}}}"
    if form is None:
        if kind in _BOXED:
            raise _UnwritableError
        return "null"
    if kind in _JAVA_INTEGERS:
        mark = _JAVA_INTEGERS[kind]
        value = _whole_number(form, kind)
        if mark == "L":
            return f"{value}L"
        return f"{mark}({value})" if mark else str(value)
    if kind in ("double", "Double"):
        return _real_number(form)
    if kind in ("float", "Float"):
        return f"{_real_number(form)}f"
    if kind in ("boolean", "Boolean"):
        return _boolean_text(form)
    if kind in ("char", "Character"):
        return "'" + _java_text(_text_of(form, is_character=True)).replace("'", "\\'") + "'"
    if kind in ("String", "CharSequence"):
        return f'"{_java_text(_text_of(form))}"'
    return _java_container(form, *_split_generic(kind))


def _java_container(form: Form, name: str, inner: Sequence[str]) -> str:
    class_name = _JAVA_COLLECTIONS.get(name)
    if class_name is None or len(inner) != (2 if class_name.endswith("Map") else 1):
        raise _UnwritableError
    inner = [item.removeprefix("? extends ").removeprefix("? super ") for item in inner]
    constructor = f"new java.util.{class_name}<{', '.join(map(_java_type, inner))}>"
    if class_name.endswith("Map"):
        key_kind, value_kind = inner
        pairs = [
            f"{_java_expression(_map_key(a, _TEXTS, key_kind), key_kind)}, {_java_expression(b, value_kind)}"
            for a, b in _mapping_pairs(form)
        ]
        return f"AnnotatorFollow.filled({', '.join([f'{constructor}()', *pairs])})"
    items = ", ".join(_java_expression(item, inner[0]) for item in _list_items(form))
    return f"{constructor}(java.util.Arrays.<{_java_type(inner[0])}>asList({items}))"


def _java_type(kind: str) -> str:
    name, inner = _split_generic(kind)
    qualified = f"java.util.{name}" if name in _JAVA_COLLECTIONS else name
    return f"{qualified}<{', '.join(map(_java_type, inner))}>" if inner else qualified


def _java_text(text: str) -> str:
    return "".join(_ESCAPES.get(sign) or (sign if " " <= sign <= "~" else f"\\u{ord(sign):04x}") for sign in text)


_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def _boolean_text(form: Form) -> str:
    if not isinstance(form, bool):
        raise _UnwritableError
    return "true" if form else "false"


# -- C++ ---------------------------------------------------------------------------------------------------------


def _cpp_expression(form: Form, kind: str) -> str:
    if kind == "bool":
        return _boolean_text(form)
    if _CPP_INTEGER.fullmatch(kind):
        value = _whole_number(form, kind)
        if value < 0 and kind.startswith(("unsigned", "size_t", "uint")):
            raise _UnwritableError
        # The lowest number has no literal of its own.
        return f"({value + 1}LL - 1)" if value == -(2**63) else f"static_cast<{kind}>({value}LL)"
    if kind in ("double", "float", "long double"):
        return _real_number(form)
    if kind == "char":
        return f"static_cast<char>({_ascii_code(_text_of(form, is_character=True))})"
    if kind in ("string", "string_view", "char*"):
        return f"std::string({_cpp_text(_text_of(form))})"
    name, inner = _split_generic(kind)
    if name in _CPP_LISTS and inner:
        return f"{_cpp_type(kind)}{{{', '.join(_cpp_expression(item, inner[0]) for item in _list_items(form))}}}"
    if name == "pair" and len(inner) == 2:
        pair = _list_items(form)
        if len(pair) != 2:
            raise _UnwritableError
        return f"{_cpp_type(kind)}({_cpp_expression(pair[0], inner[0])}, {_cpp_expression(pair[1], inner[1])})"
    if name in _CPP_MAPS and len(inner) == 2:
        texts = [
            f"{{{_cpp_expression(_map_key(a, _TEXTS, inner[0]), inner[0])}, {_cpp_expression(b, inner[1])}}}"
            for a, b in _mapping_pairs(form)
        ]
        return f"{_cpp_type(kind)}{{{', '.join(texts)}}}"
    raise _UnwritableError


def _cpp_type(kind: str) -> str:
    name, inner = _split_generic(kind)
    qualified = f"std::{name}" if inner or name in ("string", "string_view") else name
    return f"{qualified}<{', '.join(map(_cpp_type, inner))}>" if inner else qualified


def _ascii_code(sign: str) -> int:
    if ord(sign) > 127:
        raise _UnwritableError
    return ord(sign)


def _cpp_text(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    # An octal escape ends after three digits, whatever follows.
    escaped = "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in data)
    return f'"{escaped}", {len(data)}'
