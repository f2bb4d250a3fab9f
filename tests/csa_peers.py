"""Servers that speak CSA's protocol to a client under test: by a transcript, or as a function of the test says."""

import contextlib
import queue
import socket
import struct
import threading
import time

import tengen
from tengen.games.shogi.records import Board, parse_csa_move
from tengen.protocols.csa import CsaClient, CsaSettings
from tengen.protocols.usi.decision import Decision, Score

WAIT_S = 60
WON = ("%TORYO", "#RESIGN", "#WIN")
START = [
    "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY",
    "P2 * -HI *  *  *  *  * -KA * ",
    "P3-FU-FU-FU-FU-FU-FU-FU-FU-FU",
    *(f"P{rank} *  *  *  *  *  *  *  *  * " for rank in (4, 5, 6)),
    "P7+FU+FU+FU+FU+FU+FU+FU+FU+FU",
    "P8 * +KA *  *  *  *  * +HI * ",
    "P9+KY+KE+GI+KI+OU+KI+GI+KE+KY",
    "+",
]


def summary_lines(color="+", position=START, game_id="test+game", time=("Total_Time:300", "Increment:10"), **keys):
    """A Game_Summary; a key that is None is left out."""
    head = {
        "Protocol_Version": "1.2",
        "Protocol_Mode": "Server",
        "Format": "Shogi 1.0",
        "Declaration": "Jishogi 1.1",
        "Game_ID": game_id,
        "Name+": "ours" if color == "+" else "theirs",
        "Name-": "theirs" if color == "+" else "ours",
        "Your_Turn": color,
        "Rematch_On_Draw": "NO",
        "To_Move": "+",
        **keys,
    }
    return [
        "BEGIN Game_Summary",
        *(f"{key}:{value}" for key, value in head.items() if value is not None),
        "BEGIN Time",
        "Time_Unit:1sec",
        *time,
        "END Time",
        "BEGIN Position",
        *position,
        "END Position",
        "END Game_Summary",
    ]


class Peer:
    """The server's end of one connection."""

    def __init__(self, connection):
        self.socket = connection
        connection.settimeout(WAIT_S)
        # What is sent is on its way before the connection is reset.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._file = connection.makefile("rb")

    def send(self, *lines):
        self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data):
        self.socket.sendall(data)

    def hear(self):
        """The client's next line that is no sign of life; None when it has closed."""
        while (line := self.hear_anything()) == "":
            pass
        return line

    def hear_anything(self):
        data = self._file.readline()
        return data.decode().rstrip("\n") if data else None

    def expect(self, wanted):
        line = self.hear()
        assert line == wanted, f"the client said {line!r} instead of {wanted!r}"

    def begin(self, color="+", **keys):
        """Login, terms and start."""
        login = self.hear()
        assert login.startswith("LOGIN "), login
        name = login.split()[1]
        lines = summary_lines(color, **keys)
        self.send(f"LOGIN:{name} OK", *lines)
        self.expect("AGREE")
        self.send("START:test+game")

    def end(self, *verdict):
        """A verdict, then the connection is closed."""
        self.send(*verdict)
        with contextlib.suppress(OSError):
            while self.hear() not in (None, "LOGOUT"):
                pass

    def reset(self):
        """Ends the connection as a crash would."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self):
        self._file.close()
        self.socket.close()


class ScriptedServer:
    """Each connection is handled by the next of the functions, which gets a Peer; the last one handles the rest too."""

    def __init__(self, *handlers):
        self._handlers = handlers
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.peers = []
        self.faults = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        number = 0
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            handler = self._handlers[min(number, len(self._handlers) - 1)]
            number += 1
            peer = Peer(connection)
            self.peers.append(peer)
            try:
                handler(peer)
            except Exception as fault:  # noqa: BLE001 - told by close()
                self.faults.put(fault)
            with contextlib.suppress(OSError):
                peer.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        # Closing alone does not wake accept().
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(WAIT_S)
        if kind is None and not self.faults.empty():
            raise self.faults.get()


class StubEngine:
    """Plays given moves, by their CSA texts; then the first legal one. `slow` is an event to wait for before each."""

    def __init__(self, moves=(), *, evaluations=(), slow=None):
        self.options = {"MaxMovesToDraw": "0", "EnteringKingRule": "CSARule27"}
        self._moves = list(moves)
        self._evaluations = list(evaluations)
        self._slow = slow
        self._stopped = threading.Event()
        self.limits = []
        self.states = []
        self.hits = []

    @property
    def game(self):
        options = self.options
        return tengen.game("shogi", max_plies=int(options["MaxMovesToDraw"]), declaration=options["EnteringKingRule"])

    def set_option(self, name, text):
        self.options[name] = text

    def start_game(self):
        pass

    def prepare(self):
        pass

    def begin(self, state, limits):
        self.limits.append(limits)
        self.states.append(state)
        self._stopped.clear()
        return state, limits

    def run(self, thinking, on_info=None):
        state, limits = thinking
        if limits.is_ponder:
            self._stopped.wait(WAIT_S)
        elif self._slow is not None:
            while not self._slow.is_set() and not self._stopped.is_set():
                self._stopped.wait(0.01)
        return self._decide(state)

    def _decide(self, state):
        if not self._moves:
            return Decision(state.game.name(state.legal()[0]))
        text = self._moves.pop(0)
        board = Board.of_sfen(state.game.sfen(state))
        sign = {"%TORYO": "resign", "%KACHI": "win"}
        if text in sign:
            return Decision(sign[text])
        move = text if text[0] not in "+-" else parse_csa_move(board, text)
        evaluation = self._evaluations.pop(0) if self._evaluations else None
        if evaluation is None:
            return Decision(move)
        score, *line = evaluation.split()
        moves = []
        for step in line:
            moves.append(parse_csa_move(board, step))
            board = board.after(moves[-1])
        view = 1 if state.actor == 0 else -1
        return Decision(move, score=Score(cp=view * int(score)), pv=tuple(moves))

    def stop(self):
        self._stopped.set()

    def ponderhit(self, limits=None):
        self.hits.append(limits)
        self._stopped.set()


# A client for tests.


def settings_for(server, **more):
    return CsaSettings(
        "127.0.0.1", "ours", server.port, **{"games": 1, "verdict_s": 0.05, "longest_pause_s": 0.02, **more}
    )


def run(server, engine=None, **more):
    return CsaClient(settings_for(server, **more), "secret", engine or StubEngine()).run()


def play_one(handler, engine=None, **more):
    """The result of a game against a server that does as the function says."""
    with ScriptedServer(handler) as server:
        (result,) = run(server, engine, **more)
    return result


def until(condition):
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.002)
