"""Matgo's texts in Japanese, by what they are in English. Cards are in plain letters, as in English."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

__all__ = ["JAPANESE", "JAPANESE_GUIDE"]

_DRAWN = {
    "A round of Matgo": "マッコの一局",
    "first": "席1",
    "second": "席2",
    "you": "あなた",
    "they": "相手",
    "gwang": "光",
    "yeol": "タネ",
    "ribbon": "短冊",
    "pi": "カス",
    "bonus": "ボーナス",
    "pi {count}": "カス{count}",
    "{count} point": "{count}点",
    "{count} points": "{count}点",
    "{count} go": "{count}ゴー",
    "shaken {months}": "振り {months}",
    "{count} bomb": "爆弾{count}回",
    "{count} bombs": "爆弾{count}回",
    "{count} ppuk": "ポク{count}回",
    "{count} ppuks": "ポク{count}回",
    "ppuk": "ポク",
    "month {month}": "{month}月",
    "holds four": "総統を続行",
    "gwang-bak": "クァンバク",
    "pi-bak": "ピバク",
    "mong-bak": "モンバク",
    "go-bak": "ゴーバク",
    "{gold:,} gold": "{gold:,}ゴールド",
    "{gold:+,} gold": "{gold:+,}ゴールド",
    "carry {carry}": "ナガリ {carry}倍",
    "dummy": "爆弾札",
    "to play": "出す番",
    "which card does {card} take?": "{card}: どの札を取りますか",
    "go or stop?": "ゴーかストップか",
    "four of a month: stop or hold?": "総統: ストップか続行か",
    "gukjin: yeol or double pi?": "菊に盃: タネかカス二枚分か",
    "nagari: nobody wins": "ナガリ: 勝者なし",
    "{winner} win {gold:,} gold": "{winner}の勝ち、{gold:,}ゴールド",
    "{winner} wins {gold:,} gold": "{winner}の勝ち、{gold:,}ゴールド",
    "four of a month in hand": "総統",
    "four of a month on the floor": "場に同じ月が四枚",
    "three ppuks": "ポク三回",
    "times {product} ({reasons})": "{product}倍（{reasons}）",
    "go": "ゴー",
    "shaken": "振り",
    "bomb": "爆弾",
    "held four": "総統を続行",
}

_TABLE = {
    "stock {count}, {who} began": "山札 {count}枚、親: {who}",
    "floor": "場",
    "play": "出す",
    "shake": "振る",
    "take": "取る",
    "{action}: {gold:,} gold": "{action}: {gold:,}ゴールド",
    "table": "出た札",
    "+ {count} dummy": "+ 爆弾札{count}枚",
    "+ {count} dummies": "+ 爆弾札{count}枚",
    "(shown: {cards})": "(公開: {cards})",
    "{who} {what}": "{who}: {what}",
    "turn {cards}": "{cards} をめくる",
    "leave a ppuk": "ポク",
    "make a jjok": "チョク",
    "make a ddadak": "タダク",
    "sweep the floor: pansseul": "パンスル",
    "show four of a month": "総統",
    "threaten {bak}": "{bak}の恐れ",
    "take {cards}": "{cards} を取る",
    "steal {cards}": "{cards} を奪う",
    "draw {cards}": "{cards} を引く",
    "draw a card": "一枚引く",
    "get {gold:,} gold": "{gold:,}ゴールドを得る",
}

_ROUNDS = {
    "Round {number}. You have {own:,} gold, they have {theirs:,}.": "第{number}局。あなた {own:,}ゴールド、相手 {theirs:,}ゴールド。",
    "After nagari this round pays {carry} times as much.": "ナガリの次の局: 点が{carry}倍です。",
    "The hash of this deal's seed: {hash}": "この配札のシードのハッシュ: {hash}",
    "Into the shuffle goes: {words}": "シャッフルに混ぜた文字列: {words}",
    "You are out of gold: {again}": "あなたのゴールドがなくなりました。{again}",
    "They are out of gold: {again}": "相手のゴールドがなくなりました。{again}",
    "Both are out of gold: {again}": "二人ともゴールドがなくなりました。{again}",
    "both start again with {gold:,}.": "二人とも{gold:,}ゴールドからやり直します。",
    "who is bankrupt starts again with {gold:,}.": "破産した方だけ{gold:,}ゴールドからやり直します。",
    "Nagari: the next round pays {carry} times as much.": "ナガリ: 次の局は点が{carry}倍です。",
    "This deal's seed: {seed}": "この配札のシード: {seed}",
    "To check that it was promised and deals these cards:": "約束どおりの配札か確かめるには:",
    "The hash of the next deal's seed: {hash}": "次の配札のシードのハッシュ: {hash}",
}  # fmt: skip

_REFUSALS = {
    "you are asked to go or to stop": "今はゴーかストップを決める時です",
    "you are asked about four of a month: president stop or president hold": "今は総統でストップか続行かを決める時です",
    "you are asked what gukjin shall count as: gukjin yeol or gukjin pi": "今は菊に盃をタネかカスに決める時です",
    "you are not asked to go or to stop: that takes {go_min} points after a turn, more than at a go before": "今はゴーかストップを決める時ではありません。{go_min}点以上で、前のゴーより高い点が必要です",
    "you are not asked about four of a month in your hand": "今は総統について決める時ではありません",
    "you are not asked what gukjin shall count as": "今は菊に盃について決める時ではありません",
    "you are asked what {card} shall take: {first} or {second}": "{card}: {first}、{second} のどちらを取るか選ぶ時です",
    "you have no dummy left: a bomb gives two": "爆弾札がありません。爆弾を出すと二枚もらえます",
    "no card of the floor is to be chosen: play a card of your hand": "場の札を選ぶ時ではありません。手札を出してください",
    "{card} is not in your hand but lies on the floor": "{card} は手札になく、場にあります",
    "{card} is not in your hand": "{card} は手札にありません",
    "a bomb takes three cards of a month from your hand with the fourth on the floor: of month {month} you hold {held}, and the floor has {there}": "爆弾には手札に同じ月が三枚、場に一枚必要です。{month}月は手札に{held}枚、場に{there}枚です",
    "a bomb takes three cards of a month from your hand with the fourth on the floor, or two with two: of month {month} you hold {held}, and the floor has {there}": "爆弾には手札に同じ月が三枚と場に一枚、または二枚ずつ必要です。{month}月は手札に{held}枚、場に{there}枚です",
    "a shake shows three cards of a month, and you hold {held} of month {month}": "振るには同じ月が三枚必要です。{month}月は{held}枚です",
    "the fourth card of month {month} lies on the floor: you could bomb": "{month}月の四枚目が場にあります。爆弾が出せます",
    "you have shaken month {month} already": "{month}月はもう振りました",
    "{text!r} may be {actions} here": "{text!r}: {actions} のどれかを選んでください",
    "{text!r} is no action of Matgo: expected a card to play such as 8g, bomb 3, shake 3r, take 3r, dummy, an answer such as go, or an action's id 0 to {most}": "{text!r} という手はありません。8g のような札、爆弾 3月、振る 3r、取る 3r、爆弾札、ゴーのような答え、または番号 0～{most} を入力してください",
    " or ": "、",
}  # fmt: skip

_TERMINAL = {
    "what you may play now": "今出せる手",
    "Your moves:": "出せる手:",
    "The game is over: there are no moves.": "この局は終わりました。出せる手はありません。",
    "The game is over, so {text!r} can't be played: {commands}?": "この局は終わりました。{text!r} は出せません。{commands}?",
    "`moves` lists what is, `help` teaches the rules.": "`moves` で出せる手、`help` でルールを表示します。",
    "you played": "出した手",
}  # fmt: skip
"""Texts of all games, in words that fit this one."""

_GUIDE = {
    "Match cards by month, score sets, then go for more or stop. Payoffs are in gold.": "同じ月の札を合わせて役を作り、ゴーで続けるかストップします。点はゴールドで受け取ります。",
    "Matgo": "マッコ",
    "gold": "ゴールド",
}  # fmt: skip

JAPANESE_GUIDE = """\
札は月と種類です: 8g 光、8y タネ（9y は菊に盃: タネかカス二枚分）、1r 短冊、5pa
5pb カス、11d カス二枚分、b3 ボーナス札。
手札を一枚出すと、場の同じ月の札を取り、なければ場に置かれます。次に山札を
めくって同じことをします。合わせたばかりの月がめくれると三枚とも場に残り
（ポク、[ ]）、四枚目がすべて取ります。取れる札が二枚なら選びます: 取る 3r。
出した札をめくった札が取ればチョク、二枚の残りも取ればタダク、場を空にすれば
パンスル、ポクを取るか爆弾を出せば、カスを一枚ずつ奪います。手札に同じ月が四枚
なら総統: {president_points}点で勝つか、続けます。
同じ月が三枚あれば、四枚目が場にある時は爆弾（爆弾 3月）、ない時は振る（振る
3r）: 勝てば二倍です。爆弾の後は二回、札の代わりに爆弾札を出せます。
点: 三光 3点（雨入り 2点）、四光 4点、五光 15点。タネ5枚、短冊5枚、カス10枚で
各1点、一枚増えるごとに1点。2y 4y 8y（ゴドリ）5点。短冊 1 2 3、4 5 7、6 9 10 は
各3点。{go_min}点でストップして1点につき{gold_per_point}ゴールドを受け取るか、ゴーで続けます。
ゴーごとに1点増え、三回目から二倍ずつ。ゴーした後、カスが少ない（ピバク）、光が
ない（クァンバク）、タネ7枚に対しタネがない（モンバク）負けは二倍を払います。
二人とも札が尽きたら、ゴーして点を増やせなかった方の負け。ほかは点の高い方が
勝ち、同点はナガリで次の局が二倍です。"""

JAPANESE = {**_DRAWN, **_TABLE, **_ROUNDS, **_REFUSALS, **_TERMINAL, **_GUIDE}
