#include "core/protocol/byte_buffers.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/protocol/sha256.h"

namespace evenkeel::protocol {
namespace {

/// The bytes in parts of these sizes.
SharedBytes Divided(const std::string& bytes, const std::vector<std::size_t>& sizes) {
  auto owner = std::make_shared<const std::string>(bytes);
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  for (const std::size_t size : sizes) {
    parts.push_back(std::string_view(*owner).substr(at, size));
    at += size;
  }
  return {std::move(owner), std::move(parts)};
}

TEST(ByteBuffers, ShareTheMemoryUntilTheyEnd) {
  auto owner = std::make_shared<const std::string>(100'000, 'x');
  const std::string_view whole(*owner);
  const std::weak_ptr<const std::string> alive = owner;
  {
    const grpc::ByteBuffer buffer = BufferOf(SharedBytes(std::move(owner), {whole}));
    const SharedBytes received = BytesOf(buffer);
    ASSERT_EQ(received.Parts().size(), 1U);
    EXPECT_EQ(received.Parts().front().data(), whole.data());
    EXPECT_EQ(received.Size(), whole.size());
    EXPECT_FALSE(alive.expired());
  }
  EXPECT_TRUE(alive.expired());
}

TEST(ByteBuffers, KeepTheBytesOfAllParts) {
  const std::string bytes(1000, 'x');
  EXPECT_EQ(BytesOf(BufferOf(Divided(bytes, {1, 0, 99, 900}))).ToString(), bytes);
  const std::string longer(100'000, 'y');
  EXPECT_EQ(BytesOf(BufferOf(Divided(longer, std::vector<std::size_t>(4000, 25)))).Parts().size(),
            4000U);
  const SharedBytes joined = BytesOf(BufferOf(Divided(longer, std::vector<std::size_t>(5000, 20))));
  EXPECT_EQ(joined.Parts().size(), 1U);
  EXPECT_EQ(joined.ToString(), longer);
  EXPECT_EQ(BytesOf(BufferOf(SharedBytes())).Size(), 0U);
  EXPECT_EQ(BytesOf(grpc::ByteBuffer()).Size(), 0U);
}

TEST(ByteBuffers, OfAPieceDecodeToTheRequest) {
  v1::StoreRequest request;
  request.set_token("secret");
  request.set_task(7);
  request.set_path("a/b");
  request.set_offset(1 << 20);
  for (const std::size_t size : {0U, 1U, 127U, 128U, 1U << 20}) {
    const std::string bytes(size, 'x');
    grpc::ByteBuffer encoded = EncodeStore(request, SharedBytes(bytes));
    v1::StoreRequest decoded;
    ASSERT_TRUE(grpc::SerializationTraits<v1::StoreRequest>::Deserialize(&encoded, &decoded).ok());
    v1::StoreRequest expected = request;
    expected.set_bytes(bytes);
    EXPECT_EQ(decoded.SerializeAsString(), expected.SerializeAsString());
  }
}

TEST(ByteBuffers, HaveTheDigestOfTheirBytesHoweverTheyAreDivided) {
  const std::string bytes = "0123456789";
  EXPECT_EQ(Sha256Of(Divided(bytes, {10})), Sha256Of(bytes));
  EXPECT_EQ(Sha256Of(Divided(bytes, {1, 0, 7, 2})), Sha256Of(bytes));
  EXPECT_EQ(Sha256Of(SharedBytes()), Sha256Of(""));
}

}  // namespace
}  // namespace evenkeel::protocol
