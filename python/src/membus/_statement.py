"""Distinguishes statements from questions and from answers without information."""

from __future__ import annotations

import re

#: A sentence with its end mark. A mark inside a word, as in "1.5" or a URL, does not end a sentence.
_SENTENCE = re.compile("(?:[^.!?。！？؟\\n]|[.!?](?=[^\\s\"'”’)\\].!?]))+[.!?。！？؟]*[\"'”’)\\]]*")
_ENDS_AS_QUESTION = re.compile("[?？؟][\"'”’)\\]]*$")
#: English questions without a question mark.
_STARTS_AS_QUESTION = re.compile(
    r"^(?:and |so |but )?(?:(?:what|who|where|which|why|when|how|whose)"
    r"(?:'s|’s| is| are| was| were| do| does| did| can| could| should| would| will| many| much| old| long| often)\b|"
    r"(?:do|does|did|can|could|would|will|is|are|was|were|have|has) (?:you|i|we|my|your|the|there|it|he|she|they)\b)",
    re.IGNORECASE,
)
#: A whole sentence without any information, in several languages.
_IGNORANCE = re.compile(
    r"^(?:(?:sorry|well|hm+|oh|unfortunately)[,.]? )?(?:(?:i am|i'm|i’m) (?:sorry|afraid)[,.]? )?(?:but )?(?:"
    r"(?:i )?(?:really )?(?:do not|don't|don’t) (?:really )?(?:know|remember|recall)(?: (?:it|that|this|yet))?|"
    r"(?:i have )?no idea|(?:i am|i'm|i’m)? ?not (?:really )?sure(?: about (?:it|that|this))?|"
    r"ich wei(?:ß|ss) (?:es |das )?nicht|keine ahnung|je (?:ne )?sais pas|no (?:lo )?sé|non (?:lo )?so|(?:eu )?não sei|"
    r"(?:我)?不知道|(?:知りません|わかりません|分かりません)|모르겠(?:어요|습니다)|(?:я )?не знаю"
    r")[.!。！…]*$",
    re.IGNORECASE,
)


def is_statement(text: str) -> bool:
    """Return whether a text of a user contains something other than questions and "I don't know"."""
    return not all(map(_is_empty, sentences_of(text)))


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text that contain letters or digits, in order."""
    return [sentence.strip() for sentence in _SENTENCE.findall(text) if re.search(r"\w", sentence)]


def _is_empty(sentence: str) -> bool:
    return bool(_ENDS_AS_QUESTION.search(sentence) or _STARTS_AS_QUESTION.search(sentence) or _IGNORANCE.search(sentence))
