"""A small CSA server: pairs whoever logs in for the same game, keeps rules and clocks, judges as floodgate's does."""

import collections
import contextlib
import math
import queue
import re
import socket
import struct
import threading
import time

from csa_peers import START

import tengen
from tengen.games.shogi.records import Board, parse_csa, parse_csa_move


class Player:
    """A connection that has logged in. Lines come through the inbox of its game."""

    def __init__(self, connection, file, name):
        self.connection, self.file, self.name = connection, file, name
        self.inbox = queue.SimpleQueue()
        self.left = 0.0

    def send(self, *lines):
        with contextlib.suppress(OSError):
            self.connection.sendall("".join(f"{line}\n" for line in lines).encode())

    def read_on(self):
        """In a thread of its own until the client leaves."""
        with contextlib.suppress(OSError):
            for data in self.file:
                line = data.decode("ascii", "replace").rstrip("\n")
                if not line:
                    self.send("")
                else:
                    self.inbox.put((time.monotonic(), self, line))
        self.inbox.put((time.monotonic(), self, None))
        self.file.close()

    def close(self, *, resets):
        with contextlib.suppress(OSError):  # it may be gone
            if resets:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()


class Match:
    """One game of two players."""

    def __init__(self, referee, number, black, white):
        self.referee = referee
        self.id = f"test+{referee.game_name}+{black.name}+{white.name}+{number}"
        self.players = (black, white)
        self.inbox = queue.SimpleQueue()
        for player in self.players:
            # What came before the game goes to it too.
            old, player.inbox = player.inbox, self.inbox
            while not old.empty():
                self.inbox.put(old.get())
        self.moves = []
        self.lines = []
        self.verdict = ("", "", "")

    def play(self):
        for player, color in zip(self.players, "+-", strict=True):
            player.left = self.referee.total_s
            player.send(*self.terms(color))
        try:
            if self.agree():
                self.referee_moves()
        finally:
            for player in self.players:
                # Floodgate closes at once, one side mostly with a reset.
                player.close(resets=player is self.players[len(self.moves) % 2])

    def terms(self, color):
        referee = self.referee
        first = "+-"[Board.of_sfen(parse_csa("\n".join(referee.position))[0].start).side]
        return [
            "BEGIN Game_Summary",
            "Protocol_Version:1.2",
            "Protocol_Mode:Server",
            "Format:Shogi 1.0",
            "Declaration:Jishogi 1.1",
            f"Game_ID:{self.id}",
            f"Name+:{self.players[0].name}",
            f"Name-:{self.players[1].name}",
            f"Your_Turn:{color}",
            "Rematch_On_Draw:NO",
            f"To_Move:{first}",
            f"Max_Moves:{referee.max_moves}",
            "BEGIN Time",
            "Time_Unit:1sec",
            f"Total_Time:{referee.total_s}",
            f"Byoyomi:{referee.byoyomi_s}",
            f"Increment:{referee.increment_s}",
            "Least_Time_Per_Move:0",
            "END Time",
            "BEGIN Position",
            *referee.position,
            "END Position",
            "END Game_Summary",
        ]

    def agree(self):
        agreed = set()
        while len(agreed) < 2:
            _, player, line = self.inbox.get(timeout=60)
            if line == "AGREE":
                agreed.add(player)
            else:
                for each in self.players:
                    each.send(f"REJECT:{self.id} by {player.name}")
                return False
        for player in self.players:
            player.send(f"START:{self.id}")
        return True

    def referee_moves(self):
        record = parse_csa("\n".join(self.referee.position))[0]
        game = tengen.game("shogi")
        state = game.start(sfen=record.start, moves=record.moves)
        plies = len(record.moves)
        seen = collections.Counter()
        began = time.monotonic()
        deferred = collections.defaultdict(list)
        while True:
            mover = self.players[game.side(state)]
            at, player, line = self.next_line(mover, deferred)
            if line is None or player is not mover:
                if line is None:
                    return self.judge(player, "#RESIGN", "%TORYO")
                deferred[player].append((at, line))
                continue
            spent = max(0, math.floor(at - began))
            mover.left += self.referee.increment_s - spent
            if mover.left <= -self.referee.byoyomi_s:
                return self.judge(mover, "#TIME_UP")
            mover.left = max(0, mover.left)
            text, _, comment = line.partition(",")
            if text == "%TORYO":
                return self.judge(mover, "#RESIGN", "%TORYO")
            if text == "%KACHI":
                loser = None if "win" in map(game.name, state.legal()) else mover
                winner = self.other(mover) if loser else mover
                self.tell(f"%KACHI,T{spent}", "%KACHI")
                return self.judge(self.other(winner), "#ILLEGAL_MOVE" if loser else "#JISHOGI")
            try:
                move = parse_csa_move(Board.of_sfen(game.sfen(state)), text)
                # The start does not count, so our own count of repetitions is not asked.
                state = game.start(sfen=game.sfen(state)).play(move)
            except ValueError:
                return self.judge(mover, "#ILLEGAL_MOVE")
            plies += 1
            self.moves.append(move)
            self.lines.append((text, spent, comment))
            self.tell(f"{text},T{spent}")
            self.referee.check_comment(comment, text)
            key = game.sfen(state).rpartition(" ")[0]
            seen[key] += 1
            if seen[key] == 4:
                return self.judge(None, "#SENNICHITE")
            if self.referee.max_moves and plies >= self.referee.max_moves and state.actor is not None:
                return self.judge(None, "#MAX_MOVES")
            began = time.monotonic()

    def next_line(self, mover, deferred):
        if deferred[mover]:
            at, line = deferred[mover].pop(0)
            return at, mover, line
        return self.inbox.get(timeout=self.referee.total_s + self.referee.byoyomi_s + 60)

    def other(self, player):
        return self.players[1 - self.players.index(player)]

    def tell(self, *lines):
        for player in self.players:
            player.send(*lines)

    def judge(self, loser, reason, sign=""):
        """Nobody loses a draw."""
        self.verdict = (reason, "" if loser is None else self.other(loser).name, "" if loser is None else loser.name)
        if sign:
            self.tell(sign)
        for player in self.players:
            draw = "#CENSORED" if reason == "#MAX_MOVES" else "#DRAW"
            player.send(reason, draw if loser is None else "#LOSE" if player is loser else "#WIN")


