// The thread pool that shares out independent jobs.

#include <atomic>
#include <stdexcept>

#include "check.hpp"
#include "workers.hpp"

namespace tengen {
namespace {

TEST(every_index_is_done_once) {
  Workers workers(3);
  std::vector<std::atomic<int>> done(100);
  workers.share(done.size(), [&](std::size_t i, std::size_t) { ++done[i]; });
  for (const std::atomic<int>& count : done) CHECK(count == 1);
}

TEST(errors_of_one_call_do_not_reach_the_next) {
  Workers workers(3);
  CHECK_THROWS(workers.share(3, [](std::size_t, std::size_t) { throw std::runtime_error("failed"); }));
  int thrown = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      workers.share(3, [](std::size_t, std::size_t) {});
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  CHECK(thrown == 0);
}

}  // namespace
}  // namespace tengen
