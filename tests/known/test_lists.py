"""Lists of known differences: what a line says, and what a broken one is told."""

import pytest

from toolkit.engine.registry import all_ids
from toolkit.known.lists import ListError, check_subjects, load, parse, shipped
from toolkit.records import Status


def test_each_form_of_a_line() -> None:
    text = """
    # a comment
epoll/herd skip  # one CPU: the kernel has no second to wake
epoll/herd#epoll-wakes-one fail# since #123, 4.5
epoll/herd@naive timeout # slow
epoll/herd#epoll-wakes-one@right error  #  odd
"""
    known = parse(text, "box.txt")
    assert [(e.subject, e.status, e.reason, e.place) for e in known.entries] == [
        ("epoll/herd", Status.SKIP, "one CPU: the kernel has no second to wake", "box.txt line 3"),
        ("epoll/herd#epoll-wakes-one", Status.FAIL, "since #123, 4.5", "box.txt line 4"),
        ("epoll/herd@naive", Status.TIMEOUT, "slow", "box.txt line 5"),
        ("epoll/herd#epoll-wakes-one@right", Status.ERROR, "odd", "box.txt line 6"),
    ]
    assert [e.claim for e in known.entries] == [None, "epoll-wakes-one", None, "epoll-wakes-one"]
    assert len(known.of("epoll/herd")) == 4
    assert known.of("epoll/her") == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("epoll/herd failed  # x", "the status 'failed' is none of pass, fail, skip, error, timeout"),
        ("epoll/herd fail", "no reason"),
        ("epoll/herd fail  #", "no reason"),
        ("epoll/herd", "the status '' is none of"),
        ("herd fail  # x", "'herd' is no subject"),
        ("epoll/herd@naive#claim fail  # x", "is no subject"),
        ("epoll/* fail  # x", "is no subject"),
        ("epoll/herd fail fail  # x", "the status 'fail fail' is none of"),
    ],
)
def test_a_broken_line_is_named_and_told_what_is_right(line: str, said: str) -> None:
    with pytest.raises(ListError) as raised:
        parse(f"# one\n{line}\n", "box.txt")
    assert str(raised.value).startswith("box.txt line 2: ")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "id[#claim][@variant] status  # reason" in str(raised.value)


def test_a_subject_stands_once() -> None:
    with pytest.raises(ListError, match=r"box line 2: epoll/herd stands already in box line 1"):
        parse("epoll/herd fail # a\nepoll/herd skip # b\n", "box")


def test_an_id_that_does_not_exist_is_told_what_comes_near() -> None:
    known = parse("epoll/hord fail # a\n", "box")
    with pytest.raises(
        ListError, match=r"box line 1: there is no case epoll/hord; did you mean epoll/herd\?"
    ):
        check_subjects(known, ["epoll/herd", "signalfd/zzz"])
    check_subjects(known, ["epoll/hord"])


def test_a_list_is_loaded_from_a_file_or_by_its_shipped_name(tmp_path: pytest.TempPathFactory) -> None:
    path = f"{tmp_path}/mine"
    with open(path, "w") as stream:
        stream.write("epoll/herd skip  # mine\n")
    assert load(path).entries[0].reason == "mine"
    with pytest.raises(ListError, match=r"no list .*absent.*No such file or directory.*shipped lists:"):
        load(f"{tmp_path}/absent")
    with open(path, "wb") as binary:
        binary.write(b"\xff\xfe")
    with pytest.raises(ListError, match="not UTF-8"):
        load(path)


def test_every_shipped_list_is_sound() -> None:
    assert {"uml-6.1", "wine-8.0"} <= set(shipped())
    for name in shipped():
        check_subjects(load(name), all_ids())
