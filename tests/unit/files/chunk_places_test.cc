#include "files/chunk_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/files/file_samples.h"

namespace evenkeel::files {
namespace {

Sha256Digest DigestOfText(const std::string& text) { return protocol::Sha256Of(text); }

/// "FILE@PLACE:BYTES" of each place, sorted.
std::vector<std::string> PlacesOf(const ChunkPlaces& places, const std::string& text) {
  std::vector<std::string> found;
  for (const auto& [file, place, bytes] : places.Find(DigestOfText(text))) {
    found.push_back(file + "@" + std::to_string(place) + ":" + std::to_string(bytes));
  }
  std::sort(found.begin(), found.end());
  return found;
}

using Texts = std::vector<std::string>;

TEST(ChunkPlacesTest, FindsAChunkInEachFileThatHasIt) {
  ChunkPlaces places;
  places.Note(DigestOfText("a"), {"first", 0, 10});
  places.Note(DigestOfText("a"), {"second", 3, 10});
  places.Note(DigestOfText("b"), {"second", 4, 5});
  EXPECT_EQ(PlacesOf(places, "a"), (Texts{"first@0:10", "second@3:10"}));
  EXPECT_EQ(PlacesOf(places, "b"), Texts{"second@4:5"});
  EXPECT_TRUE(PlacesOf(places, "c").empty());
}

TEST(ChunkPlacesTest, KeepsOnePlaceOfAChunkThatAFileRepeats) {
  ChunkPlaces places;
  places.Note(DigestOfText("a"), {"zeros", 0, 10});
  places.Note(DigestOfText("a"), {"zeros", 7, 10});
  EXPECT_EQ(PlacesOf(places, "a"), Texts{"zeros@7:10"});
  places.Forget("zeros");
  EXPECT_TRUE(PlacesOf(places, "a").empty());
}

TEST(ChunkPlacesTest, ForgetsTheChunksOfOneFileOnly) {
  ChunkPlaces places;
  places.Note(DigestOfText("a"), {"first", 0, 10});
  places.Note(DigestOfText("a"), {"second", 1, 10});
  places.Forget("second");
  places.Forget("never noted");
  EXPECT_EQ(PlacesOf(places, "a"), Texts{"first@0:10"});
}

TEST(ChunkPlacesTest, NotesAllChunksOfAContent) {
  const std::string bytes = SampleBytes(kLarge, 1);
  ChunkPlaces places;
  places.NoteAll(ContentOfBytes(bytes), "file");
  EXPECT_EQ(PlacesOf(places, ChunkOf(bytes, 0)), Texts{"file@0:4194304"});
  EXPECT_EQ(PlacesOf(places, ChunkOf(bytes, 2)), Texts{"file@2:1000"});
}

}  // namespace
}  // namespace evenkeel::files
