"""The words and numbers users choose from when documents are judged or reviewed: a module that costs nothing."""

from __future__ import annotations

from typing import Literal

# People.
Role = Literal["reader", "runner", "assessor", "expert", "organiser"]
JUDGING_ROLES: tuple[Role, ...] = ("assessor", "expert", "organiser")  # readers and runners are people of a lab
LINK_DAYS = 60  # until a link expires

# Judgements from citations and claims.
CITATION_RULES = (1, 2, 3)
Grades = Literal["one", "category"]
Largest = Literal["all", "topic", "claim"]
FEWEST_RELEVANT = 3  # documents of a topic
PerFamily = Literal["one", "all"]

# Pools.
DEFAULT_STRATA = "10:1,30:0.3,100:0.1"  # those of TREC-CHEM 2009
DEFAULT_ENDS = (12, 25, 50, 100, 200)  # documents judged of a topic when each round of draws ends
FRAME_DEPTH = 1000  # ranks of the runs that draws in rounds come from
MOST_ROUNDS = 250  # that can be drawn of a pool
POOL_RULES = ("depth", "move-to-front", "bandit")

# Reviews.
STAGES = ("abstract", "full-text")
AUDIT = "audit"  # where an expert decides on documents without the readers' marks: a topic of the journal
OVERLOOKED_SHARES = (0.0, 0.02, 0.05, 0.1)  # of the relevant documents, in simulations
MachineRole = Literal["witness", "order", "second", "exclude"]
MACHINE_ROLES: tuple[MachineRole, ...] = ("witness", "order", "second", "exclude")
LEARNER_NAMES = ("autotar", "logistic", "naive-bayes", "svm")
STOPPING_RULES = ("autostop", "budget", "buscar", "chao", "in-a-row", "knee", "ppr", "qbcb", "ranked")
ASKED_RULES = ("budget", "in-a-row", "knee")  # tried only when they are named: in some review they never reach a target
