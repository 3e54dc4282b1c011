"""`leadline measures`: the list of measures."""

from __future__ import annotations

from typing import Any


def test_measures_lists_them_all(leadline: Any) -> None:
    result = leadline("measures", "--format", "tsv")
    names = [line.split("\t")[0] for line in result.stdout.decode().splitlines()[1:]]
    assert {"PRES@effort", "xinfAP@depth", "CT@effort", "TBG", "WSS@share"} <= set(names)
    assert "bananas: no measure has these words" in leadline.error("measures", "bananas")
