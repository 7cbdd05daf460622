"""A vision-language model in a local folder as a writer: fine-tuned by LoRA, or asked as it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from leadapron.encoders.tensors import quiet_transformers
from leadapron.engine import Progress, silent
from leadapron.engine.extras import need
from leadapron.errors import ConfigError
from leadapron.writing.adapted_model import ALPHA, RANK, AdaptedModel, Adapter
from leadapron.writing.adapter_folder import is_adapter, read_adapter, save_adapter
from leadapron.writing.decoder_folder import is_decoder
from leadapron.writing.decoder_writer import open_decoder
from leadapron.writing.low_rank_training import LoraCourse, fit_adapter
from leadapron.writing.model_inputs import EXTRA, PURPOSE, tokens
from leadapron.writing.vision_language_model import VisionLanguageModel, load_model
from leadapron.writing.writer import SAVED, Bytes, Pairs, Trained, Trainer, WriterSettings, WriterSpec

AT_ONCE = 8
"""Reports that are written together."""


@dataclass(frozen=True)
class FolderWriter:
    """Writers of one trainer share its network: each puts its own adapter on before it writes."""

    model: AdaptedModel
    adapter: Adapter | None
    longest: int

    def write(self, images: Bytes, *, begin: str = "", progress: Progress = silent) -> list[str]:
        """Always the likeliest word next, until the report ends or has ``longest`` tokens."""
        written: list[str] = []
        with self.model.wearing(self.adapter) as model:
            first = tokens(model.tokenizer, begin)
            for at in range(0, len(images), AT_ONCE):
                written += _write(model, images[at : at + AT_ONCE], first, self.longest)
                progress("writing", len(written), len(images))
        return written

    def save(self, folder: Path, *, overwrite: bool = False) -> None:
        """The adapter in the files of peft, and a card that says of which model it is; a folder in place of a name."""
        save_adapter(folder, self.model, self.adapter, overwrite=overwrite)


@dataclass(frozen=True)
class FolderTrainer:
    """``start`` is what the folder brought along: nothing, or an adapter from which training goes on."""

    model: AdaptedModel
    start: Adapter | None
    course: LoraCourse

    def untrained(self) -> FolderWriter:
        """The model as it is in its folder."""
        return FolderWriter(self.model, self.start, self.course.longest)

    def train(self, pairs: Pairs, *, seed: int, checkpoint: Path | None = None, progress: Progress = silent) -> Trained:
        start = self.model.fresh(seed) if self.start is None else self.start
        learnt, cut = fit_adapter(
            self.model, pairs, start, self.course, seed=seed, checkpoint=checkpoint, progress=progress
        )
        writer = FolderWriter(self.model, learnt, self.course.longest)
        if checkpoint is not None:
            writer.save(checkpoint / SAVED, overwrite=True)
        said = (
            f"The model {self.model.model.folder.name} was fine-tuned by LoRA (rank {RANK}, alpha {ALPHA}) "
            f"in batches of {self.course.batch}; epochs: {self.course.epochs}."
        )
        return Trained(writer, cut, self.course.longest, (said,))


def _write(model: VisionLanguageModel, images: Bytes, first: list[int], longest: int) -> list[str]:
    torch, transformers = need("torch", PURPOSE, EXTRA), need("transformers", PURPOSE, EXTRA)
    inputs = model.inputs
    question = inputs.question(images, first)
    given = {name: values.to(model.device) for name, values in question.inputs.items()}
    greedy = transformers.GenerationConfig(
        max_new_tokens=max(longest - len(first), 1),
        do_sample=False,
        num_beams=1,
        decoder_start_token_id=inputs.start,
        eos_token_id=inputs.end,
        pad_token_id=inputs.end,
    )
    with quiet_transformers(), torch.inference_mode(), model.computing():
        made = model.network.generate(**given, generation_config=greedy)
    texts = model.tokenizer.batch_decode(made[:, question.before :].cpu(), skip_special_tokens=True)
    return [text.strip() for text in texts]


def _course(settings: WriterSettings, room: int) -> LoraCourse:
    usual = LoraCourse()
    longest = settings.longest or min(usual.longest, room)
    if longest > room:
        what, allowed = "the model cannot write reports of so many tokens", f"up to {room:,}"
        raise ConfigError(what, where="longest", got=longest, allowed=allowed)
    faster = 1.0 if settings.learning_rate is None else settings.learning_rate / usual.words_rate
    return LoraCourse(
        epochs=settings.epochs or usual.epochs,
        batch=settings.batch or usual.batch,
        parts=settings.accumulate,
        words_rate=usual.words_rate * faster,
        bridge_rate=usual.bridge_rate * faster,
        vision_rate=usual.vision_rate * faster,
        longest=longest,
    )


def open_folder(name: str, settings: WriterSettings) -> Trainer:
    """The folder of a model, or one in which a writer was saved: of such a model, or a small decoder."""
    folder = Path(name)
    if is_decoder(folder):
        return open_decoder(folder, settings)
    if is_adapter(folder):
        model, start = read_adapter(folder, settings.device)
    else:
        model, start = AdaptedModel(load_model(folder, settings.device)), None
    return FolderTrainer(model, start, _course(settings, model.model.inputs.room))


FOLDER_WRITER = WriterSpec("a vision-language model in a folder, fine-tuned by LoRA; made for a GPU", open_folder)