class Referee:
    """Serves until closed; `matches` are the games so far. Colors change from game to game."""

    def __init__(self, *, total_s=60, byoyomi_s=0, increment_s=1, max_moves=320, position=START, passwords=None):
        self.total_s, self.byoyomi_s, self.increment_s = total_s, byoyomi_s, increment_s
        self.max_moves, self.position = max_moves, position
        self.game_name = f"floodgate-{total_s}-{increment_s}F"
        self.passwords = passwords
        self.matches = []
        self.faults = []
        self._waiting = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [self._run(self._accept)]

    def _run(self, task, *args):
        thread = threading.Thread(target=self._guarded, args=(task, *args), daemon=True)
        thread.start()
        return thread

    def _guarded(self, task, *args):
        try:
            task(*args)
        except Exception as fault:  # noqa: BLE001 - told by close()
            self.faults.append(fault)

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._threads.append(self._run(self._welcome, connection))

    def _welcome(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        file = connection.makefile("rb")
        found = re.fullmatch(r"LOGIN (\S+) (\S+),(\S+)\n", file.readline().decode("ascii", "replace"))
        if found is None or (self.passwords and self.passwords.get(found[1]) != found[3]):
            connection.sendall(b"LOGIN:incorrect\n")
            file.readline()
            file.close()
            connection.close()
            return
        player = Player(connection, file, found[1])
        player.send(f"LOGIN:{found[1]} OK")
        with self._lock:
            self._waiting.append(player)
            pair = [self._waiting.pop(0) for _ in range(2)] if len(self._waiting) > 1 else []
            if pair:
                number = len(self.matches)
                pair.sort(key=lambda player: player.name, reverse=number % 2 == 1)
                self.matches.append(Match(self, number, *pair))
                self._threads.append(self._run(self.matches[-1].play))
        player.read_on()

    def check_comment(self, comment, text):
        """An evaluation is a score and a line that begins with the move."""
        if comment and not re.fullmatch(rf"'\* -?\d+ {re.escape(text)}( [+-]\d{{4}}[A-Z]{{2}})*", comment):
            raise AssertionError(f"{comment!r} is no evaluation of {text}")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for player in self._waiting:
            player.close(resets=False)
        for thread in self._threads:
            thread.join(20)
        if kind is None and self.faults:
            raise self.faults[0]
