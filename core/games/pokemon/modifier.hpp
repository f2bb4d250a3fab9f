#pragma once

#include <cstdint>

namespace tengen::pokemon {

// A product of factors in units of 1/4096, rounded after each as the simulator does.
class Modifier {
 public:
  void by4096(int factor) { value_ = (value_ * factor + 2048) >> 12; }
  void by(int numerator, int denominator) { by4096(numerator * 4096 / denominator); }

  // Halves are rounded down.
  int apply(int number) const { return static_cast<int>((static_cast<std::int64_t>(number) * value_ + 2047) / 4096); }

 private:
  int value_ = 4096;
};

inline int modify(int number, int numerator, int denominator) {
  Modifier modifier;
  modifier.by(numerator, denominator);
  return modifier.apply(number);
}

// A quotient rounded to the nearest whole number, halves up.
constexpr int rounded(int numerator, int denominator) { return (2 * numerator + denominator) / (2 * denominator); }

}  // namespace tengen::pokemon
