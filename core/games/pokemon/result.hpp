#pragma once

#include <cstdint>

namespace tengen::pokemon {

// What a part of a move came to, as the simulator tells them apart: nothing said, no failure though nothing was done,
// a failure that was told already, a failure, a success, an amount of damage. The order is their weight when combined.
struct Result {
  enum Kind : std::uint8_t { Undefined, NotFail, Null, False, True, Number };
  Kind kind = Undefined;
  int amount = 0;

  constexpr Result() = default;
  constexpr Result(Kind k) : kind(k) {}  // NOLINT: results are written as their kinds
  static constexpr Result number(int amount) {
    Result result{Number};
    result.amount = amount;
    return result;
  }
  static constexpr Result of(bool worked) { return worked ? True : False; }

  // True, or damage above 0.
  constexpr bool is_truthy() const { return kind == True || (kind == Number && amount != 0); }
  // The move goes on: success or damage, 0 included.
  constexpr bool is_hit() const { return kind == True || kind == Number; }
  constexpr bool is(Kind k) const { return kind == k; }
};

constexpr Result combine(Result left, Result right) {
  const auto weight = [](Result r) { return r.kind == Result::True ? Result::False : r.kind; };
  if (weight(left) > weight(right)) return left;
  if (left.is_truthy() && !right.is_truthy() && !right.is(Result::Number)) return left;
  if (left.is(Result::Number) && right.is(Result::Number)) return Result::number(left.amount + right.amount);
  return right;
}

}  // namespace tengen::pokemon
