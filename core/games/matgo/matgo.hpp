#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <span>
#include <type_traits>

#include "game.hpp"
#include "games/matgo/cards.hpp"
#include "games/matgo/rollout_policy.hpp"
#include "games/matgo/settings.hpp"

namespace tengen {

// Matgo, go-stop for two: 48 hwatu cards and bonus cards, ten in each hand, eight on the floor, the rest in stock. The
// deal is part of the state from the start, so play is deterministic. Payoffs are in gold.
class Matgo {
 public:
  using Cards = matgo::Cards;
  using Tally = matgo::Tally;

  static constexpr Facts kFacts{.hidden = true};

  // Actions: 0-49 play that card, then the dummy, bombs of months 1-12, shakes with a card, choices of a floor card,
  // the answers to questions, and the third bonus card, which only games with three have.
  static constexpr Action kDummy = 50;
  static constexpr Action kBomb = 51;
  static constexpr Action kShake = 63;
  static constexpr Action kTake = 111;
  static constexpr Action kGo = 161;
  static constexpr Action kStop = 162;
  static constexpr Action kPresidentStop = 163;
  static constexpr Action kPresidentHold = 164;
  static constexpr Action kGukjinYeol = 165;
  static constexpr Action kGukjinPi = 166;
  static constexpr Action kThirdBonus = 167;

  static constexpr int kTurns = 10;
  static constexpr int kFloorCards = 8;
  static constexpr int kMaxStock = matgo::kMaxCards - 2 * kTurns - kFloorCards;
  static constexpr int kMaxDraws = 3;
  static constexpr std::int32_t kMaxCarry = 1 << 16;
  static constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;
  static constexpr std::uint8_t kNoCard = 0xff;

  enum Phase : std::uint8_t { kPlay, kMatchHand, kMatchFlip, kGoStop, kPresident, kGukjin, kOver };
  enum Reading : std::uint8_t { kUndecided, kAsYeol, kAsPi };
  enum Ending : std::uint8_t { kNotYet, kByStop, kByPresident, kByFloorFour, kByThreePpuks, kByExhaustion };
  static constexpr std::uint8_t kDrawn = 2;  // winner: nobody, nagari

  // No padding, so that a state can be hashed as a whole.
  struct State {
    std::array<Cards, 2> hand{};
    std::array<Cards, 2> captured{};
    std::array<Cards, 2> dealt{};   // the hands at the deal
    std::array<Cards, 2> played{};  // from the hand, so far
    std::array<Cards, 2> shown{};   // cards in the hand that everybody has seen
    Cards floor = 0;
    Cards table = 0;  // played or turned, and waiting for the choice of a floor card
    // Cards drawn into a hand for a bonus card: what its owner had played, and shown and not played, before.
    std::array<Cards, kMaxDraws> draw_played{};
    std::array<Cards, kMaxDraws> draw_shown{};
    std::array<std::int64_t, 2> funds{kUnlimited, kUnlimited};  // gold before the round
    std::int64_t net = 0;                                       // gold that seat 0 has won so far
    std::array<Tally, 2> tally{};                               // of the captured cards
    std::int32_t carry = 1;
    std::array<std::uint16_t, 2> shaken{};    // months, as bits
    std::array<std::uint16_t, 2> piles{};     // months whose pile of three on the floor is this seat's ppuk
    std::array<std::uint16_t, 2> declared{};  // months of which four were shown at the first turn
    std::array<std::uint16_t, kMaxDraws> draw_declared{};  // months of which four were shown after the draw
    std::array<std::uint8_t, kMaxDraws> draw_seat{};
    std::array<std::uint8_t, kMaxDraws> draw_at{};  // the card's place in the stock
    std::uint8_t draws = 0;
    std::array<std::uint8_t, 2> cards{kTurns, kTurns};  // in hand, dummies not counted
    std::array<std::uint8_t, 2> dummies{};
    std::array<std::uint8_t, 2> turns{};
    std::array<std::uint8_t, 2> gos{};
    std::array<std::uint8_t, 2> last_go_base{};
    std::array<std::uint8_t, 2> ppuks{};
    std::array<std::uint8_t, 2> streak{};  // ppuks in a row from the first turn on; eat_next_capture: not eaten
    std::array<std::uint8_t, 2> bombs{};
    std::array<std::uint8_t, 2> held{};         // went on with four of a month
    std::array<std::uint8_t, 2> ppuk_unpaid{};  // eat_next_capture: a ppuk of this seat waits for a capture
    std::array<std::uint8_t, 2> checked{};      // the hand was looked through for four of a month
    std::array<std::uint8_t, 3> bonus_month{kNoCard, kNoCard, kNoCard};  // the pile that a bonus card lies with
    std::array<std::uint8_t, kMaxStock> stock{};
    std::uint8_t stock_size = 0;
    std::uint8_t stock_next = 0;  // its top
    Phase phase = kPlay;
    std::uint8_t mover = 0;
    std::uint8_t starter = 0;
    Reading gukjin = kUndecided;
    std::uint8_t winner = kDrawn;
    Ending ending = kNotYet;
    // The turn under way, kept while its mover chooses a floor card.
    std::uint8_t hand_card = kNoCard;
    std::uint8_t flipped = kNoCard;
    std::uint8_t matches = 0;  // floor cards of the hand card's month when it was played
    std::uint8_t steals = 0;
    std::uint8_t hand_eat = 0;  // of these, for a pile that the hand card took
    std::uint8_t took = 0;
    std::uint8_t last_hand = 0;
    std::uint8_t paid_ppuk = 0;  // eat_next_capture: a ppuk was paid this turn
    std::uint8_t viewed_by = 0;  // 1 + the seat by whose view the position was composed; 0: it was dealt and played
    std::array<std::uint8_t, 2> unused{};

