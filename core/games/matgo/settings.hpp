#pragma once

#include <cstdint>

namespace tengen {

// The house rules; the defaults are preset `tengen`. docs/games/matgo.md explains each.
struct MatgoSettings {
  enum Gukjin : int { kAskWhenMatters, kBestForWinner, kFreeToggle };

  int bonus_cards = 2;           // 0, 2 or 3
  int bonus_steal = 1;           // pi for each bonus card
  bool floor_four_wins = true;   // four of a month dealt to the floor: the starter wins; else nagari
  bool floor_four_carry = true;  // that win is multiplied by the carry
  int president_points = 10;
  bool president_choice = true;  // who is dealt four of a month may hold them
  int president_hold_mult = 4;
  bool ask_same_kind = false;
  int first_ppuk_points = 7;
  int three_ppuk_points = 7;
  int eat_pile = 1;
  int self_ppuk_eat = 1;
  bool eat_next_capture = false;  // the kflower engine: the next capture eats a ppuk, not who takes its pile
  int first_ddadak_points = 0;
  bool two_card_bomb = false;
  bool bonus_stuck = false;  // the kflower engine: bonus cards of a ppuk stay on the floor
  bool flip_choice_keeps_hand_event = true;
  bool bomb_last_hand = true;
  Gukjin gukjin_mode = kAskWhenMatters;
  bool gukjin_rescue_always = false;  // also a gukjin that its owner locked as yeol saves from pi-bak
  int go_min = 7;
  int pi_bak_max = 7;
  bool pi_bak_zero_exempt = true;
  bool mong_needs_zero = true;
  int exhaustion_min = 0;
  int gold_per_point = 100;
};

}  // namespace tengen
