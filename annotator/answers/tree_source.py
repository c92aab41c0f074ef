"""Java, JavaScript, TypeScript and C++ in responses: what code defines and uses, and what of it is only shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from annotator.answers.plain_source import free_words, missing_words
from annotator.answers.repairs import has_odd_quotes, readings
from annotator.answers.source import LEFT_OUT, Kind, Part, Reader, Source, Wanted
from annotator.text.syntax_trees import node_text, parse_program, walk_nodes

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_IMPORTS = ("import_declaration", "import_statement", "preproc_include", "using_declaration", "preproc_def",
            "preproc_function_def", "alias_declaration", "package_declaration", "type_definition")  # fmt: skip
_DEFINITIONS = ("function_declaration", "generator_function_declaration", "class_declaration", "function_definition",
                "class_specifier", "struct_specifier", "enum_specifier", "interface_declaration", "enum_declaration",
                "record_declaration", "type_alias_declaration", "template_declaration", "namespace_definition",
                "abstract_class_declaration")  # fmt: skip
_CLASSES = ("class_declaration", "class_specifier", "struct_specifier", "record_declaration", "enum_declaration",
            "abstract_class_declaration", "interface_declaration")  # fmt: skip
_CALLABLE = ("arrow_function", "function_expression", "function", "generator_function", "call_expression", "class",
             "member_expression", "lambda_expression", "identifier")  # fmt: skip
_BODIES = ("statement_block", "block", "compound_statement", "constructor_body", "function_body")
_STARTS = re.compile(
    r"^(?:async\s+function|function|const|let|var|class|export|import|public|private|protected|static|abstract|final|"
    r"interface|enum|record|type\s+\w+\s*=|#\s*include|#\s*define|using\s|template\s*<|namespace|struct|typedef|"
    r"module\.exports|exports\.|//|/\*|@\w+|[\w:<>,*&\[\]]+(?:\s+[\w:<>,*&\[\]]+)*\s+[*&]*[\w:]+\s*\([^;.]*\)?\s*"
    r"(?:const\s*)?(?:throws\s+[\w.,\s]+)?\{?\s*$|[\w.]+\s*=\s*(?:async\s*)?(?:function|\()|['\"]use strict)"
)
_JAVA_IMPORT = re.compile(r"^[ \t]*(?:import|package)\s[^;]+;", re.MULTILINE)
_SHOWING = re.compile(r"^(?:console\.\w+|assert(?:\.\w+)?|process\.stdout\.write|alert)\s*\(")
_MAIN_GUARD = re.compile(r"^if\s*\(\s*(?:require\.main\s*===?\s*module|import\.meta\.main)")
_NAMELESS_EXPORT = re.compile(
    r"^(?:module\.exports\s*=|export\s+default)\s+(?=(?:async\s+)?(?:function\s*\*?\s*\(|\([^()]*\)\s*(?::[^=]*)?=>|[\w$]+\s*=>))",
    re.MULTILINE,
)
"""What hands out a function that has no name."""
_ASSIGNED = re.compile(
    r"(?<![\w$.])([A-Za-z_$][\w$]*)(?:\[[^\]]*\]|\.[\w$]+)*\s*(?:[-+*/%|&^]|\*\*|<<|>>|\?\?)?=(?![=>])"
)


def _root(code: str, language: str) -> tuple[Node, bytes] | None:
    root = parse_program(code, language)
    return None if root is None else (root, code.encode("utf-8", "surrogatepass"))


def read_tree_source(code: str, wanted: Wanted) -> Source | None:
    """Return code as the language that is wanted; None where it is not, however it is read."""
    # A grammar may take a typographic quote for a letter.
    given = sorted(readings(code), key=lambda pair: has_odd_quotes(pair[0]))
    for text, how in given:
        found = _root(text, wanted.language)
        if found is not None and not found[0].has_error and found[0].named_children:
            source = _source(text, found[0], found[1], wanted, how)
            if source.kind or any(part.is_definition or part.is_import for part in source.parts) or ";" in text:
                return source
    return None


def find_tree(text: str, wanted: Wanted) -> list[Source]:
    """Return the code in a text of prose and code, as one source for each run without prose."""
    runs: list[list[str]] = [[]]
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        end = _statement_end(lines, at, wanted.language) if lines[at].strip() else 0
        if end:
            runs[-1] += lines[at:end]
            at = end
            continue
        if lines[at].strip() and any(line.strip() for line in runs[-1]):
            runs.append([])
        at += 1
    found = []
    for run in runs:
        source = read_tree_source("\n".join(run), wanted) if run else None
        if source is not None:
            found.append(source)
    return found


def _statement_end(lines: Sequence[str], at: int, language: str) -> int:
    """Return the line behind a statement of the top level that begins in a line; 0 if none does."""
    if not _STARTS.match(lines[at].strip()):
        return 0
    depth = 0
    for end in range(at, min(len(lines), at + 400)):
        plain = re.sub(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|//.*$", "", lines[end])
        depth += sum(plain.count(sign) for sign in "{([") - sum(plain.count(sign) for sign in "})]")
        if depth <= 0 and lines[end].strip():
            found = _root("\n".join(lines[at : end + 1]), language)
            following = next((line.strip() for line in lines[end + 1 :] if line.strip()), "")
            open_head = not lines[end].rstrip().endswith(("}", ";", ">", '"')) and following.startswith(("{", "}"))
            if found is not None and not found[0].has_error and not open_head:
                return end + 1
        if depth < 0:
            return 0
    return 0


def _source(code: str, root: Node, data: bytes, wanted: Wanted, how: str) -> Source:
    parts = tuple(_part(node, data) for node in root.children if node.is_named and "comment" not in node.type)
    kind, body = _definition(root, data, wanted)
    functions = []
    for node in walk_nodes(root):
        if node.type in _BODIES or node.parent is None:
            continue
        name, holder = _named_function(node, data)
        if name and _depth(holder) == 0:
            functions.append((name, tuple(_parameters(holder, data))))
    classes = frozenset(_name(node, data) for node in walk_nodes(root) if node.type in _CLASSES)
    return Source(
        code=code, parts=parts, kind=kind, functions=tuple(functions), body=body, repaired=how, classes=classes
    )


def _part(node: Node, data: bytes) -> Part:
    text = node_text(node, data)
    inner = node
    if node.type == "export_statement":
        inner = node.child_by_field_name("declaration") or node
    binds = set(_declared(inner, data))
    binds |= set(_ASSIGNED.findall(text)) if node.type == "expression_statement" else set()
    requires = "require(" in text and inner.type in ("lexical_declaration", "variable_declaration")
    return Part(
        code=text,
        binds=frozenset(binds),
        uses=frozenset(_WORD.findall(text)) - binds,
        is_import=node.type in _IMPORTS or requires,
        is_definition=inner.type in _DEFINITIONS
        or (inner.type in ("lexical_declaration", "variable_declaration") and not requires and "(" in text
            and ("=>" in text or "function" in text)),
    )  # fmt: skip


def _declared(node: Node, data: bytes) -> list[str]:
    if node.type in ("lexical_declaration", "variable_declaration"):
        names = [item.child_by_field_name("name") for item in node.named_children if item.type == "variable_declarator"]
        return [word for name in names if name is not None for word in _WORD.findall(node_text(name, data))]
    if node.type == "import_statement":
        return [word for word in _WORD.findall(node_text(node, data)) if word not in ("import", "from", "as", "type")]
    if node.type in ("class_specifier", "struct_specifier", "enum_specifier", *_DEFINITIONS):
        name = _name(node, data)
        return [name] if name else []
    if node.type in ("declaration", "type_definition", "alias_declaration"):
        name = _name(node, data)
        return [name] if name else []
    return []


def _name(node: Node, data: bytes) -> str:
    """Return the name that a definition gives, the last part of a qualified one."""
    if node.type == "template_declaration":
        inner = [item for item in node.named_children if item.type in (*_DEFINITIONS, "declaration")]
        return _name(inner[-1], data) if inner else ""
    named = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    while named is not None and (inner_name := named.child_by_field_name("declarator")) is not None:
        named = inner_name
    if named is not None and named.type in ("pointer_declarator", "reference_declarator", "init_declarator"):
        words = _WORD.findall(node_text(named, data))
        return words[0] if words else ""
    return node_text(named, data).rpartition("::")[2] if named is not None else ""


def _named_function(node: Node, data: bytes) -> tuple[str, Node]:
    """Return the name under which a node is a function, or holds one, and the function; an empty name if it is none."""
    if node.child_by_field_name("body") is not None and node.type not in _CLASSES and "_expression" not in node.type:
        named = node.type not in ("arrow_function", "for_statement", "while_statement", "enhanced_for_statement")
        return (_name(node, data) if named else ""), node
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    target = node.child_by_field_name("name") or node.child_by_field_name("left") or node.child_by_field_name("key")
    known = ("variable_declarator", "assignment_expression", "pair", "init_declarator", "public_field_definition",
             "field_definition")  # fmt: skip
    if node.type == "init_declarator":
        target = node.child_by_field_name("declarator")
    if value is None or target is None or node.type not in known or value.type not in _CALLABLE:
        return "", node
    return node_text(target, data).rpartition(".")[2], value


def _depth(node: Node) -> int:
    """Return how many functions a node stands in."""
    depth = 0
    around = node.parent
    while around is not None:
        depth += around.type in _BODIES
        around = around.parent
    return depth


def _parameters(node: Node, data: bytes) -> list[str]:
    holder = node.child_by_field_name("parameters")
    if holder is None:
        declarator = node.child_by_field_name("declarator")
        holder = declarator.child_by_field_name("parameters") if declarator is not None else None
    if holder is None:
        return []
    return [(_WORD.findall(node_text(item, data)) or [""])[-1] for item in holder.named_children]


def _definition(root: Node, data: bytes, wanted: Wanted) -> tuple[Kind, str]:
    best: tuple[Kind, str] = ("", "")
    if wanted.entry and _NAMELESS_EXPORT.search(node_text(root, data)):
        best = ("whole", _tokens(root, data))
    for node in walk_nodes(root):
        if node.type in _CLASSES and _name(node, data) == (wanted.owner or wanted.entry):
            body = node.child_by_field_name("body")
            if body is not None and body.named_children and not wanted.owner:
                best = ("whole", _tokens(node, data))
            continue
        name, holder = _named_function(node, data)
        if name != wanted.entry or not wanted.entry or _depth(node) > _allowed(node):
            continue
        if node_text(holder, data).strip() == wanted.entry:
            # exports.f = f defines nothing.
            continue
        if _calls(holder, wanted.entry, data):
            if best[0] in ("", "stub"):
                best = ("rebinding", _tokens(node, data))
            continue
        kind: Kind = "stub" if _is_stub(holder) else "whole"
        if kind == "whole" and wanted.language != "java" and _in_class(node):
            kind = "method"
        if best[0] not in ("whole", "method") or kind in ("whole", "method"):
            best = (kind, _tokens(node, data))
    return best


def _allowed(node: Node) -> int:
    """Return how many bodies a definition may stand in: those of classes are none, but some grammars call them so."""
    return 0 if node.type != "method_declaration" else 1


def _calls(holder: Node, entry: str, data: bytes) -> bool:
    """Tell whether a value is made by a call that is given the entry point: ``f = cache(f)``."""
    if holder.type != "call_expression":
        return False
    arguments = holder.child_by_field_name("arguments")
    return arguments is not None and any(node_text(item, data) == entry for item in arguments.named_children)


def _in_class(node: Node) -> bool:
    return _around(node, (*_CLASSES, "object", "class")) is not None


def _is_stub(holder: Node) -> bool:
    body = holder.child_by_field_name("body")
    if body is None or body.type not in _BODIES:
        return False
    statements = [item for item in body.named_children if "comment" not in item.type]
    return all(item.type in ("throw_statement", "empty_statement") for item in statements)


def _tokens(node: Node, data: bytes) -> str:
    return " ".join(
        node_text(item, data) for item in walk_nodes(node) if not item.children and "comment" not in item.type
    )


def class_of_method(code: str, wanted: Wanted) -> str:
    """Return the class that has the entry point as a method; empty for none."""
    found = _root(code, wanted.language)
    if found is None:
        return ""
    for node in walk_nodes(found[0]):
        name, holder = _named_function(node, found[1])
        if name == wanted.entry and _in_class(holder):
            around = _around(holder, _CLASSES)
            return _name(around, found[1]) if around is not None else ""
    return ""


# -- what is only shown ------------------------------------------------------------------------------------------------


def without_exports(code: str, language: str) -> str:
    """Return JavaScript or TypeScript without ``export``: what was exported stays as it is declared."""
    found = _root(code, language)
    if found is None or "export" not in code:
        return code
    root, data = found
    pieces, at = [], 0
    for node in root.children:
        if node.type != "export_statement":
            continue
        declared = node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        pieces.append(data[at : node.start_byte])
        if declared is not None:
            pieces.append(data[declared.start_byte : node.end_byte])
        elif value is not None and value.type in ("function_expression", "class"):
            pieces.append(data[value.start_byte : value.end_byte])
        at = node.end_byte
    return b"".join([*pieces, data[at:]]).decode("utf-8", "surrogatepass")


def without_shows(code: str, wanted: Wanted) -> tuple[str, int]:
    """Return JavaScript or TypeScript without statements of the top level that only print or call the entry point;
    and how many were left out."""
    found = _root(code, wanted.language)
    if found is None or found[0].has_error:
        return code, 0
    root, data = found
    nodes = [node for node in root.children if node.is_named and "comment" not in node.type]
    parts = [_part(node, data) for node in nodes]
    calls = re.compile(rf"(?<![\w$.]){re.escape(wanted.entry)}\s*\(") if wanted.entry else None
    needed = set(wanted.names) | {wanted.entry}
    for part in parts:
        needed |= part.uses if part.is_definition else set()
    dropped: list[Node] = []
    for node, part in reversed(list(zip(nodes, parts, strict=True))):
        text = part.code.strip()
        if part.is_definition or part.is_import or re.match(r"(?:module\.)?exports\b", text):
            continue
        changed = part.binds | frozenset(_ASSIGNED.findall(text))
        called = calls is not None and calls.search(text) is not None
        prints = _SHOWING.search(text) is not None or "console." in text
        if (prints or called or _MAIN_GUARD.match(text)) and not changed & needed:
            dropped.append(node)
        else:
            needed |= part.uses
    if not dropped:
        return code, 0
    pieces, at = [], 0
    for node in sorted(dropped, key=lambda item: item.start_byte):
        pieces.append(data[at : node.start_byte])
        at = node.end_byte
    text = b"".join([*pieces, data[at:]]).decode("utf-8", "surrogatepass")
    return text.strip("\n") + "\n", len(dropped)


# -- going on from a prompt --------------------------------------------------------------------------------------------


def continue_tree(prompt: str, text: str, wanted: Wanted) -> str | None:
    """Return the prompt with a body that goes on from it, cut behind the bracket that closes it; None for none."""
    if "{" not in prompt:
        return None
    head = prompt.rstrip()
    opened = head.count("{") - head.count("}")
    bodies = [text] if opened > 0 else [text] if text.lstrip().startswith("{") else ["{\n" + text]
    for body in bodies:
        joined = f"{head}\n{body.rstrip()}\n"
        for candidate in (joined, *_cut_at_brackets(joined, len(head)), joined + "}\n", joined + "}\n}\n"):
            found = _root(candidate, wanted.language)
            if found is None or found[0].has_error:
                continue
            if _definition(found[0], found[1], wanted)[0] in ("whole", "method"):
                return candidate
    return None


def _cut_at_brackets(text: str, start: int) -> list[str]:
    depth, found = text[:start].count("{") - text[:start].count("}"), []
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if text[at] == "}" and depth <= 0:
            found.append(text[: at + 1] + "\n")
            break
        if text[at] == "}" and depth == 1:
            found.append(text[: at + 1] + "\n}\n")
    return list(reversed(found[-3:]))


# -- what the choice asks for ------------------------------------------------------------------------------------------


def _fitted(code: str, source: Source, wanted: Wanted) -> tuple[str, list[str]]:
    """Return a program as its language's tests call it."""
    if wanted.language == "java":
        code, note = _fitted_java(code, source, wanted)
        return code, [note] if note else []
    return (_fitted_cpp if wanted.language == "c++" else _fitted_javascript)(code, source, wanted)


