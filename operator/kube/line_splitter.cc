#include "operator/kube/line_splitter.h"

namespace evenkeel::kube {
namespace {

bool HandOver(std::string_view line, LineSink& sink) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line.empty() || sink.OnLine(line);
}

}  // namespace

LineSplitter::Outcome LineSplitter::Feed(std::string_view bytes, LineSink& sink) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (piece.size() > max_line_bytes_ - begun_.size()) return Outcome::kTooLong;
    if (end == std::string_view::npos) {
      begun_.append(piece);
      return Outcome::kMore;
    }
    bytes.remove_prefix(end + 1);
    if (begun_.empty()) {
      if (!HandOver(piece, sink)) return Outcome::kStopped;
      continue;
    }
    begun_.append(piece);
    const bool more = HandOver(begun_, sink);
    begun_.clear();
    if (!more) return Outcome::kStopped;
  }
}

}  // namespace evenkeel::kube
