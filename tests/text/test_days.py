"""Dates: what is sure of them, whoever printed them."""

from __future__ import annotations

import datetime
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.text.days import iso

FORM = re.compile(r"|[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("19980812", "1998-08-12"),
        ("19980800", "1998-08"),
        ("19980000", "1998"),
        ("199808", "1998-08"),
        ("1998", "1998"),
        ("1998-08-12", "1998-08-12"),
        ("1998-8-2", "1998-08-02"),
        ("1998-08", "1998-08"),
        ("1998/08/12", "1998-08-12"),
        ("1998-08-12T00:00:00Z", "1998-08-12"),
        ("1998-08-12 00:00:00", "1998-08-12"),
        ("Aug. 12, 1998", "1998-08-12"),
        ("AUG 12 1998", "1998-08-12"),
        ("August 12, 1998", "1998-08-12"),
        ("Aug., 1998", "1998-08"),
        ("August 1998", "1998-08"),
        ("12 August 1998", "1998-08-12"),
        ("12th of August, 1998", "1998-08-12"),
        ("12-AUG-1998", "1998-08-12"),
        ("12. März 1998", "1998-03-12"),
        ("1. Dezember 1998", "1998-12-01"),
        ("12 août 1998", "1998-08-12"),
        ("1er juillet 1998", "1998-07-01"),
        ("juin 1998", "1998-06"),
        ("12.08.1998", "1998-08-12"),
        ("12. 8. 1998", "1998-08-12"),
        ("8/1998", "1998-08"),
        ("8/12/1998", "1998"),  # the twelfth of August or the eighth of December
        ("8/8/1998", "1998-08-08"),
        ("8/22/1998", "1998-08-22"),
        ("22/8/1998", "1998-08-22"),
        ("19991301", "1999"),
        ("20230230", "2023-02"),
        ("2023-02-30", "2023-02"),
        ("30.02.2023", "2023-02"),
        ("19990229", "1999-02"),
        ("20000229", "2000-02-29"),
        ("00000000", ""),
        ("", ""),
        ("12.08.98", ""),
        ("Aug 98", ""),
        ("980812", ""),
        ("undated", ""),
        ("Room 1998", ""),
        ("١٩٩٨", ""),
        ("123456789", ""),
    ],
)
def test_dates(text: str, wanted: str) -> None:
    assert iso(text) == wanted
    assert iso(wanted) == wanted


@given(st.dates(datetime.date(1000, 1, 1), datetime.date(2199, 12, 31)))
def test_every_way_to_print_a_day(day: datetime.date) -> None:
    for form in ("%Y%m%d", "%Y-%m-%d", "%d.%m.%Y", "%B %d, %Y", "%d %b %Y", "%b. %d, %Y", "%d-%b-%Y", "%Y/%m/%d"):
        assert iso(day.strftime(form)) == day.isoformat()


@given(st.text() | st.text("0123456789-/. ,AugMarDez"))
def test_any_text_gives_a_date_or_nothing(text: str) -> None:
    found = iso(text)
    assert FORM.fullmatch(found)
    assert iso(found) == found
    if len(found) == 10:
        datetime.date.fromisoformat(found)
