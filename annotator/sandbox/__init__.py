"""The sandbox: the only place where untrusted code runs."""

from annotator.sandbox.images import GROUPS, Images
from annotator.sandbox.languages import LANGUAGES, Language, find_language
from annotator.sandbox.pool import Pool
from annotator.sandbox.sandbox_jobs import (
    LIBRARY_MISSING,
    Job,
    JobResult,
    Limits,
    Runner,
    TestCode,
    TestResult,
    missing_library,
    parse_job,
)
from annotator.sandbox.sandbox_places import PLACES, Place, PlaceName, open_place

__all__ = [
    "GROUPS",
    "LANGUAGES",
    "LIBRARY_MISSING",
    "PLACES",
    "Images",
    "Job",
    "JobResult",
    "Language",
    "Limits",
    "Place",
    "PlaceName",
    "Pool",
    "Runner",
    "TestCode",
    "TestResult",
    "find_language",
    "missing_library",
    "open_place",
    "parse_job",
]
