#pragma once

#include <bit>
#include <cstdint>

// What a game of Go is played under. Both are part of a state, so that one search can hold positions under many rules.
namespace tengen::go {

// A float by its bits: states are compared and sent as bytes.
class Real {
 public:
  constexpr Real(float value = 0.0F) : bits_(std::bit_cast<std::uint32_t>(value)) {}
  constexpr float value() const { return std::bit_cast<float>(bits_); }
  constexpr std::uint32_t bits() const { return bits_; }

  friend bool operator==(Real, Real) = default;

 private:
  std::uint32_t bits_;
};

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

// What a query asks of its positions beyond the rules.
struct Options {
  std::int32_t root_ply = -1;          // of the position that is asked about; -1: none is
  Real playout_doubling_advantage;     // of advantage_player; the other one has the negative
  Real white_draw_equivalent = 0.5F;   // wins that a draw is worth to White
  Real static_factor;                  // of the score's utility around 0
  Real dynamic_factor;                 // of the score's utility around the center
  Real center;                         // points, in Black's view
  Real scale = 0.75F;                  // of the utility around the center, in square roots of the area
  Real win_factor = 1.0F;              // of winning in the utility
  Real white_no_result;                // utility of a game without result, for White
  Real policy_optimism;                // share of the optimistic policy, in networks that have one
  Real root_policy_optimism;           // the same for the position that is asked about
  Real policy_temperature = 1.0F;      // above 1 flattens what a network answers
  std::int32_t root_symmetries = 1;    // ways to see the position that is asked about; their mean is its evaluation
  std::uint8_t advantage_player = 0;   // a seat
  std::uint8_t conservative_pass = 0;  // a pass at the root does not end the game
  std::uint8_t passing_hacks = 0;      // the end of a game that would not be won is hidden from a network
  std::uint8_t ignore_history = 0;     // 1: of moves before the root; 2: of all moves

  friend bool operator==(const Options&, const Options&) = default;
};

}  // namespace tengen::go
