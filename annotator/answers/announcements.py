"""Read what the prose around a block says of it: an alternative, a naive first version, withdrawn."""

from __future__ import annotations

import re

_BESIDE = re.compile(
    r"\balternativ\w*|\banother\s+(?:way|approach|option|version|solution|possibility)|\bother\s+(?:way|approach|option)s?\b|"
    r"\bfor\s+(?:comparison|reference|contrast|illustration)\b|\b(?:na\u00efve?|naive)\b|\bbrute[- ]?force\b|"
    r"\bunoptimi[sz]ed\b|\bless\s+efficient\b|\binefficient\b|\b(?:could|can|might|may)\s+also\b|"
    r"\bif\s+you(?:\s+would|['\u2019]d)?\s+(?:prefer|rather|want)\b|\bpseudo-?code\b|\bnot\s+recommended\b|"
    r"альтернатив\w*|другой\s+(?:способ|вариант)|\botra\s+(?:forma|manera|opci\u00f3n)|\bautre\s+(?:fa\u00e7on|approche|solution)|"
    r"別の(?:方法|書き方|解)|代替|\bcounter-?example\b|\bzum\s+vergleich\b|\bconsidered\s+but\b|\brejected\b|\bdiscarded\b|"
    r"\u53e6\u4e00\u79cd|\u66ff\u4ee3|\u5907\u9009|\u6734\u7d20|\u66b4\u529b|\u5bf9\u6bd4|\u4ec5\u4f9b\u53c2\u8003",
    re.IGNORECASE,
)
_NOT_BESIDE = re.compile(
    r"\b(?:better|improved|superior|preferred|recommended)\s+alternative|"
    r"\b(?:instead\s+of|unlike|rather\s+than|better\s+than|faster\s+than|compared\s+(?:to|with)|"
    r"improve[sd]?\s+(?:on|upon)|replac\w+|avoid\w*)\s+(?:\w+\s+){0,2}?(?:na\u00efve?|naive|brute[- ]?force|"
    r"inefficient|unoptimi[sz]ed|alternativ\w*)",
    re.IGNORECASE,
)
_OUTDATED = re.compile(
    r"\boriginal\b|\bbefore\b|\bbad\b|\bwas\s*:|\bold\b|\u274c|\u2717|\bbuggy\b|\bbroken\b|\bwrong\b|\bincorrect\b|\bfaulty\b|\bdoes(?:\s+not|n['\u2019]t)\s+work\b|"
    r"\bdon['\u2019]?t\s+(?:use|do)\b|\bdo\s+not\s+(?:use|do)\b|\bwould\s+fail\b|"
    r"\b(?:first|initial|early|earlier)\s+(?:attempt|try|draft|idea|version|thought)|"
    r"\b(?:previous|old|current|given|existing|your)\s+(?:version|code|function|implementation)|\bdraft\b|"
    r"\bat\s+first\b|\bmy\s+first\b|\bmistake\b|\u539f\u59cb|\u9519\u8bef|\u521d\u7248|\u8349\u7a3f|"
    r"\boriginal(?:e[rs]?|es)?\b|\bfalsch\w*|\bfehlerhaft\w*|\bincorrect[ao]s?\b|\berrone[ao]s?\b|間違|誤り|неверн\w*",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"\bfinal\b|\bcorrected\b|\bfixed\b|\bcorrect\s+(?:version|code|solution|implementation|answer)\b|\bimproved\b|"
    r"\bbetter\b|\boptimi[sz]ed\b|\bcomplete\b|\bfull\b|\bupdated\b|\brevised\b|\bworking\b|\brecommended\b|\bfix\b|"
    r"\bafter\b|\bnow\b|\binstead\b|\banswer\b|\u6700\u7ec8|\u4fee\u6b63|\u6539\u8fdb|\u6b63\u786e|正しい|正しく|最終|"
    r"\bkorrigiert\w*|\bkorrekt\w*|\brichtig\w*|\bendg\u00fcltig\w*|\bcorregid\w+|\bcorrig\u00e9\w*|исправл\w*|правильн\w*",
    re.IGNORECASE,
)
_WITHDRAWS = re.compile(
    r"^\W*(?:but\s+)?(?:this|that|it)\s+fails\s+(?:for|on|when|if|with)\b|^\W*(?:(?:wait|hmm+|oops|hold\s+on|scratch\s+that|on\s+second\s+thought|ignore\s+(?:that|the\s+above))\b|no[,.!]|"
    r"(?:but|however|actually|unfortunately|sadly|note)?[,:]?\s*(?:this|that|it|the\s+(?:above|code|first|version|block))"
    r"(?:\s+(?:one|code|version|attempt|draft|solution|function|program|approach|above))?\s+"
    r"(?:is|was|does|did|has|had|would|will|fails|still|only|misses|ignores|forgets|gives|returns|can|breaks)\b"
    r"[^.\n]*?\b(?:wrong|incorrect|not|n['\u2019]t|fails?|slow|inefficient|bug|buggy|mistake|misses|ignores|forgets)\b)",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"\b(?:not|n['\u2019]t|no)\s+(?:\w+\s+){0,2}(?:change|modif|mutate|need|require|use|alter|affect|raise)",
    re.IGNORECASE,
)
_RECOMMENDED = re.compile(
    r"(?<!not )\b(?:recommended|preferred|suggested)\b|\bempfohlen\w*|\brecomendad\w+|"
    r"\brecommand\u00e9e?s?\b|\u63a8\u8350|推奨",
    re.IGNORECASE,
)
_LEAVES_OUT = re.compile(
    r"^[ \t]*(?:(?:#|//|--|/\*)[ \t]*(?:\.{3}|\u2026|\[?(?:(?:the )?(?:rest|remaining|existing|previous|other)\b[^\n]*"
    r"(?:code|here|same|unchanged|implementation)|same as (?:above|before)|unchanged\b|as (?:above|before)\b))|"
    r"(?:\.{3}|\u2026)[ \t]*(?:(?:#|//)[^\n]*)?$)",
    re.IGNORECASE | re.MULTILINE,
)
_EXAMPLE = re.compile(
    r"\b(?:example|usage|test|try|call(?!ed)|run|demo|output|prints?|result|verify|check|trace)\w*\b|"
    r"\buse\b[^.\n]*\b(?:as\s+follows|like\s+(?:this|so))|\u793a\u4f8b|\u7528\u6cd5|\u8f93\u51fa",
    re.IGNORECASE,
)


