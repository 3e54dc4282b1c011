"""Where inventions are filed and published: families, their dates and numbers; and articles about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.inventions import (
    Integers,
    Inventions,
    first_day,
    generator,
    offsets,
    places_within,
    years_of,
)
from leadline.collections.simulate.settings import AUTHORITIES, DE, EP, JP, US, WO, Settings

Mask = NDArray[np.bool_]

_ABROAD = 0.5  # share of the inventions that are also filed abroad
_FOREIGN = np.array([0.65, 0.70, 0.0, 0.40, 0.12])  # share of those filed at US, EP, WO, JP, DE
_WEEKDAY = np.array([1, 2, 3, 2, 3])  # offices publish once a week: US on Tuesdays, EP on Wednesdays, WO on Thursdays
_US_PUBLISHES_APPLICATIONS = first_day(2001) + 73  # 15 March 2001
_YEAR = 365.25
NEVER = 1 << 40  # a day beyond all others


class TooFewDocumentsError(Exception):
    """The inventions have fewer documents than the settings require."""


@dataclass(frozen=True)
class Publications:
    """All documents, family by family in the order of their inventions, and within a family by date."""

    invention: Integers
    office: Integers  # an index into AUTHORITIES
    granted: Mask  # a patent; else an application
    application: Integers  # the application it belongs to; a family has one for each office
    filed: Integers  # days from 1970
    published: Integers
    starts: Integers  # where the documents of each invention begin
    corrects: Integers  # the earlier publication of the same application that a document corrects; -1 for most

    def __len__(self) -> int:
        return len(self.invention)

    @property
    def first_published(self) -> Integers:
        """The day of the first publication of each invention; NEVER for one without documents."""
        found = self.starts[:-1] < self.starts[1:]
        return np.where(found, np.append(self.published, 0)[self.starts[:-1]], NEVER)


def make_publications(settings: Settings, inventions: Inventions, corrections: float) -> Publications:
    """The documents of the inventions that are published before the last year ends, as many as the settings require.

    `corrections` is the share of them that correct an earlier one.

    Families are left out at random until the count is right, so there must be a few more inventions than needed. An
    invention that is left out counts as never filed.
    """
    rng = generator(settings.seed, "families")
    filed_at = _offices(rng, inventions)
    invention, office = np.nonzero(filed_at)
    application = np.arange(len(invention))
    priority = inventions.priority[invention]
    at_home = office == inventions.home[invention]
    filed = priority + np.where(at_home, 0, rng.integers(330, 366, len(priority)))
    early = _on_weekday(priority + rng.integers(545, 575, len(priority)), office)
    early = np.maximum(early, _on_weekday(filed + 150, office))
    appears = (office != US) | (early >= _US_PUBLISHES_APPLICATIONS)
    years = np.array([authority.grant_years for authority in AUTHORITIES])[office]
    late = _on_weekday(early + (years * _YEAR * rng.lognormal(0, 0.4, len(office))).astype(np.int64), office)
    share = np.array([authority.grant_share for authority in AUTHORITIES])[office]
    succeeds = rng.random(len(office)) < np.where(share > 0, np.where(appears, share, 0.9), 0)
    columns = [
        np.concatenate([column[appears], column[succeeds]]) for column in (invention, office, application, filed)
    ]
    published = np.concatenate([early[appears], late[succeeds]])
    granted = np.repeat([False, True], [appears.sum(), succeeds.sum()])
    order = np.lexsort((columns[1], published, columns[0]))
    order = order[published[order] < first_day(settings.last_year + 1)]
    corrected = round(corrections * settings.patents)
    order = order[_sampled(rng, columns[0][order], settings.patents - corrected)]
    again, later = _corrected(settings, columns[1][order], granted[order], published[order], corrected)
    both = np.concatenate([order, order[again]])
    published = np.concatenate([published[order], later])
    invention, office, application, filed = (column[both] for column in columns)
    sorting = np.lexsort((np.arange(len(both)), published, invention))
    place = np.argsort(sorting)
    corrects = np.full(len(both), -1)
    corrects[place[len(order) :]] = place[again]
    invention, office, application, filed = (column[sorting] for column in (invention, office, application, filed))
    starts = offsets(np.bincount(invention, minlength=len(inventions)))
    return Publications(
        invention, office, granted[both[sorting]], application, filed, published[sorting], starts, corrects
    )


def _corrected(
    settings: Settings, office: Integers, granted: Mask, published: Integers, count: int
) -> tuple[Integers, Integers]:
    """Which documents are published again, corrected, and when. Japan and the USA correct patents in other ways."""
    if not count:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rng, end = generator(settings.seed, "corrections"), first_day(settings.last_year + 1)
    wait = rng.integers(60, 400, len(office))
    able = np.flatnonzero((office != JP) & ~((office == US) & granted) & (published + wait + 7 < end))
    if len(able) < count:
        raise TooFewDocumentsError
    chosen = np.sort(rng.permutation(able)[:count])
    return chosen, _on_weekday(published[chosen] + wait[chosen], office[chosen])


def _offices(rng: np.random.Generator, inventions: Inventions) -> Mask:
    """Where each invention is filed: at home, and half of them abroad too, later ones more often through WO."""
    count = len(inventions)
    filed = np.zeros((count, len(AUTHORITIES)), bool)
    abroad = rng.random(count) < _ABROAD
    wide = rng.beta(3, 2, count)[:, None] * 5 / 3  # some applicants file everywhere, some in one country
    filed |= abroad[:, None] & (rng.random(filed.shape) < _FOREIGN * wide)
    international = np.clip((inventions.years - 1978) / 40, 0.02, 0.6)
    filed[:, WO] = abroad & (rng.random(count) < international)
    filed[:, DE] &= ~filed[:, EP]  # applicants at the European office do not file in Germany as well
    filed[np.arange(count), inventions.home] = True
    return filed


def _sampled(rng: np.random.Generator, invention: Integers, wanted: int) -> Mask:
    """Which documents to keep: those of families in random order; the last family may lose its latest ones."""
    if len(invention) < wanted:
        raise TooFewDocumentsError
    lot = rng.random(int(invention[-1]) + 1)
    order = np.lexsort((np.arange(len(invention)), lot[invention]))
    kept = np.zeros(len(invention), bool)
    kept[order[:wanted]] = True
    return kept


def _on_weekday(days: Integers, office: Integers) -> Integers:
    """The office's next day of publication, from these days on. 1 January 1970 was a Thursday."""
    return days + (_WEEKDAY[office] - days - 3) % 7


