"""Which literals of the window's code are shown to people, and which texts the catalogue must hold.

The rules are for reading code, not for running it: `wrap.py` puts what they find into `tr`, `gather.py` brings the
catalogues up to date, and a test fails for what they find bare.
"""

# ruff: noqa: SIM905 - a row of words is read more easily than a list of literals

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UI = ROOT / "annotator" / "ui"
WRAPPERS = frozenset({"tr", "tr_count", "translate_word", "mark_for_translation", "mark_words"})

MESSAGES = {"Message": 1, "message_for_count": 2}
"""What makes a message of a service, and how many templates it takes."""

TABLES = frozenset({"app/actions.py", "pages/page_registry.py"})
"""Tables whose texts are translated where they are shown; `gather.py` reads them as data."""
NO_TEXTS = TABLES | {
    "app/theme/stylesheet.py",
    "app/theme/look.py",
    "app/help/help_places.py",
    "app/translation.py",
    "app/settings/window_state.py",
    "loading.py",
}

NOT_SHOWN = frozenset(
    """log setObjectName setProperty property getLogger debug warning error info exception getattr hasattr setattr
    findChild findChildren startswith endswith removeprefix removesuffix split strip rstrip lstrip replace strftime
    isinstance TypeVar cast import_module get pop setdefault keys action bind trigger trigger_bound TypeError KeyError
    ValueError RuntimeError AssertionError Destination show_page QShortcut QKeySequence icon resource compile current
    setStyle
    setFamily QSettings act_on page with_suffix encode decode index Target choose fromkeys draw loadFromData
    _SignalInstance setApplicationName setDesktopFileName setApplicationDisplayName library_versions""".split()
)
"""Calls whose plain literals are names, not texts."""
TEXT_CALLS = frozenset(
    """label button Card EmptyState setText setToolTip setPlaceholderText setAccessibleName setAccessibleDescription
    setWindowTitle addAction addMenu addItem addRow addTab QLabel QPushButton QCheckBox QRadioButton QAction QMenu
    Segments CodeView DataTable Cell Chip set_title set_trailing set_text set_word say _say start_job getText getItem
    getOpenFileName getOpenFileNames getSaveFileName getExistingDirectory addButton setSuffix setPrefix
    line_edit search_line text_field choice_box let_type real_box""".split()
)
"""Calls that show what they are given: no bare literal may reach them, a single word as little as a sentence."""
HEADERS = frozenset({"set_rows", "fill", "setHorizontalHeaderLabels", "setVerticalHeaderLabels", "setHeaderLabels"})

NEVER: dict[str, frozenset[str]] = {
    "pages/prompt/rewrite_dialog.py": frozenset({"row {rowCount}", "row {row_number}"}),
    "": frozenset({"Annotator", "Annotator {version}", "YAML", "JSON", "dim", "n/a", "MB"}),
    "app/application.py": frozenset({"does not support propagateSizeHints"}),
    "app/main_window.py": frozenset({"Select"}),
    "app/help/dialogs.py": frozenset(
        {"PySide6-Essentials", "Pygments", "RapidFuzz", "Python {python_version}", "Qt {qVersion}"}
    ),
    "app/palette_entries.py": frozenset({"Select", "Runs"}),
    "app/project_acts.py": frozenset({"asked for"}),
    "pages/desk/criterion_step.py": frozenset({"notices a change"}),
    "pages/shared/subject_tabs.py": frozenset({"Tests", "Answers", "History"}),
    "pages/shared/subject_page.py": frozenset({"Sources"}),
    "pages/desk/page.py": frozenset({"Select"}),
    "pages/release/gates.py": frozenset({"Consensus", "Criterion"}),
    "pages/runs/setup_dialog.py": frozenset({"USD"}),
    "pages/judge/page.py": frozenset({"A", "B"}),
    "pages/judge/study_dialog.py": frozenset({"model:{name}"}),
    "app/tour.py": frozenset("Sources Select Prompt Criterion Release Runs Results".split()),
}
"""Literals that look like texts and are names; under an empty name: in every file."""

