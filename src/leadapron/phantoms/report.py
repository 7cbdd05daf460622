"""Reports: what one of several radiologists says of what is seen.

The labels are always said. Everything else that the image shows (side, place, size, change, device, projection,
an old clip) is a detail, and each detail is said with the probability that the specificity dial gives.
"""

from __future__ import annotations

from random import Random

from leadapron.phantoms.dials import Dials
from leadapron.phantoms.identifiers import Draft, Identifiers
from leadapron.phantoms.report_wording import Voice, Wording
from leadapron.phantoms.seen import Seen, Study


def write_report(
    rng: Random,
    study: Study,
    prior: Study | None,
    view: str,
    *,
    wording: Wording,
    dials: Dials,
    identifiers: Identifiers | None,
) -> Draft:
    """The report of one study. ``identifiers`` are planted if given, and their places kept in the draft."""
    voice = rng.choice(wording.voices)
    draft = Draft()
    names_rng = Random(rng.random())  # drawn apart, so that planting identifiers leaves the other words as they were
    if identifiers:
        identifiers.plant_header(names_rng, draft)
    if study.normal and rng.random() < dials.repetition:
        draft.say(voice.template)
    else:
        _Writer(rng, wording, voice, draft, dials.specificity, identifiers).write(study, prior, view)
    if identifiers:
        identifiers.plant_footer(names_rng, draft)
    return draft


class _Writer:
    """One sitting at the workstation: the random choices of one report."""

    def __init__(
        self,
        rng: Random,
        wording: Wording,
        voice: Voice,
        draft: Draft,
        specificity: float,
        identifiers: Identifiers | None,
    ) -> None:
        self.rng, self.wording, self.voice, self.draft = rng, wording, voice, draft
        # Details are drawn apart, so that what is not said leaves no trace in the choice of the other words.
        self.detail_rng = Random(rng.random())
        self.specificity, self.identifiers = specificity, identifiers

    def write(self, study: Study, prior: Study | None, view: str) -> None:
        named = [(seen, self.noun_phrase(seen)) for seen in study.findings]
        if self.wording.impression_first:
            self.impression([noun for _, noun in named])
            self.draft.say("\n\n")
        self.draft.say(self.wording.findings_heading)
        parts = {
            "view": lambda: self.view(view),
            "findings": lambda: self.findings(named, prior),
            "devices": lambda: self.devices(study),
            "incidental": lambda: self.incidental(study),
            "negatives": lambda: self.negatives(study),
        }
        for part in self.wording.order:
            parts[part]()
        if not self.wording.impression_first:
            self.draft.say("\n\n")
            self.impression([noun for _, noun in named])

    def detail(self) -> bool:
        return self.detail_rng.random() < self.specificity

    def pick(self, choices: tuple[str, ...]) -> str:
        """A synonym: mostly the one this radiologist leans to."""
        if self.rng.random() < 0.6:
            return choices[self.voice.leaning % len(choices)]
        return self.rng.choice(choices)

    def noun_phrase(self, seen: Seen) -> str:
        """The finding with the details that get said: "small right pleural effusion"."""
        words = {"noun": self.pick(self.wording.nouns[seen.finding])}
        if seen.measure and self.detail():
            words["measure"] = self.pick(self.wording.measures[seen.finding]).format(seen.measure)
        if seen.side and self.detail():
            words["side"] = self.pick(self.wording.sides[seen.side])
        if self.detail():
            words["grade"] = self.pick(self.wording.grades[min(2, int(3 * seen.severity))])
        if seen.zone and self.detail():
            words["zone"] = self.pick(self.wording.zones[seen.zone])
        return " ".join(words[part] for part in self.wording.phrase if part in words)

    def view(self, view: str) -> None:
        if self.detail():
            self.draft.say(" " + self.pick(self.wording.views[view]))

    def findings(self, named: list[tuple[Seen, str]], prior: Study | None) -> None:
        for seen, noun in named:
            self.sentence(seen, noun, prior)

    def sentence(self, seen: Seen, noun: str, prior: Study | None) -> None:
        frame = self.pick(self.wording.hedges if self.rng.random() < self.voice.hedges else self.wording.frames)
        text = frame.format(noun)
        text = text[0].upper() + text[1:]
        if prior is None or not self.detail():
            self.draft.say(" " + text)
            return
        before, after = self.pick(self.wording.changes[_change(seen, prior)]).split("{}")
        self.draft.say(f" {text[:-1]}, {before}")
        if self.identifiers and self.identifiers.prior_date:
            self.draft.say(" of ")
            self.draft.identify("date", self.identifiers.prior_date)
        self.draft.say(after + ".")

    def devices(self, study: Study) -> None:
        """Each device by itself where that detail is said; else one sentence that says no more than the label."""
        said = []
        if study.device and self.detail():
            side = study.device_side
            vein = self.wording.veins[int(study.device_tip * len(self.wording.veins))]
            text = self.pick(self.wording.devices[study.device])
            names = {"Side": side.capitalize(), "side": side, "letter": side[0].upper()}
            said.append(text.format(**names, vein=vein, cm=study.airway_tip_cm))
        if study.pacemaker and self.detail():
            said.append(self.pick(self.wording.pacemaker))
        if (study.device or study.pacemaker) and not said:
            said.append(self.pick(self.wording.some_device))
        for sentence in said:
            self.draft.say(" " + sentence)

    def incidental(self, study: Study) -> None:
        for incidental in study.incidental:
            if self.detail():
                self.draft.say(" " + self.pick(self.wording.incidental[incidental]))

    def negatives(self, study: Study) -> None:
        present = {seen.finding for seen in study.findings}
        denied = [
            finding
            for finding in self.wording.negatives
            if not present.intersection(self.wording.contradicted_by.get(finding, (finding,)))
        ]
        for finding in denied:
            if self.rng.random() < self.voice.negatives or (study.normal and finding == denied[-1]):
                self.draft.say(" " + self.pick(self.wording.negatives[finding]))

    def impression(self, nouns: list[str]) -> None:
        self.draft.say(self.wording.impression_heading)
        if not nouns:
            self.draft.say(" " + self.pick(self.wording.normal_impressions))
        for number, noun in enumerate(nouns, 1):
            lead = f" {number}. " if self.voice.numbered else " "
            self.draft.say(f"{lead}{noun[0].upper()}{noun[1:]}.")


def _change(seen: Seen, prior: Study) -> str:
    """How a finding stands to the study before."""
    earlier = next((other.severity for other in prior.findings if other.finding == seen.finding), None)
    if earlier is None:
        return "new"
    if abs(seen.severity - earlier) < 0.15:
        return "same"
    return "worse" if seen.severity > earlier else "better"
