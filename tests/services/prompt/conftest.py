"""What the rewrites of prompts share with proofs of items."""

from __future__ import annotations

from tests.services.criterion.conftest import lent_sandbox

__all__ = ["lent_sandbox"]
