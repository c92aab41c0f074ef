"""Timestamps as the project file stores them, and as people read them."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time in UTC, aware."""
    return datetime.now(UTC)


def now_text() -> str:
    """Return the current time as the project file stores it: ISO 8601 in UTC with microseconds and a Z."""
    return time_text(now())


def time_text(moment: datetime) -> str:
    """Return an aware time as the project file stores it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def ago(moment: datetime, reference: datetime | None = None) -> str:
    """Return how long before ``reference`` (default: now) a moment was: "just now", "12 min ago", "3 days ago"."""
    seconds = ((reference or now()) - moment).total_seconds()
    if seconds < 60:
        return "just now"
    for unit, size, limit in (("min", 60, 3600), ("h", 3600, 86_400)):
        if seconds < limit:
            return f"{int(seconds // size)} {unit} ago"
    days = int(seconds // 86_400)
    return "yesterday" if days == 1 else f"{days} days ago"


def parse_time(text: str) -> datetime:
    """Parse a time written by `now_text`; raise ValueError for anything else."""
    # fromisoformat first: strptime loads another module, which would delay the first page.
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is not None and moment.tzinfo is not None and time_text(moment) == text:
        return moment
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
