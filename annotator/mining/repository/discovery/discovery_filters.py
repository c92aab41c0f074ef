"""The filters for repositories and functions; every rejection has a reason (specification, 1 and 4)."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from annotator.mining.licences import is_permissive_licence
from annotator.mining.repository.calls.fixtures import is_fixture
from annotator.mining.repository.discovery.modules import FunctionInfo
from annotator.mining.repository.discovery.repository_facts import RepositoryFacts
from annotator.mining.repository.discovery.scopes import dotted_name
from annotator.mining.repository.discovery.spans import Spans

Recipe = Literal["domaineval", "evocodebench"]
Rules = Literal["own", "published"]
DOMAINS = ("computation", "network", "basic operation", "system", "visualization", "cryptography")
LINES = (3, 100)
CONTEXT_LIMIT = 6000
"""Maximum number of characters of a function with its context, as in DomainEval's script."""
_DOMAIN_WORDS = {
    "computation": "math numerical numeric matrix tensor scientific statistics algebra dataframe optimization geometry "
    "machine-learning deep-learning computation array",
    "network": "http https network networking url web requests socket api client server browser dns tcp websocket "
    "crawler scraping wsgi",
    "basic operation": "string strings date datetime time calendar holidays parsing parser utilities text unicode "
    "iterator collections functional dict json",
    "system": "system os process filesystem file shell monitoring cli cpu disk memory operating-system subprocess logs",
    "visualization": "visualization visualisation chart charts plot plotting plots svg graphics color colour terminal "
    "rendering diagram table tables",
    "cryptography": "cryptography crypto encryption cipher signature signing rsa ecdsa hash tls ssl x509 jwt key keys "
    "elliptic",
}


@dataclass(frozen=True, slots=True)
class FilterVerdict:
    """The verdict of one filter; ``is_known`` is False if the fact it needs is missing, and then it rejects nothing."""

    name: str
    passed: bool
    reason: str = ""
    is_known: bool = True


def repository_filters(
    facts: RepositoryFacts, recipe: Recipe, tests: int, today: date, months: int = 6
) -> tuple[FilterVerdict, ...]:
    """Apply a recipe's rules for repositories; if a fact is missing, its filter fails and is marked as not known."""
    has_tests = FilterVerdict("tests", tests > 0, "" if tests else "there are no tests with assertions")
    if recipe == "domaineval":
        return (_stars_filter(facts, 100, inclusive=True), has_tests)
    return (
        licence_filter(facts.licence),
        _age_filter(facts, today, months),
        FilterVerdict("no fork", facts.is_fork is False, _fork_reason(facts), facts.is_fork is not None),
        _stars_filter(facts, 50, inclusive=False),
        has_tests,
    )


def repository_refusals(filters: Sequence[FilterVerdict]) -> tuple[FilterVerdict, ...]:
    """Return the repository filters that reject all its functions, renamed for the rows of the functions."""
    return tuple(replace(item, name=f"repository {item.name}") for item in filters if item.is_known and not item.passed)


def _fork_reason(facts: RepositoryFacts) -> str:
    if facts.is_fork is None:
        return "whether it is a fork is not known"
    return "it is a fork" if facts.is_fork else ""


def _stars_filter(facts: RepositoryFacts, least: int, *, inclusive: bool) -> FilterVerdict:
    if facts.stars is None:
        return FilterVerdict("stars", False, "the number of stars is not known", is_known=False)
    enough = facts.stars >= least if inclusive else facts.stars > least
    requirement = f"at least {least}" if inclusive else f"more than {least}"
    return FilterVerdict("stars", enough, "" if enough else f"{facts.stars} stars; {requirement} are required")


def _age_filter(facts: RepositoryFacts, today: date, months: int) -> FilterVerdict:
    try:
        created = date.fromisoformat(facts.created[:10])
    except ValueError:
        return FilterVerdict("age", False, "when it was created is not known", is_known=False)
    age = (today.year - created.year) * 12 + today.month - created.month - (today.day < created.day)
    is_young = age < months
    return FilterVerdict(
        "age", is_young, "" if is_young else f"created on {created}; at most {months} months are required"
    )


def licence_filter(expression: str) -> FilterVerdict:
    """Check that an SPDX expression gives the permissions that a benchmark needs."""
    if not expression:
        return FilterVerdict("licence", False, "no licence was found", is_known=False)
    allowed = is_permissive_licence(expression)
    return FilterVerdict("licence", allowed, "" if allowed else f"{expression} is not among the permissive licences")


