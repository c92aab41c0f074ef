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
_NOT_BESIDE = re.compile(r"\b(?:better|improved|superior|preferred|recommended)\s+alternative", re.IGNORECASE)
_NOT = r"(?:\s+not|n['\u2019]?t)"
_BAD = r"(?:wrong|incorrect|bad|buggy|broken|faulty|flawed|failing|erroneous|mistaken|negative)"
_OUTDATED = re.compile(
    # Words for code that is wrong.
    rf"\b(?!failing\s+(?:test|case|input)s?\b){_BAD}(?:\s+(?:answer|solution|version|code|example)s?)?\b|\bmistakes?\b(?:\s+is\s+to\b[^.:;,\n]*)?|\bfail(?:s|ed)?\b|"
    r"\b(?:common|typical|frequent)\s+errors?\b|\banti-?patterns?\b|\bpitfalls?\b|\btempt\w+|\bmutants?\b|\u274c|\u2717|"
    r"\b(?:has|had|have|contains?|contained)\s+(?:(?!no\b|not\b)\w+[- ]){0,4}?(?:errors?|bugs?|flaws?|slips?)\b|"
    rf"\bwith\s+(?:the|an?)\s+(?:\w+[- ])?(?:bug|mistake|error|flaw)\b|\bbut\s+(?:is|does|was){_NOT}\b|"
    rf"\b(?:does|do|did|would|will|is|are){_NOT}\s+(?:\w+\s+)?"
    r"(?:works?|handle|cover|treat|pass|satisfy|correct|right|valid)\b|"
    r"\bignor(?:es|ing)\b|\b(?:returns?|gives?|yields?)\s+(?:\w+\s+)?(?:garbage|nonsense)\b|"
    # Advice against it.
    rf"\bbeware\b|\b(?:do|should|must){_NOT}\s+(?:use|do|write|copy|submit|like|be\s+tempted)\b|\bdon['\u2019]?t\s*:|"
    r"\b(?:how|what)\s+not\s+to\b|\bavoid(?=\s+(?:this|it|that|the\s+following)\b|\W*$)|^\W*(?:(?:and|but)\s+)?not\s+(?:like\s+)?(?:this|that)\W*$|\bif\s+(?:I|we|you|one)\s+had\b|"
    # Words for code that is earlier.
    r"\boriginal(?:e[rs]?|es)?\b(?!\s+(?:signature|docstring|name|order|list|input|array|values?|text|string)\b)|\bbefore\s*(?::|\(|$)|\bbefore\s+the\s+(?:fix|change)|\bwas\s*:|\bdraft\b|"
    r"\bold\s+(?:version|code|function|implementation|attempt|one|way|solution|snippet)\b|^\W*old\b\W*$|"
    r"\b(?:code|function|version)\s+(?:that\s+)?you\s+(?:provided|gave|posted|sent|wrote)\b|"
    r"\byou\s+had\b(?=\s+before\b|\W*$)|\b(?:tried|wrote|written|had)\s+first\b|\bfirst\s+(?:tried|wrote|written)\b|\bat\s+first\b|\bmy\s+first\b|"
    r"\b(?:first|initial|early|earlier)\s+(?:attempt|try|draft|idea|version|thought)|\byour\s+(?:attempt|version)\b|"
    r"\b(?:previous|current|given|existing)\s+(?:version|code|function|implementation|attempt)|"
    r"^\W*your\s+(?:code|function|implementation)\s*:?\W*$|"
    # The same in other languages.
    r"\u539f\u59cb|\u9519\u8bef|\u521d\u7248|\u8349\u7a3f|\u4e0d\u8981|間違|誤り|いけない|ダメ|"
    r"\bfalsch\w*|\bfehlerhaft\w*|\bbitte\s+nicht\b|\bincorrecte?[aos]?s?\b|\berrone[ao]s?\b|\bno\s+lo\s+hag\w+|"
    r"\berror(?:es)?\s+com\u00fan(?:es)?\b|\berreurs?\s+(?:fr\u00e9quente|courante)s?\b|\berros?\s+comu(?:m|ns)\b|"
    r"\b\u00e0\s+\u00e9viter\b|\bn\u00e3o\s+fa\u00e7a\w*|\bsbagliat\w+|неверн\w*|делать\s+не\s+(?:нужно|надо|стоит)",
    re.IGNORECASE | re.MULTILINE,
)
"""What an announcement says of code that is not the answer."""
_TURNS = re.compile(
    r"(?:\b(?:avoid\w*|without|unlike|instead\s+of|rather\s+than|replac\w+|rewrit\w+|rework\w*|redo\w*|minus|less|not|no|"
    r"never|than|remov\w+|fix\w*|correct(?:s|ed|ing)|repair\w*|handl\w+|solv\w+|resolv\w+|address\w*|improv\w+|"
    r"chang\w+|compared\s+(?:to|with)|free\s+of|should\s+have|above)|n['\u2019]t)\b[^.:;!?\n]*$",
    re.IGNORECASE,
)
"""What turns such words round where it stands before them: ``avoids the mistake``, ``without the bug``."""
_BECAUSE = re.compile(
    r"^\W*(?:as|since|because|given|noting|although|though|while|looking|when|considering|seeing)\b[^:\n]*,\s*(?=\w)",
    re.IGNORECASE | re.MULTILINE,
)
"""The clause before the main one, which tells of what was before."""
_BUT = re.compile(r"^[^\n]*,\s*but\s+", re.IGNORECASE | re.MULTILINE)
_FINAL = re.compile(
    r"\bfinal(?:ly)?\b|\bcorrected\b|\bfixed\b|\bimproved\b|\bbetter\b|\boptimi[sz]ed\b|\bcompleted?\b|\bfull\b|"
    r"\bcorrect\s+(?:version|code|solution|implementation|answer|results?)\b|\bupdated\b|\brevised\b|\bworking\b|"
    r"\brecommended\b|\bfix\b|\bafter\b|\bnow\b|\binstead\b|\banswer\b|\brepaired\b|\bgone\b|\bsettled\b|\bsubmit\b|"
    r"\b(?:go|going|went)\s+with\b|\b(?:actually|really)\s+works?\b|\bin\s+the\s+end\b|\bdo\s+this\b|\bso\s*[:,]|"
    r"\bso\s+that\s+it\b|\btherefore\b|\bhence\b|\u6700\u7ec8|\u4fee\u6b63|\u6539\u8fdb|\u6b63\u786e|正しい|正しく|最終|"
    r"\bkorrigiert\w*|\bkorrekt\w*|\brichtig\w*|\bendg\u00fcltig\w*|\bcorregid\w+|\bcorrig\u00e9\w*|\bcorrigid\w+|"
    r"\bcorrett\w+|исправл\w*|правильн\w*",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\b(?:settled|submit|in\s+the\s+end|actually\s+works|(?:go|going|went)\s+with|(?:final|my)\s+answer|"
    r"correct\s+results?)\b",
    re.IGNORECASE,
)
"""What makes an alternative the answer."""
_THIS_ONE = (
    r"(?:this|that|it|the\s+(?:second|last|latter|above))"
    r"(?:\s+(?:last|second|one|code|version|variant|attempt|draft|solution|function|program|approach|snippet|block))*"
)
_LEAD = (
    r"^\W*(?:(?:but|however|actually|unfortunately|sadly|note|please|as\s+you\s+(?:can\s+)?see|"
    r"on\s+(?:checking|reflection))[,:]?\s+(?:that\s+)?)?"
)
_WITHDRAWS = re.compile(
    r"^\W*(?:wait(?!\s+(?:for|until)\b)|hmm+|oops|hold\s+on|scratch\s+that|on\s+second\s+thought|ignore\s+(?:that|the\s+above)|no[,.!]\s+(?:that|this|it|wait))\b|"
    rf"{_LEAD}{_THIS_ONE}\s+(?:fails|breaks)\s+(?:for|on|when|if|with)\b|"
    rf"{_LEAD}{_THIS_ONE}\s+(?:is|was|gives|returns)\s+(?:\w+\s+){{0,3}}?(?:wrong|incorrect|broken|buggy|flawed|faulty)\b(?!\s+to\b)|"
    rf"{_LEAD}{_THIS_ONE}\s+(?:has|had)\s+(?:\w+[- ]){{0,4}}?(?:bug|mistake|flaw)\b|"
    rf"{_LEAD}{_THIS_ONE}\s+(?:does|did|is|was|will|would){_NOT}\s+(?:\w+\s+)?"
    r"(?:work|correct|right|what|valid|pass|good\s+enough|ideal|acceptable)\b|"
    r"^\W*(?:this|that|it)['\u2019]s\s+(?:not\s+(?:correct|right|valid)|wrong|incorrect|broken)\b|"
    rf"{_LEAD}(?:don['\u2019]?t|do\s+not)\s+(?:use|submit)\s+{_THIS_ONE}\b|"
    r"\b(?:use|submit|keep|prefer|take|go\s+with|stick\s+(?:with|to)|answer\s+is)\s+the\s+(?:first|former|previous)"
    r"(?:\s+(?:version|one|code|solution|function|approach|variant|block|snippet)\b(?!\s+(?:of|in|from)\b)|\W*$)|"
    r"\bthe\s+(?:first|former)\s+(?:version|one|solution|variant|block)\s+is\s+"
    r"(?:correct\b|right\b|the\s+(?:one|version)\s+to\b|my\s+(?:final\s+)?answer)",
    re.IGNORECASE,
)
_LACKS = re.compile(
    rf"{_LEAD}{_THIS_ONE}\s+(?:(?:still|only)\b|(?:misses|ignores|forgets)\b|"
    rf"(?:does|did|is|was){_NOT}\s+(?:\w+\s+)?(?:handle|cover|treat|fast|efficient|optimal|quite)|(?:is|was)\s+(?:\w+\s+)?"
    r"(?:slow|inefficient)\b|has\s+quadratic)",
    re.IGNORECASE,
)
"""What is said of a version that another one is to follow, or of the limits of an answer."""
_EMPHASIS = re.compile(r"[*_]+(?=\w)|(?<=\w)[*_]+")
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
    short = _EMPHASIS.sub("", "\n".join([*headings[-1:], re.split(r"(?<=[.!?])\s", last)[-1]]))
    beside = [mark for mark in _BESIDE.finditer(said) if not _TURNS.search(said[: mark.start()])]
    if beside and not (_NOT_BESIDE.search(said) or _only_before(said) or _CHOSEN.search(short)):
        return "announced as an alternative or for comparison"
    if _is_outdated(short):
        return "announced as an earlier or a wrong version"
    first = re.split(r"(?<=[.!?])\s|\n", after.strip(), maxsplit=1)[0]
    if _WITHDRAWS.search(first) or (_LACKS.search(first) and not _FINAL.search(short)):
        return "withdrawn after it"
    return ""


def _is_outdated(said: str) -> bool:
    """Tell whether an announcement calls code wrong or earlier, not what was made of such code."""
    said = _BUT.sub("", _BECAUSE.sub("", said))
    marks = list(_OUTDATED.finditer(said))
    turned = any(_TURNS.search(said[: mark.start()]) for mark in marks)
    return bool(marks) and not turned and not _FINAL.search(_OUTDATED.sub("...", said))


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
