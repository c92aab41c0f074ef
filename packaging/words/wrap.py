"""Put every text the window shows into `tr`. Run again, it changes nothing: what is translated is left alone."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import texts

_WIDTH = 88


class _Inner(ast.NodeTransformer):
    """Translates literals inside the expressions of an f-string."""

    def __init__(self, finder: texts._Finder) -> None:
        self._finder = finder

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str) and self._finder.is_shown(node):
            return ast.Call(ast.Name("tr"), [node], [])
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        if not self._finder.is_shown(node):
            return node
        text, values = texts.fields(node)
        return ast.Call(
            ast.Name("tr"), [ast.Constant(text)], [ast.keyword(n, self._value(v)) for n, v in values.items()]
        )

    def _value(self, part: ast.FormattedValue) -> ast.expr:
        if part.format_spec is None and part.conversion == -1:
            return self.visit(part.value)
        return ast.JoinedStr([ast.FormattedValue(self.visit(part.value), part.conversion, part.format_spec)])


def _quoted(text: str, indent: int) -> str:
    """Return a literal in double quotes, over several lines if it is long."""
    words = re.findall(r"\S*\s*", text)
    lines, line = [], ""
    for word in words:
        if line and len(line) + len(word) > _WIDTH - min(indent, 30) and len(text) > 100 - indent:
            lines.append(line)
            line = ""
        line += word
    lines.append(line)
    quoted = [
        '"' + part.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'
        for part in lines
        if part or len(lines) == 1
    ]
    return "\n".join(quoted)


def _wrapped(bare: texts.Bare, segment: str, finder: texts._Finder) -> str:
    word = "mark_for_translation" if bare.constant else "tr"
    if isinstance(bare.node, ast.Constant):
        return f"{word}({segment})"
    if bare.constant:
        raise ValueError(f"{bare.path}:{bare.line}: an f-string in a constant cannot be translated later")
    made = _Inner(finder).visit_JoinedStr(bare.node)
    assert isinstance(made, ast.Call)
    values = ", ".join(f"{item.arg}={ast.unparse(item.value)}" for item in made.keywords)
    return f"tr({_quoted(bare.text, bare.node.col_offset)}, {values})" if values else f"tr({_quoted(bare.text, 0)})"


def wrapped(path: str, source: str) -> str:
    """Return a file's code with its texts translated."""
    tree = ast.parse(source)
    finder = texts._Finder(path, tree)
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    code = source.encode()
    found = texts.bare_texts(path, tree)
    words = set()
    for bare in sorted(found, key=lambda item: (item.node.lineno, item.node.col_offset), reverse=True):
        node = bare.node
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        code = code[:begin] + _wrapped(bare, code[begin:end].decode(), finder).encode() + code[end:]
        words.add("mark_for_translation" if bare.constant else "tr")
    text = code.decode()
    for word in sorted(words):
        if not re.search(rf"import .*\b{word}\b", text):
            text = re.sub(
                r"(?m)^(from annotator\.|from __future__ import annotations\n)",
                lambda hit, word=word: (
                    f"{hit[0]}\nfrom annotator.ui.app.translation import {word}\n"
                    if "future" in hit[0]
                    else f"from annotator.ui.app.translation import {word}\n{hit[0]}"
                ),
                text,
                count=1,
            )
    return text


def main() -> int:
    changed = 0
    for path in sorted(texts.UI.rglob("*.py")):
        name = path.relative_to(texts.UI).as_posix()
        if any(not re.match(part, name) for part in sys.argv[1:2]):
            continue
        before = path.read_text(encoding="utf-8")
        after = wrapped(name, before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            changed += 1
    print(f"{changed} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