ALSO: dict[str, frozenset[str]] = {
    "care/backups_dialog.py": frozenset("✓ good|✗ damaged|created|age|changes|decisions|state|reason".split("|")),
    "care/history_dialog.py": frozenset("stands|undone|then|undoes|none".split("|")),
    "care/recovery_dialog.py": frozenset(
        "✓ intact|⚠ damaged|decision|prompt|criterion|comment|judgement|review|subject|change".split("|")
    ),
    "app/settings/settings_dialog.py": frozenset({" or ", "  or  ", "changed"}),
    "app/help/dialogs.py": frozenset({"  or  "}),
    "pages/consensus/page.py": frozenset({" (locked)", " (undone)"}),
    "pages/bugs/page.py": frozenset({"&Endpoint", "&Model", "&Kinds"}),
    "pages/release/dialogs.py": frozenset("dropped|added|removed|changed|count|responses| (required)".split("|")),
    "pages/sources/generated_code_panel.py": frozenset({"✓ taken", "kept"}),
    "pages/shared/credit.py": frozenset(
        "key|task|language|domain|area|difficulty|views|licence|yes|no|tags |answers|reasons".split("|")
    ),
    "pages/criterion/criterion_form.py": frozenset({"number", "choice"}),
    "pages/shared/suggestions_dialog.py": frozenset("paraphrase|instruction|requirement|open|✓ used".split("|")),
    "pages/consensus/expert_panel.py": frozenset(
        "correctness|difficulty|applicability|readability|none|kept| (stale)".split("|")
    ),
    "pages/release/gates.py": frozenset({"✓ met", "✗ blocks", "! open"}),
    "pages/sources/mined_functions_panel.py": frozenset({"✓ taken"}),
    "pages/criterion/proof_panel.py": frozenset({"✓ passed", "✗ fails", "? open", " (advice)"}),
    "pages/sources/repository_panel.py": frozenset("mining|mined".split("|")),
    "pages/results/response_panel.py": frozenset({"✓ yes", "✗ no", "undone"}),
    "pages/results/result_controls.py": frozenset({"by {name}"}),
    "pages/prompt/rewrite_dialog.py": frozenset({"✓ passed", "✗ blocks"}),
    "pages/runs/run_detail.py": frozenset("paused|unknown|counts|differs|[answer]\n{text}".split("|")),
    "pages/runs/run_form.py": frozenset({"server's"}),
    "pages/runs/page.py": frozenset("queued|paused|running".split("|")),
    "pages/bugs/task_panel.py": frozenset("accepted|rejected|flagged|skipped|proven".split("|")),
    "pages/criterion/trial_panel.py": frozenset("partial|✓ yes|✗ no|was".split("|")),
    "pages/desk/page.py": frozenset({"written", "proven"}),
    "pages/desk/paraphrase_step.py": frozenset({"ready"}),
    "pages/select/page.py": frozenset("accepted|rejected|skipped|flagged".split("|")),
    "app/sidebar.py": frozenset({"waiting"}),
    "app/status_bar.py": frozenset({"paused"}),
    "widgets/queue_card.py": frozenset({"open"}),
    "pages/sources/age_views_plot.py": frozenset({"views", "today"}),
}
"""Single words that are shown, by file: nothing about them tells them from names in code."""

_KEY = re.compile(r"(Ctrl|Alt|Shift|Meta)\+\S+")
_CLASS = re.compile(r"[A-Z][a-z]+[A-Z]\w*")
_ID = re.compile(r"[a-z_]+(\.[a-z_]+)+")
_SENTENCE = re.compile(r"[^\W\d_]\S*\s+\S|\S\s+[^\W\d_]|^\W*[A-Z][a-z]+")


@dataclass(frozen=True, slots=True)
class Bare:
    """A literal that is shown and not translated."""

    path: str
    line: int
    text: str
    node: ast.expr
    constant: bool
    """Whether it stands in a constant, which is made before the language is known."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A text for the catalogue."""

    text: str
    note: str
    path: str


