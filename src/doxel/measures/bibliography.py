"""The papers and programs behind the measures, as one table, and their BibTeX.

A measure's declaration cites its sources in words, such as ``Kazai and Lalmas, TOIS 24(4), 2006``.  An entry
of this table lists the words by which it is cited, so that every reference leads to its entries.  Official
figures of a campaign are cited as ``campaign`` and its name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from doxel._version import __version__
from doxel.measures.declaration import Measure

__all__ = [
    "BIBLIOGRAPHY",
    "BibliographyEntry",
    "collect_sources",
    "describe_software",
    "find_sources",
    "format_bibtex",
    "list_sources",
]


@dataclass(frozen=True)
class BibliographyEntry:
    """A source: its key, its BibTeX type, the words that cite it, and its fields.

    Braces in a title protect capitals.  ``cited_as`` are phrases of the references of measures.
    """

    key: str
    kind: str
    cited_as: tuple[str, ...]
    fields: Mapping[str, str]

    @property
    def sentence(self) -> str:
        """The entry as a line of a list of references."""
        fields = {name: re.sub(r"[{}\\]", "", text).replace("--", "–") for name, text in self.fields.items()}
        issue = fields.get("volume", "") + (f"({fields['number']})" if "number" in fields else "")
        ends = [
            fields.get("booktitle", ""),
            *(f"{fields[name]} {issue}".strip() for name in ("journal", "series") if name in fields),
            f"pages {fields['pages']}" if "pages" in fields else "",
            *(fields.get(name, "") for name in ("institution", "howpublished", "note", "publisher", "year")),
        ]
        authors = fields["author"].replace(" and ", "; ")
        return f"{authors}: {fields['title']}. {', '.join(filter(None, ends))}."


def _entry(key: str, kind: str, *cited_as: str, **fields: str) -> BibliographyEntry:
    return BibliographyEntry(key, kind, cited_as, fields)


_INEX_2002 = (
    "Proceedings of the First Workshop of the {INitiative} for the Evaluation of {XML} Retrieval ({INEX})"
)
_TOIS = "ACM Transactions on Information Systems"


def _in_journal(journal: str, issue: str, pages: str, year: str) -> dict[str, str]:
    volume, _, number = issue.rstrip(")").partition("(")
    return {"journal": journal, "volume": volume, "number": number, "pages": pages, "year": year}


def _at_trec(ordinal: str, name: str, year: str) -> dict[str, str]:
    booktitle = f"Proceedings of the {ordinal} Text {{REtrieval}} Conference ({name})"
    return {
        "booktitle": booktitle,
        "publisher": "National Institute of Standards and Technology",
        "year": year,
    }


def _at_sigir(ordinal: str, pages: str, year: str) -> dict[str, str]:
    conference = (
        "Annual International {ACM} {SIGIR} Conference on Research and Development in Information Retrieval"
    )
    return {"booktitle": f"Proceedings of the {ordinal} {conference}", "pages": pages, "year": year}


BIBLIOGRAPHY = (
    _entry(
        "pehcevski2007",
        "incollection",
        "source 000",
        author="Pehcevski, Jovan and Piwowarski, Benjamin",
        title="Evaluation Metrics",
        booktitle="Encyclopedia of Database Systems",
        editor="Liu, Ling and Özsu, M. Tamer",
        publisher="Springer",
        year="2007",
        note="inria-00174152",
    ),
    _entry(
        "lalmas2007measures",
        "inproceedings",
        "source 001",
        "INEX 2006 Evaluation Measures",
        author="Lalmas, Mounia and Kazai, Gabriella and Kamps, Jaap and Pehcevski, Jovan and "
        "Piwowarski, Benjamin and Robertson, Stephen",
        title="{INEX} 2006 Evaluation Measures",
        booktitle="Comparative Evaluation of {XML} Information Retrieval Systems, {INEX} 2006",
        series="Lecture Notes in Computer Science",
        volume="4518",
        publisher="Springer",
        year="2007",
    ),
    _entry(
        "ali2007",
        "misc",
        "source 002",
        "Structural Relevance in XML Retrieval Evaluation",
        author="Ali, M. S. and Consens, Mariano P. and Lalmas, Mounia",
        title="Structural Relevance in {XML} Retrieval Evaluation",
        howpublished="3H Workshop on Focused Retrieval",
        year="2007",
    ),
    _entry(
        "piwowarski2003",
        "inproceedings",
        "source 003",
        "Expected Ratio of Relevan",
        author="Piwowarski, Benjamin and Gallinari, Patrick",
        title="Expected Ratio of Relevant Units: A Measure for Structured Information Retrieval",
        booktitle="{INEX} 2003 Workshop Proceedings",
        pages="158--166",
        year="2003",
    ),
    _entry(
        "lalmas2007",
        "article",
        "source 004",
        "Lalmas and Tombros",
        author="Lalmas, Mounia and Tombros, Anastasios",
        title="Evaluating {XML} Retrieval Effectiveness at {INEX}",
        journal="SIGIR Forum",
        year="2007",
    ),
    _entry(
        "govert2003",
        "inproceedings",
        "Gövert and Kazai, INEX 2002",
        author="Gövert, Norbert and Kazai, Gabriella",
        title="Overview of the {INitiative} for the Evaluation of {XML} Retrieval ({INEX}) 2002",
        booktitle=_INEX_2002,
        pages="1--17",
        publisher="ERCIM",
        year="2003",
    ),
    _entry(
        "raghavan1989",
        "article",
        "Raghavan, Bollmann and Jung",
        author="Raghavan, Vijay V. and Bollmann, Peter and Jung, Gwang S.",
        title="A Critical Investigation of Recall and Precision as Measures of Retrieval System Performance",
        **_in_journal(_TOIS, "7(3)", "205--229", "1989"),
    ),
    _entry(
        "govert2006",
        "article",
        "Gövert, Kazai, Fuhr and Lalmas",
        author="Gövert, Norbert and Fuhr, Norbert and Lalmas, Mounia and Kazai, Gabriella",
        title="Evaluating the Effectiveness of Content-oriented {XML} Retrieval Methods",
        **_in_journal("Information Retrieval", "9(6)", "699--722", "2006"),
    ),
    _entry(
        "kazai2006",
        "article",
        "Kazai and Lalmas, TOIS 24(4)",
        author="Kazai, Gabriella and Lalmas, Mounia",
        title="{eXtended} Cumulated Gain Measures for the Evaluation of Content-oriented {XML} Retrieval",
        **_in_journal(_TOIS, "24(4)", "503--542", "2006"),
    ),
    _entry(
        "kamps2008",
        "inproceedings",
        "INEX 2007 Evaluation Measures",
        "Kamps et al. 2008",
        author="Kamps, Jaap and Pehcevski, Jovan and Kazai, Gabriella and Lalmas, Mounia and "
        "Robertson, Stephen",
        title="{INEX} 2007 Evaluation Measures",
        booktitle="Focused Access to {XML} Documents, {INEX} 2007",
        publisher="Springer",
        year="2008",
    ),
    _entry(
        "pehcevski2006",
        "inproceedings",
        "Pehcevski and Thom: HiXEval",
        author="Pehcevski, Jovan and Thom, James A.",
        title="{HiXEval}: Highlighting {XML} Retrieval Evaluation",
        booktitle="Advances in {XML} Information Retrieval and Evaluation, {INEX} 2005",
        series="Lecture Notes in Computer Science",
        volume="3977",
        pages="43--57",
        publisher="Springer",
        year="2006",
    ),
    _entry(
        "piwowarski2006",
        "inproceedings",
        "Piwowarski and Dupret, SIGIR 2006",
        author="Piwowarski, Benjamin and Dupret, Georges",
        title="Evaluation in ({XML}) Information Retrieval: Expected Precision-recall with User Modelling "
        "({EPRUM})",
        **_at_sigir("29th", "260--267", "2006"),
    ),
    _entry(
        "piwowarski2007",
        "article",
        "Piwowarski et al., TOIS 25(1)",
        author="Piwowarski, Benjamin and Gallinari, Patrick and Dupret, Georges",
        title="Precision Recall with User Modelling ({PRUM}): Application to Structured Information "
        "Retrieval",
        **_in_journal(_TOIS, "25(1)", "1--37", "2007"),
    ),
    _entry(
        "devries2004",
        "inproceedings",
        "Tolerance to Irrelevance",
        author="de Vries, Arjen P. and Kazai, Gabriella and Lalmas, Mounia",
        title="Tolerance to Irrelevance: A User-effort Evaluation of Retrieval Systems without Predefined "
        "Retrieval Unit",
        booktitle="Proceedings of {RIAO} 2004",
        pages="463--473",
        year="2004",
    ),
    _entry(
        "allan2004",
        "inproceedings",
        "HARD track",
        "character recall",
        author="Allan, James",
        title="{HARD} Track Overview in {TREC} 2004: High Accuracy Retrieval from Documents",
        **_at_trec("Thirteenth", "{TREC} 2004", "2004"),
    ),
    _entry(
        "arvola2011",
        "inproceedings",
        "INEX 2010",
        author="Arvola, Paavo and Geva, Shlomo and Kamps, Jaap and Schenkel, Ralf and Trotman, Andrew and "
        "Vainio, Johanna",
        title="Overview of the {INEX} 2010 Ad Hoc Track",
        booktitle="Comparative Evaluation of Focused Retrieval",
        publisher="Springer",
        year="2011",
    ),
    _entry(
        "smith2024",
        "techreport",
        "Smith and Troynikov",
        "chunking_evaluation",
        author="Smith, Brandon and Troynikov, Anton",
        title="Evaluating Chunking Strategies for Retrieval",
        institution="Chroma",
        year="2024",
    ),
    _entry(
        "chunkingevaluation",
        "misc",
        "github.com/brandonstarxel/chunking_evaluation",
        author="Smith, Brandon and Troynikov, Anton",
        title="{chunking\\_evaluation}",
        howpublished="https://github.com/brandonstarxel/chunking\\_evaluation",
        year="2024",
    ),
    _entry(
        "cooper1968",
        "article",
        "Cooper's expected search length",
        author="Cooper, William S.",
        title="Expected Search Length: A Single Measure of Retrieval Effectiveness Based on the Weak "
        "Ordering Action of Retrieval Systems",
        **_in_journal("American Documentation", "19(1)", "30--41", "1968"),
    ),
    _entry(
        "treceval",
        "misc",
        "trec_eval",
        author="Buckley, Chris",
        title="{trec\\_eval}: the Evaluation Program of {TREC}",
        howpublished="National Institute of Standards and Technology, https://github.com/usnistgov/trec\\_eval",
    ),
    _entry(
        "jarvelin2002",
        "article",
        "Järvelin and Kekäläinen, TOIS 20(4)",
        author="Järvelin, Kalervo and Kekäläinen, Jaana",
        title="Cumulated Gain-based Evaluation of {IR} Techniques",
        **_in_journal(_TOIS, "20(4)", "422--446", "2002"),
    ),
    _entry(
        "moffat2008",
        "article",
        "Moffat and Zobel, TOIS 27(1)",
        author="Moffat, Alistair and Zobel, Justin",
        title="Rank-biased Precision for Measurement of Retrieval Effectiveness",
        **_in_journal(_TOIS, "27(1)", "2:1--2:27", "2008"),
    ),
    _entry(
        "voorhees1999",
        "inproceedings",
        "Voorhees, TREC-8",
        "reciprocal rank of classic retrieval",
        author="Voorhees, Ellen M.",
        title="The {TREC}-8 Question Answering Track Report",
        **_at_trec("Eighth", "{TREC}-8", "1999"),
    ),
    _entry(
        "over1998",
        "inproceedings",
        "TREC interactive track",
        author="Over, Paul",
        title="{TREC}-7 Interactive Track Report",
        **_at_trec("Seventh", "{TREC}-7", "1998"),
    ),
    _entry(
        "yang2018",
        "inproceedings",
        "HotpotQA",
        author="Yang, Zhilin and Qi, Peng and Zhang, Saizheng and Bengio, Yoshua and Cohen, William W. and "
        "Salakhutdinov, Ruslan and Manning, Christopher D.",
        title="{HotpotQA}: A Dataset for Diverse, Explainable Multi-hop Question Answering",
        booktitle="Proceedings of the 2018 Conference on Empirical Methods in Natural Language Processing",
        year="2018",
    ),
    _entry(
        "clarke2008",
        "inproceedings",
        "Novelty and diversity in information retrieval evaluation",
        author="Clarke, Charles L. A. and Kolla, Maheedhar and Cormack, Gordon V. and Vechtomova, Olga and "
        "Ashkan, Azin and Büttcher, Stefan and MacKinnon, Ian",
        title="Novelty and Diversity in Information Retrieval Evaluation",
        **_at_sigir("31st", "659--666", "2008"),
    ),
    _entry(
        "lin2006",
        "article",
        "Lin and Demner-Fushman",
        author="Lin, Jimmy and Demner-Fushman, Dina",
        title="Methods for Automatically Evaluating Answers to Complex Questions",
        **_in_journal("Information Retrieval", "9(5)", "565--587", "2006"),
    ),
    _entry(
        "buckley2004",
        "inproceedings",
        "Retrieval Evaluation with Incomplete Information",
        author="Buckley, Chris and Voorhees, Ellen M.",
        title="Retrieval Evaluation with Incomplete Information",
        **_at_sigir("27th", "25--32", "2004"),
    ),
    _entry(
        "macavaney2022",
        "inproceedings",
        "ir_measures",
        "judged@k of classic retrieval",
        author="MacAvaney, Sean and Macdonald, Craig and Ounis, Iadh",
        title="Streamlining Evaluation with ir-measures",
        booktitle="Advances in Information Retrieval, {ECIR} 2022",
        publisher="Springer",
        year="2022",
    ),
    _entry(
        "tsatsaronis2015",
        "article",
        "campaign bioasq",
        author="Tsatsaronis, George and others",
        title="An Overview of the {BIOASQ} Large-scale Biomedical Semantic Indexing and Question Answering "
        "Competition",
        journal="BMC Bioinformatics",
        volume="16",
        year="2015",
    ),
    _entry(
        "hersh2006",
        "inproceedings",
        "TREC 2006 Genomics Track Overview",
        author="Hersh, William R. and Cohen, Aaron M. and Roberts, Phoebe M. and Rekapalli, Hari Krishna",
        title="{TREC} 2006 Genomics Track Overview",
        **_at_trec("Fifteenth", "{TREC} 2006", "2006"),
    ),
    _entry(
        "hersh2007",
        "inproceedings",
        "campaign genomics",
        author="Hersh, William R. and Cohen, Aaron M. and Ruslen, Lynn and Roberts, Phoebe M.",
        title="{TREC} 2007 Genomics Track Overview",
        **_at_trec("Sixteenth", "{TREC} 2007", "2007"),
    ),
    _entry(
        "soni2025",
        "inproceedings",
        "campaign archehr",
        author="Soni, Sarvesh and Demner-Fushman, Dina",
        title="Overview of the {ArchEHR-QA} 2025 Shared Task on Grounded Question Answering from Electronic "
        "Health Records",
        booktitle="24th {BioNLP} Workshop at {ACL} 2025",
        year="2025",
    ),
    _entry(
        "maharana2024",
        "inproceedings",
        "campaign locomo",
        author="Maharana, Adyasha and Lee, Dong-Ho and Tulyakov, Sergey and Bansal, Mohit and "
        "Barbieri, Francesco and Fang, Yuwei",
        title="Evaluating Very Long-Term Conversational Memory of {LLM} Agents",
        booktitle="Proceedings of the 62nd Annual Meeting of the Association for Computational Linguistics",
        year="2024",
    ),
    _entry(
        "dasigi2021",
        "inproceedings",
        "campaign qasper",
        author="Dasigi, Pradeep and Lo, Kyle and Beltagy, Iz and Cohan, Arman and Smith, Noah A. and "
        "Gardner, Matt",
        title="A Dataset of Information-Seeking Questions and Answers Anchored in Research Papers",
        booktitle="Proceedings of the 2021 Conference of the North American Chapter of the Association for "
        "Computational Linguistics: Human Language Technologies",
        pages="4599--4610",
        year="2021",
    ),
    _entry(
        "bajaj2016",
        "misc",
        "campaign msmarco",
        author="Bajaj, Payal and Campos, Daniel and Craswell, Nick and Deng, Li and Gao, Jianfeng and "
        "Liu, Xiaodong and Majumder, Rangan and McNamara, Andrew and Mitra, Bhaskar and Nguyen, Tri and "
        "Rosenberg, Mir and Song, Xia and Stoica, Alina and Tiwary, Saurabh and Wang, Tong",
        title="{MS} {MARCO}: A Human Generated {MA}chine {R}eading {CO}mprehension Dataset",
        howpublished="arXiv:1611.09268",
        year="2016",
    ),
)


def find_sources(reference: str) -> list[BibliographyEntry]:
    """Return the entries that a reference in words cites, in the order in which it names them.

    >>> [entry.key for entry in find_sources("Kazai and Lalmas, TOIS 24(4), 2006; source 001, Eqs. 2-7")]
    ['kazai2006', 'lalmas2007measures']
    """
    places = {
        entry.key: min(reference.find(phrase) for phrase in entry.cited_as if phrase in reference)
        for entry in BIBLIOGRAPHY
        if any(phrase in reference for phrase in entry.cited_as)
    }
    return sorted(
        (entry for entry in BIBLIOGRAPHY if entry.key in places), key=lambda entry: places[entry.key]
    )


def list_sources(measures: Iterable[Measure]) -> list[BibliographyEntry]:
    """Return the entries of several measures, each once."""
    return collect_sources(measure.declaration.reference for measure in measures)


def collect_sources(references: Iterable[str]) -> list[BibliographyEntry]:
    """Return the entries that several references cite, each once."""
    entries = [entry for reference in references for entry in find_sources(reference)]
    return list({entry.key: entry for entry in entries}.values())


def describe_software(version: str = __version__, **fields: str) -> BibliographyEntry:
    """Return the entry of doxel itself; styles do not print further fields, such as checksums.

    >>> describe_software("1.0.0").key
    'doxel'
    """
    return _entry(
        "doxel",
        "misc",
        author="{The doxel authors}",
        title="{doxel}: Measures for Element, Passage and Chunk Retrieval",
        howpublished="Software",
        note=f"Version {version}",
        **fields,
    )


def format_bibtex(entries: Iterable[BibliographyEntry]) -> str:
    r"""Return entries as BibTeX in plain ASCII; letters with accents become commands.

    >>> print(format_bibtex([_entry("a", "misc", author="Gövert, N.", title="{XML}")]), end="")
    @misc{a,
      author = {G{\"o}vert, N.},
      title = {{XML}},
    }
    """
    return "\n".join(
        "\n".join(
            [
                f"@{entry.kind}{{{entry.key},",
                *(f"  {name} = {{{_encode_accents(value)}}}," for name, value in entry.fields.items()),
                "}\n",
            ]
        )
        for entry in entries
    )


_ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030c": "v "}


def _encode_accents(text: str) -> str:
    letters = []
    for letter in unicodedata.normalize("NFC", text):
        parts = unicodedata.normalize("NFD", letter)
        accent = _ACCENTS.get(parts[1]) if len(parts) == 2 else None
        letters.append(letter if accent is None else f"{{\\{accent}{parts[0]}}}")
    return "".join(letters)
