"""Make, list and revoke the personal links of those who read in a review.

A link is shown once, when it is made: only its hash is kept, in the folder of the review. Adding a person again gives a
new link, and the old one ends. A running server follows at once. Reviewers are assessors; an expert decides where they
disagree; an organiser sees the certificate and the report, and alone decides when to draw at random and when to stop.

Examples:
  leadline review people asthma add anna ben
  leadline review people asthma add eve --role expert --days 14 --url https://review.example.org
  leadline review people asthma list
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.judging import add_people_arguments, add_review, change_people
from leadline.commands.shared.options import check_format


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_review(parser)
    add_people_arguments(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.project import PEOPLE, ReviewProject

    check_format(options)
    change_people(ReviewProject.open(options.review).folder / PEOPLE, options)
