"""Recognise refusals and counter-questions in the languages that models answer in."""

from __future__ import annotations

import re

_MOST_SENTENCES = 3
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])\s*|\n+")
_CANNOT = (
    r"(?:can(?:no|')t|can not|could(?:n't| not)|won't(?: be able to)?|will not(?: be able to)?|"
    r"(?:am|'m) (?:unable|not able|not allowed|not permitted|not going) to)"
)
_DOES = (
    r"help|assist|comply|provide|answer|fulfil|respond|do (?:this|that|it|so)|complete|write|create|generate|give|"
    r"solve|offer|support|continue|process|discuss|share|produce|proceed|engage"
)
_DECLINES = re.compile(
    "|".join(
        (
            # English: a verb of declining said of the speaker
            rf"\bi\s*{_CANNOT} (?:\w+ly )?(?:{_DOES})",
            r"\bi (?:must|have to|need to|will have to)(?: \w+)? (?:decline|refuse)|\bi (?:\w+ )?(?:decline|refuse) to",
            r"\bi(?: am|'m) (?:not comfortable|not sure how|unsure how|not certain how|unable|not able)\b",
            r"^\W*i (?:do not|don't) (?:\w+ )?(?:know|feel comfortable|think i (?:can|should))",
            r"^\W*i (?:do not|don't) have (?:enough|sufficient)",
            r"^\W*(?:(?:i(?:'m| am)(?: \w+)? )?sorry|(?:my )?apologies|i apologi[sz]e)\b(?! for)[^.]*?"
            r"(?:\bnot\b|n't|\bunable\b|\bno\b|[.!]?$)",
            r"\b(?:not possible|impossible) (?:for me to \w+|to (?:answer|say|tell))|\bi have no idea\b|"
            r"^\W*no comment\b|\brequest (?:was |is |has been )?(?:declined|denied|refused)|"
            r"^\W*(?:cannot|can't|unable to) (?:answer|help)|"
            r"\b(?:is not|isn't|not) (?:enough|sufficient) (?:information|context|detail)|\bi(?:'m| am) afraid i can",
            r"^\W*(?:unfortunately,? )?i (?:can(?:no|')t|can not|am unable|am not able|won't|will not)\b",
            r"\b(?:i would|i'd) (?:prefer|rather) not\b|\bi prefer not\b",
            r"\b(?:violates?|against|breach(?:es)?) (?:my|our|the) (?:\w+ )?(?:guidelines|polic(?:y|ies)|rules|terms)",
            r"^\W*(?:this|that|your) (?:request|question) (?:violates|goes against|is against|cannot)",
            r"\b(?:outside|beyond) (?:of )?(?:what i can|my (?:scope|abilities|capabilities))",
            r"^\W*as an? (?:ai|language|large)\b",
            # German, Dutch
            r"tut mir (?:sehr )?leid|\bleider (?:kann|darf|bin|ist es mir)|\bich (?:kann|darf|werde) [^.]*\bnicht\b|"
            r"\bkann ich [^.]*\bnicht\b|\bhet spijt me|\bhelaas kan ik|\bik kan [^.]*\bniet\b",
            r"\bwei\u00df (?:es|ich)[^.]*nicht|\bweet (?:het|ik)[^.]*niet",
            # Spanish, Portuguese, Italian, French
            r"\blo siento|\bno (?:me es posible|puedo)\b|\bdesculpe?\b|\bsinto muito|\bn[ãa]o (?:posso|consigo)\b|"
            r"\bmi dispiace|\bnon (?:posso|so|sono in grado)\b|\bno lo s[ée]\b|"
            r"\bd[ée]sol[ée]e?\b|\bje ne (?:peux|suis|sais) pas",
            # Polish, Turkish, Russian, Ukrainian
            r"\bnie mog[ęe]\b|\bprzykro mi|\b[üu]zg[üu]n[üu]m|yard\u0131mc\u0131 olamam|\bн\u0435 могу\b|"
            r"\bизвинит\u0435,|к сожалению, я",
            # Chinese, Japanese, Korean
            r"我不(?:知道|清楚|确定)|わかりません|分かりません|抱歉|对不起|對不起|我(?:无法|不能|沒辦法|没办法|没有办法|無法)|无法(?:回答|完成|协助|提供|帮助)|申し訳|お(?:応|こた)えでき|"
            r"お手伝いでき|できません|ごめんなさい|죄송|도와드릴 수 없|할 수 없습니다",
        )
    ),
    re.IGNORECASE,
)
_ONLY_UNTRIED = re.compile(
    r"\b(?:run|execute|test|verify|check|try|access|browse|see|view|ausführen|testen|ejecutar|probar|exécuter|tester)\b"
    r"(?![^.]*\b(?:for you|write|help|assist)\b)|运行|执行|測試|测试|実行",
    re.IGNORECASE,
)
"""Statements that the model did not run anything, which may come before an answer."""
_ASKS_BACK = re.compile(
    r"^\W*(?:(?:hi|hello|hey|sure|certainly|of course|thanks|thank you|absolutely|great|hallo|hola|bonjour|你好|您好)\b"
    r"[^.?\n]{0,40}[,.!]\s*)?(?:i'd be (?:happy|glad) to help[^.?\n]*[.!]\s*)?"
    r"(?:(?:could|can|would|will|do|did|should|shall|may|might) (?:you|i|we)\b|"
    r"please (?:\w+ )?(?:provide|clarify|share|tell|specify|give|send|paste|let me know|describe|upload)|"
    r"i (?:need|would need|require) (?:more|further|some more|additional|the (?:code|full))|"
    r"(?:what|which|how)\b[^.\n]*\?|before i (?:begin|start|answer|write)|i(?:'m| am) ready to|"
    r"(?:i|there) (?:don't|do not|didn't|is no|can't) (?:see|find|seem to)?[^.\n]*\b(?:code|message|question|attach)|"
    r"it (?:seems|looks like|appears)[^.\n]*(?:missing|incomplete|forgot|cut off|did not|didn't|empty)|"
    r"bitte (?:geben|teilen|beschreiben|senden|nennen|schicken|erklär)|(?:könnt|würd)en sie|könntest du|"
    r"por favor,? (?:proporcion|compart|aclar|env|indic)|¿|pourriez-vous|pouvez-vous|pourrais-tu|"
    r"merci de (?:préciser|fournir)|"
    r"não (?:vejo|encontrei)|você pode(?:ria)?|potresti|potrebbe|"
    r"н\u0435 могли бы вы|пожалуйста, (?:уточните|предоставьте|укажите)|уточните|"
    r"请(?:问|提供|告诉|说明|描述|您)|能否|您能|你能|您可以|是否可以|もう少し|教えて|どのような|どの|자세히|알려)",
    re.IGNORECASE,
)
_WANTS_MORE = re.compile(
    r"\bplease (?:clarify|provide|share|specify)\b|\bi need to know\b|^\W*let me know (?:which|what|how)\b",
    re.IGNORECASE,
)
_IN_JSON = re.compile(r"\{\s*\"(?:error|refusal|message|reason|response)\"\s*:\s*\"(?P<said>[^\"]*)\"\s*,?\s*\}")
_QUESTION = re.compile(r"[?\uff1f]\W*$")