def _fitted_javascript(code: str, source: Source, wanted: Wanted) -> tuple[str, list[str]]:
    """Return JavaScript or TypeScript without exports and what only shows, under the name that is wanted."""
    notes = []
    bound = set(source.bound)
    if wanted.entry and wanted.entry not in bound:
        code, named = _NAMELESS_EXPORT.subn(f"const {wanted.entry} = ", code, count=1)
        bound |= {wanted.entry} if named else set()
    code, count = without_shows(without_exports(code, wanted.language), wanted)
    name = class_of_method(code, wanted) if source.kind == "method" else ""
    if name and name not in wanted.names and wanted.entry not in bound:
        called = name if re.search(rf"\bstatic\s+(?:async\s+)?{re.escape(wanted.entry)}\b", code) else f"new {name}()"
        code += f"\nconst {wanted.entry} = (...given) => {called}.{wanted.entry}(...given);\n"
        notes.append(f"called as a method of {name}")
    elif not name and wanted.entry and wanted.entry not in bound and "exports" in code:
        code += f"\nconst {wanted.entry} = module.exports.{wanted.entry};\n"
    return code, [*notes, *([LEFT_OUT] if count else [])]


def _fitted_cpp(code: str, source: Source, wanted: Wanted) -> tuple[str, list[str]]:
    """Return C++ in which a method of a class can be called as a function."""
    if wanted.entry in source.bound:
        return code, []
    name = class_of_method(code, wanted) if source.kind == "method" else ""
    space = "" if name else _namespace_of(code, wanted)
    if space and space not in wanted.names:
        return f"{code}\nusing {space}::{wanted.entry};\n", [f"taken from namespace {space}"]
    if not name or name in wanted.names:
        return code, []
    code += (
        f"\ntemplate <class... Given> auto {wanted.entry}(Given&&... given) "
        f"{{ {name} object; return object.{wanted.entry}(given...); }}\n"
    )
    return code, [f"called as a method of {name}"]


