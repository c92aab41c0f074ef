"""Time as the project file writes it, and as people say it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time in UTC, aware."""
    return datetime.now(UTC)


def now_text() -> str:
    """Return the current time as the project file stores it: ISO 8601 in UTC with microseconds and a Z."""
    return as_text(now())


def as_text(moment: datetime) -> str:
    """Return an aware time as the project file stores it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def ago(moment: datetime, reference: datetime | None = None) -> str:
    """Say how long before ``reference`` (default: now) a moment was: "just now", "12 min ago", "3 days ago"."""
    seconds = ((reference or now()) - moment).total_seconds()
    if seconds < 60:
        return "just now"
    for unit, size, limit in (("min", 60, 3600), ("h", 3600, 86_400)):
        if seconds < limit:
            return f"{int(seconds // size)} {unit} ago"
    days = int(seconds // 86_400)
    return "yesterday" if days == 1 else f"{days} days ago"


def parse(text: str) -> datetime:
    """Read a time written by `now_text`; raises ValueError on anything else."""
    # Python's reader of any form is loaded for times of other programs only: the first page has times on it.
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is not None and found.tzinfo is not None and as_text(found) == text:
        return found
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
