"""Go in the analysis room: its requests, positions, answers, records and reviews."""

from tengen.analysis.go.adapter import GoAdapter as Adapter
from tengen.analysis.go.answers import GoAnswer, GoMoveInfo, GoOutputs, GoRootInfo
from tengen.analysis.go.positions import GoMove, GoPosition

__all__ = ["Adapter", "GoAnswer", "GoMove", "GoMoveInfo", "GoOutputs", "GoPosition", "GoRootInfo"]