# First number of a year, about as in reality; between these years it is interpolated.
_FIRST_NUMBERS = {
    (US, True): ([1976, 1985, 1995, 2005, 2020], [3_930_271, 4_490_855, 5_377_381, 6_836_899, 10_524_402]),
    (EP, False): ([1978, 1985, 1990, 2000, 2010, 2020], [1, 128_000, 348_000, 965_000, 2_145_000, 3_590_000]),
    (JP, True): ([1976, 1996, 2010, 2020], [1_000_001, 2_500_001, 4_400_001, 6_630_001]),
}


def document_numbers(publications: Publications) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """The serial number and the kind of each document, as its office writes them."""
    kinds = _kinds(publications)
    serials = np.empty(len(publications), object)
    for office in range(len(AUTHORITIES)):
        for granted in (False, True):
            own = (publications.office == office) & (publications.granted == granted) & (publications.corrects < 0)
            chosen = np.flatnonzero(own)
            if office in (EP, DE) and granted:  # a patent keeps the number of its application
                serials[chosen] = _of_application(publications, serials, chosen)
            else:
                serials[chosen] = _running(office, granted, publications, chosen)
    again = np.flatnonzero(publications.corrects >= 0)
    serials[again] = serials[publications.corrects[again]]
    return serials, kinds


