"""Networks of KataGo's: their files, their graphs, their answers."""

from tengen.nets.katago.description import Description
from tengen.nets.katago.network import KataGoNetwork, NetworkInfo, Prediction, load
from tengen.nets.katago.outputs import RawOutput, RawRow
from tengen.nets.katago.positions import Inputs, inputs_of
from tengen.nets.katago.reader import read_network
from tengen.nets.katago.tokens import KataGoFileError

__all__ = [
    "Description",
    "Inputs",
    "KataGoFileError",
    "KataGoNetwork",
    "NetworkInfo",
    "Prediction",
    "RawOutput",
    "RawRow",
    "inputs_of",
    "load",
    "read_network",
]
