"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("quick", deadline=None, max_examples=60)
settings.register_profile("thorough", deadline=None, max_examples=300)
settings.load_profile("thorough" if os.environ.get("CI") else "quick")

# A real engine, for every test that runs code.
pytest_plugins = ["tests.engine"]
