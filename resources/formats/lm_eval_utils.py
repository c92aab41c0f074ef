"""Helpers of the task beside this file: run what a model wrote against the tests, and count what passes.

The code of models runs on this machine in processes of its own, with a time limit and nothing else between it and
you: use a machine or container you can spare.
"""

import math
import os
import re
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

TIMEOUT = float(os.environ.get("ANNOTATOR_TIMEOUT", "10"))
KS = (1, 3, 5)
_FENCE = re.compile(r"```[A-Za-z0-9+#]*[ \t]*\n(.*?)(?:\n```|\Z)", re.DOTALL)


def program(prompt, response, entry_point):
    """Return the program a response makes: a whole solution (fenced or not), or what goes on from the prompt."""
    defined = re.compile(rf"^(?:async\s+def|def|class)\s+{re.escape(entry_point)}\b", re.MULTILINE)
    blocks = _FENCE.findall(response)
    code = next((block for block in blocks if defined.search(block)), "\n\n".join(blocks) if blocks else response)
    if defined.search(code):
        before = defined.search(prompt)
        return (prompt[: before.start()] if before else prompt) + "\n" + code
    return prompt + code


@lru_cache(maxsize=100_000)
def passes(code, test, entry_point):
    """Tell whether a program passes the tests."""
    source = f"{code}\n\n{test}\n\ncheck({entry_point})\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(source, encoding="utf-8")
        try:
            done = subprocess.run(
                [sys.executable, "-I", str(path)],
                cwd=folder,
                timeout=TIMEOUT,
                capture_output=True,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


def pass_at_k(n, c, k):
    """Return the unbiased estimate for n samples of which c pass."""
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def build_programs(resps, docs):
    """Turn every response to every task into a program."""
    return [
        [program(doc["prompt"], response, doc["entry_point"]) for response in responses]
        for responses, doc in zip(resps, docs, strict=True)
    ]


def process_results(doc, results):
    """Return pass@k of one task for every k that the samples allow."""
    programs = results[0]
    passed = sum(passes(code, doc["test"], doc["entry_point"]) for code in programs)
    return {f"pass@{k}": pass_at_k(len(programs), passed, k) for k in KS if k <= len(programs)}
