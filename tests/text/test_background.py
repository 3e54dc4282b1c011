"""Work in the background is done when it is woken or in time, whatever goes wrong, and ends when it is told."""

from __future__ import annotations

import threading

import pytest

from leadline.errors import InputError
from leadline.text.background import Background


def test_work_is_done_when_it_is_woken_and_never_otherwise() -> None:
    turns, done = [], threading.Semaphore(0)

    def work() -> None:
        turns.append(1)
        done.release()

    with Background(work, "test") as background:
        for _ in range(3):
            background.wake()
            assert done.acquire(timeout=20)
    assert len(turns) == 3


def test_work_is_done_again_and_again_also_after_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    turns, done = [], threading.Event()

    def work() -> None:
        turns.append(1)
        if len(turns) == 1:
            raise ZeroDivisionError
        done.set()

    with Background(work, "test", every=0.01):
        assert done.wait(20)
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError("335 MB are needed"), "not enough memory (335 MB are needed)"),
        (OSError(28, "No space left on device", "lab/x"), "lab/x: the disk is full"),
        (InputError("lab", "is damaged"), "lab: is damaged"),
        (RuntimeError("Os { code: 24, message: Too many open files }"), "too many open files"),
    ],
)
def test_what_the_user_can_mend_is_one_line(capsys: pytest.CaptureFixture[str], error: Exception, said: str) -> None:
    turns, done = [], threading.Event()

    def work() -> None:
        turns.append(1)
        if len(turns) == 1:
            raise error
        done.set()

    with Background(work, "test", every=0.01):
        assert done.wait(20)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"leadline: test: {said}")


def test_what_is_woken_during_a_turn_gets_a_turn_of_its_own() -> None:
    begun, go, done = threading.Semaphore(0), threading.Event(), threading.Semaphore(0)

    def work() -> None:
        begun.release()
        go.wait(20)
        done.release()

    with Background(work, "test") as background:
        background.wake()
        assert begun.acquire(timeout=20)
        background.wake()
        go.set()
        assert done.acquire(timeout=20)
        assert done.acquire(timeout=20)


def test_it_is_closed_before_it_began() -> None:
    Background(lambda: None, "test").close()
