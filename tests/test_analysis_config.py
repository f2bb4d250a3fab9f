"""Configurations of the analysis engine: files, overrides, the table of keys, and KataGo's errors."""

import ast
import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from katago_cases import GOLDEN_CONFIG

from tengen.analysis import (
    Config,
    ConfigError,
    Params,
    Settings,
    keys_of,
    load_config,
    parse_overrides,
    read_config_file,
)
from tengen.protocols.gtp.settings import GtpSettings

KEYS = {**keys_of(Params), **keys_of(Settings)}
ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "analysis.md"
PACKAGE = ROOT / "src" / "tengen"


def write(folder, text, name="a.cfg"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(**values):
    with pytest.raises(ConfigError) as caught:
        Config(values).check()
    return str(caught.value)


# Files.


def test_the_golden_configuration(tmp_path):
    config = load_config([write(tmp_path, GOLDEN_CONFIG)])
    assert not any("Unused key" in note for note in config.notes())
    assert (config.params.max_visits, config.params.report_analysis_winrates_as) == (100, 0)
    assert (config.params.num_search_threads, config.settings.nn_rand_seed) == (1, "tengenGolden")
    assert config.settings.for_deterministic_testing
    assert not config.settings.nn_randomize


def test_lines_of_files(tmp_path):
    text = (
        "\ufeff# comment\n\n  maxVisits=5#five\r\n maxTime\t= 1e1  # ten\n"
        'logFile = "a \\"b\\" #\\\\ " # quoted\nnnRandSeed = x y"z\n\tlog-odd_key0 = =1\n   # end'
    )
    assert read_config_file(write(tmp_path, text)) == {
        "maxVisits": "5",
        "maxTime": "1e1",
        "logFile": 'a "b" #\\ ',
        "nnRandSeed": 'x y"z',
        "log-odd_key0": "=1",
    }


@pytest.mark.parametrize(
    "line",
    [
        "key",
        "key value",
        "= 5",
        "key =",
        "key = # no",
        "key # no",
        "k.ey = 1",
        'key = ""',
        'key = "a',
        'key = "a" b',
        "é = 1",
    ],
)
def test_lines_that_do_not_read(tmp_path, line):
    with pytest.raises(ConfigError, match=r"^Could not parse key value pair, line 2 in 'a.cfg'$"):
        read_config_file(write(tmp_path, f"# first\n{line}\n"))


def test_a_key_may_stand_once_in_a_file(tmp_path):
    with pytest.raises(ConfigError) as caught:
        read_config_file(write(tmp_path, "a = 1\na = 1\n"))
    text = "you probably didn't mean to do this, please delete one of them"
    assert str(caught.value) == f"Key 'a' + was specified multiple times in a.cfg, {text}"


def test_files_include_files(tmp_path):
    (tmp_path / "sub").mkdir()
    write(tmp_path, "a = 1\nb = 1\n@include 'c.cfg'\n", "sub/b.cfg")
    write(tmp_path, "c = 1\nb = 3", "sub/c.cfg")
    found = read_config_file(write(tmp_path, 'a = 0\n@include = "sub/b.cfg" # more\nc = 2\n'))
    assert found == {"a": "1", "b": "3", "c": "2"}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("@inc", "Unsupported @ directive, line 1 in 'a.cfg'"),
        ("@including", "@ directive without value (key-val separator is not found), line 1 in 'a.cfg'"),
        ("@exclude b.cfg", "Unsupported @ directive '@exclude', line 1 in 'a.cfg'"),
        ("@include ==", "@ directive without value (value after key-val separator is not found), line 1 in 'a.cfg'"),
        ("@include /b.cfg", "Absolute paths in the included files are not supported yet"),
        ("@include a.cfg", "Circular or multiple inclusion of the same file: 'a.cfg', line 1 in 'a.cfg'"),
        ("@include b/../a.cfg", "Circular or multiple inclusion of the same file: 'a.cfg', line 1 in 'a.cfg'"),
    ],
)
def test_inclusions_that_do_not_read(tmp_path, line, text):
    with pytest.raises(ConfigError) as caught:
        read_config_file(write(tmp_path, line))
    assert str(caught.value) == text


def test_a_file_is_included_once(tmp_path):
    write(tmp_path, "@include c.cfg", "b.cfg")
    write(tmp_path, "c = 1", "c.cfg")
    with pytest.raises(
        ConfigError, match=r"^Circular or multiple inclusion of the same file: 'c.cfg', line 2 in 'a.cfg'$"
    ):
        read_config_file(write(tmp_path, "@include b.cfg\n@include c.cfg"))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match=r"^Could not open config file .*No such file"):
        load_config([tmp_path / "none.cfg"])


