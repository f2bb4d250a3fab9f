#include <cmath>
#include <vector>

#include "check.hpp"
#include "games/go/grid.hpp"
#include "nets/katago/outputs.hpp"

using namespace tengen::katago;

namespace {

bool is_near(double found, double wanted, double tolerance = 1e-6) { return std::abs(found - wanted) < tolerance; }

// On a board of 2x1, all legal.
struct Case {
  std::vector<float> policy{0.0F, 1.0F, 2.0F};
  std::vector<float> optimistic{0.0F, 3.0F, 2.0F};
  std::vector<float> value{0.0F, 0.0F, 50.0F};
  std::vector<float> score{0.5F, 0.0F, -0.25F, 0.0F, 1.0F, 2.0F};
  std::vector<float> ownership{0.25F, -1.0F};
  std::array<bool, 3> legal{true, true, true};
  std::array<float, 3> odds{};
  std::array<float, 2> owners{};
  PostProcess post{};
  TransformedCells transformed{2, 1};

  Numbers read(ReadSettings asked = {}, int symmetry = 0) {
    asked.transformed = transformed.by(symmetry);
    asked.legal = legal;
    return read_outputs({policy, optimistic, value, score, ownership}, asked, post, odds, owners);
  }
};

}  // namespace

TEST(a_transformed_board_is_transformed_back) {
  Case it;
  ReadSettings asked;
  asked.white_to_move = true;
  static_cast<void>(it.read(asked, 2));
  CHECK(it.owners[0] == -1.0F && it.owners[1] == 0.25F);
  CHECK(it.odds[0] > it.odds[1]);
  for (int symmetry = 0; symmetry < 8; ++symmetry) {
    std::vector<bool> reached(9);
    for (int cell = 0; cell < 9; ++cell)
      reached[static_cast<std::size_t>(tengen::go::transform_cell(cell, 3, 3, symmetry))] = true;
    CHECK(reached == std::vector<bool>(9, true));
  }
  CHECK(tengen::go::transform_cell(1, 3, 2, 1) == 4);
  CHECK(tengen::go::transform_cell(0, 3, 3, 6) == 6);
}

TEST(optimism_and_temperature_change_the_policy) {
  Case it;
  ReadSettings asked;
  asked.optimism = 0.5;
  asked.temperature = 2.0;
  static_cast<void>(it.read(asked));
  const double total = 1.0 + std::exp(1.0) + std::exp(1.0);
  CHECK(is_near(static_cast<double>(it.odds[0]), 1.0 / total));
  CHECK(is_near(static_cast<double>(it.odds[1]), std::exp(1.0) / total));
  it.legal = {true, false, true};
  static_cast<void>(it.read());
  CHECK(it.odds[1] == -1.0F);
  CHECK(is_near(static_cast<double>(it.odds[0] + it.odds[2]), 1.0));
  it.policy[2] = 90.0F;
  static_cast<void>(it.read());
  CHECK(is_near(static_cast<double>(it.odds[2]), 0.95));
  it.legal = {true, true, false};
  static_cast<void>(it.read());
  CHECK(it.odds[2] == -1.0F);
  CHECK(is_near(static_cast<double>(it.odds[0] + it.odds[1]), 1.0));
}

TEST(numbers_are_whites) {
  Case it;
  Numbers black = it.read();
  CHECK(black[kWhiteWin] == 0.5F && black[kNoResultShare] == 0.0F);
  CHECK(is_near(static_cast<double>(black[kWhiteScoreMean]), -10.0));
  CHECK(is_near(static_cast<double>(black[kWhiteLead]), 5.0));
  CHECK(black[kVarTimeLeft] == -1.0F && black[kShorttermScoreError] == -1.0F);
  it.post.version = 14;
  black = it.read();
  CHECK(is_near(static_cast<double>(black[kVarTimeLeft]), 40.0 * std::log(2.0), 1e-5));
  CHECK(is_near(static_cast<double>(black[kShorttermWinlossError]), 0.5 * std::log1p(std::exp(0.5))));
  ReadSettings asked;
  asked.may_lack_result = true;
  const Numbers none = it.read(asked);
  CHECK(is_near(static_cast<double>(none[kNoResultShare]), 1.0));
}

TEST(utility_counts_what_the_context_says) {
  tengen::go::Context context;
  CHECK(utility({0.25F, 0.75F, 0.0F, 3.0F, 20.0F}, 81, context) == 0.5);
  context.win_factor = 0.5F;
  context.white_no_result = 0.25F;
  CHECK(utility({0.25F, 0.25F, 0.5F}, 81, context) == -0.125);
  context.static_factor = 0.1F;
  CHECK(is_near(score_utility(9.0, 0.0, 81, context), 0.2 / 3.14159265358979 * std::atan(0.5)));
  CHECK(is_near(score_utility(0.0, 30.0, 81, context), 0.0));
  CHECK(score_utility(9.0, 30.0, 81, context) < score_utility(9.0, 0.0, 81, context));
}
