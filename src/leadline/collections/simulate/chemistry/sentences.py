"""The sentences of chemical patents as patterns: those of each part of a text, by the role of what they are about.

A line is a sentence. `<X>`, `<Y>`, `<Z>` are the concepts it is about, `<AX>` with an article. A role in brackets,
`<solvent>`, is a concept of the invention in that role, or a plain word where it has none; `<component>` is any
component; `<subject>` is what the invention is, `<bare>` without an article, `<Subject>` as a title begins. `<range>`
and `<value>` are of the property it is about, `<like>` is the kind of thing it is. Numbers: `<pct>`, `<pcts>` and
`<yield>` per cent, `<g>`, `<ml>`, `<C>` degrees, `<min>`, `<h>`, `<rpm>`, `<bar>`, `<um>`, `<n>`, and `<k>` of an
example. `<noun>`, `<adj>` and `<verb>` are words of the field, `<firm>` is a supplier, `<grade>` what it sells,
`<name>` a scientist; the other words in brackets are those of CHOICES.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.chemistry.tables import ROLES, rows

(
    IN_TITLE,
    IN_ABSTRACT,
    IN_FIELD,
    IN_BACKGROUND,
    IN_SUMMARY,
    IN_EMBODIMENT,
    IN_EXAMPLE,
    IN_RESULT,
    IN_CLOSING,
    IN_FILLING,
) = range(10)
HEADINGS = (
    "", "", "TECHNICAL FIELD", "BACKGROUND OF THE INVENTION", "SUMMARY OF THE INVENTION",
    "DETAILED DESCRIPTION OF THE INVENTION", "EXAMPLES", "EXAMPLES", "", "",
)  # fmt: skip
NUMBERS = ("yield", "pct", "pcts", "g", "ml", "C", "min", "h", "rpm", "bar", "um", "n", "k")
WORDS = ("noun", "adj", "verb")
OTHER = ("subject", "Subject", "bare", "range", "value", "like", "component", "X", "AX", "Y", "Z")
MAX_SLOTS = 9

# Words that sentences choose from, the common ones first.
CHOICES = {
    "quality": """stability|colour|mechanical strength|purity|processability|surface quality|odour|hardness
        |dispersibility|flow behaviour|shelf life|ageing behaviour|transparency|heat resistance
        |uniformity|durability|chemical resistance|reproducibility|appearance|water resistance|activity
        |consistency|homogeneity|solubility|flexibility|gloss|dimensional stability|elasticity|fineness
        |compatibility|wettability|cleanability|brittleness|crystallinity|selectivity|brightness|texture
        |abrasion resistance|light resistance|storage behaviour|reactivity|permeability|tackiness
        |tear strength|smoothness|conductivity|bioavailability|taste|hygroscopicity|pourability
        |conversion""",
    "adv": """preferably|advantageously|suitably|generally|usually|particularly|normally|expediently|typically
        |conveniently|favourably|customarily|frequently|ordinarily|desirably|mostly|optionally|commonly""",
    "good": """good|excellent|satisfactory|outstanding|very good|surprisingly good|adequate|remarkable
        |acceptable|superior|exceptional|consistent|noteworthy|favourable|markedly improved
        |hitherto unattained""",
    "vessel": """a flask|a glass reactor|a beaker|a stirred vessel|a round-bottomed flask|an autoclave
        |a steel container|a three-necked flask|a jacketed vessel|an Erlenmeyer flask|a kettle
        |a glass bottle|a pressure tube|a laboratory reactor|a crucible|a Schlenk flask""",
    "stirrer": """a magnetic stirrer|a propeller stirrer|a dissolver disc|an anchor stirrer|a paddle stirrer
        |a turbine stirrer|a glass rod|a rotor-stator device|a vibrating mixer|a laboratory shaker
        |a toothed disc""",
    "look": """a white|a colourless|a pale yellow|a yellowish|a greyish|an off-white|a brown|a light brown
        |a clear|a slightly turbid|an opaque|a beige|an amber|a bluish|a reddish|a dark|a milky
        |a translucent|a finely crystalline|a viscous|a free-flowing|a glassy""",
    "solidform": """powder|solid|mass|residue|paste|product|material|liquid|precipitate|oil|syrup|cake|gel
        |granular material|crystalline mass|resinous mass|suspension""",
    "afterwards": """Afterwards|Subsequently|Thereafter|Then|In a further step|Finally|Next|After this
        |Upon completion|Following this|At the end of this period|Shortly afterwards""",
    "because": """because of|owing to|on account of|as a result of|in view of|due to|by virtue of|thanks to""",
    "market": """construction industry|automotive industry|packaging industry|electrical industry
        |textile industry|laboratory|household|aerospace industry|shipbuilding|printing industry
        |furniture industry|health care|water supply|agriculture|paper industry|leather industry|mining
        |horticulture|toy industry|footwear industry|cosmetics industry|foundries|dentistry
        |telecommunications|railways|power stations|bakeries|dairies|breweries|fisheries|forestry
        |refineries""",
}
KINDS = (*ROLES, *OTHER, *NUMBERS, *WORDS, *CHOICES, "grade", "name", "firm")

# What is said where a part has nothing of a role.
PLAIN = {
    "solvent": "a suitable solvent", "polymer": "the binder", "solid": "the solid", "active": "the active ingredient",
    "catalyst": "a catalyst", "reagent": "the starting material", "additive": "customary additives",
    "gas": "an inert gas", "material": "the substrate", "product": "the end product", "process": "conventional mixing",
    "apparatus": "a stirred vessel", "use": "industrial products", "property": "viscosity",
    "effect": "good long-term stability", "component": "the remaining components",
}  # fmt: skip

# A part, then the roles that its sentences may be about; "any" is for every role.
TEXT = """
# title solvent polymer solid active catalyst reagent additive gas material
<Subject> comprising <X> and <Y>
<Subject> containing <X>
Process for producing <subject> using <X>
Process for the preparation of <subject> comprising <X>
<Subject> based on <X> and method for its production
Use of <X> in <subject>
<Subject> with <X> and <Y> and use thereof
# title product process apparatus use property effect
<Subject> and process for its production by <process>
<Subject> comprising <component> and <Y>
Process for producing <subject> with <component>
<Subject> for <use> containing <component>
Method and apparatus for producing <subject>
# abstract solvent polymer solid active catalyst reagent additive gas material
The invention relates to <subject> comprising <X>, <Y> and <Z>.
<Subject> contains from <pcts> % by weight of <X> together with <Y>, and optionally <Z>.
Disclosed is <subject> which comprises <X> and <Y>, the amount of <X> being from <pcts> % by weight.
A process for producing <subject> is provided in which <X> is brought into contact with <Y>.
# abstract product
The composition is used in the form of <X>.
<X> obtained from the composition is also claimed.
# abstract process
The components are combined by <X>, preferably at <C> °C.
The process includes <X> as well as a subsequent heat treatment at <C> °C.
# abstract apparatus
It is produced with the aid of <X>.
Production is carried out continuously with the aid of <X>, with a residence time of <min> minutes.
# abstract use
It is suitable for <X>.
The invention further concerns its use in <X>.
# abstract property
The product has <AX> of <range>.
<AX> of <range> is achieved.
# abstract effect
The composition is distinguished by <X> at low cost.
In this way <X> is obtained without <additive>.
# field any
The present invention relates to <subject>, in particular to <subject> comprising <X>.
The invention concerns the field of <subject> and its production from <X>.
The invention relates to <subject>, to a process for its production by <process>, and to its use in <use>.
# background solvent
<X> is widely used as a solvent in this field, but its removal from the product requires much energy.
The use of <X> as a medium is described in the literature; the <quality> of the solution is then often too high.
# background polymer
<X> has been used for many years as a base material for <use>.
It is known to process <X> with <additive>, although the <quality> of such products leaves much to be desired.
Products based on <X> tend to lose their <quality> when they are exposed to heat and light for long periods.
# background solid
<X> is a known constituent of such products, where it is difficult to disperse without agglomerates.
Conventional products such as <grade> contain more than <pct> % by weight of <X>, which impairs the <quality>.
# background active
<X> and its preparation have long been known, as has its limited solubility in water.
Formulations of <X> are commercially available, but their <quality> decreases during storage.
# background catalyst
The use of <X> as a catalyst or initiator is known; its activity falls after a few hours of operation.
Processes that need <X> suffer from residues which must be removed from the product.
# background reagent
Processes starting from <X> are known, but yields rarely exceed <yield> %.
<X> is available in large quantities, and attempts have been made to use it in <subject>.
# background additive
It has been proposed by <name> to add <X> in order to improve the <quality> of the product.
<X> is known as an additive, but it migrates to the surface in the course of time.
# background gas
The treatment with <X> is known, but demands elaborate safety measures.
# background material
<X> is used to an increasing extent in place of heavier materials.
# background product
<X> of this type is described in the prior art, where the <quality> is unsatisfactory.
The demand for <X> with improved <quality> has grown in recent years.
# background process
<X>, as described by <name> et al., is a common method, but is time-consuming and gives a product of varying <quality>.
In the known method, <X> is carried out at temperatures above <C> °C, at which <polymer> begins to decompose.
# background apparatus
<X> is usually employed for this purpose, but requires frequent maintenance.
# background use
In <X>, requirements on <quality> and <quality> have become more demanding.
For <X>, products are needed which are free from harmful substances.
# background property
A high value of the <X> has so far been obtained only at the expense of other properties.
The <X> of known products lies outside the range that processors require.
# background effect
Many attempts have been made to achieve <X>, without lasting success.
There is still a need for products with <X>.
# summary solvent polymer solid active catalyst reagent additive gas material
It has now surprisingly been found that this object is achieved by <subject> which comprises <X> and <component>.
The object is achieved according to the invention by <subject> containing from <pcts> % by weight of <X>.
According to the invention, <X> is combined with <component>, whereby <effect> is obtained.
The invention therefore provides <subject> comprising <X>, and a process for its production.
# summary product process
It has been found that these disadvantages are avoided if <subject> is produced using <X>.
The invention also provides a method in which <X> plays a decisive part.
# summary apparatus
The object is further achieved by carrying out the production with the aid of <X>.
# summary use
A further aspect of the invention is the use of the <bare> in <X>.
# summary property
It is an object of the invention to provide <subject> with <AX> of <range>.
# summary effect
The object of the invention is to provide <subject> with <X>.
# filling any
Measures relating to <noun> and <noun> are known to those skilled in the art and need not be described here.
With regard to <noun>, <noun> and <noun>, reference is made to the relevant literature.
No special requirements apply as far as <noun> or <noun> is concerned.
The invention is also applicable to <adj> and <adj> products, including those in which <noun> is of importance.
If desired, it is possible to <verb> or to <verb> the <bare> in a further operation.
The terms <noun> and <noun> are used here in their usual sense.
It is an advantage that <adj> products can be obtained without the need to <verb> them afterwards.
Details of <noun> and of the influence of <noun> are found in the handbooks of this field.
Suitable commercial products are <grade>, <grade> and <grade>, supplied by <firm>.
The products are <adv> employed in the <market> and the <market>, where <noun> and <quality> count.
<name> and <name> have described the relationship between <noun> and <noun>; their results apply here as well.
Methods for determining <noun> are known, for example that of <name>, or the standard methods of the <market>.
<good> <quality> is obtained <because> the <quality> of the components, without additional <noun>.
Commercial grades such as <grade> (<firm>) and <grade> give <good> results.
The <bare> is <adv> supplied to the <market> as <look> <solidform>, and may be combined with <grade>.
<name> et al. attribute the <quality> of such products to <noun>, to <noun> and to the influence of <noun>.
It is <adv> ensured that <noun>, <noun> and <noun> are matched to one another, <adv> with <grade> as a reference.
The <noun>, the <noun> and, where present, the <noun> are <adv> <adj> or <adj>, which improves the <quality>.
Examples of <noun> in the <market> are found in the work of <name>, <name> and <name>.
The <market> demands <adj> products of <good> <quality>, <quality> and <quality>, which <grade> cannot offer.
Where <noun> and <noun> are to be avoided, one may <verb> the <bare> before use, or replace <grade> by <grade>.
# embodiment solvent
Suitable solvents are those with a boiling point below <C> °C; <X> is particularly preferred.
<X> is <adv> used as the solvent, in an amount of from <pcts> % by weight, based on the total solution.
The reaction may be carried out without a diluent or, more advantageously, in <X>.
After the reaction, <X> is distilled off under reduced pressure and may be used again.
# embodiment polymer
The <like> is preferably <X>, in an amount of from <pcts> % by weight, based on the whole composition.
<X> having a melt flow index of <n> g/10 min is especially suitable.
It is advantageous to dry <X> at <C> °C for <h> hours before it is mixed with <additive>.
Instead of a single polymer, mixtures of <X> with up to <pct> % by weight of other polymers may be used.
<X> is commercially available, for example as <grade> from <firm>, or may be prepared as described by <name> and <name>.
# embodiment solid
<X> is <adv> used in finely divided form, with a mean particle diameter of <um> µm.
The proportion of <X> is generally from <pcts> % by weight.
The surface of <X> may be treated with <additive> so that it is wetted better by <polymer>.
Before use, <X> is ground to below <um> µm and freed from moisture.
# embodiment active
<X> may be used as such or in the form of its salts and hydrates.
The <like> is preferably <X>, in an amount of from <pcts> % by weight.
A single dose or portion contains about <n> mg of <X>.
<X> is preferably dissolved in <solvent> before it is mixed with <additive>.
# embodiment catalyst
<X> is used in catalytic amounts, usually <pct> mol %, based on <reagent>.
The reaction is accelerated by <X>; <min> minutes are then sufficient.
<X> (<grade>) may be recovered by filtration and used again at least <n> times without loss of activity.
# embodiment reagent
<X> is employed in an excess of from <pcts> mol %, based on <component>.
Preference is given to using <X> together with <component> at a temperature of <C> °C.
<X> is added dropwise in the course of <min> minutes, the temperature being kept below <C> °C.
# embodiment additive
The composition may contain up to <pct> % by weight of <X>.
<X> serves here as <like> and is preferably present in an amount of <pct> % by weight; <grade> has proved <good>.
<X> is <adv> added before <process>.
# embodiment gas
All operations are preferably carried out under <X> at a pressure of <bar> bar.
<X> is passed through the mixture for <min> minutes at <C> °C.
# embodiment material
The use of <X> is preferred for reasons of weight and cost.
In one embodiment, <X> is pretreated with <component> and then dried at <C> °C.
# embodiment product
The composition can be processed into <X> by methods known per se.
In a preferred embodiment, the product is <X>, which may be further processed.
# embodiment process
The mixture is <adv> subjected to <X> at <C> °C for <min> minutes.
<X> may be carried out batchwise or continuously, the latter being preferred on an industrial scale.
In the next step, <X> takes place at a pressure of <bar> bar in the presence of <component>.
# embodiment apparatus
The process is <adv> carried out with the aid of <X>, preferably at <C> °C.
<X> of conventional design may be used for this purpose.
A treatment time of <min> minutes with <X> (<grade>, <firm>) has proved advantageous.
# embodiment use
The product according to the invention is particularly suitable for <X>.
One preferred field of application is <X>, where <effect> is important.
# embodiment property
The <X> is preferably <range>, measured at 23 °C.
If the <X> is outside the range <range>, the <quality> of the product is no longer sufficient.
Particularly preferred products have <AX> of <value>.
# embodiment effect
A particular advantage is <X>, which is maintained for at least <n> months <because> the <quality> of the product.
Surprisingly, <X> is obtained even with small amounts of <component>.
# list solvent
<X> may also be used as solvent.
Other solvents are <X> and <Y>.
Other suitable solvents are <X>, <Y> and <Z>, alone or in admixture.
# list polymer
The composition may also comprise <X>.
Other polymers and binders are <X> and <Y>.
Other polymers and binders that may be present are <X>, <Y> and <Z>.
# list solid
<X> may also be present in dispersed form.
Further solids that may be present are <X> and <Y>.
Further solids, for example <X>, <Y> and <Z>, may be dispersed in the composition.
# list active
A further active ingredient is <X>.
Combinations with <X> or <Y> are also possible.
Combinations with further active ingredients, such as <X>, <Y> and <Z>, are also possible.
# list catalyst
<X> may also serve as catalyst.
Other catalysts are <X> and <Y>.
Catalysts known for such reactions include <X>, <Y> and <Z>.
# list reagent
<X> may be used as a further reactant.
Further reactants are <X> and <Y>.
Further reactants, namely <X>, <Y> and <Z>, may be added at any stage.
# list additive
The composition may also comprise <X>.
Further additives are <X> and <Y>, as well as <grade>.
Customary additives, for example <X>, <Y> and <Z>, may be added in the usual amounts, as may <grade>.
# list gas
The apparatus may be purged with <X>.
Suitable gases are <X> and <Y>.
Suitable gases are <X>, <Y> and <Z>.
# list material
Another material that may be used is <X>.
Other materials that may be used are <X> and <Y>.
Other materials that may be used are <X>, <Y> and <Z>.
# list product
The product may also take the form of <X>.
The product may also take the form of <X> or <Y>.
The product may also take the form of <X>, <Y> or <Z>.
# list process
The invention may also include <X> as a further step.
Further steps that may be included are <X> and <Y>.
Other methods known to those skilled in the art, such as <X>, <Y> and <Z>, may follow.
# list apparatus
In another variant, <X> is used.
In other variants, the equipment is <X> or <Y>.
The equipment may be selected from <X>, <Y> and <Z>.
# list use
Another field of application is <X>.
Other fields of application are <X> and <Y>.
Other fields of application are <X>, <Y> and <Z>.
# list property
The <X> can be adjusted within wide limits.
The <X> and the <Y> can be adjusted within wide limits.
The <X>, the <Y> and the <Z> can be adjusted within wide limits.
# list effect
A further benefit is <X>.
Further benefits are <X> and <Y>.
Further benefits are <X>, <Y> and <Z>.
# example solvent
<g> g of <solid> were added to <ml> ml of <X> in <vessel> with stirring, and the mixture was heated to <C> °C for <h> h.
In <vessel>, <g> g of <component> were dissolved in <X> and stirred for <min> min at <C> °C.
# example polymer
<g> g of <X> were mixed with <g> g of <additive> and homogenised at <C> °C for <min> min.
<g> g of <X> (<grade>, from <firm>) were dissolved in <ml> ml of <solvent> with stirring at <rpm> rpm.
# example solid
<g> g of <X> were dispersed in <ml> ml of <solvent> by means of <stirrer> and stirred for <h> h at <C> °C.
<g> g of <X> (<grade>, from <firm>) and <g> g of <polymer> were mixed at <rpm> rpm for <min> min.
# example active
<g> g of <X> were dissolved in <ml> ml of <solvent>, and <g> g of <additive> were added with stirring.
<X> (<g> g) and <additive> (<g> g) were blended for <min> min and passed through a sieve.
# example catalyst
To a solution of <g> g of <reagent> in <ml> ml of <solvent>, <n> mg of <X> were added at <C> °C.
<n> mg of <X> were added to <g> g of <reagent> under <gas>, and the mixture was stirred for <h> h.
# example reagent
<g> g of <X> were added dropwise to <ml> ml of <solvent>, the temperature being kept at <C> °C for <h> h.
A mixture of <g> g of <X>, <g> g of <component> and <ml> ml of <solvent> was stirred for <h> h at <C> °C.
# example additive
<g> g of <X> were stirred into <g> g of <polymer> at <C> °C, and the mixture was left to stand for <h> h.
<g> g of <component> and <n> g of <X> were mixed at <rpm> rpm for <min> min.
# example gas
The flask was purged with <X> for <min> min before <g> g of <component> were added.
# example material
A sample of <X> was treated with <component> for <min> min at <C> °C and dried.
# example product
The mixture obtained from <g> g of <component> was processed into <X> at <C> °C.
# example process
The mixture obtained from <g> g of <component> was subjected to <X> for <min> min at <C> °C.
# example apparatus
<g> g of <component> were processed with the aid of <X> at <C> °C for <min> min.
# example use
A sample made from <g> g of <component> was tested for <X>.
# example property
From <g> g of <component> and <ml> ml of <solvent>, a product with <AX> of <value> was obtained after <h> h at <C> °C.
# example effect
<g> g of <component> were mixed for <min> min at <C> °C; the product showed <X>.
# result property
The <X> was found to be <value>, compared with <value> in Comparative Example <k> (<grade>).
Table <k>: <X>: Example <k>, <value>; Comparative Example <k>, <value>.
# result any
<afterwards>, the product was filtered off, washed with <solvent> and dried at <C> °C (yield: <yield> %).
After cooling, <g> g of <look> <solidform> were obtained (yield: <yield> %).
The sample was stored in <vessel> for <h> h at <C> °C, and no change in <quality> was observed.
Comparative Example <k>, without <component>, gave a product whose <quality> was <pct> % lower.
<look> <solidform> with <good> <quality> and <quality> was obtained.
# closing any
The invention is not limited to the examples, and changes, for example as regards <noun>, may be made.
Those skilled in the art will recognise that details such as <noun> and <noun> may be varied.
"""
_PARTS = (
    "title",
    "abstract",
    "field",
    "background",
    "summary",
    "embodiment",
    "example",
    "result",
    "closing",
    "filling",
    "list",
)
LIST = len(_PARTS) - 1


@dataclass(frozen=True)
class SentencePatterns:
    """All sentences as formats for `%`, and their slots as indices into KINDS."""

    formats: NDArray[np.object_]
    slots: NDArray[np.int8]  # sentence, place: -1 after the last
    counts: NDArray[np.int64]
    first: NDArray[np.int64]  # (part, role) -> the first sentence; consecutive ones follow
    size: NDArray[np.int64]  # (part, role) -> how many there are


@cache
def patterns() -> SentencePatterns:
    """The sentences, block after block; the roles of one block share its sentences."""
    sentences: list[str] = []
    first = np.zeros((len(_PARTS), len(ROLES)), np.int64)
    size = np.zeros_like(first)
    for block in TEXT.strip().removeprefix("# ").split("\n# "):
        head, *lines = block.splitlines()
        part, *roles = head.split()
        at = list(range(len(ROLES))) if roles == ["any"] else []
        if not at:
            at = [ROLES.index(role) for role in roles]
        free = [number for number in at if size[_PARTS.index(part), number] == 0]
        first[_PARTS.index(part), free], size[_PARTS.index(part), free] = len(sentences), len(lines)
        sentences += lines
    slots = np.full((len(sentences), MAX_SLOTS), -1, np.int8)
    for row, sentence in enumerate(sentences):
        found = re.findall(r"<(\w+)>", sentence)
        slots[row, : len(found)] = [KINDS.index(kind) for kind in found]
    formats = np.array([re.sub(r"<\w+>", "%s", sentence.replace("%", "%%")) for sentence in sentences], object)
    return SentencePatterns(formats, slots, (slots >= 0).sum(axis=1), first, size)


# Titles in German, French and Japanese: the same patterns, with the words of two small dictionaries.


GERMAN, FRENCH, JAPANESE = "german", "french", "japanese"
# For each pattern of a title in TEXT, in their order: {s} is what it is, {a} and {b} are its concepts.
_TITLES = {
    GERMAN: (
        "{S}, enthaltend {a} und {b}", "{S}, enthaltend {a}",
        "{S} unter Verwendung von {a} und Verfahren zur Herstellung", "{S}, umfassend {a}, und Herstellungsverfahren",
        "{S} auf Basis von {a} und Verfahren zur Herstellung", "{S} unter Verwendung von {a}",
        "{S} mit {a} und {b} sowie Verwendung", "{S} und Verfahren zur Herstellung durch {a}",
        "{S}, umfassend {a} und {b}", "{S} mit {a} und Verfahren zur Herstellung", "{S} für {a}, enthaltend {b}",
        "{S} sowie Verfahren und Vorrichtung zur Herstellung",
    ),
    FRENCH: (
        "{S} comprenant {a} et {b}", "{S} contenant {a}", "{S} utilisant {a} et procédé de production",
        "{S} comprenant {a} et procédé de préparation", "{S} à base de {a} et procédé de fabrication",
        "{S} utilisant {a}", "{S} avec {a} et {b} et utilisation", "{S} et procédé de production par {a}",
        "{S} comprenant {a} et {b}", "{S} avec {a} et procédé de production", "{S} pour {a} contenant {b}",
        "{S}, procédé et dispositif de production",
    ),
    JAPANESE: (
        "{a}及び{b}を含む{s}", "{a}を含有する{s}", "{a}を用いた{s}の製造方法", "{a}を含む{s}の製造方法",
        "{a}系{s}及びその製造方法", "{s}における{a}の使用", "{a}と{b}とを含む{s}及びその用途",
        "{s}及び{a}によるその製造方法", "{a}及び{b}を含む{s}", "{a}による{s}の製造方法", "{b}を含む{a}用{s}",
        "{s}の製造方法及び装置",
    ),
}  # fmt: skip
_GERMAN_PARTICLES = ("von", "und", "mit", "auf")
_OTHERS = {GERMAN: "Zusatzstoffe", FRENCH: "des additifs", JAPANESE: "添加剤"}


@dataclass(frozen=True)
class SubjectNames:
    """What an invention is, in the languages of the offices."""

    english: str
    german: str
    french: str
    japanese: str


@cache
def _all_subjects() -> dict[str, tuple[SubjectNames, ...]]:
    found: dict[str, list[SubjectNames]] = {}
    for row in rows("subjects.tsv"):
        names = SubjectNames(row["english"], row["german"], row["french"], row["japanese"])
        found.setdefault(row["field"], []).append(names)
    return {field: tuple(names) for field, names in found.items()}


def subjects_of(fields: Sequence[str]) -> list[tuple[SubjectNames, ...]]:
    """What inventions of each of these fields are; as many for every field."""
    return [_all_subjects()[field] for field in fields]


@cache
def _dictionary(language: str) -> dict[str, str]:
    return {row["english"]: row[language] for table in ("title_words", "name_words") for row in rows(f"{table}.tsv")}


def language_of_title(office: str, home: str, number: int) -> str:
    """The language of a document's title: the office's, and that of the applicant where the office takes several."""
    if office in ("DE", "JP"):
        return {"DE": GERMAN, "JP": JAPANESE}[office]
    if office == "US" or (office == "WO" and home == "US") or (office == "EP" and home in ("US", "JP")):
        return ""
    abroad = {"DE": GERMAN, "JP": JAPANESE, "EP": (FRENCH, "", FRENCH, GERMAN, "")[number % 5]}
    return abroad.get(home, "")


def translated_title(
    office: str, home: str, pattern: int, subject: SubjectNames, names: Sequence[str], number: int
) -> str:
    """The title in the language of its publication; "" where that is English."""
    language = language_of_title(office, home, number)
    if not language:
        return ""
    said = getattr(subject, language)
    a, b = [*(translated(name, language) for name in names), _OTHERS[language], _OTHERS[language]][:2]
    return _TITLES[language][pattern].format(S=said[0].upper() + said[1:], s=said, a=a, b=b)


def translated(name: str, language: str) -> str:
    """A name by the dictionary, word by word; one with a word that it lacks stays as it is.

    >>> translated("titanium dioxide", GERMAN), translated("sorbitan oleate", GERMAN), translated("zinc oxide", FRENCH)
    ('Titandioxid', 'sorbitan oleate', 'oxyde de zinc')
    """
    known = _dictionary(language)
    if name in known:
        return known[name]
    words = name.split(" ")
    if not all(word in known for word in words):
        return name
    said = [known[word] for word in words]
    if language == FRENCH and len(words) == 2:
        return f"{said[1]} de {said[0]}"
    if language == JAPANESE:
        return "".join(said)
    text = said[0]
    for own in said[1:]:  # the second part of a compound is written together with the first
        text += own if own[0].islower() and own not in _GERMAN_PARTICLES else f" {own}"
    return text
