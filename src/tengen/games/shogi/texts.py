"""What shogi says to people: reasons, results and its guide, in English and in Japanese. Korean has its own file."""

from __future__ import annotations

from typing import Final

from tengen.games.shogi.korean import DECLARATION_KO, GUIDE_KO

__all__ = ["JAPANESE", "PIECE_NAMES", "REASONS", "guide"]

PIECE_NAMES: Final = (
    "pawn",
    "lance",
    "knight",
    "silver",
    "bishop",
    "rook",
    "gold",
    "king",
    "promoted pawn",
    "promoted lance",
    "promoted knight",
    "promoted silver",
    "horse",
    "dragon",
)
"""By kind, for who listens."""

REASONS: Final = (
    "",
    "nothing stands on {origin}",
    "the piece on {origin} is the opponent's",
    "a piece of your own stands on {to}",
    "the piece on {origin} cannot go to {to}: it does not move so, or another piece is in its way",
    "the piece on {origin} cannot promote with this move",
    "the piece must promote there, for it could not move again",
    "you have no such piece in hand",
    "{to} is not empty",
    "the piece could never move from {to}",
    "you have an unpromoted pawn on that file already (nifu)",
    "a dropped pawn must not give mate (uchifuzume)",
    "the king would be in check on {to}",
    "the king is in check, and the move does not help",
    "the piece on {origin} is pinned: without it the king would be in check",
)
"""Why a move is illegal, in the order of the core's refusals."""

_GUIDE: Final = """\
Mate the enemy king. Capitals are Black's pieces and move up, small letters are
White's and move down; + is a promoted piece. A square is file and rank: 7g.
Type a move as 7g7f, with a promotion as 8h2b+; a drop from the hand as P*5e.
King K: one square any way. Rook R: straight lines. Bishop B: diagonals.
Gold G: one square, but not back on a diagonal. Silver S: one forward or on a
diagonal. Knight N: two forward and one aside, over pieces. Lance L: straight
forward. Pawn P: one forward, and it takes so too.
Moving into, inside or out of the last three ranks a piece may promote: P, L, N
and S become golds, R and B also move as a king. It must, if it could not move
again. What you take is yours, unpromoted, and may be dropped on an empty square
instead of a move: not a pawn on a file with a pawn of yours (nifu), not to mate
with a pawn (uchifuzume), not where it could never move.
Without a legal move you have lost. A position for the fourth time is a draw;
but who gave check all the time loses. {declaration}"""

_DECLARATION: Final = {
    "NoEnteringKing": "",
    "CSARule24": "With the king and ten\nmore pieces in the last three ranks and 31 points (R, B 5, others 1): win.",
    "CSARule27": "With the king and ten\nmore pieces in the last three ranks and 28 points (White 27; R, B 5): win.",
    "TryRule": "A king that reaches\nthe square where the other one began (5a, 5i) wins.",
}

_GUIDE_JA: Final = """\
相手の玉を詰ませば勝ちです。先手は上へ、後手(v)は下へ進みます。指し手は
「７六歩」「同　銀」「５五角打」、またはＵＳＩの「7g7f」「8h2b+」「P*5e」。
玉: 全方向に一つ。飛: 縦横。角: 斜め。金: 斜め後ろ以外に一つ。
銀: 前と斜めに一つ。桂: 前に二つ横に一つ、駒を越える。香: 前へ。歩: 前に一つ。
敵陣三段目までに入る、出る、その中で動く駒は成れます。行き所のない駒は
必ず成ります。取った駒は持駒になり、空いたマスに打てます。二歩、打ち歩詰め、
行き所のない駒は反則です。指す手がなければ負けです。同一局面四回で千日手
(引き分け)、ただし連続王手の千日手は王手をかけた側の負けです。
{declaration}"""

_DECLARATION_JA: Final = {
    "NoEnteringKing": "",
    "CSARule24": "入玉宣言: 玉と他に十枚が敵陣にあり三十一点以上(飛角五点、他一点)で win。",
    "CSARule27": "入玉宣言: 玉と他に十枚が敵陣にあり先手二十八点、後手二十七点以上で win。",
    "TryRule": "トライ: 相手の玉の初めの位置(５一、５九)に玉が着けば勝ちです。",
}

