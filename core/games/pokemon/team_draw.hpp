#pragma once

#include <array>
#include <cstdint>

#include "games/pokemon/knowledge.hpp"
#include "games/pokemon/sets.hpp"
#include "rng.hpp"

// Teams as the generator of random battles draws them, and those among them that fit what a side knows.
namespace tengen::pokemon {

struct Member {
  std::uint16_t key = 0;
  std::uint16_t set = 0;  // in sets()
  std::uint16_t forme = 0;
  std::uint8_t gender = 0;    // 0 none, 1 male, 2 female
  std::uint8_t seen = kNone;  // which of the seen it is
};

struct Team {
  std::array<Member, kTeamSize> members{};  // in the order they were drawn: the first leads
  // The member that stands in the field as another one; kNone: nobody does.
  std::uint8_t disguised = kNone;
  // Whether rules had to be bent because nothing drawn fitted what is known: a Pokémon of no known set, say.
  bool is_forced = false;
};

// How likely a species' sets are taken to be: as the generator draws them, or all alike.
enum class SetOdds : std::uint8_t { Generator, Uniform };

// A team from the generator's distribution.
Team draw_team(Rng& rng);

// A team from that distribution given what is known: every seen Pokémon is in it with a set of its mask. By importance
// resampling among a few candidates, each of which is built member by member by the generator's rules with the seen
// ones at random places. If no set is left for a Pokémon, any of its sets is drawn. With uniform odds, species come as
// the generator draws them, and of each the sets that fit are alike.
Team draw_team(const Knowledge& known, Rng& rng, SetOdds odds = SetOdds::Generator);

// How likely the generator is to draw just these sets in this order, formes and genders aside. 0: it never does.
double likelihood(const Team& team);

}  // namespace tengen::pokemon
