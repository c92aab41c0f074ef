"""Reader of languages with braces, and of Ruby: definitions, names, and demonstration code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set

from tree_sitter import Node

from annotator.answers.source import NO_DEFINITION, CodeSpec, EntryDefinition, ParsedCode, Part, Reader, last_definition
from annotator.text.go_imports import go_import_name, read_go_imports, without_go_imports
from annotator.text.syntax_trees import node_text, parse_code, walk_nodes


def _node_types(names: str) -> frozenset[str]:
    return frozenset(names.split())


_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_DECLARED = re.compile(r"\b(?:const|let|var|function|class|def|int|auto|double|bool|String)\s+([A-Za-z_$][\w$]*)")
_IMPORTS = _node_types("""
    alias_declaration attribute_item extern_crate_declaration import_declaration import_statement inner_attribute_item
    namespace_use_declaration package_clause package_declaration php_tag preproc_call preproc_def preproc_function_def
    preproc_if preproc_ifdef preproc_include type_definition use_declaration using_declaration using_directive
""")
_FUNCTIONS = _node_types("""
    function_declaration function_definition function_item generator_function_declaration local_function_statement
    method method_declaration method_definition singleton_method
""")
_CLASSES = _node_types("""
    abstract_class_declaration class class_declaration class_specifier enum_declaration enum_item enum_specifier
    impl_item interface_declaration module record_declaration struct_declaration struct_item struct_specifier
    trait_declaration trait_item union_specifier
""")
_DEFINITIONS = (
    _FUNCTIONS
    | _CLASSES
    | _node_types("""
    annotation_type_declaration delegate_declaration file_scoped_namespace_declaration function_signature
    internal_module macro_definition mod_item namespace_declaration namespace_definition template_declaration
    type_alias_declaration type_declaration type_item
""")
)
_VARIABLES = _node_types("""
    assignment const_declaration const_item declaration field_declaration lexical_declaration
    local_declaration_statement local_variable_declaration static_item var_declaration variable_declaration
""")
_STATEMENTS = _IMPORTS | _DEFINITIONS | _VARIABLES | {"assignment_expression"}
_DECLARATORS = _node_types("const_item const_spec init_declarator static_item var_spec variable_declarator")
_HOLDERS = _node_types("export_statement expression_statement global_statement")
_FUNCTION_VALUES = _node_types("""
    anonymous_function anonymous_function_creation_expression arrow_function class closure_expression func_literal
    function_expression generator_function lambda lambda_expression
