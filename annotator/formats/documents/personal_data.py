"""Find personal data and secrets in the texts of a release.

The rules match known tokens, keys and passwords, addresses of people, and card and account numbers with valid check
digits. Findings are masked, so that a report never repeats a secret. Placeholders in documentation are ignored, and so
are addresses in copyright and author lines of code, which licences require to stay.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotator.formats.documents.credit_lines import credit_lines
from annotator.formats.write.export_folder import Head, Item, markdown_line

FindingKind = Literal["secret", "personal"]
PRIVACY = "PERSONAL-DATA.md"
"""The report's name in an export."""
PROJECT = "project"
"""The key of findings in texts that belong to the project instead of an item."""
LINE_LIMIT = 20_000
"""Longer lines are searched in pieces of this length, so that the time stays linear."""
_ADDRESS = "e-mail address"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyFinding:
    """Something that should not be released: the rule, 1-based line and column, and the text with its middle masked."""

    rule: str
    kind: FindingKind
    line: int
    column: int
    masked_text: str


@dataclass(frozen=True, slots=True)
class ItemFinding:
    """A finding with its place: the item's key and the field (``tests.2.code``)."""

    key: str
    field: str
    finding: PrivacyFinding

    def __str__(self) -> str:
        """Return "key, field, line: rule (masked)"."""
        return f"{self.key}, {self.field}, line {self.finding.line}: {self.finding.rule} ({self.finding.masked_text})"


