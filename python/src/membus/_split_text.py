"""Divides texts into parts of limited length."""

from __future__ import annotations

import re

#: Ends of a paragraph, of a sentence and of a word, the best place to cut first.
_CUTS = [re.compile(pattern) for pattern in (r"\n(?:[^\S\n]*\n)+", "[.!?…。！？][\"'”’)\\]]*\\s|[。！？]|\\n", r"\s")]


def split_text(text: str, length_max: int) -> list[str]:
    """Return parts of at most `length_max` characters, cut between paragraphs, else sentences, words or characters."""
    parts, start = [], 0
    while len(text) - start > length_max:
        end = start + _cut_in(text[start : start + length_max])
        parts.append(text[start:end])
        start = end
    return [part for part in (each.strip() for each in [*parts, text[start:]]) if part]


def _cut_in(window: str) -> int:
    """Return the end of the best kind in the second half of a window."""
    for cut in _CUTS:
        ends = [found.end() for found in cut.finditer(window)]
        if ends and ends[-1] > len(window) / 2:
            return ends[-1]
    return len(window)