@given(st.binary(max_size=100))
def test_any_file_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.cfg"
    path.write_bytes(content)
    try:
        found = read_config_file(path)
    except ConfigError:
        return
    assert all(found.values())


# Overrides.


def test_overrides_of_a_command_line(tmp_path):
    assert parse_overrides(" maxVisits = 7,,nnRandSeed=a=b, maxTime= ,") == {
        "maxVisits": "7",
        "nnRandSeed": "a=b",
        "maxTime": "",
    }
    with pytest.raises(ConfigError, match=r"^Could not parse kv pair, could not find '=' in:maxVisits$"):
        parse_overrides("a=1, maxVisits ")
    path = write(tmp_path, "maxVisits = 5\nmaxTime = 3\n")
    other = write(tmp_path, "maxVisits = 6\nwideRootNoise = 0\n", "b.cfg")
    config = load_config([path, other], ["maxTime=,maxPlayouts=9", "", "maxPlayouts=8"])
    params = config.params
    assert (params.max_visits, params.max_time, params.max_playouts, params.wide_root_noise) == (6, 1e20, 8, 0.0)
    assert config.source == "a.cfg and/or command-line and query overrides"


def test_threads_have_two_names():
    assert load_config(overrides=["numSearchThreadsPerAnalysisThread=3"]).params.num_search_threads == 3
    with pytest.raises(
        ConfigError, match=r"^Cannot specify both numSearchThreadsPerAnalysisThread and numSearchThreads"
    ):
        load_config(overrides=["numSearchThreadsPerAnalysisThread=3,numSearchThreads=3"])


def test_overrides_of_a_query():
    config = Config({"maxVisits": "10", "analysisPVLen": "5", "nope": "1"})
    params, unknown = config.override_for_query({"maxTime": "2", "analysisPVLen": "x", "nope": "2", "z": "", "a": "1"})
    assert (params.max_visits, params.max_time, unknown) == (10, 2.0, ["a"])
    # Some keys are read only if another key has a certain value.
    assert config.override_for_query({"fpuParentWeight": "0.5"})[1] == ["fpuParentWeight"]
    changes = {
        "fpuParentWeight": "0.5",
        "fpuParentWeightByVisitedPolicy": "false",
        "fpuParentWeightByVisitedPolicyPow": "1",
    }
    assert config.override_for_query(changes)[1] == ["fpuParentWeightByVisitedPolicyPow"]
    assert config.override(changes).values_of(Params)["fpu_parent_weight"] == 0.5
    # Settings of the process are no parameters of a query.
    assert config.override_for_query({"nnMaxBatchSize": "1", "maxVisits": ""})[1] == ["nnMaxBatchSize"]


@pytest.mark.parametrize(
    ("key", "value"), [("nodeTableShardsPowerOfTwo", "17"), ("useEvalCache", "true"), ("evalCacheMinVisits", "5")]
)
def test_some_keys_hold_for_the_process(key, value):
    with pytest.raises(ConfigError, match=f"^Cannot change {key} after initialization$"):
        Config().override_for_query({key: value})
    assert Config({key: value}).override_for_query({key: value})[1] == []


