#include <zlib.h>

#include <cstdint>
#include <string>

#include "coordinator/snapshot.h"
#include "core/base/check.h"
#include "tests/fuzz/scratch_folder.h"

namespace evenkeel::coordinator {
namespace {

JobIdentity Job() { return {"primes", "primes", 1, R"({"end":1000})", 1000}; }

void ReadJournal(const std::filesystem::path& folder) {
  const auto journal = Journal::Open(folder, Job());
  if (!journal) return;
  const auto accept = [](const auto&) -> Result<void> { return {}; };
  (void)(*journal)->ForEachResult(accept);
  (void)(*journal)->ForEachRange(accept);
  (void)(*journal)->ForEachFinalFailure(accept);
  (void)(*journal)->ForEachEvent(accept);
  (void)MakeSnapshot(**journal);
}

std::string Compress(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string compressed(size, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()),
                               static_cast<uLong>(bytes.size()), Z_BEST_SPEED);
  EVENKEEL_CHECK(result == Z_OK, "bytes can be compressed");
  compressed.resize(size);
  return compressed;
}

}  // namespace
}  // namespace evenkeel::coordinator

/// The file of a journal (first byte 0), a snapshot (1), or what is in a snapshot (2).
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evenkeel::coordinator;
  static const evenkeel::fuzz::ScratchFolder snapshots;
  static const evenkeel::fuzz::ScratchFolder folder;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  folder.Clear();
  if (data[0] % 3 == 0) {
    folder.Write("journal.db", bytes);
  } else {
    const auto snapshot = data[0] % 3 == 1 ? snapshots.Write("snapshot", bytes)
                                           : snapshots.Write("snapshot", Compress(bytes));
    if (!SeedFolder(snapshot, folder.Path(), Job())) return 0;
  }
  ReadJournal(folder.Path());
  return 0;
}
