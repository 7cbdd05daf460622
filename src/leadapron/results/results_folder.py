"""``results.json`` and its evidence: the single truth that every report, gate and comparison is made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from leadapron.engine import atomic_folder, atomic_path, sha256
from leadapron.engine.documents import parse
from leadapron.engine.files import inside
from leadapron.engine.private import private_folder
from leadapron.errors import DataError
from leadapron.results.audit_results import FORMAT, EvidenceFile, Results
from leadapron.results.evidence import Evidence

FILE = "results.json"
CHANGED = "The file was changed or cut, or an earlier version wrote it: audit again."


def save_results(
    results: Results,
    folder: Path,
    *,
    overwrite: bool = False,
    complete: Callable[[Results, Path], None] | None = None,
) -> Results:
    """``results.json`` and ``evidence/*.parquet``, and what ``complete`` adds to the folder, whole or not at all."""
    with atomic_folder(folder, overwrite=overwrite) as partial:
        private_folder(partial / "evidence")
        files = {}
        for name in results.tables:
            table = results.evidence(name)
            assert table is not None
            path = partial / "evidence" / f"{name}.parquet"
            with atomic_path(path, private=True) as whole:
                table.write_parquet(whole)
            files[name] = EvidenceFile(file=f"evidence/{name}.parquet", sha256=sha256(path))
        saved = sealed(results.updated(evidence_files=files))
        (partial / FILE).write_text(as_json(saved))
        if complete:
            complete(saved, partial)
    return saved.placed(folder)


def as_json(results: Results) -> str:
    return results.model_dump_json(indent=1) + "\n"


def sealed(results: Results) -> Results:
    """The same, with a hash of its content. It shows that a file was changed; one who means to can compute it anew."""
    return results.updated(seal=_seal_of(results))


def check_seal(results: Results) -> None:
    """Refuses results from a folder that are not as an audit wrote them."""
    if results.seal != _seal_of(results):
        raise DataError("the results are not as the audit wrote them", where=results.where, fix=CHANGED)
    for name in results.evidence_files:
        results.tables.verify(name)


def _seal_of(results: Results) -> str:
    content = results.model_dump(mode="json", exclude={"seal"})
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_results(path: Path) -> Results:
    """A results file, or the folder that holds one, checked against its type and against itself."""
    file = path / FILE if path.is_dir() else path
    try:
        text = file.read_text()
    except (OSError, ValueError) as error:
        raise DataError(f"the results cannot be read ({error})", where=file) from error
    results = parse(text, Results, file, fix=CHANGED, of_format=FORMAT)
    stored = {name: (inside(file.parent, entry.file), entry.sha256) for name, entry in results.evidence_files.items()}
    return results.with_evidence(Evidence(stored=stored)).placed(file.parent)


def schema() -> dict[str, object]:
    """The JSON Schema of ``results.json``, as the types have it."""
    return Results.model_json_schema() | {"title": "leadapron results"}