def domain_of(facts: RepositoryFacts) -> str:
    """Return the domain whose words occur most often in topics, description and README; empty if none does."""
    # Addresses in a README do not describe the repository.
    text = f"{facts.name} {facts.description} {facts.readme[:8000]}".lower()
    words = _words_in(" ".join(word for word in text.split() if "://" not in word), "-")
    topics = [topic.lower() for topic in facts.topics]
    scores = {
        name: 5 * sum(topic in domain_words for topic in topics) + sum(word in domain_words for word in words)
        for name, domain_words in ((name, set(text.split())) for name, text in _DOMAIN_WORDS.items())
    }
    best = max(DOMAINS, key=scores.__getitem__)
    return best if scores[best] else ""


def _words_in(text: str, marks: str) -> list[str]:
    """Return the words of a text: letters, digits and ``marks`` in a row."""
    return "".join(letter if letter.isalnum() or letter in marks else " " for letter in text).split()


# -- functions --------------------------------------------------------------------------------------------------------


def is_target(info: FunctionInfo) -> bool:
    """Return whether a function may be a subject: not a test, fixture, constructor, accessor or inner function."""
    if info.module.is_test or info.nested or is_fixture(info) or info.name in ("__init__", "__new__", "__post_init__"):
        return False
    return not (info.is_property and is_trivial(info.node))


