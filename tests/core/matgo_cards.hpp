#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "games/matgo/matgo.hpp"

// What the tests of Matgo share: cards by their codes, and presets.
namespace tengen::check {

using namespace tengen::matgo;

// 8g gwang, 2y yeol, 1r ribbon, 11d double pi, 5pa and 5pb the plain pi of a month, b2 and b3 the bonus cards.
inline int card_of(const std::string& code) {
  if (code[0] == 'b') return code == "b2" ? 48 : 49;
  const int first = 4 * (std::stoi(code) - 1);
  const std::string kind = code.substr(code.find_first_not_of("0123456789"));
  for (int k = 0; k < 4; ++k) {
    const Cards card = bit(first + k);
    if ((kind == "g" && (card & kGwang) != 0) || (kind == "y" && (card & kYeol) != 0) ||
        (kind == "r" && (card & kRibbons) != 0) || (kind == "d" && (card & kDoublePi) != 0)) {
      return first + k;
    }
  }
  return first + (kind == "pa" ? 2 : 3);
}

inline Cards cards(const std::string& codes) {
  Cards set = 0;
  std::istringstream words(codes);
  for (std::string code; words >> code;) set |= bit(card_of(code));
  return set;
}

inline Tally tally(Cards set) {
  Tally sum = 0;
  for (; set != 0; set &= set - 1) sum += tally_of(std::countr_zero(set));
  return sum;
}

inline MatgoSettings hangame() {
  MatgoSettings settings;
  settings.president_choice = false;
  settings.self_ppuk_eat = 2;
  settings.first_ddadak_points = 7;
  settings.two_card_bomb = true;
  settings.pi_bak_zero_exempt = false;
  settings.mong_needs_zero = false;
  settings.exhaustion_min = 7;
  return settings;
}

inline MatgoSettings kflower() {
  MatgoSettings settings;
  settings.floor_four_carry = false;
  settings.eat_next_capture = true;
  settings.bonus_stuck = true;
  settings.flip_choice_keeps_hand_event = false;
  settings.bomb_last_hand = false;
  settings.gukjin_rescue_always = true;
  return settings;
}

}  // namespace tengen::check
