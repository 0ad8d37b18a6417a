"""Which trees a description matches, what differs, and what is wrong with a description."""

from __future__ import annotations

import pytest

from deskhand.model.errors import InvalidParams
from deskhand.model.reading import Item, read
from deskhand.model.template import parse
from tests.model.test_reading import tree

FORM = read(
    tree(
        ("window", {"name": "Form"}, [
            ("group", {}, [
                ("textfield", {"name": "Name", "value": "Ada   Lovelace"}, []),
                ("textfield", {"name": "Street", "value": ""}, []),
                ("checkbox", {"name": "News", "checked": False}, []),
            ]),
            ("group", {"name": "Delivery"}, [
                ("radio", {"name": "Post", "checked": True}, []),
                ("radio", {"name": "Courier", "checked": False}, []),
            ]),
            ("list", {"name": "Colours"}, [
                ("list-item", {"name": "red", "selected": True}, []),
                ("list-item", {"name": "green"}, []),
            ]),
            ("button", {"name": "Greet"}, []),
            ("button", {"name": "Send: now", "enabled": False}, []),
            ("text", {"text": "Hello, Ada!"}, []),
        ])
    )
)  # fmt: skip


@pytest.mark.parametrize(
    "described",
    [
        '- button "Greet"',
        '- textfield "Name": Ada Lovelace\n- button "Greet"',
        '- textfield "Name":   "Ada  Lovelace"',
        '- textfield "Street": ""',
        "- textfield /^Na/: /love/i",
        "- textbox: /Ada/",
        '- window "Form":\n  - textfield "Name"\n  - group "Delivery":\n    - radio "Post" [checked]',
        '- group "Delivery":\n    - radio "Courier"',
        '- checkbox "News" [checked=false]',
        '- button "Send: now" [disabled]',
        "- 'button \"Send: now\" [disabled]'",
        "- text: Hello, Ada!   # a comment",
        '- text "Hello, Ada!"\n',
        "# a comment\n\n- text: /Hello, .*!/",
        "- list-item [selected]\n- list-item",
        "- listitem: green",
        '- list "Colours":\n  - /children: equal\n  - list-item "red"\n  - list-item "green"',
        '- list "Colours":\n  - /children: deep-equal\n  - list-item\n  - list-item',
        '- list "Colours":\n  - /children: contain\n  - list-item "green"',
        """
        - window:
          - /children: equal
          - textfield
          - textfield
          - checkbox
          - group:
            - radio "Post"
          - list
          - button
          - button
          - text
        """,
        '- /children: equal\n- window "Form"',
        """
        - /children: equal
        - textfield
        - textfield
        - checkbox
        - group
        - list
        - button
        - button
        - text
        """,
        '- group:\n  - radio "Post"\n- radio "Courier"',
    ],
)
def test_a_description_matches(described: str) -> None:
    assert parse(described).matches(FORM)


@pytest.mark.parametrize(
    "described",
    [
        '- button "Gret"',
        '- button "greet"',
        '- checkbox "Greet"',
        '- button "Greet"\n- textfield "Name"',
        '- textfield "Name": Ada',
        '- textfield "Name": ""',
        '- group "Delivery":\n  - button "Greet"',
        '- radio "Post" [checked=false]',
        '- radio "Post" [checked=mixed]',
        '- button "Greet" [disabled]',
        "- radio\n- radio\n- radio",
        '- group "Delivery":\n  - radio "Post"\n- radio "Post"',
        '- list "Colours":\n  - /children: equal\n  - list-item "red"',
        '- list "Colours":\n  - /children: equal\n  - list-item "green"\n  - list-item "red"',
        """
        - window:
          - /children: deep-equal
          - textfield
          - textfield
          - checkbox
          - group
          - list
          - button
          - button
          - text
        """,
        "- button /^reet/",
        "- list-item [level=2]",
    ],
)
def test_a_description_does_not_match(described: str) -> None:
    assert not parse(described).matches(FORM)


def difference(described: str, items: tuple[Item, ...] = FORM) -> str:
    return "\n".join(parse(described).difference(items))


def test_the_difference_shows_the_similar_element_instead_of_a_missing_one() -> None:
    described = """
        - textfield "Name": Grace
        - group "Delivery":
          - radio "Post" [checked]
          - radio "Courier" [checked]
        - slider "Volume"
        - button "Greet"
    """

    assert difference(described).splitlines() == [
        '- - textfield "Name": Grace',
        '+ - textfield "Name": Ada Lovelace',
        '  - group "Delivery"',
        '    - radio "Post" [checked]',
        '-   - radio "Courier" [checked]',
        '+   - radio "Courier" [checked=false]',
        '- - slider "Volume"',
        '  - button "Greet"',
    ]


def test_the_difference_of_an_equal_list_shows_the_elements_that_are_too_many() -> None:
    described = '- list "Colours":\n  - /children: equal\n  - list-item "red"\n  - list-item "blue"'

    assert difference(described).splitlines() == [
        '  - list "Colours"',
        '    - list-item "red"',
        '-   - list-item "blue"',
        '+   - list-item "green"',
    ]


@pytest.mark.parametrize(
    ("described", "message"),
    [
        ("", "has no lines"),
        ("button", "line 1 .* begin with '- '"),
        ('- button "Save"\n- buttn "x"', "line 2 .*'buttn', which does not exist; did you mean button"),
        ('- button "Save', "was expected"),
        ("- button Save", "has 'Save', where a name in quotes"),
        ("- button [chekced]", "state 'chekced'.*did you mean checked"),
        ("- button [checked=maybe]", "true, false or mixed"),
        ("- heading [level]", "level without a number"),
        ("- button /(/", "regular expression"),
        ("- list:\n\t- list-item", "tab"),
        ("- list:\n    - list-item\n  - list-item", "indented like no line above"),
        ("  - list\n- list", "indented less"),
        ("- /children: some\n- list", "contain, equal, deep-equal"),
    ],
)
def test_a_wrong_description_names_the_line(described: str, message: str) -> None:
    with pytest.raises(InvalidParams, match=message):
        parse(described)
