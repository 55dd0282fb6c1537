#include "mandelbrot/mandelbrot.h"

#include <evenkeel/core/model/field_reader.h>
#include <evenkeel/platform/files.h>
#include <evenkeel/workloads/received_tasks.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace mandelbrot {
namespace {

using evenkeel::Result;
using namespace evenkeel::workloads;
namespace model = evenkeel::model;

struct Picture {
  std::int64_t width = 640;
  std::int64_t height = 480;
  std::int64_t iterations = 1000;
};

/// Real parts from -2.25 to 0.75; points are square, the real axis is in the middle.
constexpr double kLeft = -2.25;
constexpr double kSpan = 3.0;

/// 0, black: the point seems to belong to the set; 255 to 1: how soon it turns out not to.
unsigned char Shade(double re, double im, std::int64_t iterations) {
  double x = 0;
  double y = 0;
  for (std::int64_t n = 0; n < iterations; ++n) {
    const double xx = x * x;
    const double yy = y * y;
    if (xx + yy > 4) return static_cast<unsigned char>(255 - n % 255);
    y = 2 * x * y + im;
    x = xx - yy + re;
  }
  return 0;
}

class Rows final : public TaskRunner {
 public:
  explicit Rows(const Picture& picture) : picture_(picture) {}

  TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                  TaskFailure&) override {
    const double step = kSpan / static_cast<double>(picture_.width);
    const double im = (static_cast<double>(2 * call.index + 1 - picture_.height)) / 2 * step;
    std::string row;
    for (std::int64_t column = 0; column < picture_.width; ++column) {
      if (stop.stop_requested()) return TaskOutcome::kStopped;
      const double re = kLeft + (static_cast<double>(column) + 0.5) * step;
      row.push_back(static_cast<char>(Shade(re, im, picture_.iterations)));
    }
    result += row;
    return TaskOutcome::kDone;
  }

 private:
  const Picture picture_;
};

/// Puts the rows together, in whatever order they come.
class PictureFile final : public Reducer {
 public:
  explicit PictureFile(const Picture& picture)
      : picture_(picture),
        rows_(picture.height),
        points_(static_cast<std::size_t>(picture.width * picture.height), '\0') {}

  Result<void> Add(model::IndexRange range, const model::PackedResults& results) override {
    return rows_.TakeEach(
        range, results, [this](model::TaskIndex row, std::string_view bytes) -> Result<void> {
          if (static_cast<std::int64_t>(bytes.size()) != picture_.width) {
            return evenkeel::Fail(evenkeel::ErrorCode::kInternal, "a row of another width");
          }
          bytes.copy(points_.data() + row * picture_.width, bytes.size());
          return {};
        });
  }

  Result<std::string> Finish(const std::filesystem::path& folder) override {
    auto file = evenkeel::platform::AtomicFile::Create(folder / "mandelbrot.pgm");
    if (!file) return tl::unexpected(file.error());
    const std::string head =
        "P5\n" + std::to_string(picture_.width) + " " + std::to_string(picture_.height) + "\n255\n";
    const auto written =
        file->Append(head).and_then([&] { return file->Append(points_); }).and_then([&] {
          return file->Commit();
        });
    if (!written) return tl::unexpected(written.error());
    const auto inside = std::count(points_.begin(), points_.end(), '\0');
    return nlohmann::json{{"points", points_.size()}, {"inside", inside}}.dump();
  }

 private:
  const Picture picture_;
  ReceivedTasks rows_;
  std::string points_;
};

class Mandelbrot final : public Workload {
 public:
  explicit Mandelbrot(const Picture& picture) : picture_(picture) {}

  std::string_view Name() const override { return kName; }
  std::uint32_t Version() const override { return kVersion; }
  std::int64_t TaskCount() const override { return picture_.height; }
  std::shared_ptr<const model::CostModel> Costs() const override {
    return std::make_shared<model::UnitCosts>(picture_.height);  // not known
  }
  std::unique_ptr<TaskRunner> MakeRunner(const RunnerOptions&) const override {
    return std::make_unique<Rows>(picture_);
  }
  std::unique_ptr<Reducer> MakeReducer() const override {
    return std::make_unique<PictureFile>(picture_);
  }

 private:
  const Picture picture_;
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakeMandelbrot(const model::FieldReader& parameters,
                                                       const WorkloadContext&) {
  model::FieldReader fields = parameters;
  Picture picture;
  picture.width = fields.OptionalInt("width", {1, 8192}, picture.width);
  picture.height = fields.OptionalInt("height", {1, 8192}, picture.height);
  picture.iterations = fields.OptionalInt("iterations", {1, 1'000'000}, picture.iterations);
  if (const auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  return std::make_shared<const Mandelbrot>(picture);
}

}  // namespace mandelbrot