@dataclass(frozen=True, slots=True)
class _Rule:
    """A kind of personal data: the regular expression ``pattern``, and ``accepts``, which filters its matches."""

    name: str
    kind: FindingKind
    pattern: str
    accepts: Callable[[str], bool] = lambda _: True

    def find(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches in a text; Python caches the compiled pattern."""
        return (match for match in re.finditer(self.pattern, text) if self.accepts(match[0]))


_EXAMPLE_DOMAINS = re.compile(
    r"(?:^|\.)(?:example|test|invalid|localhost|local|foo|bar|domain|email|mail|company|yourdomain|mydomain|acme)"
    r"(?:\.[a-z]{2,}){0,2}$|^(?:a|b|c|d|x|y|z|abc|xyz|test\d*|host)\.[a-z]{2,3}$|\.(?:example|test|invalid|local)$|"
    r"^(?:users\.)?noreply\.|^git(?:hub|lab)\.com$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"x{4,}|\*{3,}|<[^>]*>|\$\{|\{\{|your|example|placeholder|changeme|dummy|sample|redacted|secret_?key|password|"
    r"(?:test|fake|mock|invalid|foo|bar|my)[-_]|^(?:0+|1234\w*|abc\w*)$|os\.environ|getenv|config",
    re.IGNORECASE,
)


def _entropy(text: str) -> float:
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())


def _is_real_address(text: str) -> bool:
    local, _, domain = text.rpartition("@")
    if _EXAMPLE_DOMAINS.search(domain) or local.lower() in ("git", "user", "you", "me", "noreply", "no-reply"):
        return False
    # Decorators and matrix products in code look like addresses, and so do files with an @ in their name.
    return not domain.lower().endswith((".py", ".js", ".ts", ".java", ".png", ".jpg", ".json", ".setter", ".getter"))


def _is_random(text: str) -> bool:
    value = text.split("=", 1)[-1].split(":", 1)[-1].strip(" \t\"'`,;") if re.search(r"[=:]", text) else text
    return len(value) >= 8 and not _PLACEHOLDER.search(value) and _entropy(value) >= 3.0


def _is_token(text: str) -> bool:
    return not re.search(r"x{6,}|(.)\1{7,}|EXAMPLE", text, re.IGNORECASE)


def _is_public_host(text: str) -> bool:
    try:
        return (
            ipaddress.ip_address(text).is_global and not text.endswith((".0", ".0.0")) and text not in _WELL_KNOWN_HOSTS
        )
    except ValueError:
        return False


_WELL_KNOWN_HOSTS = ("8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "1.2.3.4", "5.6.7.8")


def _is_card_number(text: str) -> bool:
    """Return whether the check digit is valid by the Luhn algorithm; numbers for testing payments do not count."""
    digits = [int(letter) for letter in text if letter.isdigit()]
    if len(set(digits)) < 4 or "".join(map(str, digits)) in _TEST_CARD_NUMBERS:
        return False
    total = sum(
        (digit * 2 - 9 if digit > 4 else digit * 2) if position % 2 == 0 else digit
        for position, digit in enumerate(reversed(digits), start=1)
    )
    return total % 10 == 0


_TEST_CARD_NUMBERS = ("4111111111111111", "4242424242424242", "5555555555554444", "378282246310005", "4012888888881881")


def _is_account_number(text: str) -> bool:
    """Return whether the check digits are valid for an IBAN (ISO 13616: remainder 1 modulo 97)."""
    compact = text.replace(" ", "")
    rotated = compact[4:] + compact[:4]
    return int("".join(str(int(letter, 36)) for letter in rotated)) % 97 == 1


def _is_phone_number(text: str) -> bool:
    # E.164 allows 15 digits; numbers of films and examples have 555 or few different digits.
    digits = "".join(letter for letter in text if letter.isdigit())
    return 9 <= len(digits) <= 15 and digits[-7:-4] != "555" and len(set(digits)) > 3


_RULES: tuple[_Rule, ...] = (
    _Rule("private key", "secret", r"-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
    _Rule("AWS access key", "secret", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", _is_token),
    _Rule("GitHub token", "secret", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})", _is_token),
    _Rule("GitLab token", "secret", r"\bglpat-[\w-]{20,}", _is_token),
    _Rule("Slack token", "secret", r"\bxox[abeprs]-[A-Za-z0-9-]{10,}", _is_token),
    _Rule("Google API key", "secret", r"\bAIza[\w-]{35}\b", _is_token),
    _Rule("Stripe key", "secret", r"\b[sr]k_live_[A-Za-z0-9]{16,}", _is_token),
    _Rule("model provider key", "secret", r"\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}", _is_token),
    _Rule("Hugging Face token", "secret", r"\bhf_[A-Za-z0-9]{30,}", _is_token),
    _Rule("PyPI token", "secret", r"\bpypi-[\w-]{40,}", _is_token),
    _Rule("npm token", "secret", r"\bnpm_[A-Za-z0-9]{36}\b", _is_token),
    _Rule("SendGrid key", "secret", r"\bSG\.[\w-]{16,}\.[\w-]{16,}", _is_token),
    _Rule("web token", "secret", r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}", _is_token),
    _Rule(
        "password in an address", "secret",
        r"\b[a-z][a-z0-9+.-]{1,15}://[^\s:/@\"'<>{}$]{1,64}:(?!//)[^\s:/@\"'<>{}$]{3,64}@[\w.-]{1,200}",
        lambda text: not _PLACEHOLDER.search(text.split("://", 1)[1].split("@")[0].split(":", 1)[1])
        and not re.search(r"://(?:user|username|u)(?:name)?:p", text),
    ),
    _Rule(
        "password or key in code", "secret",
        r"(?i)\b[\w-]{0,30}(?:passw(?:or)?d|secret|api[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?key)"
            r"[\"']?\s{0,3}(?:=|:|=>)\s{0,3}[\"'][^\"'\s]{8,128}[\"']",
        _is_random,
    ),
    _Rule(
        _ADDRESS, "personal",
        r"(?<![\w.%+/-])[A-Za-z0-9][\w.%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}\b(?![(\w])",
        _is_real_address,
    ),
    _Rule(
        "telephone number", "personal",
        r"(?<![\w.+])\+[1-9]\d{0,2}(?:[ ./-]?\(?\d{1,4}\)?){3,6}(?!\w)", _is_phone_number,
    ),
    _Rule(
        "network address", "personal",
        r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]|/\d)", _is_public_host,
    ),
    _Rule(
        "card number", "personal",
        r"(?<![\w.-])[3-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{2,4}(?![\w.-])", _is_card_number,
    ),
    _Rule(
        "account number", "personal",
        r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b", _is_account_number,
    ),
)  # fmt: skip
_PROSE_RULES = (
    _Rule(
        "telephone number", "personal",
        r"(?<![\w.+-])(?<!\d )(?<!\w[(=\[])(?<!= )"
            r"(?:1[3-9]\d([ -]?)\d{4}\1\d{4}|\(?[2-9]\d{2}\)?[ .-][2-9]\d{2}[.-]\d{4}"
            r"|0\d{2,4}[ /-]\d{3,5}[ -]?\d{3,5})(?![\w-]| \d)",
        _is_phone_number,
    ),
)  # fmt: skip
"""Rules for numbers as people of a country write them; code is full of numbers like these."""
_PROSE_FIELDS = ("key", "title", "prompt", "criterion", "original_prompt")
_CODE_FIELDS = ("reference", "context")
_FIELDS_WRITTEN_HERE = ("prompt", "criterion", "provenance.rewrite")
"""The fields that people of the project write; only these are searched for the names of people."""


def name_rule(names: Iterable[str]) -> _Rule | None:
    """Return a rule that finds these people by name, None if there are none; names of one or two letters are not."""
    searchable_names = sorted(
        {name for name in names if len(name) > (1 if name > "\u2e80" else 2)}, key=len, reverse=True
    )
    pattern = rf"(?<![A-Za-z])(?:{'|'.join(map(re.escape, searchable_names))})(?![A-Za-z])"
    return _Rule("name of a person who is not an author", "personal", pattern) if searchable_names else None


def scan_text(text: str, *, is_code: bool = False, people: _Rule | None = None) -> tuple[PrivacyFinding, ...]:
    """Return the likely secrets and personal data in a text, in order. The time is linear in its length."""
    findings = []
    all_rules = (*_RULES, *(() if is_code else _PROSE_RULES), *((people,) if people else ()))
    # Most texts match none, and one search of the whole text is much faster than one of each line.
    rules = [rule for rule in all_rules if re.search(rule.pattern, text)]
    if not rules:
        return ()
    for number, line in enumerate(text.split("\n"), start=1):
        for start in range(0, len(line), LINE_LIMIT):
            chunk = line[start : start + LINE_LIMIT]
            findings += [
                PrivacyFinding(
                    rule=rule.name,
                    kind=rule.kind,
                    line=number,
                    column=start + match.start() + 1,
                    masked_text=_mask_text(match[0]),
                )
                for rule in rules
                for match in rule.find(chunk)
            ]
    return tuple(sorted(findings, key=lambda item: (item.line, item.column, item.rule)))


def _mask_text(text: str) -> str:
    """Return a text with its middle masked; at most a third of it stays visible."""
    visible = min(4, len(text) // 6)
    return f"{text[:visible]}…{text[len(text) - visible :]}, {len(text)} characters"


def scan_item(item: Item, people: _Rule | None = None) -> tuple[ItemFinding, ...]:
    """Return the findings in all texts of an item, each distinct one once, at its first place.

    Names of ``people`` are looked for in what people of the project wrote.
    """
    reported: set[tuple[str, str]] = set()
    item_findings = []
    for part in _iter_texts(item):
        is_code = bool(part.language or part.file)
        # An imported prompt was not written by people of the project.
        is_written = part.field.startswith(_FIELDS_WRITTEN_HERE) and (
            part.field != "prompt" or bool(item.get("original_prompt"))
        )
        findings = scan_text(part.text, is_code=is_code, people=people if is_written else None)
        if any(finding.rule == _ADDRESS for finding in findings):
            credits = credit_lines(part.text, part.language, part.file)
            findings = tuple(finding for finding in findings if finding.rule != _ADDRESS or finding.line not in credits)
        for finding in findings:
            if (finding.rule, finding.masked_text) not in reported:
                reported.add((finding.rule, finding.masked_text))
                item_findings.append(ItemFinding(item["key"], part.field, finding))
    return tuple(item_findings)


def scan_texts(texts: Mapping[str, str], people: _Rule | None = None) -> tuple[ItemFinding, ...]:
    """Return the findings in named texts that belong to no item."""
    return tuple(
        ItemFinding(PROJECT, name, finding)
        for name, text in texts.items()
        for finding in scan_text(text, people=people)
    )


def manifest_texts(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return place -> text of every text in a release's manifest; reasons of rejections are keys there."""
    facts = dict(manifest.get("facts", {}))
    tree = {**manifest, "reason of a rejection": list(facts.pop("filters", {})), "facts": facts}
    return {
        place.removeprefix("facts, "): text
        for name, value in tree.items()
        for place, text in _iter_nested_texts(name, value, ", ")
    }


@dataclass(frozen=True, slots=True)
class _ItemText:
    """A text of an item: its field, and the language or file name if it may be code."""

    field: str
    text: str
    language: str = ""
    file: str = ""


def _iter_texts(item: Item) -> Iterator[_ItemText]:
    language = item["language"]
    yield from (_ItemText(field, item[field]) for field in _PROSE_FIELDS)
    yield from (_ItemText(field, item[field], language) for field in _CODE_FIELDS)
    for number, test in enumerate(item["tests"], start=1):
        yield _ItemText(f"tests.{number}.code", test["code"], test["language"] or language)
        yield _ItemText(f"tests.{number}.expected", test["expected"])
        yield from (_ItemText(*inner) for inner in _iter_nested_texts(f"tests.{number}.inputs", test["inputs"]))
    for name, text in sorted(item.get("files", {}).items()):
        yield _ItemText(f"files.{name}", text, file=name)
    # Most of it is code around the reference; prose and data have no comments, so treating them as code is harmless.
    yield from (_ItemText(field, text, language) for field, text in _iter_nested_texts("extra", item.get("extra", {})))
    yield from (_ItemText(*inner) for inner in _iter_nested_texts("provenance", item.get("provenance", {})))


def _iter_nested_texts(place: str, value: Any, separator: str = ".") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _iter_nested_texts(f"{place}{separator}{name}", inner, separator)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value, start=1):
            yield from _iter_nested_texts(f"{place}{separator}{number}", inner, separator)