""")
_CALLABLE = _FUNCTION_VALUES | _node_types("call_expression call member_expression identifier expression_list")
_BODIES = _node_types("block body_statement compound_statement constructor_body function_body statement_block")
_RETURNS = _node_types("return return_expression return_statement")
_FLOW = (
    _BODIES
    | _node_types("else else_clause elsif then")
    | {
        f"{word}_{kind}"
        for kind in ("statement", "expression")
        for word in ("do", "enhanced_for", "for", "for_in", "foreach", "if", "loop", "match", "switch", "try", "while")
    }
)
_PLACEHOLDERS = ("throw", "raise", "panic", "todo", "unimplemented", "pass")
_DEMO_STATEMENT = re.compile(
    r"(?:assert(?:\.\w+)?|process\.stdout\.write|alert|puts|print\w*|pp?|echo|var_dump|require)\b|.*console\."
    r"|if\s*\(?\s*(?:require\.main|import\.meta\.main|__FILE__)",
    re.DOTALL,
)
_SCRIPT_LANGUAGES = ("javascript", "typescript", "ruby", "php")
"""Languages with statements outside functions."""
_CLASS_LANGUAGES = ("java", "c#")
"""Languages whose functions must be in classes."""
_IMPORT_WORDS = {"import", "from", "as", "type", "use", "crate", "std"}
_DECLARING = ("name", "declarator", "left", "parameter", "pattern")
"""Fields of nodes that hold the names that they declare."""
_KEEPS_ALL_IMPORTS = ("java", "c#", "c", "c++")
"""Languages in which unused imports are harmless, and the names do not show which imports are needed."""
_MAX_BODY_LINES, _MAX_BODY_ENDS = 400, 60
_TYPOGRAPHIC_QUOTES = "\u201c\u201d\u2018\u2019"


class TreeReader(Reader):
    """Reads a language with its tree-sitter grammar: a program is a tree without errors."""

    can_parse = True

    def __init__(self, language: str) -> None:
        self._language = language

    def _root(self, code: str) -> tuple[Node, bytes]:
        root = parse_code(code, self._language)
        assert root is not None
        return root, code.encode("utf-8", "surrogatepass")

    def read(self, code: str, spec: CodeSpec) -> ParsedCode | None:
        """Return parsed code; None if it has syntax errors, is prose, or is only the body of a function."""
        if self._language == "php" and "<?" in code and not code.lstrip().startswith("<?"):
            return None
        root, data = self._root(code)
        if root.has_error or not root.named_children or _returns_outside(root) or self._is_prose(root, data):
            return None
        nodes = [node for node in root.named_children if "comment" not in node.type]
        return ParsedCode(
            code=code,
            parts=tuple(self._part(node, data, spec.entry) for node in nodes),
            entry=last_definition(self._definitions(root, data, spec)),
            classes=frozenset(_name(node, data) for node in walk_nodes(root) if node.type in _CLASSES),
            inner=_declared_names(root, data),
        )

    def is_code(self, lines: str) -> bool:
        """Return whether lines are definitions, declarations, imports or comments, not calls or words."""
        root, data = self._root(lines)
        if root.has_error or _returns_outside(root):
            return False
        return all(
            _unwrap_statement(node).type in _STATEMENTS
            or "comment" in node.type
            or node_text(node, data).startswith("require ")
            for node in root.named_children
        )

    def looks_like_definition(self, text: str, entry: str) -> bool:
        """Return whether a text has a definition of a name, even with syntax errors."""
        root, data = self._root(text)
        nodes = (node for node in walk_nodes(root) if node.type in _FUNCTIONS or _contains_function(node, _DECLARATORS))
        return bool(entry) and any(_name(node, data) == entry for node in nodes)

    def complete_function(self, prompt: str, body: str, spec: CodeSpec, *, may_truncate: bool) -> Iterator[str]:
        """Yield the prompt with a body after it or in its empty function, with open braces closed.

        With ``may_truncate``, the body may be cut where the function closes.
        """
        closer = "\nend" if self._language == "ruby" else "\n}"
        for opened in (prompt.rstrip(), prompt.rstrip() + " {"):
            depth = next((n for n in range(4) if not self._root(opened + closer * n)[0].has_error), None)
            if depth is None:
                continue
            joined = f"{opened}\n{body}"
            whole = [joined + closer * n for n in range(depth + 1)]
            # The body may repeat the prompt, and the tests may close the prompt's class.
            whole += [body + closer * n for n in range(1, depth)]
            lines = body.split("\n")[:_MAX_BODY_LINES] if may_truncate else []
            ends = [at for at, line in enumerate(lines, start=1) if closer.strip() in line][:_MAX_BODY_ENDS]
            cut = ["\n".join([opened, *lines[:end]]) + closer * n + "\n" for n in range(depth) for end in ends]
            # First the cuts that close everything that the prompt opens; other methods of the class may follow.
            yield from (*cut[: len(ends)], *whole, *cut[len(ends) :])
            closed = opened + closer * depth
            end = self._find_body_end(closed, spec)
            if end is not None:
                yield f"{closed[:end]}\n{body}\n{closed[end:]}"

    def _find_body_end(self, code: str, spec: CodeSpec) -> int | None:
        """Return the position of the brace that closes the entry point's empty body; None if it is not empty."""
        root, data = self._root(code)
        for node in walk_nodes(root):
            value = node.child_by_field_name("value")
            function = value if value is not None and value.type in _FUNCTION_VALUES else node
            if function.type not in _FUNCTIONS | _FUNCTION_VALUES or _name(node, data) != spec.entry:
                continue
            if _is_stub(function, data):
                holder = function.child_by_field_name("body") or function
                closer = b"end" if self._language == "ruby" else b"}"
                return len(data[: holder.end_byte - len(closer)].decode("utf-8", "surrogatepass"))
        return None

    def free_names(self, test: str) -> frozenset[str]:
        """Return the identifiers of a test that it does not declare."""
        # Tree fields are not used, because a test that sets a member (``config.limit = 3``) needs its object.
        return frozenset(_WORD.findall(test)) - frozenset(_DECLARED.findall(test))

    def adapt_to_tests(self, source: ParsedCode, spec: CodeSpec) -> tuple[str, list[str]]:
        """Return a program in the form that the tests of its language call, and notes on the changes."""
        if self._language in ("javascript", "typescript"):
            return self._bind_to_entry_name(source, spec), []
        if self._language in _CLASS_LANGUAGES:
            return self._put_into_class(source, spec)
        code = _with_go_imports(source.code, spec) if self._language == "go" else source.code
        return code, ["with imports from the prompt"] if code != source.code else []

    def _is_prose(self, root: Node, data: bytes) -> bool:
        """Return whether a tree is prose: names with typographic quotes, or Ruby calls such as ``Here is it``."""
        for node in walk_nodes(root):
            if not node.children and ("identifier" in node.type or node.type == "name"):
                text = node_text(node, data)
                # The grammar of Ruby parses a superfluous ``end`` as a variable.
                is_method = node.parent is not None and node.parent.child_by_field_name("method") == node
                is_closer = text == "end" and self._language == "ruby" and not is_method
                if is_closer or any(sign in text for sign in _TYPOGRAPHIC_QUOTES):
                    return True
            elif node.type == "call" and node.children[0].type == "constant" and len(node.children) > 1:
                is_sentence = not node_text(node.children[1], data).startswith(("(", ".", "&", ":"))
                if is_sentence:
                    return True
        return False

    # -- parts and definitions -----------------------------------------------------------------------------------------

    def _part(self, node: Node, data: bytes, entry: str) -> Part:
        text, words = node_text(node, data), _words(node, data)
        inner = _unwrap_statement(node)
        is_import = (
            inner.type in _IMPORTS or (inner.type in _VARIABLES and "require(" in text) or text.startswith("require")
        )
        is_definition = inner.type in _DEFINITIONS or (not is_import and _contains_function(inner))
        binds: set[str] = set()
        if inner.type in _VARIABLES:
            for item in walk_nodes(inner):
                if item.type in _DECLARATORS:
                    binds |= set(_WORD.findall(_name(item, data)) or _words(item, data)[:1])
        elif is_import and self._language not in ("go", "ruby") and not text.startswith(("package", "<?")):
            # `_with_go_imports` adds those of Go, and Ruby's `require` binds no names.
            binds = {"*"} if self._language in _KEEPS_ALL_IMPORTS else {*words} - _IMPORT_WORDS
        elif inner.type in _DEFINITIONS:
            binds = {_name(inner, data)}
        calls = re.search(rf"(?<![\w$.]){re.escape(entry or '_')}\s*\(", text)
        is_export = text.startswith(("module.exports", "exports"))
        is_demo = self._language in _SCRIPT_LANGUAGES and not (is_definition or is_import or is_export)
        is_demo = is_demo and (calls is not None or _DEMO_STATEMENT.match(text) is not None)
        if is_demo or inner.type in ("assignment", "assignment_expression"):
            targets = (item.child_by_field_name("left") for item in walk_nodes(node) if "assignment" in item.type)
            binds |= {word for target in targets if target is not None for word in _words(target, data)[:1]}
        return Part(
            code=text,
            binds=frozenset(binds) - {""},
            uses=frozenset(word for word, count in Counter(words).items() if word not in binds or count > 1),
            span=(node.start_byte, node.end_byte),
            is_import=is_import,
            is_definition=is_definition,
            is_demo=is_demo,
        )

    def _definitions(self, root: Node, data: bytes, spec: CodeSpec) -> Iterator[EntryDefinition]:
        """Yield the definitions of the entry point in a program; their bodies are given as tokens."""
        if not spec.entry:
            return
        functions = {_name(node, data) for node in walk_nodes(root) if node.type in _DEFINITIONS} | {spec.entry}
        for node in walk_nodes(root):
            definition = self._definition(node, data, spec, functions)
            if definition.kind:
                yield definition._replace(body=_tokens(node, data))

    def _definition(self, node: Node, data: bytes, spec: CodeSpec, functions: Set[str]) -> EntryDefinition:
        if _is_inside(node):
            return NO_DEFINITION
        if node.type in _CLASSES and _name(node, data) == spec.entry and not spec.owner:
            body = node.child_by_field_name("body")
            return EntryDefinition("whole" if body is not None and body.named_children else "")
        if node.type in _FUNCTIONS and _name(node, data) == spec.entry:
            around = _enclosing(node, _CLASSES | {"object"})
            owner = _name(around, data) if around is not None else ""
            is_outside = owner != spec.owner if spec.owner else around is not None
            if self._language in _CLASS_LANGUAGES:
                # `adapt_to_tests` renames the class around a function, or puts the function into a class.
                is_outside = bool(spec.owner) and owner not in ("", spec.owner)
            elif is_outside:
                return NO_DEFINITION
            return EntryDefinition("stub" if _is_stub(node, data) else "whole", is_outside=is_outside)
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if _is_nameless_export(node, data):
            return EntryDefinition("whole")
        fields = ("name", "left", "declarator")
        target = next((item for item in map(node.child_by_field_name, fields) if item is not None), None)
        if value is None or target is None or value.type not in _CALLABLE:
            return NO_DEFINITION
        name = node_text(target, data).rpartition(".")[2].lstrip("$")
        if name != spec.entry or node_text(value, data) == spec.entry:
            return NO_DEFINITION
        if value.type in ("identifier", "member_expression") or value.type in _FUNCTION_VALUES:
            return EntryDefinition("stub" if value.type in _FUNCTION_VALUES and _is_stub(value, data) else "whole")
        # A call defines a function if it calls, or is passed, a function of the program.
        names = {node_text(item, data) for item in walk_nodes(value) if "identifier" in item.type}
        is_function = bool(names & functions) or any(item.type in _FUNCTION_VALUES for item in walk_nodes(value))
        return EntryDefinition("whole" if is_function else "")

    # -- fitting -------------------------------------------------------------------------------------------------------

    def _bind_to_entry_name(self, source: ParsedCode, spec: CodeSpec) -> str:
        """Return JavaScript or TypeScript without exports, in which the function has the entry point's name."""
        root, data = self._root(source.code)
        pieces, at, name = [], 0, "" if spec.entry in {*source.bound_names, ""} else spec.entry
        for node in root.children:
            if node.type == "export_statement":
                declared = node.child_by_field_name("declaration") or node.child_by_field_name("value")
                is_declared = declared is not None and declared.type != "identifier"
                pieces.append(data[at : node.start_byte])
                at = declared.start_byte if declared and is_declared else node.end_byte
                if name and _is_nameless_export(node, data):
                    pieces.append(f"const {name} = ".encode())
                    name = ""
        code = b"".join([*pieces, data[at:]]).decode("utf-8", "surrogatepass")
        if name and "exports" in code:
            code += f"\nconst {name} = module.exports.{name} || module.exports;\n"
        return code

    def _put_into_class(self, source: ParsedCode, spec: CodeSpec) -> tuple[str, list[str]]:
        """Return Java or C# in the class that the tests name."""
        code, owner = source.code, spec.owner
        if not owner or owner in source.classes:
            return code, []
        root, data = self._root(code)
        methods = [node for node in walk_nodes(root) if node.type in _FUNCTIONS and _name(node, data) == spec.entry]
        around = _enclosing(methods[-1], _CLASSES) if methods else None
        if around is not None:
            name = _name(around, data)
            return re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", owner, code), [f"class {name} named {owner}"]
        heads = [node for node in root.named_children if node.type in _IMPORTS]
        start = max((node.end_byte for node in heads), default=0)
        body = _make_static(root, data, start)
        return f"{data[:start].decode('utf-8', 'surrogatepass')}\nclass {owner} {{\n{body}\n}}\n", [
            f"put into class {owner}"
        ]


