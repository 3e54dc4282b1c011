"""How far the differences of two runs spread over topics, on real runs: the table of `leadline plan` without a pilot.

    python benchmarks/spreads.py QRELS RUNS [QRELS RUNS ...]

For each measure, over all pairs of runs of a collection, the quartiles of the standard deviation of the differences by
topic: what `trust/planning.py` holds. Then the shape: quantiles of the differences of all pairs less their mean, in
standard deviations, the mean over measures and collections.
"""

from __future__ import annotations

import argparse

import numpy as np

import leadline as ll
from leadline.trust.paired_tests import difference_blocks
from leadline.trust.rankings import aligned

MEASURES = "AP PRES@100 PRES@1000 R@10 R@100 R@1000 nDCG nDCG@10 nDCG@100 P@10 Rprec bpref RR"
ALIKE = 0.1  # of the mean score: a pair whose differences spread less is one system run twice
SHAPE = np.linspace(0.0125, 0.9875, 40)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+")
    inputs = parser.parse_args().inputs
    shapes = []
    for qrels, runs in zip(inputs[::2], inputs[1::2], strict=True):
        scores = ll.evaluate(qrels, runs, MEASURES)
        for measure in scores.measures:
            matrix = aligned(scores, measure)[0]
            differences = np.concatenate([block for _, block in difference_blocks(matrix)])
            spread = differences.std(axis=1, ddof=1)
            apart = spread > ALIKE * matrix.mean()
            found = np.quantile(spread[apart], [0.25, 0.5, 0.75])
            print(f"{qrels} {measure} {matrix.shape} pairs {apart.sum()} of {len(apart)}", *found.round(3), sep="\t")
            centred = differences[apart] - differences[apart].mean(axis=1, keepdims=True)
            shapes.append(np.quantile(centred / spread[apart, None], SHAPE))
    shape = np.mean(shapes, axis=0)
    shape = (shape - shape[::-1]) / 2  # which of two runs comes first is chance
    print(*(shape / shape.std(ddof=1)).round(3))


if __name__ == "__main__":
    main()
