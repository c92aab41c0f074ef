"""Documents to start from, with a remark on every part."""

from __future__ import annotations

_TEMPLATES = {
    "keywords": """\
# Points are summed over the rules and divided by their total.
grading:
  keywords:
    - content: "name the answer must contain"
      weight: 2.0
      why: what this shows that the answer knows
    - content:
        or:              # any of these will do
          - "one way to say it"
          - content: "another\\\\s+way"
            regex: true
      to_lower: true     # lowers the text and the pattern
""",
    "equals": """\
# The whole answer, without a fence or "Output:", must be this text.
grading:
  equals:
    value: "expected text"
    to_lower: false
    why: the only right answer
""",
    "number": """\
# The last number of the answer must be this one.
grading:
  number:
    value: 42
    tolerance: 0
    why: the only right answer
""",
    "json": """\
# The answer is read as JSON and compared by structure.
grading:
  json:
    value: {"name": "value", "list": [1, 2]}
    why: the only right answer
""",
}
METRICS = tuple(_TEMPLATES)


def template(metric: str = "keywords") -> str:
    """Return a commented document for a metric of `METRICS`; raises KeyError for another."""
    return _TEMPLATES[metric]
