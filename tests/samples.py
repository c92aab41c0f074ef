"""Sample data kept beside a test module, in a YAML file of the module's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def load_samples(module_file: str) -> Any:
    """Return the contents of the YAML file beside a module: pass ``__file__``.

    Code and answers are written as literal blocks (``|``), so they read as they are.
    """
    # The C loader is ten times as fast, and the corpora are read by every worker.
    return yaml.load(Path(module_file).with_suffix(".yaml").read_bytes(), Loader=yaml.CSafeLoader)