def demotion(intro: str, after: str) -> str:
    """Return why a block does not count beside others, from the prose before and after it; empty if it counts."""
    intro = re.sub(r"^[ \t]*>[ \t]?", "", intro, flags=re.MULTILINE)
    paragraph = re.split(r"\n\s*\n", intro.strip())[-1]
    lines = [line.strip() for line in intro.split("\n") if line.strip()]
    last = lines[-1] if lines else ""
    headings = [line for line in lines if line.startswith("#") or re.fullmatch(r"\*\*[^*]+\*\*:?", line)]
    said = "\n".join([*headings[-1:], paragraph])
    if _BESIDE.search(said) and not _NOT_BESIDE.search(said) and not _only_before(said):
        return "announced as an alternative or for comparison"
    short = "\n".join([*headings[-1:], re.split(r"(?<=[.!?])\s", last)[-1]])
    if _OUTDATED.search(short) and not _FINAL.search(short):
        return "announced as an earlier or a wrong version"
    first = re.split(r"(?<=[.!?])\s|\n", after.strip(), maxsplit=1)[0]
    if _WITHDRAWS.match(first) and not _STANDS.search(first):
        return "withdrawn after it"
    return ""


def _only_before(said: str) -> bool:
    """Tell whether the last sentence announces the answer after others spoke of alternatives."""
    sentences = re.split(r"(?<=[.!?:])\s+", said.strip())
    return len(sentences) > 1 and bool(_FINAL.search(sentences[-1])) and not _BESIDE.search(sentences[-1])


def is_recommended(intro: str) -> bool:
    """Tell whether the last heading or paragraph before a block recommends it among others."""
    lines = [line for line in intro.split("\n") if line.strip()]
    return bool(lines) and _RECOMMENDED.search(lines[-1]) is not None


def is_final(intro: str) -> bool:
    """Tell whether a block is announced as a correction or as the final version."""
    return _FINAL.search(intro) is not None


def leaves_out(code: str) -> bool:
    """Tell whether code stands for more than it says: ``# ... same as above``."""
    return _LEAVES_OUT.search(code) is not None


def is_example(intro: str) -> bool:
    """Tell whether a block is announced as a way to try the answer, or as what is printed then."""
    lines = [line for line in intro.split("\n") if line.strip()]
    return bool(lines) and _EXAMPLE.search(re.split(r"(?<=[.!?])\s", lines[-1])[-1]) is not None
