"""Find API keys in the environment or the keyring, and remove them from logs and reports."""

from __future__ import annotations

import os
import re
from functools import cache

_SERVICE = "annotator"
_KEY_SHAPES = (
    # Only at the beginning of a word ("benchmark-results-of-may.eval" holds "rk-results-of-may"). The rest must have a
    # long unbroken run or not look like a file name, whose words are short.
    r"(?<![A-Za-z0-9])(?:(?:sk|pk|rk|hf|gh[pousr]|xox[abprs]|glpat)[-_]|AKIA)[A-Za-z0-9]"
    r"(?:(?=[A-Za-z0-9_\-]*[A-Za-z0-9]{14})[A-Za-z0-9_\-]{14,}|[A-Za-z0-9_\-]{14,}+(?!\.[a-z]))"
    r"|(?i:bearer)\s+[A-Za-z0-9._~+/=-]{12,}"
    r"|(?i:api[_-]?key|token|secret|password)(?P<sep>\"?'?\s*[:=]\s*\"?'?)[^\s\"',;]{6,}"
    r"|(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"
)
MASK = "[removed]"


def redact(text: str) -> str:
    """Return ``text`` with everything that looks like a key, token or password replaced by ``[removed]``."""
    return _key_pattern().sub(MASK, text)


@cache
def _key_pattern() -> re.Pattern[str]:
    """Return the compiled pattern of keys; compiled on first use, since most runs never need it."""
    return re.compile(_KEY_SHAPES)


def find_key(name: str) -> str | None:
    """Return the key stored under ``name``: the environment variable of that name, else the keyring's entry."""
    value = os.environ.get(name)
    if value:
        return value
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(_SERVICE, name)
    except KeyringError:
        return None
