"""Reports: what one of several radiologists says of what is seen.

The labels are always said. Everything else that the image shows (side, place, size, change, device, projection,
an old clip) is a detail, and each detail is said with the probability that the specificity dial gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from leadapron.phantom import phrases
from leadapron.phantom.identifiers import Draft, Identifiers
from leadapron.phantom.seen import Seen, Study


@dataclass(frozen=True)
class Voice:
    """A radiologist's habits: a leaning among synonyms, a taste for hedges, negatives, structure."""

    leaning: int
    hedges: float
    negatives: float
    numbered: bool
    template: str


VOICES = (
    Voice(0, 0.05, 0.9, False, phrases.TEMPLATES[0]),
    Voice(1, 0.15, 0.7, True, phrases.TEMPLATES[1]),
    Voice(2, 0.30, 0.5, False, phrases.TEMPLATES[2]),
    Voice(3, 0.10, 0.8, True, phrases.TEMPLATES[3]),
    Voice(4, 0.45, 0.4, False, phrases.TEMPLATES[4]),
    Voice(5, 0.20, 0.6, True, phrases.TEMPLATES[5]),
)


def write_report(
    rng: Random,
    study: Study,
    prior: Study | None,
    view: str,
    *,
    specificity: float,
    repetition: float,
    identifiers: Identifiers | None,
) -> Draft:
    """The report of one study. ``identifiers`` are planted if given, and their places kept in the draft."""
    voice = rng.choice(VOICES)
    draft = Draft()
    names_rng = Random(rng.random())  # drawn apart, so that planting identifiers leaves the other words as they were
    if identifiers:
        identifiers.plant_header(names_rng, draft)
    if study.normal and rng.random() < repetition:
        draft.say(voice.template)
    else:
        _Writer(rng, voice, draft, specificity, identifiers).write(study, prior, view)
    if identifiers:
        identifiers.plant_footer(names_rng, draft)
    return draft


class _Writer:
    """One sitting at the workstation: the random choices of one report."""

    def __init__(
        self, rng: Random, voice: Voice, draft: Draft, specificity: float, identifiers: Identifiers | None
    ) -> None:
        self.rng, self.voice, self.draft = rng, voice, draft
        # Details are drawn apart, so that what is not said leaves no trace in the choice of the other words.
        self.detail_rng = Random(rng.random())
        self.specificity, self.identifiers = specificity, identifiers

    def write(self, study: Study, prior: Study | None, view: str) -> None:
        named = [(seen, self.noun_phrase(seen)) for seen in study.findings]
        self.draft.say("FINDINGS:")
        if self.detail():
            self.draft.say(" " + self.pick(phrases.VIEWS[view]))
        for seen, noun in named:
            self.sentence(seen, noun, prior)
        self.devices(study)
        for incidental in study.incidental:
            if self.detail():
                self.draft.say(" " + self.pick(phrases.INCIDENTAL[incidental]))
        present = {seen.finding for seen in study.findings}
        denied = [
            finding
            for finding in phrases.NEGATIVES
            if not present.intersection(phrases.CONTRADICTED_BY.get(finding, (finding,)))
        ]
        for finding in denied:
            if self.rng.random() < self.voice.negatives or (study.normal and finding == denied[-1]):
                self.draft.say(" " + self.pick(phrases.NEGATIVES[finding]))
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
        words = [self.pick(phrases.NOUNS[seen.finding])]
        if seen.measure and self.detail():
            words.append(self.pick(phrases.MEASURES[seen.finding]).format(seen.measure))
        if seen.side and self.detail():
            words.insert(0, self.pick(phrases.SIDES[seen.side]))
        if self.detail():
            words.insert(0, self.pick(phrases.GRADES[min(2, int(3 * seen.severity))]))
        if seen.zone and self.detail():
            words.append(self.pick(phrases.ZONES[seen.zone]))
        return " ".join(words)

    def sentence(self, seen: Seen, noun: str, prior: Study | None) -> None:
        frame = self.pick(phrases.HEDGES if self.rng.random() < self.voice.hedges else phrases.FRAMES)
        text = frame.format(noun)
        text = text[0].upper() + text[1:]
        if prior is None or not self.detail():
            self.draft.say(" " + text)
            return
        before, after = self.pick(phrases.CHANGES[_change(seen, prior)]).split("{}")
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
            vein = phrases.VEINS[int(study.device_tip * len(phrases.VEINS))]
            text = self.pick(phrases.DEVICES[study.device])
            said.append(text.format(Side=side.capitalize(), side=side, vein=vein, cm=study.airway_tip_cm))
        if study.pacemaker and self.detail():
            said.append(self.pick(phrases.PACEMAKER))
        if (study.device or study.pacemaker) and not said:
            said.append(self.pick(phrases.SOME_DEVICE))
        for sentence in said:
            self.draft.say(" " + sentence)

    def impression(self, nouns: list[str]) -> None:
        self.draft.say("\n\nIMPRESSION:")
        if not nouns:
            self.draft.say(" " + self.pick(phrases.NORMAL_IMPRESSIONS))
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
