#include "files/chunk_places.h"

namespace evenkeel::files {

void ChunkPlaces::Note(const Sha256Digest& chunk, const Place& place) {
  const auto noted = files_.try_emplace(place.file).first;
  noted->second.insert(chunk);
  places_[chunk].insert_or_assign(&*noted, InFile{place.place, place.bytes});
}

void ChunkPlaces::NoteAll(const FileContent& content, const std::string& file) {
  for (std::size_t place = 0; place < content.chunks.size(); ++place) {
    Note(content.chunks[place], {file, place, ChunkBytes(content.size_bytes, place)});
  }
}

std::vector<ChunkPlaces::Place> ChunkPlaces::Find(const Sha256Digest& chunk) const {
  std::vector<Place> places;
  const auto found = places_.find(chunk);
  if (found == places_.end()) return places;
  for (const auto& [file, in_file] : found->second) {
    places.push_back({file->first, in_file.place, in_file.bytes});
  }
  return places;
}

void ChunkPlaces::Forget(const std::string& file) {
  const auto forgotten = files_.find(file);
  if (forgotten == files_.end()) return;
  for (const Sha256Digest& chunk : forgotten->second) {
    const auto found = places_.find(chunk);
    found->second.erase(&*forgotten);
    if (found->second.empty()) places_.erase(found);
  }
  files_.erase(forgotten);
}

}  // namespace evenkeel::files
