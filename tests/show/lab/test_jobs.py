"""Jobs run in the background, survive their server, can be cancelled, and are not done twice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leadline.errors import InputError, LeadlineError
from leadline.show.lab.job_kinds import index_plan, pool_plan, report_plan, run_plan
from leadline.show.lab.job_worker import work
from leadline.show.lab.jobs import Jobs, LabJob
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


def test_interrupted_work_is_said_and_can_be_asked_for_again(jobs: Jobs, lab: Lab) -> None:
    plan = pool_plan(lab, ["bm25"], 5, "later")
    job, _ = jobs.submit(plan, "anna")
    jobs.write(type(job)(**{**vars(job), "state": "running"}))  # as a killed worker leaves it
    assert jobs.get(job.id).state == "stopped"
    again, new = jobs.submit(plan, "anna")
    assert new
    work(lab.folder)
    assert (jobs.get(again.id).state, jobs.get(job.id).state) == ("done", "stopped")


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
        "from leadline.show.lab.job_kinds import pool_plan; lab = Lab.open(sys.argv[1]);"
        "print(Jobs(lab).submit(pool_plan(lab, ['bm25'], 5, 'kept'), 'anna')[0].id, flush=True);"
        "import time; time.sleep(60)"
    )
    asked = subprocess.Popen([sys.executable, "-c", code, str(lab.folder)], stdout=subprocess.PIPE, text=True)
    assert asked.stdout is not None
    id = asked.stdout.readline().strip()
    asked.send_signal(signal.SIGKILL)
    asked.wait()
    assert wait_for(Jobs(lab), id, "done", "failed").state == "done"