def is_trivial(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function only returns a value, stores a value, passes, or raises."""
    body = [item for item in node.body if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))]
    if not body:
        return True
    if len(body) > 1:
        return False
    only = body[0]
    if isinstance(only, ast.Return):
        value = only.value
        while isinstance(value, ast.Attribute):
            value = value.value
        return value is None or isinstance(value, (ast.Name, ast.Constant))
    if isinstance(only, ast.Assign):
        return isinstance(only.value, (ast.Name, ast.Constant)) and isinstance(only.targets[0], ast.Attribute)
    return isinstance(only, (ast.Pass, ast.Raise))


def function_filters(
    info: FunctionInfo,
    spans: Spans,
    reach_kinds: Sequence[str],
    alone: str,
    *,
    lines: tuple[int, int] = LINES,
    own: Collection[str] = (),
) -> tuple[FilterVerdict, ...]:
    """Apply the rules for functions.

    ``reach_kinds`` says how each test reaches it (`CallMatch.how`), ``alone`` why it does not run alone (empty if it
    does), and ``own`` are the members of its class that it uses.
    """
    low, high = lines
    banned = banned_calls(info.node, own, info.module.functions)
    trivial = is_trivial(info.node)
    return (
        FilterVerdict("tests", bool(reach_kinds), "" if reach_kinds else "no test calls it"),
        direct_filter(reach_kinds),
        FilterVerdict("significant", not trivial, "it only returns or stores a value" if trivial else ""),
        length_filter(_code_lines(info, spans), low, high),
        FilterVerdict("banned calls", not banned, f"it makes banned calls: {', '.join(banned)}" if banned else ""),
        FilterVerdict("self-contained", not alone, alone),
    )


def direct_filter(reach_kinds: Iterable[str]) -> FilterVerdict:
    """Check that some test calls a function directly, not only through helpers."""
    direct = any(how != "helper" for how in reach_kinds)
    return FilterVerdict("direct", direct, "" if direct else "tests reach it only through helpers")


def _code_lines(info: FunctionInfo, spans: Spans) -> int:
    """Count a function's lines of code: its ``def`` line and its body, without docstring, comments and blank lines.

    The published subjects were counted this way: of 1,370, 101 have a body of two lines, and none a shorter one.
    """
    body = info.module.lines[spans.body_first - 1 : spans.body_last]
    code = sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in body)
    return code + (spans.body_first > info.node.lineno)


def length_filter(count: int, low: int, high: int) -> FilterVerdict:
    """Check that a number of lines of code is within the limits."""
    if count < low:
        return FilterVerdict("lines", False, f"fewer than {low} lines of code: {count}")
    if count > high:
        return FilterVerdict("lines", False, f"more than {high} lines of code: {count}")
    return FilterVerdict("lines", True)


_OS_CALLS = ("unlink", "remove", "removedirs", "rmdir", "system", "rename", "mkdir", "makedirs", "listdir")
_KILLING_CALLS = {"kill", "terminate", "killpg"}
_FILE_CALLS = {"open", "read", "write", "load", "dump", "readlines", "writelines", "seek", "tell"}
_REMOVING_CALLS = {"unlink", "rmdir", "rmtree", "send2trash"}
_MODULES = ("shutil", "glob")
_PLAIN_CALLS = {"exit", "quit", "open"}
"""Banned calls of builtins. Code may define functions of its own under these names, which are not banned."""
_SUBPROCESS = {"run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput", "system", "popen"}
_DANGEROUS_WORDS = ("kill", "rm", "rmdir")

_BANNED_WORDS = (
    "os.kill", "terminate", "subprocess.call([\u2019kill\u2019,", "subprocess.call([\u2019rm\u2019,",
    "subprocess.call([\u2019rmdir\u2019,", 'subprocess.call(["kill",', 'subprocess.call(["rm",',
    'subprocess.call(["rmdir",', "sys.exit", "os.unlink", ".unlink", ".rmdir", "os.remove", "os.removedirs", "os.rmdir",
    "os.system", "rmtree", "send2trash", "open(", ".read(", ".write(", ".load(", ".dump(", "shutil.", "glob.",
    "os.path.", "os.remove(", "os.rename(", "os.rmdir(", "os.mkdir(", "os.makedirs(", "os.listdir(", ".readlines(",
    ".writelines(", ".seek(", ".tell(",
)  # fmt: skip
"""The published list, verbatim; three of its entries have typographic quotes, so they never match code."""


def banned_calls(node: ast.AST, own: Collection[str] = (), defined: Collection[str] = ()) -> tuple[str, ...]:
    """Return the banned calls in a syntax tree, by name, each once, in order of appearance.

    Whole names are compared: ``csv.reader(...)`` is not a ``read``. The repository's own code is not banned by
    its name: a method of the function's class (``own``), a parameter, a function of its file (``defined``), and, if
    called on a variable, a method such as ``kill`` or ``unlink`` that a class of its file defines.
    """
    names: dict[str, None] = {}
    methods = {name.rpartition(".")[2] for name in defined if "." in name} & (_REMOVING_CALLS | _KILLING_CALLS)
    calls = [item for item in ast.walk(node) if isinstance(item, ast.Call)]
    first, bound_names = _names_bound_by(node)
    for call in sorted(calls, key=lambda item: (item.lineno, item.col_offset)):
        name = dotted_name(call.func)
        root, _, rest = name.partition(".")
        if (root == first and rest in own) or (name in _PLAIN_CALLS and (name in bound_names or name in defined)):
            continue
        if rest in methods and root in bound_names:
            continue
        name = _banned_name(call)
        if name:
            names[name] = None
    return tuple(names)


def _names_bound_by(node: ast.AST) -> tuple[str, set[str]]:
    """Return the name of a function's first parameter, and all names that it binds."""
    names = {item.arg for item in ast.walk(node) if isinstance(item, ast.arg)}
    names |= {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return "", names
    first = [*node.args.posonlyargs, *node.args.args][:1]
    return (first[0].arg if first else ""), names


def _banned_name(call: ast.Call) -> str:
    name = dotted_name(call.func)
    last = call.func.attr if isinstance(call.func, ast.Attribute) else name
    owner, _, _ = name.rpartition(".")
    root = name.partition(".")[0]
    if name in ("sys.exit", "os._exit", "exit", "quit"):
        return name
    if owner == "os" and last in (*_OS_CALLS, "kill", "killpg"):
        return name
    if root == "os" and owner == "os.path":
        return name
    if root in _MODULES and owner:
        return name
    if last in _REMOVING_CALLS or (isinstance(call.func, ast.Attribute) and last in _KILLING_CALLS):
        return name or f".{last}"
    if root == "subprocess" and last in _SUBPROCESS and _dangerous_word(call):
        return f"{name} with {_dangerous_word(call)}"
    if last in _FILE_CALLS and (isinstance(call.func, ast.Attribute) or last == "open"):
        return name or f".{last}"
    return ""


def _dangerous_word(call: ast.Call) -> str:
    constants = (item.value for item in ast.walk(call) if isinstance(item, ast.Constant))
    words = (word for text in constants if isinstance(text, str) for word in _words_in(text, "_-"))
    return next((word for word in words if word in _DANGEROUS_WORDS), "")


def banned_text(code: str) -> tuple[str, ...]:
    """Return the words of DomainEval's published list that occur in the code as substrings, as its script checks."""
    return tuple(word for word in _BANNED_WORDS if word in code)
