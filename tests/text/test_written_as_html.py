"""HTML is told from code and from texts about HTML."""

from __future__ import annotations

import pytest

from annotator.text.markup.written_as_html import plain_text_of


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("<p>Why does <code>np.where(a &gt; 0.25)</code> fail?</p>", "Why does `np.where(a > 0.25)` fail?"),
        ("<p>One</p>\n<pre><code>x &lt; 1\n</code></pre>", "One\n\n```\nx < 1\n```"),
        ("Use <b>two</b> keys<br>please", "Use **two** keys  \nplease"),
        ("<div><span style='color:red'>Sort</span> it</div>", "Sort it"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("I don&#39;t get 3 &lt; 4 &amp; 5", "I don't get 3 < 4 & 5"),
        ("x&nbsp;= 1", "x\xa0= 1"),
        ("<p>At most 10<sup>5</sup> of a<sub>i</sub></p>", "At most 10<sup>5</sup> of a<sub>i</sub>"),
        ("At most 10<sup>5</sup>", "At most 10<sup>5</sup>"),
        ("Print<br>**\n*<br/>\n    a_b  (*x)", "Print  \n**\n*  \n    a_b  (*x)"),
        ("See <a href='https://x.y/z'>it</a> in <a name='q'>q</a>", "See [it](https://x.y/z) in q"),
    ],
)
def test_html_is_read_as_text(written: str, plain: str) -> None:
    assert plain_text_of(written) == plain


@pytest.mark.parametrize(
    "text",
    [
        "std::vector<int> v; if (a < b && c > d) {}",
        "List<String> names = new ArrayList<>();",
        "#include <iostream>",
        "if a<b and c>d: print(1)",
        "What does <div>hello</div> show?",
        "Why is `<b>x</b>` bold, and `&lt;` not?",
        "<!DOCTYPE html><p>whole page</p>",
        "<input type=text> has no end",
        "a && b & c",
        "https://x.y/z?a=1&copy=2",
        "Is <b>this open?",
        "AT&T;",
        "plain",
        "",
    ],
)
def test_code_and_texts_about_html_stay_as_they_are(text: str) -> None:
    assert plain_text_of(text) == text
