#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "files/file_content.h"

namespace evenkeel::files {

/// Where the chunks of files with several chunks are. Not thread-safe.
class ChunkPlaces {
 public:
  struct Place {
    std::string file;       ///< its name
    std::size_t place = 0;  ///< of the chunk in the file
    std::int64_t bytes = 0;
  };

  /// The file has the chunk at this place. One place for each file is kept.
  void Note(const Sha256Digest& chunk, const Place& place);
  /// The file has these chunks, in this order.
  void NoteAll(const FileContent& content, const std::string& file);
  /// Where the chunk was last noted, one place for each file.
  [[nodiscard]] std::vector<Place> Find(const Sha256Digest& chunk) const;
  /// Forgets all chunks of the file.
  void Forget(const std::string& file);

 private:
  using Files = std::map<std::string, std::set<Sha256Digest>>;  // the chunks of each file

  Files files_;
  struct InFile {
    std::size_t place;
    std::int64_t bytes;
  };
  std::map<Sha256Digest, std::map<Files::const_pointer, InFile>> places_;
};

}  // namespace evenkeel::files
