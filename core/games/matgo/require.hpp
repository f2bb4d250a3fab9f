#pragma once

#include <stdexcept>
#include <string>

namespace tengen::matgo {

inline void require(bool holds, const std::string& otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

}  // namespace tengen::matgo