# Values.


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("maxVisits", "0", "Key 'maxVisits' must be in the range 1 to 1125899906842624 in config file default config"),
        ("maxVisits", "5.0", "Could not parse '5.0' as int64_t for key 'maxVisits' in config file default config"),
        ("maxVisits", "9" * 5000, ...),
        (
            "numSearchThreads",
            "1x",
            "Could not parse '1x' as int for key 'numSearchThreads' in config file default config",
        ),
        ("numSearchThreads", "4294967297", ...),
        ("cpuctExploration", "11", "Key 'cpuctExploration' must be in the range 0 to 10 in config file default config"),
        ("maxTime", "1e21", "Key 'maxTime' must be in the range 0 to 1e+20 in config file default config"),
        (
            "cpuctUtilityStdevPrior",
            "0",
            "Key 'cpuctUtilityStdevPrior' must be in the range 1e-08 to 10 in config file ...",
        ),
        ("maxTime", "nan", "Could not parse 'nan' as double for key 'maxTime' in config file default config"),
        ("maxTime", "1e999", "Could not parse '1e999' as double for key 'maxTime' in config file default config"),
        ("maxTime", "1_0", ...),
        ("nnPolicyTemperature", "x", "Could not parse 'x' as float for key 'nnPolicyTemperature' in config file ..."),
        ("antiMirror", "1", "Could not parse '1' as bool for key 'antiMirror' in config file default config"),
        (
            "excludeTerritoryAdjacentToAtari",
            "MAYBE",
            "Could not parse 'maybe' as bool or auto for key 'excludeTerritoryAdjacentToAtari' in config file ...",
        ),
        ("reportAnalysisWinratesAs", "GREEN", "Could not parse config value for reportAnalysisWinratesAs: GREEN"),
        (
            "playoutDoublingAdvantagePla",
            "x",
            "Could not parse player in field playoutDoublingAdvantagePla, should be BLACK or WHITE",
        ),
        ("humanSLProfile", "rank_21k", "Unknown human SL network profile: rank_21k"),
        ("humanSLProfile", "proyear_2024", "Unknown human SL network profile: proyear_2024"),
        (
            "humanSLChosenMoveProp",
            "1",
            "Provided parameter humanSLChosenMoveProp but no human model was specified (e.g -human-model ...",
        ),
        ("numBots", "2", "The config for this command cannot have numBots > 0"),
        ("analysisPVLen", "101", "Key 'analysisPVLen' must be in the range 1 to 100 in config file default config"),
    ],
)
def test_values_that_do_not_fit(key, value, text):
    told = refusal(**{key: value})
    assert key in told or value in told
    assert text is ... or told.startswith(text.removesuffix("..."))


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("maxVisits", " +5 ", 5),
        ("maxTime", ".5e1", 5.0),
        ("maxTime", "5.", 5.0),
        ("antiMirror", " TRUE ", True),
        ("excludeTerritoryAdjacentToAtari", "auto", None),
        ("excludeTerritoryAdjacentToAtari", "No", False),
        ("reportAnalysisWinratesAs", "sideToMove", None),
        ("reportAnalysisWinratesAs", "w", 1),
        ("playoutDoublingAdvantagePla", "BLACK", 0),
        ("humanSLProfile", "preaz_20k", "preaz_20k"),
        ("humanSLProfile", "proyear_1800", "proyear_1800"),
        ("humanSLProfile", "_", ""),
    ],
)
def test_values_that_fit(key, text, value):
    (name,) = [name for name, known in KEYS.items() if known.name == key]
    assert Config({key: text}).values_of(Params)[name] == value


def test_of_several_mistakes_the_first_that_is_read_is_told():
    names = [key.name for key in keys_of(Params).values() if key.kind == "double" and not key.is_human]
    for at, name in enumerate(names):
        values = dict.fromkeys(names[at:], "x")
        if name.startswith("fpuParentWeight"):
            continue
        assert f"key '{name}'" in refusal(**values)


def test_defaults_follow_from_other_keys():
    def params(**values):
        return Config({key: str(value) for key, value in values.items()}).params

    assert params() == Params()
    assert params(rootPolicyTemperature=2).root_policy_temperature_early == 2.0
    assert params(rootPolicyTemperature=2, rootPolicyTemperatureEarly=3).root_policy_temperature_early == 3.0
    assert params(rootNoiseEnabled="true").root_fpu_reduction_max == 0.0
    assert Config({"fpuLossProp": "0.5"}).values_of(Params)["root_fpu_loss_prop"] == 0.5
    assert (params(policyOptimism=0.1).root_policy_optimism, params(policyOptimism=0.5).root_policy_optimism) == (
        0.1,
        0.2,
    )


# The start.


def test_unknown_keys_are_told_at_the_start(tmp_path):
    text = "maxVisits = 5\nmaxvisits = 5\ncudaUseFP16 = auto\nopenclTunerFile = x\nnumNNServerThreadsPerModel = 1\n"
    config = load_config([write(tmp_path, f"{text}deviceToUseThread0 = 1\nmutexPoolSize = 8\n")])
    idle = ("cudaUseFP16", "deviceToUseThread0", "numNNServerThreadsPerModel", "openclTunerFile")
    assert config.notes() == [
        "--------------",
        "WARNING: Config had unused keys! You may have a typo, an option you specified is being unused from a.cfg",
        "WARNING: Unused key 'maxvisits' in a.cfg",
        "WARNING: Unused key 'mutexPoolSize' in a.cfg",
        "--------------",
        f"WARNING: these keys of a.cfg are accepted without effect: {', '.join(idle)}",
    ]


