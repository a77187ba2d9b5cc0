"""Training in torch that can be interrupted: one thread, and checkpoints of weights and optimizer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from assay.errors import MissingExtra
from assay.io.checkpoints import Checkpoint


def arrays_of(network: Any, optimizer: Any) -> dict[str, NDArray[Any]]:
    """Weights, and the moments of Adam, for a checkpoint."""
    arrays = {f"weights {name}": part.numpy() for name, part in network.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        arrays |= {f"adam {number} {name}": part.numpy() for name, part in state.items()}
    return arrays


def resume(network: Any, optimizer: Any, checkpoint: Checkpoint) -> int:
    """Load a checkpoint, if there is one; return the number of finished epochs."""
    kept = checkpoint.load()
    if kept is None:
        return 0
    restore(network, optimizer, kept[1])
    return kept[0]


def restore(network: Any, optimizer: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Set weights and optimizer to what `arrays_of` gave."""
    import torch

    network.load_state_dict({name: torch.from_numpy(arrays[f"weights {name}"].copy()) for name in network.state_dict()})
    state: dict[int, dict[str, Any]] = {}
    for key, part in arrays.items():
        if key.startswith("adam "):
            _, number, name = key.split(" ")
            state.setdefault(int(number), {})[name] = torch.from_numpy(part.copy())
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


@contextmanager
def one_thread(what: str) -> Iterator[Any]:
    """Torch with one thread: how a sum is split among threads changes its last bits."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtra(what, "torch", "neural") from error
    n = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield torch
    finally:
        torch.set_num_threads(n)
