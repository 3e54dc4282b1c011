"""The archive of a campaign: TREC's usual files, a README, hashes, and the facts that its overview is made from.

    ARCHIVE/README.txt, LICENCE.txt   what it is, and its terms
    ARCHIVE/SHA256SUMS                of every file, as `sha256sum -c SHA256SUMS` reads it
    ARCHIVE/campaign.json             tasks, people, runs with their receipts, refusals, releases
    ARCHIVE/runs.tsv                  the runs with how they were made
    ARCHIVE/documents.txt             the ids of the documents
    ARCHIVE/topics/, runs/, qrels/    as in the campaign; runs in TREC's format
    ARCHIVE/pools/TASK.txt            what was judged, and in TASK.txt.events.jsonl by whom and when

It needs neither the collection nor the campaign: the same files give the same overview anywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from leadline.errors import InputError
from leadline.records.result import counted
from leadline.show.campaign.campaign import (
    ABOUT,
    ARCHIVE,
    ARCHIVE_VERSION,
    DOCUMENTS,
    EVENTS,
    FACTS,
    FACTS_KIND,
    REPAIR,
    Campaign,
    content_of,
)
from leadline.show.campaign.live_campaign import LiveCampaign
from leadline.show.campaign.status import check_facts, run_table
from leadline.text.checksums import Finding, check_file, finding_of, sealed, stored_bytes
from leadline.text.files import write_stored
from leadline.text.owned_files import RECORD
from leadline.text.owned_folder import OwnedFolder, check_identity, check_listed

_SUM = re.compile(r"^([0-9a-f]{64})  (\S+)$", re.MULTILINE)
README, LICENCE, SUMS, RUN_LIST = "README.txt", "LICENCE.txt", "SHA256SUMS", "runs.tsv"


def archive(live: LiveCampaign, folder: Path) -> list[str]:
    """Write all of a campaign to a new folder; the names of the files. One that was stopped is begun again."""
    facts = live.facts
    if (folder / SUMS).exists():
        raise InputError(str(folder), "is an archive already: name a new folder")
    with OwnedFolder.locked(folder, ARCHIVE, ARCHIVE_VERSION) as owned:
        names = []
        for name, content in _files(live, facts):
            inside = name.partition("/")[0]
            owned.reserve(inside, name)
            (folder / name).parent.mkdir(exist_ok=True)
            write_stored(folder / name, content)
            names.append((name, hashlib.sha256(content).hexdigest()))
        owned.reserve(SUMS)
        write_stored(folder / SUMS, "".join(f"{sha256}  {name}\n" for name, sha256 in names).encode())
    return [name for name, _ in names]


def _files(live: LiveCampaign, facts: Campaign) -> Iterator[tuple[str, bytes]]:
    """The files of an archive with their contents, one at a time."""
    with live.store.view() as now:
        content = content_of(now)
    content[ABOUT] = {key: value for key, value in content[ABOUT].items() if key != "collection"}
    ids = live.document_ids()
    content[ABOUT]["documents_sha256"] = hashlib.sha256(ids).hexdigest()
    yield README, _readme(facts).encode()
    if facts.licence:
        yield LICENCE, f"{facts.licence}\n".encode()
    yield FACTS, sealed({"what": FACTS_KIND, "format": ARCHIVE_VERSION, **content})
    yield RUN_LIST, run_table(facts).encoded("tsv")
    yield DOCUMENTS, ids
    for task in facts.tasks:
        yield task.topics, live.topics_file(task)
    for run in facts.sent:
        yield run.file, stored_bytes(facts.run_file(run))
    for task in facts.tasks:
        if (released := facts.qrels(task)) is not None:
            yield task.qrels_file, stored_bytes(released)
        pool = facts.folder / task.pool_file
        if pool.exists():
            lines = "".join(json.dumps(asdict(event), sort_keys=True) + "\n" for event in facts.events(task))
            yield task.pool_file, stored_bytes(pool)
            yield f"{task.pool_file}{RECORD}", stored_bytes(f"{pool}{RECORD}")
            yield f"{task.pool_file}{EVENTS}", lines.encode()


def _readme(facts: Campaign) -> str:
    """What is in the archive, for who has never seen it."""
    lines = [
        facts.title,
        "=" * len(facts.title),
        "",
        *([f"Organised by {facts.organiser}."] if facts.organiser else []),
        f"{facts.documents:,} documents, {counted(len(facts.teams), 'team')}, {counted(len(facts.runs), 'run')}.",
        "",
        "Tasks",
        "-----",
    ]
    for task in facts.tasks:
        lines += [f"{task.name}: {task.heading} ({task.kind}), {len(task.topic_ids):,} topics, {task.deadline_words}"]
        released = facts.release(task.name)
        lines += [f"  topics {task.topics}"]
        lines += (
            [f"  judgements {task.qrels_file} ({released.judgements:,}), sha256 {released.sha256}"] if released else []
        )
        lines += [f"  pool {task.pool_file}"] if (facts.folder / task.pool_file).exists() else []
        lines += [f"  measures {' '.join(task.measures)}"]
    lines += [
        "",
        "Files",
        "-----",
        "runs/TEAM-NAME.VERSION.run   what was sent: topic Q0 document rank score tag; the last version counts",
        "runs.tsv                     how each run was made, with its hash and receipt",
        "qrels/TASK.txt               topic 0 document grade; of a sample: topic 0 document stratum grade",
        "pools/TASK.txt               topic 0 document stratum grade; -2: to be judged, -1: not sampled",
        "pools/TASK.txt.events.jsonl  what people judged, in its order",
        "campaign.json                all that was recorded of tasks, people, runs, refusals and releases",
        "SHA256SUMS                   check with `sha256sum -c SHA256SUMS`",
        "",
        "`leadline campaign overview` on this folder writes the overview again; `leadline check` checks it.",
        f"Terms: {facts.licence}" if facts.licence else "The organiser has named no licence: ask before you use it.",
        "",
    ]
    return "\n".join(lines)


def check_archive(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with an archive: each file against its hash, and the facts against themselves."""
    yield from check_identity(folder)
    try:
        text = stored_bytes(folder / SUMS).decode("utf-8", "replace")
    except OSError:
        yield Finding(str(folder / SUMS), "is missing", REPAIR)
        return
    wrong: set[str] = set()
    named = {name: sha256 for sha256, name in _SUM.findall(text)}
    if "".join(f"{sha256}  {name}\n" for name, sha256 in named.items()) != text:
        yield Finding(str(folder / SUMS), "is damaged, it has a line that is none of a file", REPAIR)
    yield from check_listed(folder, [SUMS, FACTS, *named])
    for name, sha256 in named.items():
        for finding in check_file(folder / name, sha256, REPAIR):
            wrong.add(finding.path)
            yield finding
    try:
        facts = Campaign.open(folder)
    except InputError as error:
        yield finding_of(error, REPAIR)
        return
    if missing := sorted({run.file for run in facts.sent} - named.keys()) or sorted({README, RUN_LIST} - named.keys()):
        yield Finding(str(folder / SUMS), f"is damaged, it has no line for {missing[0]}", REPAIR)
    yield from (each for each in check_facts(facts) if each.path not in wrong)
