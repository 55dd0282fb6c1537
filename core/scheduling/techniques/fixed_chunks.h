#pragma once

#include <cstdint>

#include "core/scheduling/techniques/chunk_rule.h"

/// Chunk rules whose sizes follow from N, P and R alone (FSC: and from the measured spread).
namespace evenkeel::scheduling {

[[nodiscard]] ChunkRulePtr MakeStaticChunking();                  // STATIC
[[nodiscard]] ChunkRulePtr MakeSelfScheduling();                  // SS
[[nodiscard]] ChunkRulePtr MakeFixedSizeChunking();               // FSC
[[nodiscard]] ChunkRulePtr MakeModifiedFixedSizeChunking();       // mFSC
[[nodiscard]] ChunkRulePtr MakeGuidedSelfScheduling();            // GSS
[[nodiscard]] ChunkRulePtr MakeTrapezoidSelfScheduling();         // TSS
[[nodiscard]] ChunkRulePtr MakeRandomChunks(std::uint64_t seed);  // RAND

}  // namespace evenkeel::scheduling
