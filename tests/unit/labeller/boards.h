#pragma once

#include <filesystem>
#include <string>

namespace evenkeel::labeller {

/// The files of a machine in a folder of its own, as far as anybody looks at them; removed at the
/// end.
class Board {
 public:
  Board();
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  [[nodiscard]] const std::filesystem::path& Root() const { return root_; }
  Board& Write(const std::string& path, const std::string& text);
  /// `target` is the content of the link, absolute or relative.
  Board& Link(const std::string& path, const std::string& target);

  // The usual files.
  Board& Model(const std::string& model);  ///< with the zero byte that firmware leaves
  Board& ArmCores(int cores, const std::string& part);
  Board& MaxKhz(int cores, const std::string& khz);
  Board& MemoryKib(const std::string& kib);
  Board& Programs(int bits);
  /// Root file system on the second partition of that disk.
  Board& RootOn(const std::string& disk, const std::string& device, const std::string& sectors);
  Board& Debian(const std::string& version);
  Board& RpiIssue(const std::string& day);

 private:
  std::filesystem::path root_;
};

}  // namespace evenkeel::labeller
