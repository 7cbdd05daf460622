"""What a board asks of a release: five questions, each by a criterion of WP29 and by the disclosure that it is.

The criteria are those of the Article 29 Working Party's opinion on anonymisation (WP216). Singling out: to isolate
records of one person. Linkability: to join two records of one person, in one data set or in two; so two radiographs of
a patient that are known for one patient's are linked. Inference: to deduce a value. Which question belongs to which
criterion, and which audit answers it, is our reading and no authority's.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BoardQuestion:
    key: str
    criterion: str
    disclosure: str
    words: str


SINGLING_OUT, LINKABILITY, INFERENCE = "Singling out", "Linkability", "Inference"
BOARD_QUESTIONS = {
    one.key: one
    for one in (
        BoardQuestion("table", SINGLING_OUT, "identity", "Does the table alone single a patient out?"),
        BoardQuestion("recognised", LINKABILITY, "identity", "Can a patient be recognised?"),
        BoardQuestion("joined", LINKABILITY, "identity", "Can an X-ray be joined to its report?"),
        BoardQuestion("member", INFERENCE, "membership", "Can one tell who was in the data?"),
        BoardQuestion("attribute", INFERENCE, "attribute", "Can age, sex or race be read off?"),
    )
}
