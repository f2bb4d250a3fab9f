#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

// The hwatu cards. Card ids: 4 * month + k with months 0 … 11, then the bonus cards 48, 49 and 50, which have no month.
// A set of cards is 64 bits, so a month is four bits in a row.
namespace tengen::matgo {

using Cards = std::uint64_t;

inline constexpr int kMonths = 12;
inline constexpr int kFirstBonus = 48;
inline constexpr int kMaxCards = 51;
inline constexpr int kGukjinCard = 32;

constexpr Cards bit(int card) { return Cards{1} << card; }

template <std::size_t N>
constexpr Cards set_of(const std::array<int, N>& cards) {
  Cards set = 0;
  for (const int card : cards) set |= bit(card);
  return set;
}

inline constexpr Cards kMonthCards = bit(kFirstBonus) - 1;
inline constexpr Cards kBonusCards = Cards{7} << kFirstBonus;
inline constexpr Cards kFirstOfMonth = 0x1111'1111'1111;
inline constexpr Cards kGwang = set_of(std::array{0, 8, 28, 40, 44});
inline constexpr Cards kYeol = set_of(std::array{4, 12, 16, 20, 24, 29, 32, 36, 45});
inline constexpr Cards kRibbons = set_of(std::array{1, 5, 9, 13, 17, 21, 25, 33, 37, 46});
inline constexpr Cards kDoublePi = set_of(std::array{41, 47, 48, 50});
inline constexpr Cards kTriplePi = bit(49);
inline constexpr Cards kPi = (kMonthCards | kBonusCards) & ~(kGwang | kYeol | kRibbons);
inline constexpr Cards kSinglePi = kPi & ~(kDoublePi | kTriplePi);
inline constexpr int kRainGwang = 44;
inline constexpr Cards kHong = set_of(std::array{1, 5, 9});
inline constexpr Cards kCheong = set_of(std::array{21, 33, 37});
inline constexpr Cards kCho = set_of(std::array{13, 17, 25});
inline constexpr Cards kGodori = set_of(std::array{4, 12, 29});

constexpr int pi_value(int card) {
  if ((kPi >> card & 1) == 0) return 0;
  return card == 49 ? 3 : (kDoublePi >> card & 1) != 0 ? 2 : 1;
}

constexpr int month_of(int card) { return card >> 2; }
constexpr Cards month_set(int month) { return Cards{15} << (4 * month); }

// Both are cards of one month.
constexpr bool are_one_kind(Cards two) {
  return (two & ~kPi) == 0 || (two & ~kGwang) == 0 || (two & ~kYeol) == 0 || (two & ~kRibbons) == 0;
}

// The first card of every month of which all four are there.
constexpr Cards full_months(Cards cards) { return cards & cards >> 1 & cards >> 2 & cards >> 3 & kFirstOfMonth; }

// Without a popcount instruction, which plain x86-64 lacks, these beat counting four bits.
constexpr Cards at_least_one(Cards cards) {
  const Cards pairs = cards | cards >> 1;
  return (pairs | pairs >> 2) & kFirstOfMonth;
}

constexpr Cards at_least_two(Cards cards) {
  const Cards both = cards & cards >> 1;
  const Cards any = cards | cards >> 1;
  return (both | both >> 2 | (any & any >> 2)) & kFirstOfMonth;
}

constexpr Cards at_least_three(Cards cards) {
  const Cards both = cards & cards >> 1;
  const Cards any = cards | cards >> 1;
  return ((both & any >> 2) | (any & both >> 2)) & kFirstOfMonth;
}

// All cards of the months whose first card is marked.
constexpr Cards whole_months(Cards firsts) { return firsts * 15; }

// One bit a month, from marks on the months' first cards.
constexpr std::uint32_t month_bits(Cards firsts) {
  std::uint32_t months = 0;
  for (; firsts != 0; firsts &= firsts - 1) months |= 1U << (std::countr_zero(firsts) / 4);
  return months;
}

// What captured cards count for, packed: additions of packed tallies add every count.
using Tally = std::uint32_t;

inline constexpr int kRainAt = 3;
inline constexpr int kHongAt = 4;
inline constexpr int kCheongAt = 6;
inline constexpr int kChoAt = 8;
inline constexpr int kGodoriAt = 10;
inline constexpr int kYeolAt = 12;
inline constexpr int kRibbonsAt = 16;
inline constexpr int kPiAt = 20;

constexpr Tally tally_of(int card) {
  const auto in = [card](Cards set) { return static_cast<Tally>(set >> card & 1); };
  return in(kGwang) | static_cast<Tally>(card == kRainGwang) << kRainAt | in(kHong) << kHongAt |
         in(kCheong) << kCheongAt | in(kCho) << kChoAt | in(kGodori) << kGodoriAt | in(kYeol) << kYeolAt |
         in(kRibbons) << kRibbonsAt | static_cast<Tally>(pi_value(card)) << kPiAt;
}

// What changes when gukjin becomes a double pi.
inline constexpr Tally kGukjinAsPi = (Tally{2} << kPiAt) - (Tally{1} << kYeolAt);

// By month (12: the bonus cards) and by the set of that month's cards.
inline constexpr std::array<std::array<Tally, 16>, 13> kTallies = [] {
  std::array<std::array<Tally, 16>, 13> all{};
  for (std::size_t month = 0; month < 13; ++month) {
    for (std::size_t set = 0; set < 16; ++set) {
      for (std::size_t k = 0; k < 4; ++k) {
        const int card = static_cast<int>(4 * month + k);
        if ((set >> k & 1) != 0 && card < kMaxCards) all[month][set] += tally_of(card);
      }
    }
  }
  return all;
}();

constexpr Tally tally_of_month(Cards cards, int month) {
  return kTallies[static_cast<std::size_t>(month)][cards >> (4 * month) & 15];
}

constexpr int gwang_count(Tally tally) { return static_cast<int>(tally & 7); }
constexpr int yeol_count(Tally tally) { return static_cast<int>(tally >> kYeolAt & 15); }
constexpr int ribbon_count(Tally tally) { return static_cast<int>(tally >> kRibbonsAt & 15); }
constexpr int pi_count(Tally tally) { return static_cast<int>(tally >> kPiAt & 63); }

// By the number of gwang, and 8 for the rain gwang among them.
inline constexpr std::array<std::int8_t, 16> kGwangPoints{0, 0, 0, 3, 4, 15, 0, 0, 0, 0, 0, 2, 4, 15, 0, 0};

// By two bits each for the cards of hong, cheong, cho and godori.
inline constexpr std::array<std::int8_t, 256> kSetPoints = [] {
  std::array<std::int8_t, 256> points{};
  for (std::size_t i = 0; i < points.size(); ++i) {
    int sum = i >> 6 == 3 ? 5 : 0;
    for (std::size_t shift = 0; shift < 6; shift += 2) sum += (i >> shift & 3) == 3 ? 3 : 0;
    points[i] = static_cast<std::int8_t>(sum);
  }
  return points;
}();

// Points from captured cards alone.
constexpr int base_score(Tally tally) {
  const auto above = [](int count, int free) { return count > free ? count - free : 0; };
  return kGwangPoints[tally & 15] + kSetPoints[tally >> kHongAt & 255] + above(yeol_count(tally), 4) +
         above(ribbon_count(tally), 4) + above(pi_count(tally), 9);
}

}  // namespace tengen::matgo
