#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::model {

/// Limits on one document, so that a hostile file costs bounded memory. They are far above real
/// documents: a list of 1,000 nodes has about 20 MB.
struct DocumentLimits {
  std::size_t max_bytes = 64u << 20;  ///< size of the text
  std::size_t max_depth = 100;        ///< nesting of mappings and sequences
  /// Number of scalars, mappings, sequences and 64-byte pieces of text in the tree. An alias counts
  /// like a copy of its anchor.
  std::size_t max_values = 4'000'000;
};

/// Reads YAML text (JSON is a subset) as a tree. Plain scalars are typed by the core schema of
/// YAML 1.2 (so `yes` and `0x1g` are strings); quoted scalars and keys are strings. Errors
/// (kInvalidInput) are one line "FILE: line N: what is wrong": syntax, a second document, a
/// duplicate key, a number that JSON cannot hold, an exceeded limit. An empty text is null.
[[nodiscard]] Result<nlohmann::json> ParseDocument(const std::string& text,
                                                   const std::string& file_name,
                                                   const DocumentLimits& limits = {});

/// The same for a text of any number of documents: their trees in order, without the empty ones.
/// The limits apply to all of them together.
[[nodiscard]] Result<std::vector<nlohmann::json>> ParseDocuments(const std::string& text,
                                                                 const std::string& file_name,
                                                                 const DocumentLimits& limits = {});

/// A tree as one YAML document in block style, with fields in the order of the tree and a newline
/// at the end. Parsers of YAML 1.1 and 1.2 read the same values: text that either of them would
/// take for another type is quoted. The texts must be UTF-8.
[[nodiscard]] std::string FormatDocument(const nlohmann::ordered_json& tree);

}  // namespace evenkeel::model
