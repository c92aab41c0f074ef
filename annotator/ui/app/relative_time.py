"""When something was: how long ago, in the user's language, or the moment itself."""

from __future__ import annotations

from datetime import datetime

from annotator.base import clock
from annotator.ui.app.translation import tr, tr_count


def ago(moment: datetime, reference: datetime | None = None) -> str:
    """Say how long before ``reference`` (default: now) a moment was, as `annotator.base.clock.ago` does in English."""
    seconds = ((reference or clock.now()) - moment).total_seconds()
    if seconds < 60:
        return tr("just now")
    if seconds < 3600:
        return tr("{minutes} min ago", minutes=int(seconds // 60))
    if seconds < 86_400:
        return tr("{hours} h ago", hours=int(seconds // 3600))
    return tr_count("yesterday", "{count} days ago", int(seconds // 86_400))


def when_text(moment: str) -> str:
    """Return a moment of the project file as people here write it."""
    return clock.parse(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")
