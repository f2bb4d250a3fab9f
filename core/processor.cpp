#include "processor.hpp"

#ifdef TENGEN_X86
#include <cpuid.h>
#endif

namespace tengen {

bool has_undescribed_tiles() {
#ifdef TENGEN_X86
  constexpr unsigned kTiles = 1U << 24U;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(0x07, 0, &a, &b, &c, &d) == 0 || (d & kTiles) == 0) return false;
  return __get_cpuid_count(0x1d, 0, &a, &b, &c, &d) == 0 || a == 0;
#else
  return false;
#endif
}

}  // namespace tengen
