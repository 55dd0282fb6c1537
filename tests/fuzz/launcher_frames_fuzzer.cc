#include <fuzzer/FuzzedDataProvider.h>

#include "core/base/check.h"
#include "launcher/protocol.h"

namespace evenkeel::launcher {
namespace {

/// A message that was read can be written, and is read again as it was.
void CheckRoundTrip(const Message& message) {
  std::string frame;
  AppendFrame(message, frame);
  FrameReader reader;
  reader.Append(frame);
  const auto again = reader.Next();
  EVENKEEL_CHECK(again && *again == message, "a message survives its frame");
}

}  // namespace
}  // namespace evenkeel::launcher

/// The stream between a worker and a launcher, in pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  evenkeel::launcher::FrameReader reader;
  while (input.remaining_bytes() > 0 && !reader.Broken()) {
    reader.Append(input.ConsumeBytesAsString(input.ConsumeIntegralInRange<std::size_t>(1, 4096)));
    while (const auto message = reader.Next()) evenkeel::launcher::CheckRoundTrip(*message);
  }
  return 0;
}
