"""Rows in the forms of public data sets, written for the tests: several of each kind, with the odd corners."""

from __future__ import annotations

from typing import Any

from tests.samples import load_samples

SAMPLES: dict[str, list[dict[str, Any]]] = load_samples(__file__)
DOMAINEVAL = SAMPLES["domaineval"]
EVOCODEBENCH = SAMPLES["evocodebench"]
NATURALCODEBENCH = SAMPLES["naturalcodebench"]
MBPP = SAMPLES["mbpp"]
COCO = SAMPLES["coco"]
EVALPLUS = SAMPLES["evalplus"]
MBPPPLUS = SAMPLES["mbppplus"]
BIGCODEBENCH = SAMPLES["bigcodebench"]
LIVECODEBENCH = SAMPLES["livecodebench"]
LEETCODEDATASET = SAMPLES["leetcodedataset"]
MULTIPL_E = SAMPLES["multipl_e"]
HUMANEVALPACK = SAMPLES["humanevalpack"]
HUMANEVALX = SAMPLES["humanevalx"]
