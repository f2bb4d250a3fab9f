#pragma once

#include "rng.hpp"

namespace tengen::pokemon {

// Where a battle's luck comes from: drawn, or by one of the simulator's four scripts A to D, which answer every draw of
// a kind alike. The same rules run on either.
class Chance {
 public:
  explicit Chance(Rng& rng) : rng_(&rng) {}
  explicit Chance(char script) : script_(script) {}
  // One damage roll and critical hit or not, to list what a hit can do.
  Chance(int roll, bool crit) : script_('='), roll_(roll), crit_(crit) {}

  // Damage is multiplied by (100 - roll()) / 100.
  int roll() {
    if (rng_ != nullptr) return static_cast<int>(rng_->below(16));
    if (script_ == '=') return roll_;
    return script_ == 'A' ? 0 : script_ == 'B' ? 15 : script_ == 'C' ? 7 : 4;
  }

  bool crit(int denominator) {
    if (rng_ != nullptr) return draw(1, denominator);
    return script_ == '=' ? crit_ : denominator == 1 || script_ == 'B';
  }

  bool accuracy(int percent) { return rng_ != nullptr ? draw(percent, 100) : percent >= 100 || script_ != 'C'; }

  // Of a secondary effect, and of what a move does to its user.
  bool secondary(int percent) { return percent >= 100 || this->percent() < percent; }

  // Uniform in 0 … 99, to be compared with the chances of several effects.
  int percent() { return rng_ != nullptr ? static_cast<int>(rng_->below(100)) : is_b_or_d() ? 0 : 99; }

  // What keeps a Pokémon from moving; also thawing.
  bool before_move(int numerator, int denominator) {
    return rng_ != nullptr ? draw(numerator, denominator) : script_ == 'C' || script_ == 'D';
  }

  // Protect works once more.
  bool stall(int denominator) { return rng_ != nullptr ? draw(1, denominator) : denominator == 1 || script_ != 'C'; }

  bool chance(int numerator, int denominator) { return rng_ != nullptr ? draw(numerator, denominator) : is_b_or_d(); }

  // Uniform in 0 … count-1: lengths, and which of several.
  int below(int count) {
    if (rng_ != nullptr) return static_cast<int>(rng_->below(static_cast<std::uint32_t>(count)));
    return is_b_or_d() ? count - 1 : 0;
  }

  // Which of two that are equally fast goes first: true, the second. Scripts leave the order as it was found.
  bool swaps_tie() { return rng_ != nullptr && rng_->below(2) == 1; }

 private:
  bool draw(int numerator, int denominator) {
    return rng_->below(static_cast<std::uint32_t>(denominator)) < static_cast<std::uint32_t>(numerator);
  }
  bool is_b_or_d() const { return script_ == 'B' || script_ == 'D'; }

  Rng* rng_ = nullptr;
  char script_ = 0;
  int roll_ = 0;
  bool crit_ = false;
};

}  // namespace tengen::pokemon
