"""Whether a package of somebody else, with our module's name, is installed in the same place."""

from __future__ import annotations

from pathlib import Path

ADVICE = (
    "Another package named annotator is installed beside this one, and both write the module annotator. "
    "Run: pip uninstall annotator, and then: pip install --force-reinstall benchmark-annotator."
)


def other_package(place: Path) -> str:
    """Return what to do about a package named annotator in a folder of packages, empty where there is none.

    Ours is named benchmark-annotator; it was first named annotator too, and goes the same way.
    """
    found = any(place.glob("annotator-*.dist-info")) or any(place.glob("annotator-*.egg-info"))
    return ADVICE if found else ""
