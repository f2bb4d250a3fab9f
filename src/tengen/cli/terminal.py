"""A game at the terminal: boards, the prompt and its commands."""

from __future__ import annotations

import inspect
import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from tengen.cli.hints import hints_note, hints_table
from tengen.cli.mistakes import find_mistakes, mistakes_table
from tengen.cli.move_tables import moves_table, named_moves_table
from tengen.cli.prompt import Prompt
from tengen.console.files import write
from tengen.console.output import colors, draw, one_line, output_console
from tengen.games import GameError, IllegalAction
from tengen.play import japanese, korean
from tengen.play.game_text import describe_standing, outcome_text, score_text, seat_text
from tengen.play.translation import translate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.games import State
    from tengen.play.human_game import HumanGame
    from tengen.play.opponents import Choice

__all__ = ["COMMAND_WORDS", "Terminal"]

_HINTS = 5
_COMMANDS = {
    "help": "the rules and these commands",
    "moves": "what you may play now",
    "hint": "what each move is worth",
    "review": "your worst moves so far",
    "undo": "take back your last move",
    "board": "draw the board again",
    "resign": "give the game up",
    "new": "begin a new game",
    "save FILE": "keep the game in a file",
    "load FILE": "go on with a saved one",
    "quit": "leave, also Ctrl-D",
}
COMMAND_WORDS = [name.removesuffix("FILE") for name in _COMMANDS]
_ALIASES = {"?": "help", "q": "quit", "exit": "quit", **korean.ALIASES, **japanese.ALIASES}