def test_keys_without_effect_are_listed_once():
    values = {"useGraphSearch": "true", "avoidSgf2PatternUtility": "0.1", "lagBuffer": "1", "logToStderr": "true"}
    (note,) = Config(values).notes()
    assert note == (
        "WARNING: these keys of default config are accepted without effect: "
        "avoidSgf2PatternUtility, lagBuffer, useGraphSearch"
    )
    # Moves that are played depend on the clock's lag.
    (note,) = Config(values).notes(GtpSettings)
    assert note.endswith("effect: avoidSgf2PatternUtility, useGraphSearch")


SHIPPED_GTP = """
logDir = gtp_logs
logAllGTPCommunication = true
logSearchInfo = true
logSearchInfoForChosenMove = false
logToStderr = false
rules = tromp-taylor
allowResignation = true
resignThreshold = -0.90
resignConsecTurns = 3
ponderingEnabled = false
maxTimePondering = 60
lagBuffer = 1.0
numSearchThreads = 6
searchFactorAfterOnePass = 0.50
searchFactorAfterTwoPass = 0.25
searchFactorWhenWinning = 0.40
searchFactorWhenWinningThreshold = 0.95
searchRandSeed = hijklmn
gtpForceMaxNNSize = false
cleanupBeforePass = auto
friendlyPass = auto
avoidMYTDaggerHack = false
autoAvoidRepeatDir = avoid
autoAvoidRepeatUtility = 0.01
autoAvoidRepeatMinTurnNumber = 1
autoAvoidRepeatMaxPoses19x19 = 1000
"""
"""Keys that KataGo's example for GTP sets or offers, with its values."""

SHIPPED_ANALYSIS = """
logDir = analysis_logs
reportAnalysisWinratesAs = BLACK
maxVisits = 500
numAnalysisThreads = 2
numSearchThreadsPerAnalysisThread = 16
nnMaxBatchSize = 64
nnCacheSizePowerOfTwo = 23
nnMutexPoolSizePowerOfTwo = 17
nnRandomize = true
searchRandSeed = hijklmn
"""


def test_configurations_that_ship_with_katago_have_no_unused_keys(tmp_path):
    (note,) = load_config([write(tmp_path, SHIPPED_GTP, "gtp_example.cfg")]).notes(GtpSettings)
    assert note == (
        "WARNING: these keys of gtp_example.cfg are accepted without effect: autoAvoidRepeatDir, "
        "autoAvoidRepeatMaxPoses19x19, autoAvoidRepeatMinTurnNumber, autoAvoidRepeatUtility, avoidMYTDaggerHack, "
        "cleanupBeforePass, friendlyPass, gtpForceMaxNNSize, logDir, logSearchInfo, logSearchInfoForChosenMove, "
        "maxTimePondering, ponderingEnabled"
    )
    (note,) = load_config([write(tmp_path, SHIPPED_ANALYSIS, "analysis_example.cfg")]).notes()
    assert note == (
        "WARNING: these keys of analysis_example.cfg are accepted without effect: logDir, nnMutexPoolSizePowerOfTwo"
    )


# The table.


def test_fields_are_named_for_their_keys():
    for name, key in KEYS.items():
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", key.name)
        assert name == words.lower()
        assert key.doc.endswith(".")
        assert key.kind in ("bool", "enabled", "text", "player", "perspective", "profile") or key.range


def test_the_documentation_lists_every_key():
    found = re.findall(
        r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \| (.*) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE
    )
    per_query = {key.name for key in keys_of(Params).values()}
    rows = []
    for key in KEYS.values():
        default = {"None": "", "True": "true", "False": "false", str(2**50): "2^50"}.get(
            str(key.default), str(key.default)
        )
        allowed = key.range.replace(str(2**50), "2^50") or {"bool": "true, false", "enabled": "true, false, auto"}.get(
            key.kind, ""
        )
        effect = key.effect + (", by query" if key.name in per_query and key.is_changeable else "")
        rows.append((key.name, default, allowed, effect, key.doc))
    assert found == rows, "\n".join(f"| `{row[0]}` | {' | '.join(row[1:])} |" for row in rows)


def test_what_is_said_to_be_used_is():
    """And nothing else: every field that is read is named where the engine reads it."""
    read = set()
    for path in [*(PACKAGE / "analysis").rglob("*.py"), PACKAGE / "cli" / "analyze.py"]:
        if path.name not in ("params.py", "config.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            read |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used = {name for name, key in KEYS.items() if key.effect == "used"}
    assert used == read & KEYS.keys() - {"human_sl_profile"}  # which is refused


def test_values_of_the_dataclasses_are_hashable():
    assert hash(Params()) == hash(dataclasses.replace(Params()))
    assert Params() != dataclasses.replace(Params(), max_visits=1)
