#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"

namespace evenkeel::model {

/// Bounds on one document, far above what people write (a list of 1,000 nodes has about 20 MB), so
/// that a hostile file costs bounded memory.
struct DocumentLimits {
  std::size_t max_bytes = 64u << 20;  ///< of text
  std::size_t max_depth = 100;        ///< of nested mappings and sequences
  /// Of scalars, mappings, sequences and 64-byte pieces of text in the tree; aliases count as what
  /// they stand for.
  std::size_t max_values = 4'000'000;
};

/// Reads YAML text (JSON is a part of it) as a tree. Plain scalars are typed by the core schema of
/// YAML 1.2 (so `yes` and `0x1g` are strings), quoted ones are always strings, keys too. Errors
/// (kInvalidInput) are one line "FILE: line N: what is wrong": syntax, a second document, a
/// duplicate key, a number JSON cannot hold, more than the limits allow. An empty text is null.
[[nodiscard]] Result<nlohmann::json> ParseDocument(const std::string& text,
                                                   const std::string& file_name,
                                                   const DocumentLimits& limits = {});

}  // namespace evenkeel::model
