"""Long texts, which a pattern with quadratic time searches for hours, and invisible characters."""

import pytest
from membus._facts import normalized_words
from membus._recalled_text import recalled_text, without_recalled
from membus._split_text import split_text

LENGTH = 1_000_000


def test_recalled_text_is_removed_in_linear_time() -> None:
    assert without_recalled("\n" * LENGTH) == ""
    assert without_recalled("1.\n" * LENGTH + "x").endswith("x")


def test_words_are_compared_and_texts_are_split_in_linear_time() -> None:
    assert normalized_words("," * LENGTH + "x") == "," * LENGTH + "x"
    assert normalized_words("a \". «?» \".b\". c") == "a .b c"
    assert split_text("a\n\n" + "\n \t" * LENGTH + "b", 10 * LENGTH) == ["a\n\n" + "\n \t" * LENGTH + "b"]
    assert split_text("One two.\n \nThree four. Five", 14) == ["One two.", "Three four.", "Five"]


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\u202e", "\u2066", "\ufeff", "\U000e0041", "\u200d"])
def test_recalled_lines_have_no_invisible_characters(hidden: str) -> None:
    assert hidden not in recalled_text([("id", "fact", f"te{hidden}a")])


def test_joiners_of_words_and_emoji_stay() -> None:
    for text in ("👩‍💻", "می‌خواهم", "क्‍ष"):
        assert text in recalled_text([("id", "fact", text)])
