"""Recognise refusals and counter-questions, in English and other languages."""

from __future__ import annotations

import json
import re

_MAX_SENTENCES, _MAX_SENTENCE_CHARS = 3, 2_000
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])\s*|\n+")
_DECLINES = re.compile(
    r"""
    # English: the speaker cannot, will not or does not know (a small "i" inside a sentence is a variable);
    # or an apology, a rule or a lack comes first
    (?:^\W*(?:\w+,\ )?i|\b(?-i:I))(?:['\ ]?a?m)?\ (?:\w+\ )?(?:can(?:no|')t|can\ not|won't|will\ not|unable
      |not\ (?:able|allowed|permitted|going\ to|comfortable|sure\ how|certain\ how)|unsure\ how|decline|refuse
      |prefer\ not|afraid\ i\ can|could(?:n't|\ not)\ (?:answer|assist|complete|help|provide|solve|write))\b
    | \bi\ (?:must|have\ to|need\ to|will\ have\ to)(?:\ \w+)?\ (?:decline|refuse
      |(?:point\ out|emphasi[sz]e|inform|warn)\b[^.]*\b(?:illegal|unethical|unlawful|malicious)) | \bi\ have\ no\ idea\b
    | \b(?:be|is|it's)\ [^.]*\bunethical\b[^.]*\bto\b
    | \b(?:assist|condone|encourage|facilitate|promote|support)s?\ [^.]*\billegal\ activit
    | \bi\ (?:\w+\ )?advise\ (?:you\ )?against\ (?:\w+ing\ )?(?:any|such|that|this)\b
    | \bnot\ (?:be\ )?appropriate\ for\ me\ to\ (?:answer|assist|complete|create|generate|help|provide|solve|write)\b
    | \bnot\ something\ (?:that\ )?i\ (?:am|can|will)\b | \bmy\ guidelines\ (?:prevent|forbid)
    | \bi(?:'d|\ would)\ (?:prefer|rather)\ not\b | ^\W*i\ (?:do\ not|don't)\ (?:\w+\ )?(?:know|feel\ comfortable
      |have\ (?:access|enough|sufficient)|think\ i\ (?:can|should))\b
    | ^\W*(?:(?:i(?:'m|\ am)(?:\ \w+)?\ )?sorry|(?:my\ )?apologies|i\ apologi[sz]e)\b(?!\ for)[^.]*?
      (?:\bnot\b|n't|\bunable\b|\bno\b|[.!]?$)
    | ^\W*(?:no\ comment|as\ an?\ (?:ai|language|large)
      |(?:this|that|your)\ (?:request|question)\ (?:(?:goes|is)\ against|violates|cannot)
      |(?:cannot|can't|unable\ to)\ (?:answer|help))\b
    | \brequest\ (?:was\ |is\ |has\ been\ )?(?:declined|denied|refused)
    | \b(?:not\ possible|impossible)\ (?:for\ me|to\ (?:answer|say|tell))
    | (?:n't|\bnot)\ (?:enough|sufficient)\ (?:info|context|detail)
    | \b(?:violates?|against|breach(?:es)?)\ (?:my|our|the)\ (?:\w+\ )?(?:guidelines|polic|rules|terms)
    | \b(?:outside|beyond)\ (?:of\ )?(?:what\ i\ can|my\ (?:scope|abilities|capabilities))
    # German, Dutch, Spanish, Portuguese, Italian, French, Polish, Turkish, Russian, Ukrainian
    | tut\ mir\ (?:sehr\ )?leid | \bleider\ (?:kann|darf|bin|ist\ es\ mir)
    | \bich\ (?:kann|darf|werde|wei\u00df)\ [^.]*\bnicht\b
    | \b(?:kann\ ich|wei\u00df\ (?:es|ich)|weet\ (?:het|ik)|ik\ kan)\ [^.]*\bnie?c?h?t\b
    | \bhet\ spijt\ me | \bhelaas\ kan\ ik
    | \blo\ siento | \bno\ (?:me\ es\ posible|puedo|lo\ s[ée])\b | \bdesculpe?\b | \bsinto\ muito
    | \bn[ãa]o\ (?:posso|consigo)\b
    | \bmi\ dispiace | \bnon\ (?:posso|so|sono\ in\ grado)\b | \bd[ée]sol[ée]e?\b | \bje\ ne\ (?:peux|suis|sais)\ pas
    | \bnie\ mog[ęe]\b | \bprzykro\ mi | \b[üu]zg[üu]n[üu]m | yard\u0131mc\u0131\ olamam
    | \bн\u0435\ могу\b | \bизвинит\u0435, | к\ сожалению,\ я
    # Chinese, Japanese, Korean
    | 我不(?:知道|清楚|确定)|抱歉|对不起|對不起|(?:我|^)(?:无法|不能|沒辦法|没办法|没有办法|無法)
    | 无法(?:回答|完成|协助|提供|帮助)
    | わかりません|分かりません|申し訳|お(?:応|こた)えでき|お手伝いでき|できません|ごめんなさい
    | 죄송|도와드릴\ 수\ 없|할\ 수\ 없습니다
    """,
    re.IGNORECASE | re.VERBOSE,
)
_UNTRIED = re.compile(
    r"\b(?:run|execute|test|verify|check|try|access|browse|see|view|ausführen|testen|ejecutar|probar|exécuter|tester)\b"
    r"(?![^.]*\b(?:for you|write|help|assist)\b)|运行|执行|測試|测试|実行",
    re.IGNORECASE,
)
"""Statements that the model did not run anything, which may come before an answer."""
_ASKS_BACK = re.compile(
    r"""
    ^\W*(?:(?:hi|hello|hey|sure|certainly|of\ course|thanks|thank\ you|absolutely|great|hallo|hola|bonjour|你好|您好)\b
      [^.?\n]{0,40}[,.!]\s*)?(?:i'd\ be\ (?:happy|glad)\ to\ help[^.?\n]*[.!]\s*)?
    (?: (?:could|can|would|will|do|did|should|shall|may|might)\ (?:you|i|we)\b | (?:what|which|how)\b[^.\n]*\?
      | please\ (?:\w+\ )?(?:provide|clarify|share|tell|specify|give|send|paste|let\ me\ know|describe|upload)
      | i\ (?:would\ )?(?:need|require)\ (?:more|further|some\ more|additional|the\ (?:code|full))
      | before\ i\ (?:begin|start|answer|write) | i(?:'m|\ am)\ ready\ to
      | (?:i|there)\ (?:don't|do\ not|didn't|is\ no|can't)[^.\n]*\b(?:code|message|question|attach)
      | it\ (?:seems|looks\ like|appears)[^.\n]*(?:missing|incomplete|forgot|cut\ off|did\ not|didn't|empty)
      | bitte\ (?:geben|teilen|beschreiben|senden|nennen|schicken|erklär) | (?:könnt|würd)en\ sie | könntest\ du
      | por\ favor,?\ (?:proporcion|compart|aclar|env|indic) | ¿ | pourr(?:iez|ais)-(?:vous|tu) | pouvez-vous
      | merci\ de\ (?:préciser|fournir) | não\ (?:vejo|encontrei) | você\ pode(?:ria)? | potresti | potrebbe
      | н\u0435\ могли\ бы\ вы | пожалуйста,\ (?:уточните|предоставьте|укажите) | уточните
      | 请(?:问|提供|告诉|说明|描述|您)|能否|您能|你能|您可以|是否可以|もう少し|教えて|どのような|どの|자세히|알려
    )
    | \b(?:please\ (?:clarify|provide|share|specify)|i\ need\ to\ know)\b
    | (?:^|[.!?]\s)let\ me\ know\ (?:which|what|how)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REFUSAL_FIELDS = ("error", "refusal", "message", "reason", "response")


def is_refusal(text: str) -> bool:
    """Return whether a text without an answer is a refusal or asks a question instead of answering."""
    plain = re.sub(r"</?\w+>|```\w*|[*_`#>]", "", text.replace("\u2019", "'")).strip()
    sentences = [" ".join(sentence.split()) for sentence in _SENTENCE.split(_said_in_json(plain)) if sentence.strip()]
    if not sentences:
        return False
    is_untested = len(sentences) > 1 and _UNTRIED.search(sentences[0][:_MAX_SENTENCE_CHARS]) is not None
    first = [sentence[:_MAX_SENTENCE_CHARS] for sentence in sentences[:_MAX_SENTENCES]]
    asks = [sentence.rstrip(" \"')").endswith(("?", "\uff1f")) for sentence in sentences]
    return (
        (not is_untested and any(map(_declines, first)))
        or _ASKS_BACK.search("\n".join(first)) is not None
        or all(asks)
        or (len(sentences) <= _MAX_SENTENCES and asks[-1])
    )


def _declines(sentence: str) -> bool:
    """Return whether a sentence refuses without giving an answer, unlike ``I can't run it, but ...: 3``."""
    match = _DECLINES.search(sentence)
    return match is not None and not (_UNTRIED.search(sentence) and ":" in sentence[match.end() :])


def _said_in_json(text: str) -> str:
    """Return the text in an object with one field for refusals; other texts unchanged."""
    try:
        fields = json.loads(text.removesuffix("}").rstrip(" \n,") + "}", strict=False)
    except (ValueError, RecursionError):
        return text
    value = next(iter(fields.values()), None) if isinstance(fields, dict) and len(fields) == 1 else None
    return value if isinstance(value, str) and next(iter(fields)) in _REFUSAL_FIELDS else text