# -- nodes -------------------------------------------------------------------------------------------------------------


def _unwrap_statement(node: Node) -> Node:
    """Return the statement inside statements that only wrap another, such as an export."""
    while node.type in _HOLDERS and node.named_children:
        node = node.child_by_field_name("declaration") or node.named_children[0]
    return node


def _contains_function(node: Node, kinds: Set[str] = _VARIABLES) -> bool:
    return node.type in kinds and any(item.type in _FUNCTION_VALUES for item in walk_nodes(node))


def _returns_outside(node: Node) -> bool:
    """Return whether there is a ``return`` outside functions, so that the code is only the body of one."""
    items = map(_unwrap_statement, node.named_children)
    return any(item.type in _RETURNS or (item.type in _FLOW and _returns_outside(item)) for item in items)


def _name(node: Node, data: bytes) -> str:
    """Return the name of a definition; only the last part of a qualified name."""
    if node.type == "template_declaration":
        inner = [item for item in node.named_children if item.type in _FUNCTIONS | _CLASSES | {"declaration"}]
        return _name(inner[-1], data) if inner else ""
    if node.type == "impl_item":
        node = node.child_by_field_name("type") or node
        return node_text(node, data).partition("<")[0]
    name_node = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    while name_node is not None and (inner_name := name_node.child_by_field_name("declarator")) is not None:
        name_node = inner_name
    if name_node is not None and name_node.type in ("pointer_declarator", "reference_declarator", "init_declarator"):
        return next(iter(_WORD.findall(node_text(name_node, data))), "")
    return node_text(name_node, data).rpartition("::")[2] if name_node is not None else ""


