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
    "blank_filling": """\
# The answer is aligned with the template; what stands in each blank is compared with its target.
grading:
  blank_filling:
    template: |
      with open(path, [blank]) as stream:
          return stream.read()
    targets:
      - content:           # any of these will do
          - '"r"'
          - content: "mode *= *.r."
            regex: true
        why: the file is opened to be read
""",
    "unit_test": """\
# Each test runs with the answer's code in the sandbox; it fails by raising an error.
lang: python
grading:
  unit_test:
    tests:
      - name: typical
        content: |
          assert solve([1, 2]) == 3
        why: what the question asks for
      - name: empty
        content: |
          assert solve([]) == 0
        why: a corner case
""",
    "similarity": """\
# The answer's words are compared with those of reference answers: below min_score nothing, above max_score all.
grading:
  similarity:
    - metric: rougeLsum
      references:
        - |
          A reference answer in one or two sentences.
      min_score: 0.3
      max_score: 0.51
      why: the same explanation in other words
""",
    "ast": """\
# Rules on the syntax tree of the answer's Python code.
grading:
  ast:
    - calls: sorted
      why: the list must be sorted
    - calls: eval
      absent: true
      why: input must not be run as code
""",
    "customized": """\
# A function in a Python file beside the document decides: handle(response) returns points, total, detail.
grading:
  customized:
    module: my_handler
    func: handle
""",
}
METRICS = tuple(_TEMPLATES)


def template(metric: str = "keywords") -> str:
    """Return a commented document for a metric of `METRICS`; raises KeyError for another."""
    return _TEMPLATES[metric]
