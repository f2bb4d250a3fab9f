"""How a network is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from tengen.nets.devices import device_names

Optimizer: TypeAlias = Literal["adamw", "adam", "rmsprop", "adagrad", "sgd", "momentum"]
OPTIMIZERS: Final[tuple[str, ...]] = get_args(Optimizer)

_SHARES = ("policy_surprise", "value_error", "decay", "run_begin", "run_end")


@dataclass(frozen=True)
class TrainSettings:
    """Steps of an optimizer on the losses of all training targets."""

    steps: int = 0
    """Batches; 0 goes by epochs."""
    epochs: float = 2.0
    """How often each sample is seen on average."""
    batch_size: int = 256
    optimizer: Optimizer = "adamw"
    """momentum: SGD with Nesterov's momentum of 0.9."""
    lr: float = 2e-3
    weight_decay: float = 1e-4
    grad_clip: float = 1.0
    """Largest norm of a gradient; 0 leaves it alone."""
    schedule: Literal["cosine", "constant", "run"] = "cosine"
    """Learning rate after the warm-up. cosine: it falls to `last_rate` in every training; run: it is constant and falls
    in the last share `decay` of the run."""
    decay: float = 0.3
    run_begin: float = 0.0
    """Share of the run before the training; learning runs set it."""
    run_end: float = 1.0
    """Share of the run up to the end of the training."""
    warmup: float = 0.05
    """Share of the steps in which the rate rises."""
    last_rate: float = 0.1
    """Factor of the rate at the end of the cosine."""
    average: float = 0.0
    """Exponential averaging of the weights; 0.999 looks back a thousand steps, 0 is off."""

    policy_loss: Literal["cross_entropy", "regret"] | None = None
    """Regret: targets were made of payoffs by a softmax, and it counts what each action pays. For noisy payoffs: noise
    in a softmax does not average out, in payoffs it does. Not set: regret in a learning run whose games all have such
    targets, else cross entropy."""
    value_weight: float = 1.0
    search_value_share: float = 0.0
    """Share of the search's value in the value's target; the rest is the result."""
    extras_weight: float = 0.15
    moves_left_weight: float = 0.05
    belief_weight: float = 0.1
    """Weight of predicting the facts that the viewer does not see."""
    oracle_share: float = 0.5
    """How much of a payoff's target is what a critic expects who sees everything, instead of the result."""
    soft_policy_weight: float = 0.0
    """Weight of a further policy that learns the policy's fourth root, in which unlikely moves count for more. Like the
    four below, it is learned by a head that is used in training only; 0: it is left out."""
    reply_weight: float = 0.0
    """Weight of the other player's next policy."""
    short_term_weight: float = 0.0
    """Weight of averages of the next searches' values."""
    ownership_weight: float = 0.0
    """Weight of the game's auxiliary values as numbers of the cells, if it has one for each cell."""
    payoff_weight: float = 0.0
    """Weight of the result as a distribution over payoffs, for games whose payoffs are more than a win and a loss."""
    kl_weight: float = 0.0
    """Pulls the policy toward that of the network training started from."""
    symmetries: bool = True
    """Turn each position at random, policy and all, or write it down in another way where the game knows such."""
    sampling: Literal["uniform", "prioritized"] = "uniform"
    """prioritized: positions whose result surprised the search come more often, as if value_error were nearly 1."""
    policy_surprise: float = 0.0
    """Share of the samples that are drawn by how far the search's policy is from the network's; KataGo takes 0.5."""
    value_error: float = 0.0
    """Share of the samples that are drawn by how far the result is from the search's value."""

    seed: int = 0
    device: str = "cpu"
    """Device of PyTorch, such as cuda or cuda:1, or several with commas between them, which processes share. In a
    learning run, games are evaluated there as well: by one server for each device, unless the device is cpu."""
    amp: bool = True
    """Mixed precision on a GPU; on a CPU it is left out by itself."""
    bfloat16: bool = False
    """On a CPU: convolutions and the like by 16 bits, twice as fast where the processor has instructions for that."""
    threads: int = 0
    """Threads, each of which trains on a part of every batch; results depend on their number. 0: PyTorch's own choice,
    by which threads share each operation."""
    processes: int = 1
    """Processes of torchrun on this machine, one for each card if `device` is cuda. Each takes a share of every batch.
    Sums are taken in another order then, so that it is a setting of the run."""
    breaker_norm: float = 1e4
    """A gradient norm beyond this stops the training: it has exploded."""

    def __post_init__(self) -> None:
        device_names(self.device)
        for name, least in (("steps", 0), ("batch_size", 1), ("threads", 0), ("processes", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"training: {name} is {getattr(self, name)} and must be at least {least}")
        positive = ("epochs", "lr", "breaker_norm")
        for name in positive:
            if not getattr(self, name) > 0:
                raise ValueError(f"training: {name} is {getattr(self, name)} and must be above 0")
        weights = [name for name in self.__dataclass_fields__ if name.endswith("_weight")]
        for name in ("weight_decay", "grad_clip", *weights):
            if not getattr(self, name) >= 0:
                raise ValueError(f"training: {name} is {getattr(self, name)} and must be at least 0")
        for name in ("warmup", "last_rate", "average", "search_value_share", "oracle_share", *_SHARES):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"training: {name} is {getattr(self, name)} and must be from 0 to 1")
        self._check_choices()

    def _check_choices(self) -> None:
        if self.policy_surprise + self.value_error > 1:
            raise ValueError("training: policy_surprise and value_error are shares and add up to more than 1")
        if self.optimizer not in OPTIMIZERS:
            raise ValueError(f"training: optimizer is {self.optimizer!r} and must be one of {', '.join(OPTIMIZERS)}")
        if self.policy_loss not in ("cross_entropy", "regret", None):
            raise ValueError(f"training: policy_loss is {self.policy_loss!r} and must be cross_entropy or regret")
        if self.schedule not in ("cosine", "constant", "run"):
            raise ValueError(f"training: schedule is {self.schedule!r} and must be cosine, constant or run")
        if self.sampling not in ("uniform", "prioritized"):
            raise ValueError(f"training: sampling is {self.sampling!r} and must be uniform or prioritized")
