"""`leadline compare correlation`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leadline.show.papers import published

FIELD = ["qrels", "good.run", "fair.run", "poor.run"]


def test_scores_in_place_of_runs(compare: Any, tmp_path: Path) -> None:
    lines = ["run,MAP,recall,PRES"]
    lines += [f"{r['run']},{r['MAP']},{r['recall']},{r['PRES']}" for r in published.clef_ip_2009_scores()]
    (tmp_path / "clef.csv").write_text("\n".join(lines))
    result = compare("correlation", "--scores", "clef.csv", "--format", "tsv")
    assert result.returncode == 0, result.stderr
    tau = {tuple(line.split("\t")[:2]): float(line.split("\t")[2]) for line in result.stdout.splitlines()[1:]}
    assert tau["MAP", "recall"] == pytest.approx(0.56, abs=0.005)
    assert tau["recall", "PRES"] == pytest.approx(0.88, abs=0.005)
    assert tau["MAP", "PRES"] == pytest.approx(0.67, abs=0.005)
    exact = compare("correlation", "--scores", "clef.csv", "--format", "tsv", "--tau", "a").stdout.splitlines()
    assert exact[0].split("\t") == ["measure_a", "measure_b", "tau", "tau_ap"]
    assert [round(float(line.split("\t")[2]), 3) for line in exact[1:]] == [0.555, 0.659, 0.874]
    assert "cannot be combined with QRELS RUN" in compare("pairs", *FIELD, "--scores", "clef.csv").stderr
    assert "so give scores by topic" in compare("pairs", "--scores", "clef.csv", "-m", "MAP").stderr
