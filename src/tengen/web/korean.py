"""The server's texts for people at the page, in Korean, by the English text."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

__all__ = ["KOREAN"]

_TABLES = {
    "there is no game {name!r}": "{name!r}: 그런 게임은 없습니다",
    "there is no such table": "그런 대국이 없습니다",
    "there is no such table or seat": "그런 대국이나 자리가 없습니다",
    "there is no such table, or the key to it does not fit any more": "그런 대국이 없거나, 링크가 더는 유효하지 않습니다",
    "The key to this table was changed.": "이 대국의 링크가 바뀌었습니다.",
    "no table is open here": "열려 있는 대국이 없습니다",
    "who watches does not play": "관전자는 둘 수 없습니다",
    "that is not possible now": "지금은 안 됩니다",
    "{text!r} is no move here ({reason}).": "{text!r}: 그런 수는 없습니다 ({reason}).",
    "the game is not over": "아직 끝나지 않았습니다",
    "nobody waits for an answer": "대답을 기다리는 사람이 없습니다",
    "hints are for the owner of this page": "힌트는 이 페이지의 주인만 볼 수 있습니다",
    "the computer failed: {kind}: {reason}": "컴퓨터에 문제가 생겼습니다: {kind}: {reason}",
    "this could not be written to the disk: {reason}": "디스크에 저장하지 못했습니다: {reason}",
    "the table can't be continued: {reason}": "대국을 이어 갈 수 없습니다: {reason}",
    "the file of this table is damaged; it is kept as quarantine/{name}": "이 대국의 파일이 손상되었습니다. quarantine/{name}에 그대로 보관했습니다",
    "The file of this table was damaged: the game goes on from what is intact, and all links to it were replaced. The damaged file is kept as quarantine/{name}.": "이 대국의 파일이 손상되어, 온전한 부분부터 이어 갑니다. 링크는 모두 새로 바뀌었습니다. 손상된 파일은 quarantine/{name}에 보관했습니다.",
    "The file of this table was damaged: the game goes on from what is intact. The damaged file is kept as quarantine/{name}.": "이 대국의 파일이 손상되어, 온전한 부분부터 이어 갑니다. 손상된 파일은 quarantine/{name}에 보관했습니다.",
    "what is hidden stays so until the end: save then": "가려진 것은 끝까지 공개되지 않습니다. 끝난 뒤에 저장하세요",
    "this game begins elsewhere than the rules begin: analyze it instead": "처음 국면이 규칙과 다른 기보입니다. 분석에서 여세요",
    "the saved game can't be read: {reason}": "저장한 게임을 읽지 못했습니다: {reason}",
    "these settings do not fit: {reason}": "설정이 맞지 않습니다: {reason}",
    "{value!r} does not fit the setting {name}": "{name}: {value!r}은(는) 쓸 수 없는 값입니다",
    "the clock's {name} is {value}: expected seconds from 0 to a day": "시계의 {name} 값이 {value}입니다. 0초에서 하루 사이여야 합니다",
    "the clock gives no time: main_s, or byoyomi_s and periods, must be above 0": "시계에 시간이 없습니다. main_s, 또는 byoyomi_s와 periods가 0보다 커야 합니다",
    "{most} tables are open here, which is the most: leave another one first": "대국은 {most}개까지 열 수 있습니다. 먼저 다른 대국에서 나가세요",
    "{most} tabs are open here, which is the most: close another one first": "탭은 {most}개까지 열 수 있습니다. 먼저 다른 탭을 닫으세요",
    "too many messages: ten a second are read": "요청이 너무 많습니다. 1초에 열 개까지 받습니다",
    "internal error: {kind}": "내부 오류: {kind}",
    "the token is wrong: the command that started this page printed it": "토큰이 틀렸습니다. 이 페이지를 연 명령이 출력한 토큰을 쓰세요",
    "too many wrong tokens came from your address: wait {seconds:.0f} seconds": "이 주소에서 잘못된 토큰이 너무 많이 왔습니다. {seconds:.0f}초 기다려 주세요",
    "this page needs a link to a table, or the token that the command printed": "이 페이지를 보려면 대국 링크나 명령이 출력한 토큰이 있어야 합니다",
    "this needs the token that the command printed": "명령이 출력한 토큰이 있어야 합니다",
}  # fmt: skip

_STUDIES = {
    "the record is empty": "기보가 비어 있습니다",
    "a record has at most {most} bytes, this one {count}": "기보는 {most}바이트까지 읽습니다. 이 기보는 {count}바이트입니다",
    "a record has at most {most} moves, this one {count}": "기보는 {most}수까지 읽습니다. 이 기보는 {count}수입니다",
    "a record has at most {most} nodes, this one {count}": "기보는 마디 {most}개까지 읽습니다. 이 기보는 {count}개입니다",
    "the record was not read within {seconds:.0f} seconds": "{seconds:.0f}초 안에 기보를 읽지 못했습니다",
    "the record can't be read: {reason}": "기보를 읽지 못했습니다: {reason}",
    "the record is of {game!r}, a game that is not here": "{game!r}의 기보인데, 여기에는 없는 게임입니다",
    "no game here reads this record. {problems}": "이 기보를 읽을 수 있는 게임이 없습니다. {problems}",
    "variations that can't be played are left out: {count}": "둘 수 없는 변화 {count}개는 뺐습니다",
    "{most} studies are open here, which is the most": "분석은 {most}개까지 열 수 있습니다",
    "there is no such study": "그런 분석이 없습니다",
    "no study is open here": "열려 있는 분석이 없습니다",
    "studies are for the owner of this page": "분석은 이 페이지의 주인만 할 수 있습니다",
    "the study can't be read: {reason}": "분석을 읽지 못했습니다: {reason}",
    "the file of this study is damaged; it is kept as quarantine/{name}": "이 분석의 파일이 손상되었습니다. quarantine/{name}에 그대로 보관했습니다",
    "The file of this study was damaged: what is intact is shown. The damaged file is kept as quarantine/{name}.": "이 분석의 파일이 손상되어, 온전한 부분만 보여 줍니다. 손상된 파일은 quarantine/{name}에 보관했습니다.",
    "the study could not be written to the disk: {reason}": "분석을 디스크에 저장하지 못했습니다: {reason}",
    "the study does not read any more: {reason}": "분석을 더는 읽을 수 없습니다: {reason}",
    "a study has at most {most} positions": "분석에는 국면이 {most}개까지 들어갑니다",
    "nothing can be tried in a log: what the other side holds is not known": "배틀 기록에서는 다른 수를 둘 수 없습니다. 상대가 가진 것을 모르기 때문입니다",
    "all choose at once here: a choice of each is needed, such as a | b": "여기서는 모두 동시에 고릅니다. a | b 처럼 각자의 선택을 입력하세요",
    "the game is over here": "여기서 게임이 끝났습니다",
    "the start stays where it is": "시작 국면은 옮기거나 지울 수 없습니다",
    "it can't be written as one game: it is a log, or pieces are set up in its midst": "한 판의 기보로 저장할 수 없습니다. 배틀 기록이거나 중간에 국면을 새로 놓은 기보입니다",
    "there is nothing to analyze here: nobody is to move": "여기서는 둘 사람이 없어 분석할 것이 없습니다",
    "the engine did not start: {reason}": "엔진을 시작하지 못했습니다: {reason}",
}  # fmt: skip

_RUNS = {
    "there is no such run, match or record here": "그런 학습, 시합, 기보가 없습니다",
    "there is no such run here": "그런 학습이 없습니다",
    "there is no such match here": "그런 시합이 없습니다",
    "there is no such game": "그런 대국이 없습니다",
    "no game here reads it": "읽을 수 있는 게임이 없습니다",
    "watching runs needs the token that the command printed": "학습을 보려면 명령이 출력한 토큰이 있어야 합니다",
    "the game {name!r} is not known here, so no boards are drawn: start tengen web with its file": "{name!r}: 여기에는 없는 게임이라 판을 그릴 수 없습니다. 게임 파일을 붙여 tengen web을 시작하세요",
    "the game has {count} positions, more than the {most} that are shown": "국면이 {count}개입니다. {most}개까지만 보여 줄 수 있습니다",
    "the game's drawings are too large": "그림이 너무 큽니다",
}  # fmt: skip

KOREAN = {**_TABLES, **_STUDIES, **_RUNS}
