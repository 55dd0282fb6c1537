#pragma once

#include <evenkeel/workloads/workload.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace evenkeel::model {
class FieldReader;
}

/// A picture of the Mandelbrot set. A task is a row of it; rows through the middle take many times
/// as long as those at the edges, and the times are unknown beforehand.
namespace mandelbrot {

inline constexpr std::string_view kName = "mandelbrot";
/// To be raised when tasks or results change their meaning: workers and coordinator must agree.
inline constexpr std::uint32_t kVersion = 1;

/// spec.workload.custom.mandelbrot: width, height, iterations.
evenkeel::Result<std::shared_ptr<const evenkeel::workloads::Workload>> MakeMandelbrot(
    const evenkeel::model::FieldReader& parameters,
    const evenkeel::workloads::WorkloadContext& context);

}  // namespace mandelbrot
