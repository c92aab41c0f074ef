"""Detect another installed package that provides a module named annotator."""

from __future__ import annotations

from pathlib import Path

ADVICE = (
    "Another package named annotator is installed beside this one, and both write the module annotator. "
    "Run: pip uninstall annotator, and then: pip install --force-reinstall benchmark-annotator."
)


def other_package_advice(site_packages: Path) -> str:
    """Return advice if a package named annotator is installed in a site-packages folder, else an empty text.

    Ours is named benchmark-annotator. Its early versions were named annotator and are reported as well.
    """
    is_installed = any(site_packages.glob("annotator-*.dist-info")) or any(site_packages.glob("annotator-*.egg-info"))
    return ADVICE if is_installed else ""