class Terminal:
    def __init__(self, table: HumanGame, seconds: float, note: str = "") -> None:
        """`seconds` is the longest time of a search; `note` is printed before the game."""
        self._table = table
        self._seconds = seconds
        self._note = note
        self._game = table.game
        self._console = output_console()
        self._prompt = Prompt(self._words)
        self._is_board_due = True
        self._is_open = True
        self._saved: list[Path] = []
        self._answers: dict[str, Callable[[], None]] = {
            "help": self._help,
            "moves": self._show_moves,
            "hint": self._hint,
            "review": self._review,
            "undo": self._undo,
            "board": self._show_board,
            "resign": self._resign,
            "new": self._new,
            "save": self._save,
            "load": self._load,
            "quit": self._quit,
        }
        self._answers_to_words: dict[str, Callable[[str], None]] = {
            "save": self._save,
            "save!": lambda words: self._save(words, force=True),
            "load": self._load,
        }

    def run(self) -> None:
        self._greet()
        self._tell_opening()
        try:
            while self._is_open:
                self._advance()
        except (EOFError, KeyboardInterrupt) as end:
            self._console.print()  # the shell's own prompt begins on a line of its own
            if isinstance(end, KeyboardInterrupt):
                raise

    def _advance(self) -> None:
        table = self._table
        if table.is_over or table.is_persons_turn:
            if self._is_board_due:
                self._show_board()
                self._is_board_due = False
                if table.is_over:
                    self._announce()
            self._ask()
        elif table.state.actor == "chance":
            self._say("Chance: {outcome}", outcome=table.roll())
        else:
            player, choice = table.let_computer_play()
            if table.resigned is not None:
                self._say("The computer resigns.")
                self._is_board_due = True
                return
            self._tell(player, choice)
            self._tell_change()

    # Input.

    def _ask(self) -> None:
        over = self._table.is_over
        names = self._names()
        only = f" [{names[0]}]" if len(names) == 1 else ""
        text = self._prompt.ask(f"{self._after_words() if over else translate(self._game, 'your move') + only}> ")
        if not text and not only:
            return
        command = _ALIASES.get(text.casefold(), text.casefold())
        word, _, words = text.partition(" ")
        word = _ALIASES.get(word, word)
        # A game may use a command's word for a move of its own.
        is_move = text.casefold() in map(str.casefold, names)
        if command in self._answers and not is_move:
            self._answers[command]()
        elif words and word.casefold() in self._answers_to_words and not is_move:
            self._answers_to_words[word.casefold()](words.strip())
        elif over and self._table.has_series and word.casefold() == "new":
            self._new(words.strip())
        elif over:
            told = "The game is over, so {text!r} can't be played: {commands}?"
            self._say(told, text=text, commands=self._after_words())
        else:
            self._play(text or names[0])

    def _play(self, text: str) -> None:
        table = self._table
        try:
            action = self._game.parse(text, table.state, table.seat)
            if action not in self._legal():
                raise self._game.illegal(table.state.position, table.seat, action)
        except IllegalAction as error:
            told = "{text!r} is not possible now: {reason}." if error.reason else "{text!r} is not possible now."
            self._say(told, text=text, reason=error.reason)
            self._say("`moves` lists what is, `help` teaches the rules.")
            return
        except GameError as error:
            self._say("{error}. `help` teaches the rules and commands.", error=one_line(error))
            return
        for player, choice in table.play(action).items():
            self._say("You choose {move}.", move=self._name(table.before, table.seat, action))
            self._tell(player, choice)
        self._tell_change()
        self._is_board_due = True

    def _after_words(self) -> str:
        """Return the commands that make sense after the game."""
        can_undo = self._table.can_undo
        return translate(self._game, "new, review, undo, save or quit" if can_undo else "new, review, save or quit")

    def _legal(self) -> list[int]:
        table = self._table
        return table.state.legal(table.seat) if table.is_persons_turn else []

    def _names(self) -> list[str]:
        return [self._name(self._table.state, self._table.seat, action) for action in self._legal()]

    def _name(self, state: State, player: int, action: int) -> str:
        return self._game.describe_action(state.position, player, action)

    def _words(self) -> list[str]:
        return [*self._names(), *(name.removesuffix("FILE") for name in self._commands())]

    def _commands(self) -> dict[str, str]:
        """Return the commands that this game has, with their meanings."""
        return {name: text for name, text in _COMMANDS.items() if name != "resign" or self._table.can_resign}

    # Output.

    def _greet(self) -> None:
        game = self._game
        self._console.print(Text(game.words(game.title), style="bold"))
        rules = inspect.cleandoc(type(game).__doc__ or "").partition("\n\n")[0]
        if rules:
            self._print(game.words(" ".join(rules.split())))
        if self._note:
            self._say("{sentence}.", sentence=f"{self._note[0].upper()}{self._note[1:]}")
        typed = translate(game, "Type a move, or a command: `help` teaches the rules and lists them.")
        self._print(typed if self._table.has_series else f"{self._seat_text()} {typed}")

    def _seat_text(self) -> str:
        return translate(self._game, "You are {seat}.", seat=seat_text(self._game, self._table.seat))

    def _tell_opening(self) -> None:
        lines = self._table.opening
        if lines:
            self._console.print()
        for line in lines:
            self._console.print(Text(line), soft_wrap=True)

    def _tell_change(self) -> None:
        text = self._table.last_change
        if text:
            self._console.print(Text(f"  {text}."), soft_wrap=True)

    def _show_board(self) -> None:
        self._console.print()
        eyes = self._table.seat if self._game.hidden else None
        draw(self._console, self._table.state.text(eyes, color=colors(self._console)))
        self._console.print()

    def _tell(self, player: int, choice: Choice) -> None:
        game = self._game
        who = translate(game, "The computer") if game.players == 2 else seat_text(game, player).capitalize()
        head = translate(game, "{who} chooses" if game.simultaneous else "{who} plays", who=who)
        text = Text.assemble(f"{head} ", (self._name(self._table.before, player, choice.action), "bold"))
        if game.hidden and game.simultaneous:
            # A choice that had no effect stays hidden; the summary of the change has the rest.
            text = Text(translate(game, "{who} has chosen", who=who))
        if choice.result is not None:
            result = choice.result
            effort, time = "{count:,} visits", "{seconds:.2f} s"
            facts = [translate(game, effort, count=result.visits), translate(game, time, seconds=choice.elapsed_s)]
            # The computer's estimate would reveal its hidden cards.
            if not game.hidden:
                value, aux = result.values[player], result.aux
                facts.insert(0, describe_standing(game, player, value, aux, proven=result.proven))
            text.append(f"  ({', '.join(facts)})", style="dim")
        self._console.print(text)

    def _announce(self) -> None:
        table = self._table
        self._console.print(Text(outcome_text(self._game, table.payoffs, table.seat), style="bold"), soft_wrap=True)
        if len(table.results) > 1:
            self._print(score_text(self._game, table.results))
        for line in table.closing:
            self._console.print(Text(line), soft_wrap=True)
        if table.has_series:
            self._say("`new` deals the next round; `new TEXT` mixes a text of yours into the shuffle.")

    def _say(self, text: str, /, **values: object) -> None:
        """In the game's language; the values go into the text's braces."""
        self._print(translate(self._game, text, **values))

    def _print(self, text: str) -> None:
        self._console.print(Text(text))

    # Commands.

    def _help(self) -> None:
        for line in self._game.guide.splitlines():
            self._print(line)
        table = Table.grid(padding=(0, 2))
        rows = [
            (Text(f"  {name}", style="bold"), Text(translate(self._game, meaning)))
            for name, meaning in self._commands().items()
        ]
        half = (len(rows) + 1) // 2
        for left, right in itertools.zip_longest(rows[:half], rows[half:], fillvalue=("", "")):
            table.add_row(*left, *right)
        self._say("Commands:")
        self._console.print(table)

    def _show_moves(self) -> None:
        if self._table.is_over:
            self._say("The game is over: there are no moves.")
            return
        self._say("Your moves:")
        names = self._names()
        plain = [self._game.display_name(action) for action in self._legal()]
        self._console.print(moves_table(names) if names == plain else named_moves_table(plain, names))

    def _hint(self) -> None:
        table = self._table
        if table.is_over:
            self._say("The game is over: there are no moves.")
            return
        advice = table.hint()
        self._console.print(hints_table(self._game, advice if self._game.hidden else advice[:_HINTS]))
        note = hints_note(self._game, table.note)
        if note:
            self._console.print(Text(note, style="dim"))

    def _review(self) -> None:
        mistakes, count = find_mistakes(self._table, self._seconds)
        if not count:
            self._say("You have had no choice in this game.")
        elif mistakes:
            self._say("The worst of your {count} decisions, by what you could know then:", count=count)
            self._console.print(mistakes_table(self._game, mistakes))
        else:
            self._say("None of your {count} decisions was clearly worse than the best.", count=count)

    def _undo(self) -> None:
        if not self._table.can_undo:
            self._say("The deal has been told: this round can't be taken back.")
        elif self._table.undo():
            self._is_board_due = True
        else:
            self._say("There is nothing to take back.")

    def _resign(self) -> None:
        if self._table.is_over:
            self._say("The game is over already.")
            return
        try:
            self._table.resign()
        except GameError as error:
            self._say("You can't resign here: {reason}.", reason=one_line(error))
            if self._table.has_series:
                self._say("`new` leaves this round without a payment.")
            return
        self._say("You resign, which counts as a full loss.")
        self._is_board_due = True

    def _save(self, words: str = "", *, force: bool = False) -> None:
        if not words and not self._saved:
            self._say("Where to? Type `save FILE`.")
            return
        path = self._path(words) if words else self._saved[-1]
        if path.exists() and not force and path not in self._saved:
            self._say("{path} is there already: `save! {words}` writes over it.", path=path, words=words)
            return
        if not path.parent.is_dir():
            self._say("It was not saved: there is no folder {folder}.", folder=path.parent)
            return
        try:
            write(path, self._table.save())
        except (GameError, OSError) as error:
            self._say("It was not saved: {reason}.", reason=_reason(error))
            return
        self._saved.append(path)
        self._say("Saved to {path}.", path=path)

    def _load(self, words: str = "") -> None:
        if not words:
            self._say("Which one? Type `load FILE`.")
            return
        path = Path(words).expanduser()
        path = path if path.exists() else self._path(words)
        before = self._table.seat
        try:
            self._table.load(path.read_bytes())
        except (GameError, OSError) as error:
            self._say("{path} was not loaded: {reason}.", path=path, reason=_reason(error))
            return
        if self._table.seat != before:
            self._print(self._seat_text())
        self._tell_opening()
        self._is_board_due = True

    def _path(self, words: str) -> Path:
        path = Path(words).expanduser()
        return path if path.suffix else path.with_suffix(self._game.saved_suffix)

    def _new(self, words: str = "") -> None:
        table = self._table
        before = table.seat
        if table.has_series and not table.is_over:
            self._say("The round under way does not count.")
        table.new(words)
        if table.seat != before:
            self._print(self._seat_text())
        self._tell_opening()
        self._is_board_due = True

    def _quit(self) -> None:
        self._is_open = False


def _reason(error: GameError | OSError) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else one_line(error)
    return text.rstrip(".")
