#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/run_record.h"

namespace evenkeel::report {

/// Rises with each change that a reader is to be told of; 0 is before all changes.
using Mark = std::uint32_t;

/// How busy nodes were and when, in memory that depends on neither the number of tasks nor the
/// length of the run: a lane a node, cut into cells of equal width, which doubles whenever time
/// runs past the last cell. Ranges come in any order. Not thread-safe.
class LaneCells {
 public:
  static constexpr std::size_t kMostCells = 768;
  static constexpr std::size_t kFewestCells = 96;
  /// Of all lanes together, as long as no lane has to have fewer than kFewestCells.
  static constexpr std::size_t kCells = 98'304;

  /// Makes room for so many lanes; there are never fewer afterwards.
  void MakeLanes(std::size_t lanes);

  /// `record` ran on `lane`; times before 0 count as 0.
  void Add(std::size_t lane, const model::ResultRecord& record, Mark mark);

  /// All cells of the lane are new to readers, e.g. because its number of threads is known now.
  void Touch(std::size_t lane, Mark mark);

  /// Writes `[lane,first,"cells"],` for the cells from the first one that changed after `since`;
  /// nothing if none did. Two characters a cell, 12 bits in the digits of base64url: four each for
  /// the part of the node's time, in fifteenths, that went into tasks as planned, stolen, copied.
  void Append(std::size_t lane, Mark since, std::uint32_t threads, std::string& out) const;

  [[nodiscard]] std::size_t Lanes() const { return lanes_.size(); }
  /// Width of a cell.
  [[nodiscard]] Duration Step() const { return step_; }
  /// Changes when cells are cut anew, so that those a reader has are worth nothing.
  [[nodiscard]] std::uint32_t Generation() const { return generation_; }

 private:
  struct Cell {
    std::array<float, 3> busy{};  // seconds, by model::RunKind
    Mark changed = 0;
  };

  void MakeRoomFor(Duration end);
  void DoubleStep();

  Duration step_ = std::chrono::milliseconds(2);
  std::size_t most_cells_ = kMostCells;
  std::uint32_t generation_ = 0;
  std::vector<std::vector<Cell>> lanes_;
};

}  // namespace evenkeel::report
