"""Further heads of networks, and networks that earlier versions wrote."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from learning_helpers import tiny

import tengen

torch = pytest.importorskip("torch")

from tengen.nets import (  # noqa: E402 - only where PyTorch is
    Architecture,
    Checkpoint,
    CheckpointError,
    HeadSpec,
    export_onnx,
    load_checkpoint,
    save_checkpoint,
    with_heads,
)

EARLIER = Path(__file__).parent / "data" / "networks"
HEADS = (
    HeadSpec("reply", "policy", 24),
    HeadSpec("soon", "numbers", 3),
    HeadSpec("owners", "cells", 2),
    HeadSpec("score", "distribution", 11),
    HeadSpec("values", "numbers", 1),  # also the name of a method of PyTorch's containers
)
TRUNKS = [
    {},
    {"policy": "planes"},
    {"trunk": "nested"},
    {"trunk": "transformer"},
    {"trunk": "transformer", "policy": "planes"},
    {"trunk": "rows", "policy": "pooled"},
    {"trunk": "rows"},
    {"trunk": "dense"},
]


def build(seed=1, **choices):
    from tengen.nets import build

    wanted = {"planes": 3, "height": 3, "width": 4, "actions": 24, "extras": 2, "channels": 8, "blocks": 2} | choices
    return build(Architecture.read(wanted), seed).eval()


def features(network, rows=2):
    a = network.architecture
    return torch.from_numpy(np.random.default_rng(0).random((rows, a.planes, a.height, a.width), np.float32))


def answers(network):
    with torch.inference_mode():
        return network(features(network))


def is_same(one, other):
    return all(torch.equal(mine, theirs) for mine, theirs in zip(one[:6], other[:6], strict=True))


@pytest.mark.parametrize("choices", TRUNKS, ids=str)
def test_heads_add_outputs_and_change_no_others(choices):
    plain, network = build(**choices), build(heads=HEADS, **choices)
    out = answers(network)
    assert {name: tuple(each.shape) for name, each in out.heads.items()} == {
        "reply": (2, 24),
        "soon": (2, 3),
        "owners": (2, 2, 3, 4),
        "score": (2, 11),
        "values": (2, 1),
    }
    assert answers(plain).heads == {}
    assert is_same(out, answers(plain))


@pytest.mark.parametrize("choices", TRUNKS, ids=str)
def test_every_head_learns_from_its_own_output(choices):
    network = build(heads=HEADS, **choices)
    for name, out in network(features(network)).heads.items():
        network.zero_grad()
        out.pow(2).sum().backward(retain_graph=True)
        moved = {key for key, each in network.named_parameters() if each.grad is not None and bool(each.grad.any())}
        assert {key for key in moved if key.startswith("heads.")} == {
            f"heads.{name}_head.out.weight",
            f"heads.{name}_head.out.bias",
        }
        assert any(not key.startswith(("heads.", "value_hidden")) for key in moved)  # and the trunk with it


def test_cells_are_those_of_the_board():
    """A cell's numbers depend on that cell, or its row, alone if nothing else connects cells."""
    network = build(heads=HEADS, blocks=0, squeeze=False, pooling=False)
    before = features(network)
    after = before.clone()
    after[:, :, 0, 0] += 1.0
    moved = (network(after).heads["owners"] - network(before).heads["owners"]).abs().sum(dim=(0, 1)) > 0
    assert moved.tolist() == [[True, True, False, False], [True, True, False, False], [False] * 4]


@pytest.mark.parametrize("choices", TRUNKS, ids=str)
def test_exports_leave_heads_out(choices):
    import onnx

    plain, network = (export_onnx(build(heads=heads, **choices)) for heads in ((), HEADS))
    assert abs(len(network) - len(plain)) < 100  # names of nodes may be numbered differently
    graph = onnx.load_from_string(network).graph
    assert [each.name for each in graph.output] == ["policy", "value", "extras"]
    assert not any(each.name.startswith("network.heads") for each in graph.initializer)


@pytest.mark.parametrize("choices", TRUNKS, ids=str)
def test_checkpoints_store_heads(choices):
    network = build(heads=HEADS, **choices)
    found = load_checkpoint(save_checkpoint(Checkpoint(network, "toy"))).network
    assert found.architecture == network.architecture
    mine, theirs = answers(network), answers(found)
    assert all(torch.equal(mine.heads[name], theirs.heads[name]) for name in mine.heads)


