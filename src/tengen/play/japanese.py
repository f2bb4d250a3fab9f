"""The terminal's texts in Japanese, by what they are in English: those that a game which speaks Japanese can bring up."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

__all__ = ["ALIASES", "JAPANESE"]

ALIASES = {
    "ヘルプ": "help",
    "指し手": "moves",
    "ヒント": "hint",
    "検討": "review",
    "待った": "undo",
    "盤": "board",
    "投了": "resign",
    "新規": "new",
    "保存": "save",
    "開く": "load",
    "終了": "quit",
}
"""Commands by their Japanese names, whatever the language."""

_COMMANDS = {
    "the rules and these commands": "ルールとコマンド",
    "what you may play now": "今指せる手",
    "what each move is worth": "各手の評価",
    "your worst moves so far": "これまでの悪手",
    "take back your last move": "最後の手を戻す",
    "draw the board again": "盤をもう一度表示",
    "give the game up": "投了",
    "begin a new game": "新しい対局",
    "keep the game in a file": "ファイルに保存",
    "go on with a saved one": "保存した対局を続ける",
    "leave, also Ctrl-D": "終了 (Ctrl-D)",
    "Commands:": "コマンド:",
    "new, review, undo, save or quit": "new, review, undo, save, quit",
    "new, review, save or quit": "new, review, save, quit",
}

_PROMPT = {
    "your move": "あなたの手",
    "The game is over, so {text!r} can't be played: {commands}?": "対局は終わりました。{text!r} は指せません。{commands}?",
    "{text!r} is not possible now: {reason}.": "{text!r} は指せません: {reason}。",
    "{text!r} is not possible now.": "{text!r} は指せません。",
    "`moves` lists what is, `help` teaches the rules.": "`moves` で指せる手、`help` でルールを表示します。",
    "{error}. `help` teaches the rules and commands.": "{error}。`help` でルールとコマンドを表示します。",
    "You choose {move}.": "あなたの手: {move}。",
    "You are {seat}.": "あなたは{seat}です。",
    "Type a move, or a command: `help` teaches the rules and lists them.": "指し手かコマンドを入力してください。`help` でルールとコマンドを表示します。",
    "the first player": "先手",
    "the second player": "後手",
    "player {seat}": "{seat}番",
    "The computer": "コンピュータ",
    "The computer resigns.": "コンピュータが投了しました。",
    "{who} plays": "{who}:",
    "{who} has chosen": "{who}：選びました",
    "{who} chooses": "{who}:",
    "{count:,} visits": "訪問 {count:,}回",
    "{seconds:.2f} s": "{seconds:.2f}秒",
    "`undo` takes it back": "`undo` で戻せます",
    "Solved. `new` brings the next problem.": "正解。`new` で次の問題。",
    "Not solved: `undo` takes a move back, `new` brings the next problem.": "不正解。`undo` で一手戻り、`new` で次の問題。",
    "Your moves:": "指せる手:",
    "The game is over: there are no moves.": "対局は終わりました。指せる手はありません。",
    "There is nothing to take back.": "戻す手がありません。",
    "The game is over already.": "対局はもう終わっています。",
    "You can't resign here: {reason}.": "投了できません: {reason}。",
    "You resign, which counts as a full loss.": "投了しました。あなたの負けです。",
    "Where to? Type `save FILE`.": "どこに保存しますか。`save ファイル` と入力してください。",
    "{path} is there already: `save! {words}` writes over it.": "{path} はすでにあります。`save! {words}` で上書きします。",
    "It was not saved: there is no folder {folder}.": "保存できません。フォルダ {folder} がありません。",
    "It was not saved: {reason}.": "保存できません: {reason}。",
    "Saved to {path}.": "{path} に保存しました。",
    "Which one? Type `load FILE`.": "どのファイルですか。`load ファイル` と入力してください。",
    "{path} was not loaded: {reason}.": "{path} を開けません: {reason}。",
}  # fmt: skip

_RESULTS = {
    "A draw.": "引き分けです。",
    "You win.": "あなたの勝ちです。",
    "The computer wins.": "コンピュータの勝ちです。",
    "it wins {wins:.0%}{stands}": "勝率 {wins:.0%}{stands}",
    "After {count} games: {won} won, {drawn} drawn, {lost} lost.": "{count}局: {won}勝 {lost}敗 {drawn}分。",
}

_ADVICE = {
    "move": "手",
    "share": "割合",
    "value": "評価",
    "wins": "勝率",
    "won": "勝ち",
    "drawn": "引分",
    "lost": "負け",
    "points": "点",
    "visits": "訪問",
    "line": "読み筋",
    "prior": "事前",
    "policy": "方策",
    "player": "手番",
    "± is one standard error.": "±は標準誤差です。",
    "You have had no choice in this game.": "この対局では選ぶ手がありませんでした。",
    "The worst of your {count} decisions, by what you could know then:": "{count}手のうち特に悪かった手:",
    "None of your {count} decisions was clearly worse than the best.": "{count}手のうち明らかな悪手はありません。",
    "looking back": "検討中",
    "you played": "指した手",
    "worth": "評価",
    "better": "より良い手",
    "cost": "損",
    "{value} for player {player}": "{player}番: {value}",
    "proven": "証明済み",
    "{count:,} nodes": "{count:,}局面",
    " ({count:,} guaranteed)": "(保証 {count:,}回)",
    "{count} more moves were visited; --top {all} shows them.": "ほかに{count}手あります。--top {all} ですべて表示します。",
    "* visits were guaranteed": "* 訪問を保証した手",
    "! proven": "! 証明済みの手",
}  # fmt: skip

JAPANESE = {**_COMMANDS, **_PROMPT, **_RESULTS, **_ADVICE}
