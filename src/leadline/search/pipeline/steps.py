"""Every step of this room under one roof: `from leadline.search.pipeline.steps import Search, Text`."""

from leadline.search.dense.dense_steps import Dense, Hybrid
from leadline.search.pipeline.after.citations import Citations
from leadline.search.pipeline.after.claim_scores import ClaimScores
from leadline.search.pipeline.after.class_agreement import ClassAgreement
from leadline.search.pipeline.after.cut import Cut
from leadline.search.pipeline.after.either import Either
from leadline.search.pipeline.after.elsewhere import Elsewhere
from leadline.search.pipeline.after.family_members import FamilyMembers
from leadline.search.pipeline.after.fuse import Fuse
from leadline.search.pipeline.after.one_a_family import OneAFamily
from leadline.search.pipeline.after.rm3 import RM3
from leadline.search.pipeline.after.where import Where
from leadline.search.pipeline.filters.dates import Dates
from leadline.search.pipeline.filters.only import Only
from leadline.search.pipeline.filters.same_class import SameClass
from leadline.search.pipeline.pipeline import Pipeline, Step
from leadline.search.pipeline.query.best_terms import BestTerms
from leadline.search.pipeline.query.claims import Claims
from leadline.search.pipeline.query.drop_terms import DropTerms
from leadline.search.pipeline.query.from_run import FromRun
from leadline.search.pipeline.query.nouns import Nouns
from leadline.search.pipeline.query.search import Search
from leadline.search.pipeline.query.survey import Survey
from leadline.search.pipeline.query.text import Text
from leadline.search.pipeline.synonyms.expand import Expand

__all__ = [
    "RM3",
    "BestTerms",
    "Citations",
    "ClaimScores",
    "Claims",
    "ClassAgreement",
    "Cut",
    "Dates",
    "Dense",
    "DropTerms",
    "Either",
    "Elsewhere",
    "Expand",
    "FamilyMembers",
    "FromRun",
    "Fuse",
    "Hybrid",
    "Nouns",
    "OneAFamily",
    "Only",
    "Pipeline",
    "SameClass",
    "Search",
    "Step",
    "Survey",
    "Text",
    "Where",
]
