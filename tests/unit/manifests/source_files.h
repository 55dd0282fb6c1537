#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "core/model/document.h"

namespace evenkeel::tests {

/// A file of the project, by its path from the root.
inline std::string TextOf(const std::string& file) {
  std::ifstream stream(EVENKEEL_SOURCE_DIR "/" + file);
  EXPECT_TRUE(stream.is_open()) << file;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The same, read as YAML.
inline nlohmann::json DocumentOf(const std::string& file) {
  const auto document = model::ParseDocument(TextOf(file), file);
  EXPECT_TRUE(document.has_value()) << document.error().message;
  return document.value_or(nullptr);
}

}  // namespace evenkeel::tests
