#pragma once

#include <cstdint>

// What a game of Go is played under: part of a state, so that one search can hold positions under many rules.
namespace tengen::go {

enum Ko : std::uint8_t { kSimpleKo, kPositionalKo, kSituationalKo, kSpightKo };
enum Scoring : std::uint8_t { kAreaScoring, kTerritoryScoring };
enum Tax : std::uint8_t { kNoTax, kSekiTax, kAllTax };
// What White gets for n handicap stones.
enum Bonus : std::uint8_t { kNoBonus, kBonusN, kBonusNMinusOne };

struct RuleSet {
  std::int16_t komi = 15;  // half points
  Ko ko = kPositionalKo;
  Scoring scoring = kAreaScoring;
  Tax tax = kNoTax;
  Bonus bonus = kNoBonus;
  std::uint8_t suicide = 1;        // of several stones; a single stone's is never legal
  std::uint8_t button = 0;         // the first pass is worth half a point and ends nothing
  std::uint8_t friendly_pass = 0;  // players agree about dead stones: those that cannot live need not be taken
  // Moves that are replayed never lead into the clean-up of territory scoring; those of a search may.
  std::uint8_t prevent_cleanup = 0;

  // Games can be drawn: the button's half point decides where komi does not, and the other way round.
  bool result_is_integer() const { return (komi % 2 == 0) != (button != 0); }

  friend bool operator==(const RuleSet&, const RuleSet&) = default;
};

}  // namespace tengen::go
