"""The terminal's texts in Korean, by what they are in English: those that a game which speaks Korean can bring up."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

__all__ = ["ALIASES", "KOREAN"]

ALIASES = {
    "도움말": "help",
    "수": "moves",
    "힌트": "hint",
    "복기": "review",
    "무르기": "undo",
    "판": "board",
    "기권": "resign",
    "새판": "new",
    "저장": "save",
    "열기": "load",
    "나가기": "quit",
}
"""Commands by their Korean names, whatever the language."""

_COMMANDS = {
    "the rules and these commands": "규칙과 명령",
    "what you may play now": "지금 낼 수 있는 수",
    "what each move is worth": "수마다 얼마짜리인지",
    "your worst moves so far": "지금까지 가장 아쉬운 수",
    "take back your last move": "마지막 수 무르기",
    "draw the board again": "판 다시 보기",
    "give the game up": "기권",
    "begin a new game": "새 판 시작",
    "keep the game in a file": "파일에 저장",
    "go on with a saved one": "저장한 판 이어 하기",
    "leave, also Ctrl-D": "나가기 (Ctrl-D)",
    "Commands:": "명령:",
    "new, review, undo, save or quit": "new, review, undo, save, quit",
    "new, review, save or quit": "new, review, save, quit",
}

_PROMPT = {
    "your move": "내 차례",
    "Chance: {outcome}": "운: {outcome}",
    "The game is over, so {text!r} can't be played: {commands}?": "판이 끝나 {text!r}: 낼 수 없습니다. {commands}?",
    "{text!r} is not possible now: {reason}.": "{text!r}: 지금은 안 됩니다. {reason}.",
    "{text!r} is not possible now.": "{text!r}: 지금은 안 됩니다.",
    "`moves` lists what is, `help` teaches the rules.": "`moves`는 낼 수 있는 수를, `help`는 규칙을 보여 줍니다.",
    "{error}. `help` teaches the rules and commands.": "{error}. `help`는 규칙과 명령을 보여 줍니다.",
    "You choose {move}.": "내 선택: {move}.",
    "You are {seat}.": "내 자리: {seat}.",
    "Type a move, or a command: `help` teaches the rules and lists them.": "낼 패나 명령을 입력하세요. `help`는 규칙과 명령을 보여 줍니다.",
    "the first player": "첫째",
    "the second player": "둘째",
    "player {seat}": "{seat}번",
    "The computer": "컴퓨터",
    "{who} plays": "{who}:",
    "{who} has chosen": "{who}: 골랐습니다",
    "{who} chooses": "{who}:",
    "{count:,} visits": "방문 {count:,}번",
    "{seconds:.2f} s": "{seconds:.2f}초",
    "Your moves:": "낼 수 있는 수:",
    "The game is over: there are no moves.": "판이 끝나 낼 수가 없습니다.",
    "There is nothing to take back.": "무를 수가 없습니다.",
    "The deal has been told: this round can't be taken back.": "패가 공개되어 이 판은 무를 수 없습니다.",
    "The round under way does not count.": "하던 판은 무효입니다.",
    "The game is over already.": "이미 끝난 판입니다.",
    "You can't resign here: {reason}.": "기권할 수 없습니다: {reason}.",
    "what a loss costs in {unit} shows only at the end: play on": "몇 {unit}를 잃는지는 끝나야 알 수 있습니다. 계속하세요",
    "`new` leaves this round without a payment.": "`new`는 이 판을 무효로 하고 새로 시작합니다.",
    "`new` deals the next round; `new TEXT` mixes a text of yours into the shuffle.": "`new`로 다음 판을 시작합니다. `new 아무말`은 그 말을 섞기에 넣습니다.",
    "You resign, which counts as a full loss.": "기권했습니다. 크게 진 것으로 칩니다.",
    "Where to? Type `save FILE`.": "어디에 저장할까요? `save 파일`이라고 쓰세요.",
    "{path} is there already: `save! {words}` writes over it.": "{path} 파일이 이미 있습니다. `save! {words}`로 덮어씁니다.",
    "It was not saved: there is no folder {folder}.": "저장하지 못했습니다. {folder} 폴더가 없습니다.",
    "It was not saved: {reason}.": "저장하지 못했습니다: {reason}.",
    "Saved to {path}.": "{path} 파일에 저장했습니다.",
    "Which one? Type `load FILE`.": "어느 파일을 열까요? `load 파일`이라고 쓰세요.",
    "{path} was not loaded: {reason}.": "{path} 파일을 열지 못했습니다: {reason}.",
}  # fmt: skip

_RESULTS = {
    "A draw.": "비겼습니다.",
    "You win {amount:,.0f} {unit}.": "{amount:,.0f}{unit} 땄습니다.",
    "The computer resigns.": "컴퓨터가 기권합니다.",
    "The computer wins {amount:,.0f} {unit}.": "컴퓨터가 {amount:,.0f}{unit} 땄습니다.",
    "After {count} games: {total:+,.0f} {unit} for you.": "{count}판 합계: {total:+,.0f}{unit}.",
}

_ADVICE = {
    "move": "수",
    "share": "비중",
    "expected {unit}": "예상 {unit}",
    "value": "값",
    "wins": "승률",
    "points": "점수",
    "visits": "방문",
    "line": "진행",
    "prior": "사전",
    "policy": "정책",
    "player": "자리",
    "± is one standard error.": "±는 표준 오차입니다.",
    "By {deals:,} deals that you could be facing, the same for each move, and quick play to the end.": "나올 수 있는 패 {deals:,}가지에서 모든 수를 똑같이 끝까지 빠르게 쳐 본 결과입니다.",
    "You have had no choice in this game.": "이 판에서는 고를 일이 없었습니다.",
    "The worst of your {count} decisions, by what you could know then:": "{count}번의 선택 가운데 그때 알 수 있던 것으로 보아 가장 아쉬운 수:",
    "None of your {count} decisions was clearly worse than the best.": "{count}번의 선택 가운데 뚜렷이 나쁜 수는 없었습니다.",
    "looking back": "돌아보는 중",
    "you played": "낸 수",
    "worth": "값",
    "better": "더 나은 수",
    "cost": "손해",
    "cost in {unit}": "손해({unit})",
    "{value} for player {player}": "{player}번 자리: {value}",
    "proven": "증명됨",
    "{count:,} nodes": "노드 {count:,}개",
    " ({count:,} guaranteed)": "(보장 {count:,}번)",
    "the same {deals:,} deals for each move": "수마다 같은 패 {deals:,}가지",
    "{count} more moves were visited; --top {all} shows them.": "{count}수가 더 있습니다. --top {all}로 모두 보입니다.",
    "* visits were guaranteed": "* 방문을 보장한 수",
    "! proven": "! 증명된 수",
}  # fmt: skip

KOREAN = {**_COMMANDS, **_PROMPT, **_RESULTS, **_ADVICE}