def _is_nameless_export(node: Node, data: bytes) -> bool:
    """Return whether a node exports a function that has no name, as a module's only or default export."""
    value = node.child_by_field_name("value") if node.type == "export_statement" else None
    target = node.child_by_field_name("left") if node.type == "assignment_expression" else None
    if target is not None and node_text(target, data) == "module.exports":
        value = node.child_by_field_name("right")
    return value is not None and value.type in _FUNCTION_VALUES and value.child_by_field_name("name") is None


def _declared_names(root: Node, data: bytes) -> frozenset[str]:
    """Return the names that nodes declare or assign anywhere."""
    # A comparison has a left side too, and a call in Java a name: neither declares it.
    nodes = [node for node in walk_nodes(root) if "binary" not in node.type and "invocation" not in node.type]
    names = [item for node in nodes for field in _DECLARING for item in node.children_by_field_name(field)]
    # A declarator also contains the initial value; its name is in a separate field.
    names = [name for name in names if not any(map(name.child_by_field_name, ("name", "declarator")))]
    parameters = (node for node in nodes if node.type.endswith("parameters"))
    names += [item for node in parameters for item in node.named_children if item.type == "identifier"]
    return frozenset(word for name in names for word in _words(name, data))


def _words(node: Node, data: bytes) -> list[str]:
    return _WORD.findall(node_text(node, data))


