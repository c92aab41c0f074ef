"""Examples, leaks, hidden characters and signatures in prompts."""

from __future__ import annotations

import pytest

from annotator.text.code_or_prose import looks_like_code, looks_like_prose
from annotator.text.examples import find_examples, keeps_example
from annotator.text.function_signatures import find_signature, keeps_signature
from annotator.text.hidden_characters import find_hidden, name_hidden
from annotator.text.leaks import leaked_lines, leaked_names, leaked_values


def test_examples_are_found_in_every_form() -> None:
    text = (
        "Sum up.\n>>> total([1, 2])\n3\n\nExample:\nInput: n = 5\nOutput: 1\n\n"
        "total([]) == 0\ndef total(x):\nFor example: words alone.\n"
    )
    assert find_examples(text, "total") == ("total([1, 2]) 3", "Input: n = 5", "Output: 1", "total([]) == 0")


def test_an_example_is_kept_if_its_pieces_follow_each_other() -> None:
    assert keeps_example("f(1, 'a') => 2", "So f(1, 'a') must return 2.")
    assert keeps_example("f(1) == -1", "f(1) is -1") and not keeps_example("f(1) == -1", "f(1) is 1")
    assert not keeps_example("f(1) == 2", "f(1) and much more that is told in between of it, then at last 2")


def test_leaks_are_lines_names_and_values_that_the_original_lacks() -> None:
    reference = 'import os\n\ndef f(x):\n    """Say it."""\n    seen = deque_of(x)\n    return sorted(seen, key=abs)\n'
    assert leaked_lines(reference, "", "then `return sorted( seen, key=abs )`") == ("return sorted(seen, key=abs)",)
    assert leaked_lines(reference, "return sorted(seen, key=abs)", "return sorted(seen, key=abs)") == ()
    assert leaked_lines(reference, "", "Say it. import os") == ()
    assert leaked_lines("def f(x):\n    y = g(xy)\n    return x\n", "", "Say `y=g(xy)` or `return x`.") == ()
    assert leaked_lines("def f(x):\n    y = get(x, 1)\n", "", "y = get(x, 1)") == ("y = get(x, 1)",)
    assert leaked_names(reference, "", "use `deque_of` or sorted(it), all sorted") == ("deque_of", "sorted")
    assert leaked_names(reference, "a sorted list", "put it in sorted order with sorted()") == ()
    tests = ["assert f(1) == 'forty-two'\nassert f(2) == [1, 2]\nassert f(3) == 7"]
    assert leaked_values(tests, ["9999"], "", 'say "forty-two", [1,2], 7 and 9999') == ("'forty-two'", "[1, 2]", "9999")
    assert leaked_values(tests, [], "it says 'forty-two'", "it says 'forty-two'") == ()


def test_hidden_characters_are_counted_and_named() -> None:
    assert find_hidden("a\u202eb\u202e\u200bc\n\t") == (("\u202e", 2), ("\u200b", 1))
    assert find_hidden("\u06cc\u200c\u062e 👩\u200d💻 日本語 é") == ()
    assert name_hidden("\u202e") == "U+202E (right-to-left override)"
    assert name_hidden("\x07") == "U+0007 (control character)"


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("def f(a, b=1) -> int:\n", "def f(a, b=1) -> int"),
        ("x\n  public static int f(int a) {", "public static int f(int a)"),
        ("function f(a) {", "function f(a)"),
        ("call f(a) now", ""),
        ("int x = f(a);", ""),
    ],
)
def test_signatures_are_found_in_several_languages(text: str, signature: str) -> None:
    assert find_signature(text, "f") == signature
    assert not signature or keeps_signature(signature, f"Keep {text.replace(', ', ' ,  ')}")


def test_code_is_told_from_prose() -> None:
    assert all(
        map(looks_like_code, ("def f(a):\n    'x'", "# c\nimport os\n", "const a = (b) => b;", "FIX = 1\ndef f():"))
    )
    assert not any(map(looks_like_code, ("How do I?", "import is a keyword?", "", "Write a class that counts.")))


def test_hidden_places_are_those_that_are_counted():
    import unicodedata

    from annotator.text.hidden_characters import find_hidden, hidden_places

    every = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cc", "Cf")]
    wanted = [letter for letter in every if letter not in "\n\r\t"]
    assert [found for letter in every for found, _ in find_hidden(f"a{letter}b")] == wanted
    assert hidden_places("a\u200bb\u202ec\u200b") == (1, 3, 5)
    assert find_hidden("a\u200bb\u202ec\u200b") == (("\u200b", 2), ("\u202e", 1))
    assert hidden_places("\u0646\u200c\u0645") == (), "a joiner between letters that are not Latin belongs there"


def test_fences_close_by_their_own_sign():
    from annotator.text.code_or_prose import fenced_lines

    assert fenced_lines("a\n```py\nb\n~~~\nc\n```\nd") == {1, 2, 3, 4, 5}
    assert fenced_lines("a\n~~~\n```\n~~~\n```x`y\nz") == {1, 2, 3}
    assert fenced_lines("a `b` c\nd") == frozenset()
    assert fenced_lines("open\n```\nto the end") == {1, 2}


def test_answers_in_words_are_told_from_code() -> None:
    prose = (
        "Use `list(dict.fromkeys(items))`: a dict keeps order.",
        "Sort by date, then keep the last row:\n\n```python\ndf.tail(1)\n```",
        "A generator is exhausted after one pass.",
        "Use sorted(rows, key=lambda r: r[1]).",
    )
    code = ("    return a + b\n", "git blame FILE", "SELECT a FROM b;", "def f():\n    return `x`", "X = a[0].b:", "")
    assert all(map(looks_like_prose, prose)) and not any(map(looks_like_prose, code))


def test_what_a_function_raises_reads_and_names_in_texts_is_what_it_does() -> None:
    reference = (
        "def options(self, args):\n    if args.strict:\n        raise KeyError(args.strict)\n"
        "    made = self.cache_key(args.limit, folder='locale')\n    args.convert(made)\n    return NotImplemented\n"
    )
    given = "`KeyError` if `args.strict`; `self.cache_key` and `limit`, in `locale`; else return NotImplemented"
    assert leaked_names(reference, "", given) == () == leaked_lines(reference, "", given)
    assert leaked_names(reference, "", "call `convert` with `made`") == ("convert", "made")
