#include "core/model/document.h"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/model/field_reader.h"
#include "core/model/scalar.h"

namespace evenkeel::model {
namespace {

using nlohmann::json;

bool IsUtf8(const std::string& text) {
  try {
    (void)json(text).dump();
    return true;
  } catch (const json::type_error&) {
    return false;
  }
}

/// Stops yaml-cpp's parser, which reports errors by exceptions. Caught in this file.
struct DocumentError : std::runtime_error {
  DocumentError(int line_index, const std::string& what)
      : std::runtime_error(what), line(line_index + 1) {}
  int line;
};

/// Builds the trees from the parser's events and enforces the limits.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const DocumentLimits& limits, std::size_t max_documents)
      : limits_(limits), max_documents_(max_documents) {}

  /// One tree for each document.
  [[nodiscard]] std::vector<json> TakeRoots() { return std::move(roots_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    line_ = mark.line;
    if (roots_.size() == max_documents_) {
      throw DocumentError(line_, "a second document begins here, only one is allowed");
    }
    roots_.emplace_back();
    anchors_.clear();  // an alias refers to an anchor of its own document
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    line_ = mark.line;
    if (WantsKey()) throw DocumentError(line_, "a key is missing before ':'");
    Complete(json(nullptr), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    line_ = mark.line;
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end())
      throw DocumentError(line_, "an alias stands inside its own anchor");
    if (WantsKey()) throw DocumentError(line_, "an alias cannot be a key");
    Add(target->second.second);
    Complete(target->second.first, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    line_ = mark.line;
    CheckText(value);
    if (WantsKey()) {
      // Errors name keys. A text that a field takes is checked by who reads the field.
      if (value.find('\0') != std::string::npos) {
        throw DocumentError(line_, "a key must not have a character of value 0");
      }
      return OpenKey(value);
    }
    Add(1 + value.size() / kTextPieceBytes);
    if (tag != "?") return Complete(json(value), anchor);  // quoted or tagged
    Result<json> typed = TypePlainScalar(value);
    if (!typed) throw DocumentError(line_, typed.error().message);
    Complete(*std::move(typed), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, json::array(), anchor);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, json::object(), anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  /// A mapping or sequence that is not complete yet.
  struct Frame {
    json value;
    YAML::anchor_t anchor;
    std::size_t cost_before;
    std::optional<std::string> key;  ///< of the next value in a mapping
  };

  static constexpr std::size_t kTextPieceBytes = 64;

  [[nodiscard]] bool WantsKey() const {
    return !frames_.empty() && frames_.back().value.is_object() && !frames_.back().key;
  }

  /// Escapes can make texts that the document itself could not have: yaml-cpp expands `\N` and `\_`
  /// to one byte each, which is not UTF-8.
  void CheckText(const std::string& text) const {
    if (!IsUtf8(text)) {
      throw DocumentError(
          line_, R"(the escapes "\N" and "\_" are not supported: write the characters themselves)");
    }
  }

  void Add(std::size_t values) {
    Charge(values);
    cost_ += values;
  }

  void Charge(std::size_t values) {
    charged_ += values;
    if (charged_ > limits_.max_values) {
      throw DocumentError(line_, "more than " + std::to_string(limits_.max_values) +
                                     " values (aliases count as what they stand for)");
    }
  }

  void Open(const YAML::Mark& mark, json empty, YAML::anchor_t anchor) {
    line_ = mark.line;
    if (WantsKey()) throw DocumentError(line_, "a key must be a plain word or text");
    if (frames_.size() >= limits_.max_depth) {
      throw DocumentError(line_,
                          "nested deeper than " + std::to_string(limits_.max_depth) + " levels");
    }
    frames_.push_back({std::move(empty), anchor, cost_, std::nullopt});
    Add(1);
  }

  void OpenKey(const std::string& key) {
    Frame& frame = frames_.back();
    if (frame.value.contains(key)) {
      throw DocumentError(line_, "duplicate key " + ShownKey(key));
    }
    Add(key.size() / kTextPieceBytes);
    frame.key = key;
  }

  void Close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    value_cost_ = cost_ - frame.cost_before;
    Complete(std::move(frame.value), frame.anchor);
  }

  void Complete(json value, YAML::anchor_t anchor) {
    if (anchor != 0) {
      const std::size_t cost = value.is_structured() ? value_cost_ : 1 + TextPieces(value);
      Charge(cost);
      anchors_[anchor] = {value, cost};
    }
    if (frames_.empty()) {
      roots_.back() = std::move(value);
      return;
    }
    Frame& parent = frames_.back();
    if (parent.key) {
      parent.value[*std::exchange(parent.key, std::nullopt)] = std::move(value);
    } else {
      parent.value.push_back(std::move(value));
    }
  }

  [[nodiscard]] static std::size_t TextPieces(const json& value) {
    return value.is_string() ? value.get_ref<const std::string&>().size() / kTextPieceBytes : 0;
  }

  const DocumentLimits& limits_;
  const std::size_t max_documents_;
  std::vector<json> roots_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, std::pair<json, std::size_t>> anchors_;  // copy and its cost
  std::size_t charged_ = 0;     // values created so far, including copies for aliases
  std::size_t cost_ = 0;        // values of the tree so far
  std::size_t value_cost_ = 0;  // values of the mapping or sequence closed last
  int line_ = 0;
};

std::string OneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

Result<std::vector<json>> Parse(const std::string& text, const std::string& file_name,
                                const DocumentLimits& limits, std::size_t max_documents) {
  if (text.size() > limits.max_bytes) {
    return InvalidInput(file_name + ": has " + std::to_string(text.size()) + " bytes, at most " +
                        std::to_string(limits.max_bytes) + " are allowed");
  }
  if (!IsUtf8(text)) return InvalidInput(file_name + ": must be text in UTF-8");
  if (const auto at = text.find('\0'); at != std::string::npos) {
    return InvalidInput(file_name + ": has a byte of value 0 at offset " + std::to_string(at));
  }

  const auto at_line = [&file_name](int line, const std::string& what) {
    return InvalidInput(file_name + ": line " + std::to_string(line) + ": " + OneLine(what));
  };
  std::istringstream stream(text);
  TreeBuilder builder(limits, max_documents);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const DocumentError& error) {
    return at_line(error.line, error.what());
  } catch (const YAML::Exception& error) {
    return at_line(error.mark.line + 1, "is not YAML: " + error.msg);
  }
  return builder.TakeRoots();
}

}  // namespace

Result<json> ParseDocument(const std::string& text, const std::string& file_name,
                           const DocumentLimits& limits) {
  auto roots = Parse(text, file_name, limits, 1);
  if (!roots) return tl::unexpected(roots.error());
  return roots->empty() ? json() : std::move(roots->front());
}

Result<std::vector<json>> ParseDocuments(const std::string& text, const std::string& file_name,
                                         const DocumentLimits& limits) {
  auto roots = Parse(text, file_name, limits, SIZE_MAX);
  if (roots) std::erase_if(*roots, [](const json& root) { return root.is_null(); });
  return roots;
}

namespace {

using nlohmann::ordered_json;

/// Booleans and null of YAML 1.1 or 1.2, in lower case.
constexpr std::array kTypedWords{"true", "false", "yes", "no", "on", "off", "null", "y", "n"};

bool IsTypedWord(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(kTypedWords.begin(), kTypedWords.end(), text) != kTypedWords.end();
}

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDecimalDigit(char c) { return c >= '0' && c <= '9'; }

/// Whole numbers with a suffix, such as 250m and 64Mi. 1E could be half of a number.
bool IsQuantityWithSuffix(const std::string& text) {
  constexpr std::array kSuffixes{"m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"};
  const auto end = std::find_if_not(text.begin(), text.end(), IsDecimalDigit);
  return end != text.begin() && std::find(kSuffixes.begin(), kSuffixes.end(),
                                          std::string(end, text.end())) != kSuffixes.end();
}

/// Words that mean the same to every parser, inside of lists in flow style as well.
bool IsPlain(const std::string& text) {
  if (text.empty()) return false;
  if (IsQuantityWithSuffix(text)) return true;
  const bool begins_well = IsAsciiLetter(text.front()) || text.front() == '/';
  const bool is_word = std::all_of(text.begin(), text.end(), [](char c) {
    return IsAsciiLetter(c) || IsDecimalDigit(c) ||
           std::string_view("_./-:@").find(c) != std::string::npos;
  });
  return begins_well && is_word && text.back() != ':' && !IsTypedWord(text);
}

/// Whether a literal block gives back the text: lines that do not begin or end with a blank, the
/// last one with one newline, and nothing that would need an escape.
bool IsLiteral(const std::string& text) {
  if (text.find('\n') == std::string::npos || text.back() != '\n' || text.front() == '\n' ||
      text.front() == ' ' || text.ends_with("\n\n")) {
    return false;
  }
  return text.find(" \n") == std::string::npos && std::all_of(text.begin(), text.end(), [](char c) {
           return c == '\n' || (c >= ' ' && c < 0x7f);
         });
}

/// A short list of words and numbers fits into one line.
bool FitsOneLine(const ordered_json& list) {
  constexpr std::size_t kMaxBytes = 80;
  return std::none_of(list.begin(), list.end(),
                      [](const ordered_json& item) { return item.is_structured(); }) &&
         list.dump().size() <= kMaxBytes;
}

void Emit(const ordered_json& value, YAML::Emitter& out) {
  if (value.is_object()) {
    if (value.empty()) out << YAML::Flow;  // {} on the line of its key
    out << YAML::BeginMap;
    for (const auto& [key, member] : value.items()) {
      out << YAML::Key;
      Emit(ordered_json(key), out);
      out << YAML::Value;
      Emit(member, out);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    if (FitsOneLine(value)) out << YAML::Flow;
    out << YAML::BeginSeq;
    for (const ordered_json& item : value) Emit(item, out);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (IsLiteral(text)) {
      out << YAML::Literal;
    } else if (!IsPlain(text)) {
      out << YAML::DoubleQuoted;
    }
    out << text;
  } else if (value.is_null()) {
    out << YAML::Null;
  } else {
    out << value.dump();
  }
}

}  // namespace

std::string FormatDocument(const ordered_json& tree) {
  YAML::Emitter out;
  Emit(tree, out);
  return std::string(out.c_str(), out.size()) + "\n";
}

}  // namespace evenkeel::model
