#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "games/pokemon/sets.hpp"

// What one side knows of the other's team: a value, so that a search draws teams from it without asking anybody.
namespace tengen::pokemon {

inline constexpr std::uint8_t kNone = 0xff;

// A Pokémon that was seen. A Zoroark in disguise may have been taken for it, so what was seen goes into two masks.
struct Seen {
  SetMask sets;  // fit everything that was seen of it
  SetMask sure;  // fit what was seen of it while it could be nobody else
  std::uint16_t forme = 0;
  std::uint8_t slot = 0;       // in the team of the state that holds the knowledge
  std::uint8_t percent = 100;  // hit points when it was last seen on the field
  std::array<std::uint8_t, 4> unused{};

  friend bool operator==(const Seen&, const Seen&) = default;
};

// No padding: equal knowledge is equal bytes.
struct Knowledge {
  std::array<Seen, kTeamSize> seen{};  // in the order of their first appearance
  // If the active one may be Zoroark that looks like another: its sets that fit what was seen since it came in.
  SetMask disguise;
  SetMask stay = SetMask::all();  // sets of who it looks like that fit that
  std::uint8_t count = 0;
  std::uint8_t lead = kNone;     // among the seen; kNone: nobody knows who was first
  std::uint8_t active = kNone;   // among the seen
  std::uint8_t since_start = 0;  // the active one has been in since the battle began
  std::uint8_t before_hp = 100;  // in percent, of whom the active one looks like, before it came in
  std::uint8_t is_settled = 0;   // in a state that was drawn: nothing more is noted
  std::uint8_t had_doubt = 0;    // somebody came and went who may have been Zoroark
  std::array<std::uint8_t, 1> unused{};

  friend bool operator==(const Knowledge&, const Knowledge&) = default;
};

static_assert(std::is_trivially_copyable_v<Knowledge> && std::has_unique_object_representations_v<Knowledge>);

}  // namespace tengen::pokemon