def _namespace_of(code: str, wanted: Wanted) -> str:
    """Return the namespace that has the entry point as a function; empty for none."""
    found = _root(code, wanted.language)
    if found is None or not wanted.entry:
        return ""
    spaces = [
        around
        for node in walk_nodes(found[0])
        if node.type == "function_definition"
        and _name(node, found[1]) == wanted.entry
        and not _in_class(node)
        and (around := _around(node, ("namespace_definition",))) is not None
    ]
    name = spaces[-1].child_by_field_name("name") if spaces else None
    return node_text(name, found[1]) if name is not None else ""


def _around(node: Node, kinds: Sequence[str]) -> Node | None:
    """Return the innermost node of some kinds that a node stands in, None for none."""
    around = node.parent
    while around is not None and around.type not in kinds:
        around = around.parent
    return around


def _fitted_java(code: str, source: Source, wanted: Wanted) -> tuple[str, str]:
    """Return Java in the class that the tests name."""
    owner = wanted.owner
    if not owner or owner in source.classes or not wanted.entry:
        return code, ""
    name = class_of_method(code, wanted)
    if name:
        return re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", owner, code), f"class {name} named {owner}"
    # The prompt's imports are there by now, too.
    imports = _JAVA_IMPORT.findall(code)
    body = _JAVA_IMPORT.sub("", code)
    return "\n".join([*imports, f"class {owner} {{", _static(body), "}"]) + "\n", f"put into class {owner}"


def _static(methods: str) -> str:
    """Return Java methods and fields without a class as those of a class, which can be called on it and on objects."""
    found = _root(methods, "java")
    if found is None:
        return methods
    pieces, at = [], 0
    for node in found[0].named_children:
        if node.type not in ("method_declaration", "local_variable_declaration", "field_declaration"):
            continue
        modifiers = [node_text(item, found[1]) for item in node.children if item.type == "modifiers"]
        if "static" in " ".join(modifiers).split():
            continue
        begins = next(item.start_byte for item in node.children if item.type != "modifiers")
        pieces += [found[1][at:begins], b"static "]
        at = begins
    return b"".join([*pieces, found[1][at:]]).decode("utf-8", "surrogatepass")


TREES = Reader(
    parses=True,
    read=read_tree_source,
    find=find_tree,
    free_names=free_words,
    missing=missing_words,
    fit=_fitted,
    go_on=continue_tree,
)
