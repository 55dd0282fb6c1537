#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include "core/base/shared_bytes.h"
#include "core/protocol/evenkeel.pb.h"

/// Buffers of gRPC. They share the memory of large values; nothing is copied.
namespace evenkeel::protocol {

/// A buffer with these bytes. It keeps their owner until gRPC has sent them.
[[nodiscard]] grpc::ByteBuffer BufferOf(const SharedBytes& bytes);

/// The bytes of a buffer, with one part for each of its slices; none if it cannot be read.
/// Thousands of tiny slices are joined.
[[nodiscard]] SharedBytes BytesOf(const grpc::ByteBuffer& buffer);

/// An encoded message.
template <typename Message>
[[nodiscard]] grpc::ByteBuffer Encode(const Message& message) {
  grpc::ByteBuffer encoded;
  bool owned = false;
  static_cast<void>(grpc::SerializationTraits<Message>::Serialize(message, &encoded, &owned));
  return encoded;
}

/// An encoded request that has these bytes in its field `bytes`, in addition to the fields of
/// `request`, where that field is empty.
[[nodiscard]] grpc::ByteBuffer EncodeStore(const v1::StoreRequest& request,
                                           const SharedBytes& bytes);

}  // namespace evenkeel::protocol
