"""What a board asks of a release: five questions, each by a criterion of WP29 and by the disclosure that it is.

Which audit answers which question is our reading, and no authority's. The criteria are those of the Article 29 Working
Party's opinion on anonymisation (WP216): singling out, linkability, inference.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BoardQuestion:
    key: str
    criterion: str
    disclosure: str
    words: str


BOARD_QUESTIONS = {
    one.key: one
    for one in (
        BoardQuestion("table", "Singling out", "identity", "Does the table alone single a patient out?"),
        BoardQuestion("recognised", "Singling out", "identity", "Can a patient be recognised?"),
        BoardQuestion("joined", "Linkability", "identity", "Can an X-ray be joined to its report?"),
        BoardQuestion("member", "Inference", "membership", "Can one tell who was in the data?"),
        BoardQuestion("attribute", "Inference", "attribute", "Can age, sex or race be read off?"),
    )
}
