#include "core/protocol/byte_buffers.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel::protocol {
namespace {

// A peer may divide a message into tiny frames, so that their list is larger than the bytes.
constexpr std::size_t kMaxParts = 4096;

using Owner = std::shared_ptr<const void>;

void Release(void* owner) { delete static_cast<Owner*>(owner); }

void AppendSlices(const SharedBytes& bytes, std::vector<grpc::Slice>& slices) {
  for (const std::string_view part : bytes.Parts()) {
    if (part.empty()) continue;
    // gRPC does not write to it.
    slices.emplace_back(const_cast<char*>(part.data()), part.size(), Release,
                        new Owner(bytes.Owner()));
  }
}

}  // namespace

grpc::ByteBuffer BufferOf(const SharedBytes& bytes) {
  std::vector<grpc::Slice> slices;
  AppendSlices(bytes, slices);
  return {slices.data(), slices.size()};
}

SharedBytes BytesOf(const grpc::ByteBuffer& buffer) {
  auto slices = std::make_shared<std::vector<grpc::Slice>>();
  if (!buffer.Valid() || !buffer.Dump(slices.get()).ok()) return {};
  std::vector<std::string_view> parts;
  parts.reserve(slices->size());
  for (const grpc::Slice& slice : *slices) {
    const void* const begin = slice.begin();
    parts.emplace_back(static_cast<const char*>(begin), slice.size());
  }
  SharedBytes bytes(std::move(slices), std::move(parts));
  return bytes.Parts().size() <= kMaxParts ? bytes : SharedBytes(bytes.ToString());
}

grpc::ByteBuffer EncodeStore(const v1::StoreRequest& request, const SharedBytes& bytes) {
  constexpr std::uint32_t kLengthDelimited = 2;  // wire type of a field of bytes
  constexpr std::uint32_t kTag =
      static_cast<std::uint32_t>(v1::StoreRequest::kBytesFieldNumber) << 3 | kLengthDelimited;
  std::string head = request.SerializeAsString();
  {
    google::protobuf::io::StringOutputStream appended(&head);
    google::protobuf::io::CodedOutputStream coded(&appended);
    coded.WriteTag(kTag);
    coded.WriteVarint32(static_cast<std::uint32_t>(bytes.Size()));
  }
  std::vector<grpc::Slice> slices{grpc::Slice(head)};
  AppendSlices(bytes, slices);
  return {slices.data(), slices.size()};
}

}  // namespace evenkeel::protocol