@pytest.mark.parametrize(
    ("heads", "text"),
    [
        ([{"name": "mind", "kind": "thoughts", "size": 1}], "mind has the kind 'thoughts' and must have one of policy"),
        ([{"name": "reply", "kind": "policy", "size": 7}], "reply has the size 7; a policy of this game has 24"),
        ([{"name": "soon", "kind": "numbers", "size": 0}], "soon has the size 0"),
        ([{"name": "so on", "kind": "numbers", "size": 1}], "'so on'"),
        ([{"name": "soon", "kind": "numbers", "size": 1}] * 2, "soon, soon"),
    ],
    ids=str,
)
def test_wrong_heads_are_named(heads, text):
    with pytest.raises(ValueError, match=text):
        build(heads=heads)


def test_a_checkpoint_with_an_unknown_kind_of_head_is_an_error_that_names_it():
    network = build(heads=HEADS[:1])
    data = save_checkpoint(Checkpoint(network, "toy"))
    with pytest.raises(CheckpointError):
        load_checkpoint(data.replace(b"policy", b"polity"))  # its checksum does not fit
    found = dataclasses.asdict(network.architecture)
    found["heads"][0]["kind"] = "polity"
    with pytest.raises(ValueError, match="reply has the kind 'polity'"):
        Architecture.read(found)


def test_heads_are_exchanged_without_touching_the_rest():
    network = build(3, heads=HEADS[:2]).train()
    network(features(network))  # Move the running means away from their initial values.
    exchanged = with_heads(network, (HEADS[1], HEADS[2]), 5)
    assert exchanged.training
    assert [head.name for head in exchanged.architecture.heads] == ["soon", "owners"]
    before, after = answers(network.eval()), answers(exchanged.eval())
    assert is_same(before, after)
    assert torch.equal(before.heads["soon"], after.heads["soon"])
    resized = with_heads(network, (HeadSpec("soon", "numbers", 4),), 5).eval()
    assert answers(resized).heads["soon"].shape == (2, 4)


def test_a_search_plays_with_a_network_that_has_heads():
    game = tengen.game("pyrga")
    network = tiny(game, heads=(HeadSpec("soon", "numbers", 2),))
    assert tengen.search(game.start(1), evaluator=network, visits=8, seed=1).visits >= 8


def earlier_answers(name):
    return {part: np.array(rows) for part, rows in json.loads((EARLIER / "answers.json").read_text())[name].items()}


@pytest.mark.parametrize("name", ["residual", "planes", "rows", "dense"])
def test_networks_of_earlier_versions_answer_the_same(name):
    """The files were written before networks had heads and trunks of their own."""
    network = load_checkpoint(EARLIER / f"{name}.safetensors").network
    a = network.architecture
    given = np.random.default_rng(2).random((2, a.planes, a.height, a.width), np.float32)
    with torch.inference_mode():
        out = network(torch.from_numpy(given))._asdict()
    for part, numbers in earlier_answers(name).items():
        assert np.abs(out[part].numpy() - numbers.reshape(out[part].shape)).max(initial=0.0) < 1e-5


def test_trainings_of_earlier_versions_continue_as_they_would_have():
    from tengen.learning.optimizer import AdamW
    from tengen.learning.state import restore_state

    network = build(5, height=2, width=3, actions=6, extras=0, channels=2, attention=True)
    optimizer = AdamW(network.parameters(), lr=0.01, weight_decay=0.01)
    header, _ = restore_state((EARLIER / "state.safetensors").read_bytes(), network, optimizer)
    assert header == {"step": 2}
    given = torch.from_numpy(np.random.default_rng(1).random((16, 3, 2, 3), np.float32))
    out = network.train()(given)
    optimizer.zero_grad()
    ((out.policy**2).sum() + (out.value[:, 0] - 1).pow(2).sum()).backward()
    optimizer.step()
    with torch.inference_mode():
        out = network.eval()(given[:2])
    wanted = earlier_answers("state")
    assert np.abs(out.policy.numpy() - wanted["policy"]).max() < 1e-4
    assert np.abs(out.value.numpy() - wanted["value"]).max() < 1e-4


@pytest.mark.parametrize("kind", ["prophet", "enforcer"])
def test_prophets_and_enforcers_of_earlier_versions_answer_the_same(kind):
    from tengen.labs.shogi.checkpoints import load_checkpoint

    network = load_checkpoint(EARLIER / f"{kind}.ckpt", kind).network
    given = np.random.default_rng(2).integers(-1, 2, (2, 148, 9, 9)).astype(np.float32)
    with torch.inference_mode():
        found = network(torch.from_numpy(given)).flatten(1)[:, :40].numpy()
    assert np.abs(found - earlier_answers(kind)["answer"]).max() < 1e-4
