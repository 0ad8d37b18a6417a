"""Sizes and points as people write them."""

from __future__ import annotations

import re

import click


def size(text: str) -> tuple[int, int]:
    """WxH, such as 1280x800."""
    match = re.fullmatch(r"(\d{1,5})[xX×](\d{1,5})", text)
    if match is None or not (int(match[1]) and int(match[2])):
        raise click.BadParameter(f"'{text}' is not a size; write WxH, such as 1280x800")
    return int(match[1]), int(match[2])


def point(text: str) -> tuple[float, float]:
    """X,Y, such as 10,20."""
    try:
        x, y = map(float, text.split(","))
    except ValueError:
        raise click.BadParameter(f"'{text}' is not a point; write X,Y, such as 10,20") from None
    return x, y


shared_tmp_option = click.option(
    "--shared-tmp",
    is_flag=True,
    help="Let programs on the private desktop use /tmp and /var/tmp of this machine, not their own.",
)
