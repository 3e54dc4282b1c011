"""Jobs run in the background, survive their server, can be cancelled, and are not done twice."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from leadline.errors import InputError, LeadlineError
from leadline.show.lab.job_plans import JobPlan, index_plan, pool_plan, report_plan, run_plan
from leadline.show.lab.jobs import Jobs, LabJob, work
from leadline.show.lab.lab import Lab


@pytest.fixture
def lab(example_files: Path, tmp_path: Path) -> Lab:
    made = Lab.create(tmp_path / "lab")
    shutil.copytree(example_files / "patents", tmp_path / "patents")
    for name in ("qrels.txt", "topics.tsv", "runs/bm25.run", "runs/dph.run", "patents.index"):
        made.add(example_files / name)
    made.add(tmp_path / "patents")
    return made


@pytest.fixture
def jobs(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Jobs:
    """Jobs that nobody works on until the test does."""
    found = Jobs(lab)
    monkeypatch.setattr(found, "start_worker", lambda: None)
    return found


def wait_for(jobs: Jobs, id: str, *states: str, seconds: float = 120) -> LabJob:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if (job := jobs.get(id)).state in states:
            return job
        time.sleep(0.1)
    raise AssertionError(f"{jobs.get(id)}\n{jobs.log(id)}")


def test_work_is_done_recorded_and_not_repeated(jobs: Jobs, lab: Lab) -> None:
    plan = pool_plan(lab, ["bm25", "dph"], 5, "first")
    job, new = jobs.submit(plan, "anna")
    assert new
    assert jobs.get(job.id).state == "waiting"
    assert jobs.submit(plan, "ben") == (job, False)
    work(lab.folder)
    assert jobs.get(job.id).state == "done", jobs.log(job.id)
    made = lab.get("pool", "first")
    assert (made.owner, made.state) == ("anna", "sound")
    again, new = jobs.submit(plan, "ben")
    assert (again.id, new) == (job.id, False)


def test_another_input_is_other_work(jobs: Jobs, lab: Lab, example_files: Path) -> None:
    job, _ = jobs.submit(pool_plan(lab, ["bm25"], 5, "one"), "anna")
    lab.add(example_files / "runs" / "title.run", name="bm25", replaced=True)
    other, new = jobs.submit(pool_plan(lab, ["bm25"], 5, "one"), "anna")
    assert new
    assert other.id != job.id


def test_a_worker_of_its_own_makes_a_run_and_says_how_far_it_is(lab: Lab) -> None:
    jobs = Jobs(lab)
    job, _ = jobs.submit(run_plan(lab, "patents.index", "topics", "baseline", "mine"), "anna")
    done = wait_for(jobs, job.id, "done", "failed")
    assert done.state == "done", jobs.log(job.id)
    assert lab.get("run", "mine").made_from()["system"]["name"] == "baseline"


def test_what_fails_says_why(jobs: Jobs, lab: Lab) -> None:
    job, _ = jobs.submit(index_plan(lab, "patents", "words"), "anna")
    shutil.rmtree(lab.get("collection", "patents").path)
    work(lab.folder)
    failed = jobs.get(job.id)
    assert failed.state == "failed"
    assert "leadline:" in failed.problem
    assert jobs.submit(pool_plan(lab, ["bm25"], 5, "p"), "anna")[1]  # others go on


def test_a_job_is_cancelled_before_and_while_it_runs(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = Jobs(lab)
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "start_worker", lambda: None)
        waiting, _ = jobs.submit(pool_plan(lab, ["bm25"], 5, "never"), "anna")
        assert jobs.cancel(waiting.id).state == "cancelled"
    # A command that reads from a pipe that nobody writes to runs until it is stopped.
    plan = run_plan(lab, "patents.index", "topics", "baseline", "slow")
    arguments = tuple("slow-topics" if word.endswith("topics.tsv") else word for word in plan.arguments)
    os.mkfifo(lab.folder / "slow-topics")
    job, _ = jobs.submit(type(plan)(**{**vars(plan), "arguments": arguments}), "anna")
    wait_for(jobs, job.id, "running")
    jobs.cancel(job.id)
    ended = wait_for(jobs, job.id, "cancelled", "failed")
    assert ended.state in ("cancelled", "failed")  # a pipe without a writer is refused after some seconds
    assert not Path(plan.output).exists()
    assert jobs.get(waiting.id).state == "cancelled"


def test_interrupted_work_is_taken_up_but_not_for_ever(jobs: Jobs, lab: Lab) -> None:
    plan = pool_plan(lab, ["bm25"], 5, "later")
    job, _ = jobs.submit(plan, "anna")
    waiting, _ = jobs.submit(pool_plan(lab, ["bm25"], 5, "behind"), "anna")
    jobs.update(job.id, state="running", begun=1)  # as a killed worker leaves it
    assert jobs.get(job.id).state == "waiting"
    assert jobs.submit(plan, "ben") == (jobs.get(job.id), False)
    work(lab.folder)
    assert [jobs.get(each.id).state for each in (job, waiting)] == ["done", "done"]
    assert "the work was interrupted, and is begun again" in jobs.log(job.id)
    with lab.store.change() as now:
        now.queue("jobs").put(job.id)
    jobs.update(job.id, state="running", begun=3)
    work(lab.folder)
    stopped = jobs.get(job.id)
    assert (stopped.state, stopped.problem) == ("stopped", "the work was interrupted 3 times: ask for it again")


def slow_plan(lab: Lab, name: str) -> JobPlan:
    """A job whose command waits until somebody writes topics to a pipe."""
    plan = run_plan(lab, "patents.index", "topics", "baseline", name)
    os.mkfifo(lab.folder / "slow.tsv")
    arguments = tuple("slow.tsv" if word.endswith("topics.tsv") else word for word in plan.arguments)
    return replace(plan, arguments=arguments)


def killed_worker(jobs: Jobs, id: str) -> int:
    """Kill the worker while a job runs; returns the process of its command."""
    until = time.monotonic() + 60
    while not (command := jobs.get(id).process):
        assert time.monotonic() < until
        time.sleep(0.05)
    os.kill(int(Path(f"/proc/{command}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
    return command


def end_lease(jobs: Jobs) -> None:
    """What a killed worker had is free at once, instead of after six seconds."""
    with jobs.lab.store.change() as now:
        (id,) = (id for id, _, is_held in now.queue("jobs").all() if is_held)
        entries = now.queue("jobs")._records
        entries.put(id, {**entries.get(id), "until": 0.0})
    assert not jobs.is_working()


def test_what_a_killed_worker_and_server_left_is_done_when_the_server_starts_again(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Jobs(lab)
    begun, _ = jobs.submit(slow_plan(lab, "slow"), "anna")
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "start_worker", lambda: None)  # a second worker would take up what the first leaves
        waiting, _ = jobs.submit(pool_plan(lab, ["bm25"], 5, "behind"), "anna")
    os.killpg(killed_worker(jobs, begun.id), signal.SIGKILL)
    until = time.monotonic() + 60
    while jobs.is_working():
        assert time.monotonic() < until
        time.sleep(0.05)
    assert [jobs.get(each.id).state for each in (begun, waiting)] == ["waiting", "waiting"]
    (lab.folder / "slow.tsv").unlink()
    shutil.copy(lab.get("topics", "topics").path, lab.folder / "slow.tsv")
    words = [sys.executable, "-m", "leadline.cli", "serve", str(lab.folder), "--no-open", "--port", "0", "-q"]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    try:
        assert wait_for(jobs, begun.id, "done", "failed").state == "done", jobs.log(begun.id)
        assert wait_for(jobs, waiting.id, "done", "failed").state == "done", jobs.log(waiting.id)
    finally:
        server.kill()
        server.wait()
    assert lab.get("run", "slow").owner == "anna"


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_command_that_outlives_its_worker_is_not_begun_a_second_time(lab: Lab, cancelled: bool) -> None:
    jobs = Jobs(lab)
    plan = slow_plan(lab, "slow")
    opened, let_go, read = threading.Event(), threading.Event(), threading.Event()

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), open(lab.folder / "slow.tsv", "wb", buffering=0) as pipe:
            opened.set()
            let_go.wait()
            pipe.write(lab.get("topics", "topics").path.read_bytes())
            read.set()

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    job, _ = jobs.submit(plan, "anna")
    assert opened.wait(60)
    killed_worker(jobs, job.id)
    end_lease(jobs)
    with jobs.attended(0.1):
        wait_for(jobs, job.id, "running")  # a new worker waits for the command
        if cancelled:
            jobs.cancel(job.id)
        else:
            let_go.set()
        ended = wait_for(jobs, job.id, "done", "failed", "cancelled", "stopped")
    let_go.set()
    feeder.join()
    assert (ended.state, ended.begun) == ("cancelled" if cancelled else "done", 1), jobs.log(job.id)
    assert read.is_set() != cancelled  # a command that was cancelled does not read any more


@pytest.mark.parametrize(
    "ask",
    [
        lambda lab: index_plan(lab, "nothing", "x"),
        lambda lab: run_plan(lab, "patents.index", "topics", "--output=/tmp/x", "x"),
        lambda lab: run_plan(lab, "patents.index", "topics", "baseline", "../x"),
        lambda lab: run_plan(lab, "patents.index", "topics", "baseline", "-x"),
        lambda lab: pool_plan(lab, ["bm25"], 0, "x"),
        lambda lab: pool_plan(lab, [], 5, "x"),
        lambda lab: report_plan(lab, "qrels", [], "NoMeasure", "x"),
    ],
)
def test_what_cannot_be_done_is_refused_before_it_is_stored(jobs: Jobs, lab: Lab, ask: object) -> None:
    with pytest.raises(LeadlineError):
        ask(lab)  # type: ignore[operator]
    assert jobs.all() == []


def test_no_other_id_is_read(jobs: Jobs, lab: Lab) -> None:
    for wrong in ("../lab", "", "x" * 500, "a.b"):
        with pytest.raises(InputError):
            jobs.get(wrong)


def test_a_worker_survives_the_process_that_asked(lab: Lab) -> None:
    code = (
        "import sys; from leadline.show.lab.jobs import Jobs; from leadline.show.lab.lab import Lab;"
        "from leadline.show.lab.job_plans import pool_plan; lab = Lab.open(sys.argv[1]);"
        "print(Jobs(lab).submit(pool_plan(lab, ['bm25'], 5, 'kept'), 'anna')[0].id, flush=True);"
        "import time; time.sleep(60)"
    )
    asked = subprocess.Popen([sys.executable, "-c", code, str(lab.folder)], stdout=subprocess.PIPE, text=True)
    assert asked.stdout is not None
    id = asked.stdout.readline().strip()
    asked.send_signal(signal.SIGKILL)
    asked.wait()
    assert wait_for(Jobs(lab), id, "done", "failed").state == "done"
