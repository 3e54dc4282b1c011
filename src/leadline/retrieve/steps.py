"""Every step of this room under one roof: `from leadline.retrieve.steps import Search, Text`."""

from leadline.retrieve.after.citations import Citations
from leadline.retrieve.after.claim_scores import ClaimScores
from leadline.retrieve.after.class_agreement import ClassAgreement
from leadline.retrieve.after.cut import Cut
from leadline.retrieve.after.either import Either
from leadline.retrieve.after.elsewhere import Elsewhere
from leadline.retrieve.after.family_members import FamilyMembers
from leadline.retrieve.after.fuse import Fuse
from leadline.retrieve.after.one_a_family import OneAFamily
from leadline.retrieve.after.rm3 import RM3
from leadline.retrieve.after.where import Where
from leadline.retrieve.dense.steps import Dense, Hybrid
from leadline.retrieve.filters.dates import Dates
from leadline.retrieve.filters.only import Only
from leadline.retrieve.filters.same_class import SameClass
from leadline.retrieve.pipeline import Pipeline, Step
from leadline.retrieve.query.best_terms import BestTerms
from leadline.retrieve.query.claims import Claims
from leadline.retrieve.query.drop_terms import DropTerms
from leadline.retrieve.query.from_run import FromRun
from leadline.retrieve.query.nouns import Nouns
from leadline.retrieve.query.search import Search
from leadline.retrieve.query.survey import Survey
from leadline.retrieve.query.text import Text
from leadline.retrieve.synonyms.expand import Expand

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
