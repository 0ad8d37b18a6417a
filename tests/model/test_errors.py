"""What errors say, and how that crosses from one process to another."""

from __future__ import annotations

import pytest

from deskhand.model.errors import ActionFailed, DeskhandError


def test_the_last_words_of_a_program_are_not_taken_for_a_long_text() -> None:
    words = "'it' ended; its last words:\n  I don't know\n" + "  line after line\n" * 30 + "  so it's over"
    assert DeskhandError(words).message == words


@pytest.mark.parametrize("mark", ["'", '"'])
def test_a_long_text_in_a_message_is_cut_with_its_length(mark: str) -> None:
    error = ActionFailed(f'TextField "it\'s" did not take {mark}{"x" * 10_000}{mark}; it holds {mark}{mark}')
    assert error.message == (
        f'TextField "it\'s" did not take {mark}{"x" * 200}…{mark} (10000 characters); it holds {mark}{mark}'
    )
    assert str(error) == error.message
    assert DeskhandError.from_json(error.to_json()).message == error.message


def test_texts_of_usual_length_are_complete() -> None:
    message = "; ".join(f"did not take '{'x' * 250}'" for _ in range(10))
    assert ActionFailed(message).message == message
