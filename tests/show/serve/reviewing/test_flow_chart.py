"""The flow chart of a review: its words fit into its boxes, wide and narrow."""

from __future__ import annotations

import itertools
import re

import pytest

from leadline.judge.review.report import PrismaCounts
from leadline.show.serve.reviewing_figures import FLOW_NARROW as NARROW
from leadline.show.serve.reviewing_figures import FLOW_WIDTH as WIDTH
from leadline.show.serve.reviewing_figures import flow_chart

COUNTS = PrismaCounts(
    1_234_567, 34_567, 900_000, 300_000, 850_000, 12, 49_988, 40_000, 9_000,
    (("other population and other outcome than asked for", 39_000), ("language", 1_000)), 988, 5,
)  # fmt: skip


@pytest.mark.parametrize("narrow", [False, True])
def test_words_stay_in_their_boxes(narrow: bool) -> None:
    drawn, high = flow_chart(COUNTS, narrow=narrow)
    assert f'viewBox="0 0 {NARROW if narrow else WIDTH} {high}"' in drawn
    boxes = [
        tuple(map(float, found))
        for found in re.findall(r'<rect [^>]*x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', drawn)
    ]
    lines = re.findall(r'<text [^>]*x="([\d.]+)" y="([\d.]+)">([^<]*)<', drawn)
    assert "Reports assessed for eligibility" in {line for _, _, line in lines}
    assert "(n = 49,988)" in {line for _, _, line in lines}
    for x, y, line in lines:
        (box,) = [
            each for each in boxes if each[0] < float(x) < each[0] + each[2] and each[1] < float(y) < each[1] + each[3]
        ]
        assert float(x) + 8 * len(line) <= box[0] + box[2] + 8  # a wide font
    for one, other in itertools.pairwise(boxes):
        assert other[1] >= one[1] + one[3] or other[0] >= one[0] + one[2]  # none on another