def _enclosing(node: Node, kinds: Set[str]) -> Node | None:
    """Return the innermost enclosing node of some kinds; None if there is none."""
    around = node.parent
    while around is not None and around.type not in kinds:
        around = around.parent
    return around


def _is_inside(node: Node) -> bool:
    """Return whether a node is in the body of a function."""
    around = node.parent
    while around is not None:
        if around.type in _BODIES and around.parent is not None and around.parent.type not in _CLASSES:
            return True
        around = around.parent
    return False


def _is_stub(node: Node, data: bytes) -> bool:
    """Return whether a function has no body, or only placeholders in it."""
    body = node.child_by_field_name("body")
    if body is None:
        return True
    if body.type not in _BODIES:
        return False
    statements = [item for item in body.named_children if "comment" not in item.type]
    texts = [node_text(item, data) for item in statements]
    return all(
        not text.strip(";.") or ((word := _WORD.match(text)) is not None and word[0] in _PLACEHOLDERS) for text in texts
    )


def _tokens(node: Node, data: bytes) -> str:
    return " ".join(
        node_text(item, data) for item in walk_nodes(node) if not item.children and "comment" not in item.type
    )


def _make_static(root: Node, data: bytes, start: int) -> str:
    """Return methods and fields outside a class as static ones, so that tests can use the class or an object."""
    pieces, at = [], start
    for node in root.named_children:
        node = _unwrap_statement(node)
        if node.start_byte < start or node.type not in _FUNCTIONS | _VARIABLES:
            continue
        modifiers = [item for item in node.children if item.type in ("modifiers", "modifier")]
        if any("static" in node_text(item, data).split() for item in modifiers):
            continue
        begins = next(item.start_byte for item in node.children if item not in modifiers)
        pieces += [data[at:begins], b"static "]
        at = begins
    return b"".join([*pieces, data[at:]]).decode("utf-8", "surrogatepass").strip("\n")


def _with_go_imports(code: str, spec: CodeSpec) -> str:
    """Return Go with the imports of the prompt and its own that it uses: Go does not compile with unused imports."""
    prompt_imports, own_imports = read_go_imports(*spec.visible_code), read_go_imports(code)
    rest = without_go_imports(code)
    root, data = parse_code(rest, "go"), rest.encode("utf-8", "surrogatepass")
    users = ("qualified_type", "selector_expression")
    names = {node_text(node.children[0], data) for node in walk_nodes(root) if node.type in users} if root else set()
    names |= {"_", "."}
    used = [item for item in dict.fromkeys((*own_imports, *prompt_imports)) if go_import_name(item) in names]
    imports = tuple(item for item in own_imports if item in used or item not in prompt_imports)
    imports += tuple(item for item in used if item not in imports)
    if imports == own_imports:
        return code
    head, line, tail = rest.partition("\n") if rest.lstrip().startswith("package") else ("", "", rest)
    return head + line + "".join(f"import {item}\n" for item in imports) + tail