def _running(office: int, granted: bool, publications: Publications, chosen: Integers) -> list[str]:
    """Numbers in the order of publication (of filing in Germany), which restart each year."""
    days = publications.filed[chosen] if office == DE else publications.published[chosen]
    order = np.lexsort((chosen, days))
    years = years_of(days[order])
    place = places_within(np.unique(years, return_counts=True)[1]) + 1
    serials = np.empty(len(chosen), object)
    if (office, granted) in _FIRST_NUMBERS:
        known, first = _FIRST_NUMBERS[office, granted]
        values = np.interp(years, known, first).astype(np.int64) + place
        serials[order] = [f"{value:07d}" for value in values.tolist()]
    else:
        write = _WRITERS[office]
        serials[order] = [write(year, number) for year, number in zip(years.tolist(), place.tolist(), strict=True)]
    return list(serials)


def _german(year: int, number: int) -> str:
    """
    >>> _german(1981, 7), _german(1997, 7), _german(2001, 7), _german(2005, 7)
    ('3100007', '19700007', '10100007', '102005000007')
    """
    if year >= 2004:
        return f"10{year}{number:06d}"
    return f"{year - 1950 if year < 1995 else f'1{year % 100:02d}'}{number:05d}"


_WRITERS = {
    US: lambda year, number: f"{year}{number:07d}",
    WO: lambda year, number: f"{year}{number:06d}",
    JP: lambda year, number: f"{year}{number:06d}",
    DE: _german,
}


def _of_application(publications: Publications, serials: NDArray[np.object_], chosen: Integers) -> NDArray[np.object_]:
    """The numbers of the applications of these patents."""
    by_application = np.empty(int(publications.application.max()) + 1, object)
    first = np.flatnonzero(~publications.granted & (publications.corrects < 0))
    by_application[publications.application[first]] = serials[first]
    return by_application[publications.application[chosen]]


def _kinds(publications: Publications) -> NDArray[np.object_]:
    """The kind codes that the offices print. US grants had A until 2001, DE grants C2 until 2004."""
    written = np.array([[a.application_kind, a.grant_kind] for a in AUTHORITIES], object)
    kinds = written[publications.office, publications.granted.astype(int)]
    year = years_of(publications.published)
    american = (publications.office == US) & publications.granted
    kinds[american & ~np.isin(publications.application, publications.application[~publications.granted])] = "B1"
    kinds[american & (year < 2001)] = "A"
    kinds[(publications.office == DE) & publications.granted & (year < 2004)] = "C2"
    again = np.flatnonzero(publications.corrects >= 0)  # 8: the first page is corrected, 9: all of it
    whole = (publications.office[again] == US) | (publications.application[again] % 2 == 1)
    kinds[again] = [
        kind[0] + ("9" if one else "8") for kind, one in zip(kinds[publications.corrects[again]], whole, strict=True)
    ]
    return kinds


# Articles in journals about inventions of the office, so that patents and articles are in one collection.


_WAIT, _MORE = 30, 500  # days from the first publication of the patent: the shortest, and the mean of what is added


@dataclass(frozen=True)
class Articles:
    """All articles in the order of the inventions they describe. An article discloses what its invention does."""

    invention: Integers
    author: Integers  # a number; the author's names for concepts depend on it
    published: Integers  # days from 1970
    starts: Integers  # where the articles of each invention begin

    def __len__(self) -> int:
        return len(self.invention)

    @property
    def ids(self) -> NDArray[np.object_]:
        return np.array([f"article-{number:06d}" for number in range(1, len(self) + 1)], object)


def make_articles(settings: Settings, inventions: Inventions, publications: Publications) -> Articles:
    """Articles about random inventions, published after the first publication of the patent, as lawyers advise.

    So an article is prior art to a later invention only where its patent is, too.
    """
    rng = generator(settings.seed, "articles")
    end = first_day(settings.last_year + 1)
    known = np.flatnonzero(publications.first_published < end - _WAIT - 1)
    chosen = np.sort(rng.choice(known, settings.articles)) if len(known) else np.zeros(0, np.int64)
    wait = _WAIT + rng.exponential(_MORE, len(chosen)).astype(np.int64)
    published = np.minimum(publications.first_published[chosen] + wait, end - 1)
    author = int(inventions.applicant.max()) + 1 + rng.integers(0, max(1, len(inventions) // 10), len(chosen))
    starts = offsets(np.bincount(chosen, minlength=len(inventions)))
    return Articles(chosen, author, published, starts)
