#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "games/shogi/position.hpp"

// Positions and moves from the texts of SFEN and USI, for tests: nothing is checked. The package reads them in Python.
namespace tengen::shogi {

inline Kind kind_of_letter(char letter) {
  constexpr std::string_view kLetters = "PLNSBRGK";
  return static_cast<Kind>(kLetters.find(static_cast<char>(letter & ~32)));
}

inline Color color_of_letter(char letter) { return (letter & 32) != 0 ? kWhite : kBlack; }

inline Position position_of(std::string_view sfen) {
  Position position;
  std::size_t i = 0;
  int file = 8;
  int rank = 0;
  bool promotes = false;
  for (; sfen[i] != ' '; ++i) {
    const char c = sfen[i];
    if (c == '/') {
      ++rank;
      file = 8;
    } else if (c == '+') {
      promotes = true;
    } else if (c >= '1' && c <= '9') {
      file -= c - '0';
    } else {
      const Kind kind = kind_of_letter(c);
      position.put(color_of_letter(c), promotes ? promoted(kind) : kind, make_square(file--, rank));
      promotes = false;
    }
  }
  const Color side = sfen[i + 1] == 'b' ? kBlack : kWhite;
  int count = 0;
  for (i += 3; i < sfen.size() && sfen[i] != ' '; ++i) {
    const char c = sfen[i];
    if (c >= '0' && c <= '9') {
      count = count * 10 + (c - '0');
    } else if (c != '-') {
      position.add_to_hand(color_of_letter(c), kind_of_letter(c), count == 0 ? 1 : count);
      count = 0;
    }
  }
  position.set_side(side, i < sfen.size() ? std::atoi(std::string(sfen.substr(i)).c_str()) - 1 : 0);
  position.refresh();
  return position;
}

inline Move move_named(std::string_view usi) {
  const Square to = make_square(usi[2] - '1', usi[3] - 'a');
  if (usi[1] == '*') return Move::drop(kind_of_letter(usi[0]), to);
  return Move::board(make_square(usi[0] - '1', usi[1] - 'a'), to, usi.size() > 4);
}

}  // namespace tengen::shogi