def privacy_text(head: Head, items: Sequence[Item]) -> str:
    """Scan the items of a release and what it says about itself, and return the report."""
    return report_text(head, scan_release_texts(head, items), len(items))


def scan_release_texts(head: Head, items: Iterable[Item]) -> list[ItemFinding]:
    """Return the findings in all that a release publishes."""
    texts = scan_texts({"notes": str(head["notes"]), **manifest_texts(head["manifest"])})
    return [*texts, *(finding for item in items for finding in scan_item(item))]


def report_text(head: Head, findings: Sequence[ItemFinding], scanned: int) -> str:
    """Return the report of a scan as Markdown; the findings in it are masked."""
    lines = [f"# Personal data and secrets in {markdown_line(head['project'])} {markdown_line(head['version'])}", ""]
    keys = {finding.key for finding in findings}
    counts = [
        f"{count} {noun}{'' if count == 1 else 's'}"
        for count, noun in ((scanned, "item"), (len(findings), "finding"), (len(keys), "item"))
    ]
    lines += [f"Looked through {counts[0]}: {counts[1]} in {counts[2]}.", ""]
    for kind, title in (("secret", "Secrets"), ("personal", "Personal data")):
        matching = [finding for finding in findings if finding.finding.kind == kind]
        if matching:
            lines += [f"## {title}", "", *(f"- {markdown_line(str(finding))}" for finding in matching), ""]
    return "\n".join(lines)
