"""Matgo's texts in Korean, by what they are in English."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

__all__ = ["DRAWN", "KOREAN", "KOREAN_GUIDE"]

DRAWN = {
    "A round of Matgo": "맞고 한 판",
    "first": "첫째",
    "second": "둘째",
    "you": "나",
    "they": "상대",
    "gwang": "광",
    "yeol": "열",
    "ribbon": "띠",
    "pi": "피",
    "bonus": "보너스",
    "pi {count}": "피 {count}",
    "{count} point": "{count}점",
    "{count} points": "{count}점",
    "{count} go": "{count}고",
    "shaken {months}": "흔들기 {months}",
    "{count} bomb": "폭탄 {count}번",
    "{count} bombs": "폭탄 {count}번",
    "{count} ppuk": "뻑 {count}번",
    "{count} ppuks": "뻑 {count}번",
    "ppuk": "뻑",
    "month {month}": "{month}월",
    "holds four": "총통 들고치기",
    "gwang-bak": "광박",
    "pi-bak": "피박",
    "mong-bak": "멍박",
    "go-bak": "고박",
    "{gold:,} gold": "{gold:,}골드",
    "{gold:+,} gold": "{gold:+,}골드",
    "carry {carry}": "나가리 {carry}배",
    "dummy": "폭탄",
    "to play": "낼 차례",
    "which card does {card} take?": "{card}: 어느 패를 먹을까요?",
    "go or stop?": "고? 스톱?",
    "four of a month: stop or hold?": "총통: 스톱? 들고치기?",
    "gukjin: yeol or double pi?": "국진: 열끗? 쌍피?",
    "nagari: nobody wins": "나가리: 승자 없음",
    "{winner} win {gold:,} gold": "{winner} 승, {gold:,}골드",
    "{winner} wins {gold:,} gold": "{winner} 승, {gold:,}골드",
    "four of a month in hand": "총통",
    "four of a month on the floor": "바닥 총통",
    "three ppuks": "세 번 뻑",
    "times {product} ({reasons})": "{product}배({reasons})",
    "go": "고",
    "shaken": "흔들기",
    "bomb": "폭탄",
    "held four": "총통 들고치기",
}
"""Texts that pictures contain, too; glyphs.py has their letters."""

_TABLE = {
    "stock {count}, {who} began": "더미 {count}장, 선: {who}",
    "floor": "바닥",
    "play": "내기",
    "shake": "흔들기",
    "take": "먹기",
    "{action}: {gold:,} gold": "{action}: {gold:,}골드",
    "table": "낸 패",
    "+ {count} dummy": "+ 폭탄패 {count}장",
    "+ {count} dummies": "+ 폭탄패 {count}장",
    "(shown: {cards})": "(공개: {cards})",
    "{who} {what}": "{who}: {what}",
    "turn {cards}": "{cards} 뒤집음",
    "leave a ppuk": "뻑",
    "make a jjok": "쪽",
    "make a ddadak": "따닥",
    "sweep the floor: pansseul": "판쓸",
    "show four of a month": "총통",
    "threaten {bak}": "{bak} 걸림",
    "take {cards}": "{cards} 먹음",
    "steal {cards}": "{cards} 뺏음",
    "draw {cards}": "{cards} 받음",
    "draw a card": "한 장 받음",
    "get {gold:,} gold": "{gold:,}골드 받음",
}

_ROUNDS = {
    "Round {number}. You have {own:,} gold, they have {theirs:,}.": "{number}번째 판. 나 {own:,}골드, 상대 {theirs:,}골드.",
    "After nagari this round pays {carry} times as much.": "나가리 다음 판: 점수가 {carry}배입니다.",
    "The hash of this deal's seed: {hash}": "이번 패의 시드 해시: {hash}",
    "Into the shuffle goes: {words}": "섞기에 넣은 말: {words}",
    "You are out of gold: {again}": "골드가 떨어졌습니다. {again}",
    "They are out of gold: {again}": "상대의 골드가 떨어졌습니다. {again}",
    "Both are out of gold: {again}": "둘 다 골드가 떨어졌습니다. {again}",
    "both start again with {gold:,}.": "둘 다 {gold:,}골드로 다시 시작합니다.",
    "who is bankrupt starts again with {gold:,}.": "파산한 쪽만 {gold:,}골드로 다시 시작합니다.",
    "Nagari: the next round pays {carry} times as much.": "나가리: 다음 판은 점수가 {carry}배입니다.",
    "This deal's seed: {seed}": "이번 패의 시드: {seed}",
    "To check that it was promised and deals these cards:": "미리 정해진 패였는지 확인하려면:",
    "The hash of the next deal's seed: {hash}": "다음 패의 시드 해시: {hash}",
}  # fmt: skip

_REFUSALS = {
    "you are asked to go or to stop": "지금은 고나 스톱을 정할 때입니다",
    "you are asked about four of a month: president stop or president hold": "지금은 총통 스톱이나 들고치기를 정할 때입니다",
    "you are asked what gukjin shall count as: gukjin yeol or gukjin pi": "지금은 국진 열끗이나 국진 쌍피를 정할 때입니다",
    "you are not asked to go or to stop: that takes {go_min} points after a turn, more than at a go before": "지금은 고나 스톱을 정할 때가 아닙니다. {go_min}점 이상, 앞선 고보다 높은 점수여야 합니다",
    "you are not asked about four of a month in your hand": "지금은 총통을 정할 때가 아닙니다",
    "you are not asked what gukjin shall count as": "지금은 국진을 정할 때가 아닙니다",
    "you are asked what {card} shall take: {first} or {second}": "{card}: {first}, {second} 가운데 먹을 패를 고를 때입니다",
    "you have no dummy left: a bomb gives two": "폭탄패가 없습니다. 폭탄을 치면 두 장 생깁니다",
    "no card of the floor is to be chosen: play a card of your hand": "바닥 패를 고를 때가 아닙니다. 손에 든 패를 내세요",
    "{card} is not in your hand but lies on the floor": "{card}: 손에 없고 바닥에 있는 패입니다",
    "{card} is not in your hand": "{card}: 손에 없는 패입니다",
    "a bomb takes three cards of a month from your hand with the fourth on the floor: of month {month} you hold {held}, and the floor has {there}": "폭탄은 손에 같은 달 세 장, 바닥에 한 장이 있어야 합니다. {month}월은 손에 {held}장, 바닥에 {there}장입니다",
    "a bomb takes three cards of a month from your hand with the fourth on the floor, or two with two: of month {month} you hold {held}, and the floor has {there}": "폭탄은 손에 같은 달 세 장과 바닥에 한 장, 또는 두 장씩이어야 합니다. {month}월은 손에 {held}장, 바닥에 {there}장입니다",
    "a shake shows three cards of a month, and you hold {held} of month {month}": "흔들기는 같은 달 세 장이 있어야 합니다. {month}월은 {held}장입니다",
    "the fourth card of month {month} lies on the floor: you could bomb": "{month}월의 네 번째 패가 바닥에 있습니다. 폭탄을 칠 수 있습니다",
    "you have shaken month {month} already": "{month}월은 이미 흔들었습니다",
    "{text!r} may be {actions} here": "{text!r}: {actions} 가운데 하나를 고르세요",
    "{text!r} is no action of Matgo: expected a card to play such as 8g, bomb 3, shake 3r, take 3r, dummy, an answer such as go, or an action's id 0 to {most}": "{text!r}: 그런 수는 없습니다. 8광 같은 패, 폭탄 3월, 흔들고 3홍, 먹기 3홍, 폭탄패, 고 같은 대답, 또는 번호 0 ~ {most}",
    " or ": ", ",
}  # fmt: skip

_TERMINAL = {
    "what you may play now": "지금 낼 수 있는 수",
    "The game is over, so {text!r} can't be played: {commands}?": "판이 끝나 {text!r}: 낼 수 없습니다. {commands}?",
    "`moves` lists what is, `help` teaches the rules.": "`moves`는 낼 수 있는 수를, `help`는 규칙을 보여 줍니다.",
    "Your moves:": "낼 수 있는 수:",
    "The game is over: there are no moves.": "판이 끝나 낼 수가 없습니다.",
    "you played": "낸 수",
}
"""Texts of all games, in words that fit this one."""

_GUIDE = {
    "Match cards by month, score sets, then go for more or stop. Payoffs are in gold.": "같은 달 패를 맞춰 점수를 모으고, 고 하거나 스톱 합니다. 점수는 골드로 받습니다.",
    "Matgo": "맞고",
    "gold": "골드",
}  # fmt: skip

KOREAN_GUIDE = """\
패는 달과 종류: 광, 열(열끗), 국(국진: 열끗이나 쌍피), 홍 청 초 띠(띠), 피,
쌍(쌍피), 보(보너스). 영문으로 8g 8y 1r 5pa 11d b3 이라고 써도 됩니다.
손패를 하나 내면 바닥의 같은 달 패를 먹고, 없으면 바닥에 놓입니다. 다음 더미의
맨 위 패를 뒤집어 똑같이 합니다. 방금 맞춘 달이 뒤집히면 셋 다 바닥에 남고(뻑,
[ ]) 네 번째 패가 모두 먹습니다. 먹을 패가 두 장이면 고릅니다: 먹기 3홍, 3홍.
낸 패를 뒤집은 패가 먹으면 쪽, 두 장 중 남은 것도 먹으면 따닥, 바닥을 비우면
판쓸, 뻑을 먹거나 폭탄을 치면 피를 한 장씩 뺏습니다. 손에 같은 달 네 장은 총통:
{president_points}점으로 이기거나 들고 칩니다.
같은 달 세 장에, 네 번째 패가 바닥에 있으면 폭탄(폭탄 3월), 없으면 흔들기(흔들고
3홍): 이기면 두 배입니다. 폭탄 다음 두 번은 폭탄패를 내도 됩니다.
점수: 3광 3점(비광이 들면 2점), 4광 4점, 5광 15점; 열끗 5장 1점, 띠 5장 1점, 피
10장 1점, 한 장 늘 때마다 1점; 고도리(2열 4열 8열) 5점; 홍단 청단 초단 3점.
{go_min}점이면 스톱 하고 1점에 {gold_per_point}골드를 받거나, 고 합니다. 고마다 1점이 늘고 세
번째부터 두 배씩입니다. 고 하고 지거나(고박) 피가 적거나(피박) 광이 없거나(광박)
상대 열끗이 7장인데 하나도 없이(멍박) 지면 두 배를 냅니다.
둘 다 패가 떨어지면, 고 하고 점수를 못 올린 쪽이 집니다. 아니면 점수가 높은
쪽이 이기고, 같으면 나가리: 다음 판이 두 배입니다."""

KOREAN = {**DRAWN, **_TABLE, **_ROUNDS, **_REFUSALS, **_TERMINAL, **_GUIDE}
