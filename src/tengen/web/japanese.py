"""The server's texts for people at the page, in Japanese, by the English text."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

__all__ = ["JAPANESE"]

_TABLES = {
    "there is no game {name!r}": "{name!r} というゲームはありません",
    "there is no such table": "その対局はありません",
    "there is no such table or seat": "その対局や席はありません",
    "there is no such table, or the key to it does not fit any more": "その対局がないか、リンクが無効になっています",
    "The key to this table was changed.": "この対局のリンクは変更されました。",
    "no table is open here": "開いている対局がありません",
    "who watches does not play": "観戦者は手を選べません",
    "that is not possible now": "今はできません",
    "{text!r} is no move here ({reason}).": "{text!r} という手はありません（{reason}）。",
    "the game is not over": "対局はまだ終わっていません",
    "nobody waits for an answer": "返事を待っている人はいません",
    "hints are for the owner of this page": "ヒントはこのページの持ち主だけが使えます",
    "the computer failed: {kind}: {reason}": "コンピュータに問題が起きました: {kind}: {reason}",
    "this could not be written to the disk: {reason}": "ディスクに保存できませんでした: {reason}",
    "the table can't be continued: {reason}": "対局を続けられません: {reason}",
    "the file of this table is damaged; it is kept as quarantine/{name}": "この対局のファイルは壊れています。quarantine/{name} にそのまま保管しました",
    "The file of this table was damaged: the game goes on from what is intact, and all links to it were replaced. The damaged file is kept as quarantine/{name}.": "この対局のファイルが壊れていたため、無事な部分から続けます。リンクはすべて新しくなりました。壊れたファイルは quarantine/{name} に保管しました。",
    "The file of this table was damaged: the game goes on from what is intact. The damaged file is kept as quarantine/{name}.": "この対局のファイルが壊れていたため、無事な部分から続けます。壊れたファイルは quarantine/{name} に保管しました。",
    "what is hidden stays so until the end: save then": "隠れているものは最後まで見せられません。終わってから保存してください",
    "this game begins elsewhere than the rules begin: analyze it instead": "初期局面がルールと異なる記録です。検討で開いてください",
    "the saved game can't be read: {reason}": "保存した対局を読めません: {reason}",
    "these settings do not fit: {reason}": "設定が合いません: {reason}",
    "{value!r} does not fit the setting {name}": "{name}: {value!r} は使えない値です",
    "the clock's {name} is {value}: expected seconds from 0 to a day": "時計の {name} が {value} です。0秒から一日までにしてください",
    "the clock gives no time: main_s, or byoyomi_s and periods, must be above 0": "時計に持ち時間がありません。main_s、または byoyomi_s と periods を0より大きくしてください",
    "{most} tables are open here, which is the most: leave another one first": "開ける対局は{most}局までです。先にほかの対局を離れてください",
    "{most} tabs are open here, which is the most: close another one first": "開けるタブは{most}個までです。先にほかのタブを閉じてください",
    "too many messages: ten a second are read": "要求が多すぎます。一秒に十件まで受け付けます",
    "internal error: {kind}": "内部エラー: {kind}",
    "the token is wrong: the command that started this page printed it": "トークンが違います。このページを開いたコマンドが表示したものを使ってください",
    "too many wrong tokens came from your address: wait {seconds:.0f} seconds": "このアドレスから誤ったトークンが多すぎます。{seconds:.0f}秒お待ちください",
    "this page needs a link to a table, or the token that the command printed": "このページには対局のリンクか、コマンドが表示したトークンが必要です",
    "this needs the token that the command printed": "コマンドが表示したトークンが必要です",
}  # fmt: skip

_STUDIES = {
    "the record is empty": "棋譜が空です",
    "a record has at most {most} bytes, this one {count}": "棋譜は{most}バイトまでです。この棋譜は{count}バイトあります",
    "a record has at most {most} moves, this one {count}": "棋譜は{most}手までです。この棋譜は{count}手あります",
    "a record has at most {most} nodes, this one {count}": "棋譜の節は{most}個までです。この棋譜には{count}個あります",
    "the record was not read within {seconds:.0f} seconds": "{seconds:.0f}秒以内に棋譜を読めませんでした",
    "the record can't be read: {reason}": "棋譜を読めません: {reason}",
    "the record is of {game!r}, a game that is not here": "{game!r} の棋譜ですが、ここにはないゲームです",
    "no game here reads this record. {problems}": "この棋譜を読めるゲームがありません。{problems}",
    "variations that can't be played are left out: {count}": "成り立たない変化{count}個を省きました",
    "{most} studies are open here, which is the most": "開ける検討は{most}件までです",
    "there is no such study": "その検討はありません",
    "no study is open here": "開いている検討がありません",
    "studies are for the owner of this page": "検討はこのページの持ち主だけが使えます",
    "the study can't be read: {reason}": "検討を読めませんでした: {reason}",
    "the file of this study is damaged; it is kept as quarantine/{name}": "この検討のファイルは壊れています。quarantine/{name} にそのまま保管しました",
    "The file of this study was damaged: what is intact is shown. The damaged file is kept as quarantine/{name}.": "この検討のファイルが壊れていたため、無事な部分だけを表示します。壊れたファイルは quarantine/{name} に保管しました。",
    "the study could not be written to the disk: {reason}": "検討をディスクに保存できませんでした: {reason}",
    "the study does not read any more: {reason}": "検討をもう読めません: {reason}",
    "a study has at most {most} positions": "検討の局面は{most}個までです",
    "nothing can be tried in a log: what the other side holds is not known": "バトルの記録ではほかの手を試せません。相手の持っているものが分からないためです",
    "all choose at once here: a choice of each is needed, such as a | b": "ここでは全員が同時に選びます。a | b のように全員の選択を入力してください",
    "the game is over here": "ここで終局しています",
    "the start stays where it is": "開始局面は動かすことも消すこともできません",
    "it can't be written as one game: it is a log, or pieces are set up in its midst": "一局の棋譜として保存できません。バトルの記録か、途中で局面を置き直した棋譜です",
    "there is nothing to analyze here: nobody is to move": "手番の人がいないので、検討するものがありません",
    "the engine did not start: {reason}": "エンジンを起動できません: {reason}",
}  # fmt: skip

_RUNS = {
    "there is no such run, match or record here": "その学習、対局戦、棋譜はありません",
    "there is no such run here": "その学習はありません",
    "there is no such match here": "その対局戦はありません",
    "there is no such game": "その対局はありません",
    "no game here reads it": "読めるゲームがありません",
    "watching runs needs the token that the command printed": "学習を見るには、コマンドが表示したトークンが必要です",
    "the game {name!r} is not known here, so no boards are drawn: start tengen web with its file": "{name!r} はここにないゲームなので、盤を描けません。ゲームのファイルを付けて tengen web を起動してください",
    "the game has {count} positions, more than the {most} that are shown": "局面が{count}個あります。表示できるのは{most}個までです",
    "the game's drawings are too large": "図が大きすぎます",
}  # fmt: skip

JAPANESE = {**_TABLES, **_STUDIES, **_RUNS}
