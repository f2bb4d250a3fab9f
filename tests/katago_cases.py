"""What KataGo v1.17.2 answered: requests and responses of one process a case, with the configuration GOLDEN_CONFIG.

Timing-dependent cases say so; paths in texts were replaced by CONFIG and MODELDIR.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

GOLDEN_CONFIG = """\
# Every case was made with this.
logToStderr = true
logTimeStamp = false
reportAnalysisWinratesAs = BLACK
maxVisits = 100
numAnalysisThreads = 1
numSearchThreadsPerAnalysisThread = 1
numEigenThreadsPerModel = 1
nnMaxBatchSize = 1
nnCacheSizePowerOfTwo = 14
nnMutexPoolSizePowerOfTwo = 10
nnRandomize = false
nnRandSeed = tengenGolden
forDeterministicTesting = true
"""
GOLDEN_MODEL = "MODELDIR/g170-b6c96-s175395328-d26788732.bin.gz"


@cache
def load_cases() -> dict[str, dict[str, Any]]:
    """By name: requests, responses, exitCode, overrideConfig, timingDependent and more."""
    path = Path(__file__).parent / "data" / "katago_cases.json.gz"
    cases: dict[str, dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))
    return cases


def lines_of(case: dict[str, Any]) -> list[bytes]:
    """What was sent; the waits between are left out."""
    lines = []
    for request in case["requests"]:
        if "rawLine" in request:
            lines.append(request["rawLine"].encode().replace(rb"\xff", b"\xff"))
        elif "sleep" not in request:
            lines.append(json.dumps(request).encode() + b"\n")
    return lines


def problems_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The errors and warnings among the responses."""
    return [response for response in case["responses"] if "error" in response or "warning" in response]
