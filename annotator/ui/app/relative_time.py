"""Times for display: relative, in the user's language, or absolute."""

from __future__ import annotations

from datetime import datetime

from annotator.base import clock
from annotator.ui.app.translation import tr, tr_count


def ago_text(moment: datetime, reference: datetime | None = None) -> str:
    """Return how long before ``reference`` (default: now) a moment was, like `annotator.base.clock.ago`, translated."""
    seconds = ((reference or clock.now()) - moment).total_seconds()
    if seconds < 60:
        return tr("just now")
    if seconds < 3600:
        return tr("{minutes} min ago", minutes=int(seconds // 60))
    if seconds < 86_400:
        return tr("{hours} h ago", hours=int(seconds // 3600))
    return tr_count("yesterday", "{count} days ago", int(seconds // 86_400))


def when_text(moment: str) -> str:
    """Return a stored timestamp as local date and time."""
    return clock.parse_time(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")