def field_name(node: ast.expr) -> str:
    """Return a name for what an expression gives, as a translator reads it."""
    if isinstance(node, ast.Name):
        return node.id.strip("_")
    if isinstance(node, ast.Attribute):
        return node.attr.strip("_")
    if isinstance(node, ast.Call):
        called = field_name(node.func)
        if called in {"len", "sum"}:
            return "count"
        if called == "join":
            return "list"
        if called in {"rstrip", "strip", "capitalize", "lower", "astimezone", "get"} and isinstance(
            node.func, ast.Attribute
        ):
            return field_name(node.func.value)
        if (
            called in {"str", "int", "shorten_middle", "tr", "translate_word", "min", "when_text", "ago", "key_text"}
            and node.args
        ):
            return field_name(node.args[0])
        return called
    if isinstance(node, ast.Subscript):
        inner = node.slice
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            return re.sub(r"\W", "_", inner.value)
        return field_name(node.value)
    if isinstance(node, ast.BinOp):
        left = field_name(node.left)
        return field_name(node.right) if left == "value" else left
    if isinstance(node, ast.BoolOp):
        return field_name(node.values[0])
    return "words" if isinstance(node, ast.IfExp) else "value"


def fields(node: ast.JoinedStr) -> tuple[str, dict[str, ast.FormattedValue]]:
    """Return the source text of an f-string, and what fills its fields; equal expressions share one."""
    text = ""
    values: dict[str, ast.FormattedValue] = {}
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
            continue
        assert isinstance(part, ast.FormattedValue)
        base = name = field_name(part.value) or "value"
        number = 2
        while name in values and ast.dump(values[name]) != ast.dump(part):
            name = f"{base}{number}"
            number += 1
        values[name] = part
        text += f"{{{name}}}"
    return text, values


def text_of(node: ast.expr) -> str:
    """Return the source text of a literal or f-string."""
    return str(node.value) if isinstance(node, ast.Constant) else fields(node)[0]  # type: ignore[arg-type]


