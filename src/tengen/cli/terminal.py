"""A game at the terminal: boards, the prompt and its commands."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from tengen.cli.console import colors, draw, one_line, output_console
from tengen.cli.hints import hints_note, hints_table
from tengen.cli.lookback import find_mistakes, mistakes_table
from tengen.cli.prompt import Prompt
from tengen.cli.thinking import describe_value
from tengen.cli.wording import moves_table, outcome_text, score_text, seat_text
from tengen.games import GameError, IllegalAction

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.cli.computer import Choice
    from tengen.cli.session import Session

__all__ = ["Terminal"]

_HINTS = 5
_COMMANDS = {
    "help": "how to read the board, the moves and these commands, also: ?",
    "moves": "the moves that you may play",
    "hint": "what each move is worth, as far as you can know",
    "review": "your worst decisions in this game, and what was better",
    "undo": "take back to your last decision",
    "board": "draw the board again",
    "new": "begin a new game",
    "quit": "leave, also: Ctrl-D",
}
_ALIASES = {"?": "help", "q": "quit", "exit": "quit"}


class Terminal:
    def __init__(self, session: Session, seconds: float) -> None:
        """`seconds` are what a search may take at most."""
        self._session = session
        self._seconds = seconds
        self._game = session.game
        self._console = output_console()
        self._prompt = Prompt(self._words)
        self._is_board_due = True
        self._is_open = True
        self._answers: dict[str, Callable[[], None]] = {
            "help": self._help,
            "moves": self._show_moves,
            "hint": self._hint,
            "review": self._review,
            "undo": self._undo,
            "board": self._show_board,
            "new": self._new,
            "quit": self._quit,
        }

    def run(self) -> None:
        self._greet()
        self._tell_opening()
        try:
            while self._is_open:
                self._go_on()
        except (EOFError, KeyboardInterrupt) as end:
            self._console.print()  # the shell's own prompt begins on a line of its own
            if isinstance(end, KeyboardInterrupt):
                raise

    def _go_on(self) -> None:
        session = self._session
        if session.state.is_over or session.is_persons_turn:
            if self._is_board_due:
                self._show_board()
                self._is_board_due = False
                if session.state.is_over:
                    self._announce()
            self._ask()
        elif session.state.actor == "chance":
            self._say(f"Chance: {session.roll()}")
        else:
            player, choice = session.let_computer_play()
            self._tell(player, choice)
            self._tell_account()

    # What a person types.

    def _ask(self) -> None:
        over = self._session.state.is_over
        names = self._names()
        only = f" [{names[0]}]" if len(names) == 1 else ""
        text = self._prompt.ask(f"{self._after_words()}> " if over else f"your move{only}> ")
        if not text and not only:
            return
        command = _ALIASES.get(text.casefold(), text.casefold())
        word, _, words = text.partition(" ")
        # A game may use a command's word for a move of its own.
        if command in self._answers and text.casefold() not in map(str.casefold, names):
            self._answers[command]()
        elif over and self._session.has_rounds and word.casefold() == "new":
            self._new(words.strip())
        elif over:
            self._say(f"The game is over, so {text!r} can't be played: {self._after_words()}?")
        else:
            self._play(text or names[0])

    def _play(self, text: str) -> None:
        session = self._session
        try:
            action = self._game.parse(text, session.state)
            is_legal = action in self._legal()
        except IllegalAction:
            is_legal = False
        except GameError as error:
            self._say(f"{one_line(error)}. `help` lists the moves and commands.")
            return
        if not is_legal:
            self._say(f"{text!r} is not possible now. `moves` lists what is.")
            return
        for player, choice in session.play(action).items():
            self._say(f"You choose {self._game.name(action)}.")
            self._tell(player, choice)
        self._tell_account()
        self._is_board_due = True

    def _after_words(self) -> str:
        """What can be done once the game is over."""
        return "new, review, undo or quit" if self._session.can_undo else "new, review or quit"

    def _legal(self) -> list[int]:
        session = self._session
        return session.state.legal(session.seat) if session.is_persons_turn else []

    def _names(self) -> list[str]:
        return [self._game.name(action) for action in self._legal()]

    def _words(self) -> list[str]:
        return [*self._names(), *_COMMANDS]

    # What the person is told.

    def _greet(self) -> None:
        game = self._game
        self._console.print(Text(game.title, style="bold"))
        rules = inspect.cleandoc(type(game).__doc__ or "").partition("\n\n")[0]
        if rules:
            self._say(" ".join(rules.split()))
        who = "" if self._session.has_rounds else f"You are {seat_text(game, self._session.seat)}. "
        self._say(f"{who}Type a move; `help` lists the moves and commands.")

    def _tell_opening(self) -> None:
        lines = self._session.opening
        if lines:
            self._console.print()
        for line in lines:
            self._console.print(Text(line), soft_wrap=True)

    def _tell_account(self) -> None:
        """What the last action did, where its name does not say."""
        session = self._session
        text = self._game.describe_change(session.before.position, session.state.position, session.seat)
        if text:
            self._console.print(Text(f"  {text}."), soft_wrap=True)

    def _show_board(self) -> None:
        self._console.print()
        eyes = self._session.seat if self._game.hidden else None
        draw(self._console, self._session.state.text(eyes, color=colors(self._console)))
        self._console.print()

    def _tell(self, player: int, choice: Choice) -> None:
        who = "The computer" if self._game.players == 2 else seat_text(self._game, player).capitalize()
        verb = "chooses" if self._session.game.simultaneous else "plays"
        text = Text.assemble(f"{who} {verb} ", (self._game.name(choice.action), "bold"))
        if choice.result is not None:
            result = choice.result
            facts = [f"{result.visits:,} visits", f"{choice.elapsed_s:.2f} s"]
            # Of a hidden game its view would give its cards away.
            if not self._game.hidden:
                facts.insert(0, describe_value(self._game, result.values[player], proven=result.proven))
            text.append(f"  ({', '.join(facts)})", style="dim")
        self._console.print(text)

    def _announce(self) -> None:
        session = self._session
        self._console.print(
            Text(outcome_text(self._game, session.state.payoffs, session.seat), style="bold"), soft_wrap=True
        )
        if len(session.results) > 1:
            self._say(score_text(self._game, session.results))
        for line in session.closing:
            self._console.print(Text(line), soft_wrap=True)

    def _say(self, text: str) -> None:
        self._console.print(Text(text))

    # Commands.

    def _help(self) -> None:
        for line in self._game.guide.splitlines():
            self._say(line)
        self._show_moves()
        table = Table.grid(padding=(0, 2))
        for name, meaning in _COMMANDS.items():
            table.add_row(Text(f"  {name}", style="bold"), Text(meaning))
        self._say("Commands:")
        self._console.print(table)

    def _show_moves(self) -> None:
        if self._session.state.is_over:
            self._say("The game is over: there are no moves.")
            return
        self._say("Your moves:")
        self._console.print(moves_table(self._names()))

    def _hint(self) -> None:
        session = self._session
        if session.state.is_over:
            self._say("The game is over: there are no moves.")
            return
        advice = session.hint()
        self._console.print(hints_table(self._game, advice if self._game.hidden else advice[:_HINTS]))
        note = hints_note(self._game, session.note)
        if note:
            self._console.print(Text(note, style="dim"))

    def _review(self) -> None:
        mistakes, count = find_mistakes(self._session, self._seconds)
        if not count:
            self._say("You have had no choice in this game.")
        elif mistakes:
            self._say(f"The worst of your {count} decisions, by what you could know then:")
            self._console.print(mistakes_table(self._game, mistakes))
        else:
            self._say(f"None of your {count} decisions was clearly worse than the best.")

    def _undo(self) -> None:
        if not self._session.can_undo:
            self._say("The deal has been told: this round can't be taken back.")
        elif self._session.undo():
            self._is_board_due = True
        else:
            self._say("There is nothing to take back.")

    def _new(self, words: str = "") -> None:
        session = self._session
        before = session.seat
        if session.has_rounds and not session.state.is_over:
            self._say("The round under way does not count.")
        session.new(words)
        if session.seat != before:
            self._say(f"You are {seat_text(self._game, session.seat)}.")
        self._tell_opening()
        self._is_board_due = True

    def _quit(self) -> None:
        self._is_open = False