    friend bool operator==(const State&, const State&) = default;
  };

  explicit Matgo(const MatgoSettings& settings = {});

  const MatgoSettings& settings() const { return settings_; }
  constexpr Facts facts() const { return kFacts; }
  int action_count() const { return settings_.bonus_cards == 3 ? kThirdBonus + 1 : kThirdBonus; }
  int deck_size() const { return matgo::kFirstBonus + settings_.bonus_cards; }
  // Planes whose cells are cards, a month a row and the bonus cards the last, then two with a number in each cell.
  // docs/games/matgo.md lists them.
  static constexpr int kPlanes = 18;
  constexpr Shape shape() const { return {kPlanes, 13, 4}; }
  // About the standard deviation of a round between players who take what they can.
  double payoff_scale() const { return 50.0 * settings_.gold_per_point; }
  // Who wins, whatever it pays.
  constexpr int aux_count() const { return 1; }
  void final_aux(const State& state, std::span<float> out) const {
    out[0] = state.winner == kDrawn ? 0.0F : state.winner == 0 ? 1.0F : -1.0F;
  }

  State start(Rng& rng) const;
  // The first ten cards are seat 0's, the next ten seat 1's, then eight for the floor, then the stock from its top.
  // Funds limit what a seat can pay. Throws std::invalid_argument for what is no deal.
  State start_with(std::span<const int> deck, int starter, std::int32_t carry, std::array<std::int64_t, 2> funds) const;
  // A position as one seat may state it. Its hidden cards are filled in anyhow: redeals replace them. What no seat can
  // tell from the table is left out: which cards were drawn for bonus cards and, if not given, which were played.
  struct ViewPosition {
    int viewer = 0;
    int starter = 0;
    int mover = 0;
    int phase = kPlay;  // or kPresident, kGoStop, kGukjin
    int gukjin = kUndecided;
    std::int32_t carry = 1;
    Cards floor = 0;
    std::vector<int> stock;  // from its top
    int bonus_month = -1;    // the pile that bonus cards on the floor lie with
    std::array<Cards, 2> hand{};
    std::array<Cards, 2> captured{};
    std::array<Cards, 2> shown{};
    std::array<Cards, 2> played{};
    std::array<int, 2> turns{};
    std::array<int, 2> gos{};
    std::array<int, 2> last_go_base{};
    std::array<int, 2> ppuks{};
    std::array<int, 2> bombs{};
    std::array<int, 2> shaken{};  // months, as bits
    std::array<int, 2> piles{};   // months, as bits
    std::array<int, 2> held{};
    std::array<std::int64_t, 2> funds{kUnlimited, kUnlimited};
  };
  // Throws std::invalid_argument for what no round can lead to, as far as that shows.
  State compose(const ViewPosition& given) const;
  // A deck that start_with() makes the same first state of. Not of a position by one seat's view.
  std::vector<int> deck(const State& state) const;

  int actor(const State& state) const { return state.phase == kOver ? kNobody : state.mover; }
  void legal(const State& state, int player, Actions& out) const;
  void apply(State& state, Action action) const;
  Action random_action(const State& state, int player, Rng& rng) const;
  // Greedy takes what is worth most at once; learned adds up learned weights.
  static constexpr std::array<std::string_view, 2> kRolloutPolicies{"greedy", "learned"};
  static constexpr int kGreedy = 0;
  Action rollout_action(const State& state, int player, int policy, Rng& rng) const;
  Action greedy_action(const State& state, Rng& rng) const;
  Action weighted_action(const State& state, const matgo::RolloutWeights& weights, Rng& rng) const;

  void payoff(const State& state, std::span<double> out) const {
    assert(state.phase == kOver);
    out[0] = static_cast<double>(state.net);
    out[1] = -out[0];
  }

  // The risk of the gos that a player has said: a go fails unless its player wins the round, and so many may.
  static constexpr double kSafeGoFails = 0.08;
  double penalty(const State& after, const State& end, int player) const {
    return after.gos[at(player)] * ((end.winner == player ? 0.0 : 1.0) - kSafeGoFails);
  }

  void encode(const State& state, int viewer, std::span<float> out) const;
  // The cards in the opponent's hand that the viewer has not seen.
  int hidden_label_count() const { return deck_size(); }
  void hidden_labels(const State& state, int viewer, std::span<float> out) const;
  State redeal(const State& state, int viewer, Rng& rng) const;
  std::uint64_t key(const State& state) const;
  std::uint64_t view_key(const State& state, int viewer) const { return key(seen(state, viewer)); }
  // The state without what the viewer does not see: the opponent's cards that were never shown, the stock.
  State seen(const State& state, int viewer) const;