JAPANESE: Final = {
    "Shogi": "将棋",
    "Mate the king; what you take you may drop. Seat 0 is Black (sente). Moves are USI's: 7g7f, 8h2b+, P*5e, win.": (
        "玉を詰ませば勝ち、取った駒は打てます。先手が0番。指し手は ７六歩、同　銀、または 7g7f、8h2b+、P*5e、win。"
    ),
    "A position of shogi": "将棋の局面",
    # The terminal's, in the words of shogi.
    "what you may play now": "今指せる手",
    "The game is over, so {text!r} can't be played: {commands}?": (
        "対局は終わりました。{text!r} は指せません。{commands}?"
    ),
    "{text!r} is not possible now: {reason}.": "{text!r} は指せません: {reason}。",
    "{text!r} is not possible now.": "{text!r} は指せません。",
    "`moves` lists what is, `help` teaches the rules.": "`moves` で指せる手、`help` でルールを表示します。",
    "Type a move, or a command: `help` teaches the rules and lists them.": (
        "指し手かコマンドを入力してください。`help` でルールとコマンドを表示します。"
    ),
    "Your moves:": "指せる手:",
    "The game is over: there are no moves.": "対局は終わりました。指せる手はありません。",
    "you played": "指した手",
    "Black": "先手",
    "White": "後手",
    "{side} in hand": "{side}の持駒",
    "nothing": "なし",
    "{side} to move": "{side}の番",
    "{side} to move, in check": "{side}の番、王手",
    "{side} wins: {loser} has no legal move": "{side}の勝ち ({loser}に指す手がない)",
    "{side} wins: mate": "{side}の勝ち (詰み)",
    "draw: the position came for the fourth time": "引き分け (千日手)",
    "{side} wins: {loser} gave perpetual check": "{side}の勝ち (連続王手の千日手)",
    "{side} wins by declaration": "{side}の勝ち (入玉宣言)",
    "{side} wins: its king has reached its goal": "{side}の勝ち (トライ)",
    "draw: the limit of plies is reached": "引き分け (最大手数)",
    "Problem {number} of {count}: {side} mates in {plies} plies, with check all the way.": (
        "第{number}問 ({count}問中): {side}、{plies}手詰"
    ),
    "that gives no check": "王手ではない",
    "that lets the king get away: {answer}": "玉が逃れる: {answer}",
    "whether that still mates is not known": "詰むかどうか不明",
    "the mate is still there, in {plies} plies": "詰みあり ({plies}手)",
    "this is no move, such as ７六歩, 7g7f or P*5e": "指し手ではない (例: ７六歩、7g7f、P*5e)",
    "promote": "成",
    "stay": "不成",
    "declare a win": "入玉宣言",
    "{side}'s {piece}": "{side}の{piece}",
    **dict(
        zip(
            PIECE_NAMES,
            ("歩", "香車", "桂馬", "銀", "角", "飛車", "金", "玉", "と", "成香", "成桂", "成銀", "馬", "竜"),
            strict=True,
        )
    ),
    "同 before any move": "前の手がないので「同」は使えない",
    "no {name} can move to {target}": "{target}へ動ける{name}がない",
    "it may be {moves}: say which": "どの駒か分からない ({moves})",
    "of the {name} on {squares} none fits {words}": "「{words}」に当たる{name}がない ({squares})",
    "nothing stands on {origin}": "{origin}に駒がない",
    "the piece on {origin} is the opponent's": "{origin}は相手の駒",
    "a piece of your own stands on {to}": "{to}に自分の駒がある",
    "the piece on {origin} cannot go to {to}: it does not move so, or another piece is in its way": (
        "{origin}の駒は{to}へ動けない"
    ),
    "the piece on {origin} cannot promote with this move": "{origin}の駒はこの手では成れない",
    "the piece must promote there, for it could not move again": "行き所のない駒になるので、成らなければならない",
    "you have no such piece in hand": "その駒を持っていない",
    "{to} is not empty": "{to}に駒がある",
    "the piece could never move from {to}": "行き所のない駒になる",
    "you have an unpromoted pawn on that file already (nifu)": "二歩",
    "a dropped pawn must not give mate (uchifuzume)": "打ち歩詰め",
    "the king would be in check on {to}": "{to}では玉が取られる",
    "the king is in check, and the move does not help": "王手を放置している",
    "the piece on {origin} is pinned: without it the king would be in check": "{origin}の駒が動くと玉が取られる",
    "a win cannot be declared here: {points} points and {pieces} pieces in the camp": (
        "宣言の条件を満たさない ({points}点、敵陣に{pieces}枚)"
    ),
}


_GUIDES: Final = {
    "en": (_GUIDE, _DECLARATION),
    "ko": (GUIDE_KO, DECLARATION_KO),
    "ja": (_GUIDE_JA, _DECLARATION_JA),
}


def guide(lang: str, declaration: str) -> str:
    frame, declarations = _GUIDES[lang]
    return frame.format(declaration=declarations[declaration.removesuffix("H")]).rstrip()