def called(node: ast.AST) -> str:
    """Return the name of what a call calls."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


class _Finder:
    def __init__(self, path: str, tree: ast.AST) -> None:
        self.path = path
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self.also = ALSO.get(path, frozenset())
        self.never = NEVER[""] | NEVER.get(path, frozenset())

    def is_shown(self, node: ast.expr) -> bool:
        text = text_of(node)
        plain = re.sub(r"\{\w+\}", "", text) if isinstance(node, ast.JoinedStr) else text
        if not re.search(r"[^\W\d_]", plain) or text in self.never or self._is_code(node):
            return False
        if text in self.also:
            return True
        if isinstance(node, ast.JoinedStr):
            human = " " in text or bool(_SENTENCE.search(plain)) or self._reaches_text_call(node)
        else:
            human = bool(_SENTENCE.search(text)) or self._reaches_text_call(node)
        return human and not _KEY.fullmatch(text) and not self._is_name(text) and not text.startswith(("<a ", "ph."))

    @staticmethod
    def _is_name(text: str) -> bool:
        return bool(_CLASS.fullmatch(text) or _ID.fullmatch(text)) or text.lstrip().startswith(("# ", "http://"))

    def _is_code(self, node: ast.AST) -> bool:
        below: ast.AST = node
        while below in self.parents:
            above = self.parents[below]
            if isinstance(above, ast.Call):
                name = called(above)
                if name in WRAPPERS and not (isinstance(below, ast.keyword)):
                    return True
                if below is node and name in NOT_SHOWN:
                    return True
            first = below is node
            if (
                (isinstance(above, ast.Expr) and first)
                or (isinstance(above, ast.Subscript) and above.slice is below)
                or (isinstance(above, ast.Compare) and first)
                or (isinstance(above, ast.Compare) and isinstance(below, (ast.Tuple, ast.Set, ast.List)))
                or (isinstance(above, ast.Dict) and below in above.keys)
                or (isinstance(above, ast.Set) and first and text_of(node) not in self.also)  # type: ignore[arg-type]
                or (isinstance(above, (ast.arg, ast.JoinedStr)) and first)
                or isinstance(above, ast.arguments)
                or (isinstance(above, ast.FormattedValue) and above.format_spec is below)
                or (isinstance(above, ast.AnnAssign) and above.annotation is below)
                or (isinstance(above, ast.FunctionDef) and (above.returns is below or below in above.decorator_list))
                or (isinstance(above, ast.keyword) and above.arg in {"latest", "lane", "language"})
                or (isinstance(above, ast.Assign) and self._names_code(above))
            ):  # fmt: skip
                return True
            below = above
        return False

    def _names_code(self, node: ast.Assign) -> bool:
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        return bool(names & {"name", "icon", "__all__"}) and not isinstance(
            self.parents.get(node), (ast.FunctionDef, ast.If, ast.For, ast.With, ast.Try)
        )

    def _reaches_text_call(self, node: ast.AST) -> bool:
        """Say whether a literal stands where a text-taking call takes a text, or in a row of headers."""
        above = self.parents.get(node)
        name = called(above) if above is not None else ""
        if name in TEXT_CALLS:
            assert isinstance(above, ast.Call)
            place = above.args.index(node) if node in above.args else -1
            second = {"addAction", "addMenu", "QAction", "QMenu"}
            if name in {"Segments", "Chip", "EmptyState", "start_job", "CodeView"} or name.startswith("get"):
                return (place == 0 and name != "Chip" and name != "EmptyState") or (place == 1 and name == "Chip")
            return place == 0 or (name in second and place >= 0)
        if isinstance(above, (ast.Tuple, ast.List)):
            outer = self.parents.get(above)
            if outer is not None and called(outer) in HEADERS | {"Segments"}:
                assert isinstance(outer, ast.Call)
                return above in outer.args[: 2 if called(outer) == "Segments" else 1]
        return False

    def in_constant(self, node: ast.AST) -> bool:
        below = node
        while below in self.parents:
            below = self.parents[below]
            if isinstance(below, (ast.FunctionDef, ast.Lambda)):
                return False
        return True


def bare_texts(path: str, tree: ast.AST) -> list[Bare]:
    """Return the outermost literals of a file below ``annotator/ui`` that are shown and not translated."""
    if path in NO_TEXTS:
        return []
    finder = _Finder(path, tree)
    found: list[Bare] = []
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        literal = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        if node in inside or not literal:
            continue
        assert isinstance(node, ast.expr)
        if finder.is_shown(node):
            found.append(Bare(path, node.lineno, text_of(node), node, finder.in_constant(node)))
            inside.update(ast.walk(node))
    return found


def messages(path: str, tree: ast.AST) -> list[Entry]:
    """Return the texts a file asks the catalogue for. A wrapper that is given no literal raises `ValueError`."""
    found: list[Entry] = []
    for node in ast.walk(tree):
        name = called(node)
        if name not in WRAPPERS - {"translate_word"} or path == "app/translation.py":
            continue
        assert isinstance(node, ast.Call)
        given = node.args if name == "mark_words" else node.args[: 2 if name == "tr_count" else 1]
        texts = [part.value for part in given if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        if len(texts) != len(given):
            raise ValueError(
                f"{path}:{node.lineno}: {name} takes literals; a text that is known later is translate_word's"
            )
        note = node.args[1] if name == "tr" and len(node.args) > 1 else None
        said = str(note.value) if isinstance(note, ast.Constant) else ""
        found += [Entry(text, said, path) for text in texts if text]
    return found


def service_messages(path: str, tree: ast.AST) -> list[Entry]:
    """Return the templates of a file's ``Message(...)``. One that is no literal raises `ValueError`."""
    found: list[Entry] = []
    for node in ast.walk(tree):
        if called(node) not in MESSAGES:
            continue
        assert isinstance(node, ast.Call)
        for part in node.args[: MESSAGES[called(node)]]:
            if not (isinstance(part, ast.Constant) and isinstance(part.value, str)):
                raise ValueError(f"{path}:{node.lineno}: {called(node)} takes literals; mark_word takes a known word")
            found.append(Entry(part.value, "", path))
    return found


def sources() -> dict[str, ast.Module]:
    """Return the window's files, read, by their path below ``annotator/ui``."""
    return {
        path.relative_to(UI).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(UI.rglob("*.py"))
    }


def all_sources() -> dict[str, ast.Module]:
    """Return the program's files that may make messages, read, by their path."""
    found = {}
    for path in sorted((ROOT / "annotator").rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        if "annotator.base.messages import" in code:
            found[path.relative_to(ROOT).as_posix()] = ast.parse(code)
    return found
