"""Many battles on a real Showdown server: nothing may be invalid, late or lost, and memory must stay flat.

    python tests/soak/showdown_battles.py [--battles 2000] [--at-once 10] [--opponent showdown:SimpleHeuristics]
    python tests/soak/showdown_battles.py --player heuristic:1000000,seconds=0.02 --records FOLDER  # goes on if stopped
    python tests/soak/showdown_battles.py --kill      # the server is killed in mid-battle

Needs node and the npm package: docs/showdown.md says where it is looked for.
"""

import argparse
import asyncio
import os
import signal
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

from tengen.protocols.showdown import MatchSummary, ServerLost, ShowdownServer, ShowdownSettings, find_decider
from tengen.protocols.showdown.client import ShowdownClient
from tengen.protocols.showdown.recording import read_results
from tengen.protocols.showdown.server_match import opponent_name, play_server_match, played_before

PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


def resident_mb(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_KB // 1024


def settings_of(options, server, records):
    return ShowdownSettings(
        name="tengen",
        url=server.url,
        challenge=opponent_name(options.opponent),
        battles=options.battles,
        at_once=options.at_once,
        records=records,
        timer=True,
    )


def play(options, server, records):
    decider = find_decider(options.player)
    results = played_before(records, decider.name, options.opponent)
    before = len(results)
    if before:
        print(f"{before} battles are recorded already", flush=True)
    began = time.monotonic()

    def hear(result):
        results.append(result)
        if len(results) % max(1, options.battles // 40) == 0:
            memory = f"{resident_mb(os.getpid())} MB ours, {resident_mb(server.pid)} MB the server's main process"
            rate = (len(results) - before) / (time.monotonic() - began)
            print(f"{MatchSummary(tuple(results))}; {rate:.2f} battles/s; {memory}", flush=True)

    settings = replace(settings_of(options, server, records), battles=options.battles - before)
    client = ShowdownClient(settings, decider, hear)
    asyncio.run(play_server_match(settings, decider, options.opponent, client=client))
    summary = MatchSummary(tuple(results))
    print(f"{options.player} against {options.opponent}: {summary}; {client.reconnections} reconnections")
    figures = summary.figures
    assert summary.battles == options.battles
    assert (figures["invalid"], figures["late"], figures["abandoned"]) == (0, 0, 0)


def kill(options, server, records):
    """In the middle of battles: the client says so, gives up after its tries, and records are whole."""
    settings = settings_of(options, server, records)
    decider = find_decider(options.player)
    client = ShowdownClient(settings, decider)

    def strike():
        while sum(len(path.read_text().splitlines()) > 60 for path in records.glob("*.log")) < 2:
            time.sleep(0.1)
        os.killpg(server.pid, signal.SIGKILL)

    threading.Thread(target=strike, daemon=True).start()
    try:
        asyncio.run(play_server_match(settings, decider, options.opponent, client=client))
    except ServerLost as error:
        print(f"said: {error}")
    else:
        raise AssertionError("nobody noticed")
    results = read_results(records)
    assert {result.outcome for result in results[-1:]} == {"abandoned"}
    for result in results:
        assert '"outcome"' in (records / result.file).read_text().splitlines()[-1]
    print(f"{len(results)} records, the last of battles that were abandoned: whole")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--battles", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=10)
    parser.add_argument("--player", default="matchup")
    parser.add_argument("--opponent", default="showdown:SimpleHeuristics")
    parser.add_argument("--records", type=Path, help="where battles are kept; else in a folder that goes away")
    parser.add_argument("--kill", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ShowdownServer() as server:
        (kill if options.kill else play)(options, server, options.records or Path(folder))


if __name__ == "__main__":
    main()