def is_refusal(text: str) -> bool:
    """Tell whether a text without an answer declines in words, or asks back instead of answering."""
    plain = re.sub(r"</?\w+>|```\w*|[*_`#>]", "", text.replace("\u2019", "'")).strip()
    if (wrapped := _IN_JSON.fullmatch(plain)) is not None:
        plain = wrapped["said"]
    sentences = [sentence for sentence in _SENTENCE.split(plain) if sentence.strip()]
    if not sentences:
        return False
    is_untested = len(sentences) > 1 and _ONLY_UNTRIED.search(sentences[0]) is not None
    is_declined = any(_sentence_declines(sentence) for sentence in sentences[:_MOST_SENTENCES])
    is_question = _ASKS_BACK.match(plain) is not None or any(
        _WANTS_MORE.search(sentence) for sentence in sentences[:_MOST_SENTENCES]
    )
    return (is_declined and not is_untested) or is_question or _ends_in_question(sentences)


def _sentence_declines(sentence: str) -> bool:
    """Tell whether a sentence declines, and does not go on with an answer: ``I can't run it, but ...: 3``."""
    match = _DECLINES.search(" ".join(sentence.split()))
    return match is not None and not (_ONLY_UNTRIED.search(sentence) and ":" in sentence[match.end() :])


def _ends_in_question(sentences: list[str]) -> bool:
    """Tell whether a text is questions alone, or a few words before one."""
    return all(map(_QUESTION.search, sentences)) or (
        len(sentences) <= _MOST_SENTENCES and _QUESTION.search(sentences[-1]) is not None
    )
