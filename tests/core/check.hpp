#pragma once

#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

// A test file that includes this is a program of its own: `TEST(name) { CHECK(…); }` and no more. With an argument, the
// program runs only the tests whose names contain it.
namespace tengen::check {

struct Case {
  const char* name;
  void (*body)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

// Failed checks so far.
inline int failures = 0;

struct Registration {
  Registration(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

inline bool report(bool holds, const char* condition, const char* file, int line) {
  if (!holds) {
    ++failures;
    std::fprintf(stderr, "%s:%d: CHECK(%s) failed\n", file, line, condition);
  }
  return holds;
}

}  // namespace tengen::check

// An expression, so that a test may stop early: `if (!CHECK(…)) return;`
#define CHECK(...) ::tengen::check::report(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

#define CHECK_THROWS(...)                                                              \
  [&] {                                                                                \
    try {                                                                              \
      static_cast<void>(__VA_ARGS__);                                                  \
    } catch (const std::exception&) {                                                  \
      return true;                                                                     \
    }                                                                                  \
    return ::tengen::check::report(false, #__VA_ARGS__ " throws", __FILE__, __LINE__); \
  }()

#define TEST(name)                                                           \
  static void name();                                                        \
  static const ::tengen::check::Registration name##_registered{#name, name}; \
  static void name()

int main(int argc, char** argv) {
  int passed = 0;
  int failed = 0;
  for (const auto& test : tengen::check::cases()) {
    if (argc > 1 && std::strstr(test.name, argv[1]) == nullptr) continue;
    const int before = tengen::check::failures;
    test.body();
    const bool good = tengen::check::failures == before;
    good ? ++passed : ++failed;
    if (!good) std::fprintf(stderr, "FAILED %s\n", test.name);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