  // Whether no card is lost or doubled, the counts are those of the cards, and nobody owes gold: true of every state
  // that play leads to.
  bool is_valid(const State& state) const;
  // Two players by weights, each deal played from both seats: sums over the games. A payoff beyond `payoff_cap` counts
  // as that.
  struct Match {
    double payoff = 0.0;            // of the first
    std::array<double, 2> risks{};  // of both
    std::array<double, 2> gos{};
  };
  Match match(const matgo::RolloutWeights& first, const matgo::RolloutWeights& second, std::uint64_t seed,
              std::uint64_t deals, double payoff_cap) const;
  struct Audit {
    std::uint64_t games = 0;
    std::uint64_t plies = 0;
    std::uint64_t invalid = 0;  // states
    std::uint64_t nagaris = 0;
    std::uint64_t starter_wins = 0;
  };
  // Plays games at random, each from a deal of its own, and looks at every state.
  Audit audit(std::uint64_t seed, std::uint64_t games) const;

  static int hand_size(const State& state, int seat) { return state.cards[at(seat)] + state.dummies[at(seat)]; }
  // Points from captured cards. With gukjin_mode kBestForWinner, under the better reading.
  int base(const State& state, int seat) const;
  std::int64_t gold(const State& state, int seat) const {
    return (state.funds[at(seat)] == kUnlimited ? 0 : state.funds[at(seat)]) + (seat == 0 ? state.net : -state.net);
  }

  // What multiplies a winner's points. By a stop, also an automatic one, or at exhaustion.
  struct Multipliers {
    bool gwang_bak = false;
    bool pi_bak = false;
    bool mong_bak = false;
    bool go_bak = false;
    bool hold = false;
    int gos = 0;               // doublings from the third go on
    int shakes = 0;            // doublings
    int bombs = 0;             // doublings
    std::int64_t product = 1;  // without the carry

    friend bool operator==(const Multipliers&, const Multipliers&) = default;
  };
  Multipliers multipliers(const State& state, int winner, bool stopped) const;

 private:
  // What the mover may do in kPlay. Months are marked on their first card.
  struct Choices {
    Cards cards;
    Cards bombs;
    Cards shakes;
    bool dummy;
  };

  static constexpr std::size_t at(int seat) { return static_cast<std::size_t>(seat); }
  Choices choices(const State& state) const;
  Cards floor_choices(const State& state) const;
  Action card_action(int card) const { return card == matgo::kFirstBonus + 2 ? kThirdBonus : card; }

  // The deal.
  State deal(std::span<const int> deck, int starter, std::int32_t carry, std::array<std::int64_t, 2> funds) const;
  void open(State& state) const;
  void begin_turn(State& state) const;
  // The turn.
  static void clear_turn(State& state);
  void play(State& state, Action action) const;
  void play_card(State& state, int card) const;
  void play_bonus(State& state, int card) const;
  void play_bomb(State& state, int month) const;
  void take_with_hand(State& state, Cards taken) const;
  void eat_pile(State& state, int month, bool by_hand) const;
  void flip(State& state) const;
  void flip_takes(State& state, Cards taken) const;
  void ppuk(State& state) const;
  void end_flip(State& state) const;
  void end_turn(State& state) const;
  void capture(State& state, Cards cards, int month) const;
  void pay_unpaid_ppuks(State& state) const;
  void steal(State& state, int count) const;
  // The questions after it.
  void settle(State& state, bool asked) const;
  bool gukjin_matters(const State& state) const;
  bool can_go(const State& state, int seat, int base) const;
  void go_on(State& state) const;
  // The end.
  void pay(State& state, int to, std::int64_t points) const;
  void finish(State& state, int winner, Ending ending) const;
  void stop(State& state) const;
  void exhaust(State& state) const;
  Tally reading(const State& state, int seat, bool as_pi) const;
  Multipliers multipliers(const State& state, int winner, bool stopped, Tally own) const;
  std::int64_t best_payout(const State& state, int winner, bool stopped) const;
  Action weighted_play(const State& state, const matgo::RolloutWeights& weights) const;
  bool weighted_goes(const State& state, const matgo::RolloutWeights& weights) const;
  Action greedy_play(const State& state) const;
  Action greedy_take(const State& state) const;
  // Positions by one seat's view.
  void check(const ViewPosition& given) const;
  void derive(State& state, int seat, bool is_viewer) const;
  void check_question(const State& state) const;
  // Redealing.
  bool is_consistent(const State& state, int seat) const;

  MatgoSettings settings_;
};

static_assert(Game<Matgo> && HasRandomAction<Matgo> && HasRolloutPolicies<Matgo> && HasPenalty<Matgo> &&
              HasAux<Matgo> && HasHiddenLabels<Matgo>);
static_assert(std::has_unique_object_representations_v<Matgo::State> && sizeof(Matgo::State) % 8 == 0);

}  // namespace tengen
