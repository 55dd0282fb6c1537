// Blocks over real connections: from the coordinator, and from one worker to another.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/block_home.h"
#include "tests/integration/transport/certificates.h"
#include "tests/integration/transport/recorders.h"
#include "worker/block_client.h"
#include "worker/cached_blocks.h"
#include "worker/chunk_fetcher.h"
#include "worker/chunk_host.h"
#include "worker/data_connections.h"
#include "workloads/block_cache.h"

namespace evenkeel {
namespace {

constexpr const char* kCoordinatorsName = "sums-coordinator";
constexpr const char* kWorkersName = "sums-worker";
constexpr std::int64_t kBytes = 3'500'000;  // some pieces, the last one not whole

char ByteOf(std::uint64_t block, std::int64_t at) {
  return static_cast<char>(block * 31 + static_cast<std::uint64_t>(at) * 7 +
                           static_cast<std::uint64_t>(at >> 16));
}

/// Blocks 1 to 9 of kBytes; counts the reads.
class FakeBlocks final : public workloads::BlockSource {
 public:
  std::int64_t SizeOf(workloads::BlockId id) const override { return id < 10 ? kBytes : 0; }
  Result<void> Read(workloads::BlockId id, std::int64_t offset,
                    std::span<char> into) const override {
    if (id == 9) return Fail(ErrorCode::kUnavailable, "the disk is broken");
    read += static_cast<std::int64_t>(into.size());
    for (std::size_t n = 0; n < into.size(); ++n) {
      into[n] = ByteOf(id, offset + static_cast<std::int64_t>(n));
    }
    return {};
  }
  mutable std::atomic<std::int64_t> read{0};
};

/// A worker's memory with the ways to and from others.
struct Board {
  workloads::BlockCache cache{16 << 20};
  worker::CachedBlocks served{cache};
  std::unique_ptr<worker::ChunkHost> host;
  std::unique_ptr<worker::DataConnections> connections;
  std::unique_ptr<worker::ChunkFetcher> chunks;
  std::unique_ptr<worker::BlockClient> client;

  /// The first error, or nothing if the whole block is there.
  std::string Get(workloads::BlockId id) {
    const auto got = cache.Get(id, kBytes, *client, {});
    if (!got) return got.error().message;
    const auto bytes = (**got)->Bytes();
    for (std::int64_t at = 0; at < kBytes; ++at) {
      if (bytes[static_cast<std::size_t>(at)] != ByteOf(id, at)) return "wrong bytes";
    }
    return "";
  }
};

class BlocksTest : public testing::TestWithParam<bool> {
 protected:
  BlocksTest() { Serve(); }

  bool Tls() const { return GetParam(); }

  void Serve() {
    coordinator::ServerOptions options;
    if (Tls()) options.tls = authority_.Issue(kCoordinatorsName, "serverAuth");
    options.client_name = kWorkersName;
    options.chunks = &home_;
    options.data_token = Tls() ? "" : "secret";
    auto started = coordinator::WorkerServer::Start(options, heard_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }

  std::unique_ptr<Board> MakeBoard(const std::string& token = "secret",
                                   const std::string& name = kWorkersName) {
    auto board = std::make_unique<Board>();
    worker::ConnectionOptions home;
    home.address = "127.0.0.1:" + std::to_string(server_->Port());
    if (Tls()) home.tls = authority_.Issue(name, "clientAuth,serverAuth");
    home.server_name = Tls() ? kCoordinatorsName : "";
    const std::string sent = Tls() ? "" : token;
    const std::string peer_name = Tls() ? kWorkersName : "";
    auto host = worker::ChunkHost::Start({home.tls, peer_name, sent, 0, 1}, board->served);
    EXPECT_TRUE(host) << host.error().message;
    board->host = std::move(*host);
    board->connections = std::make_unique<worker::DataConnections>(home, peer_name);
    board->chunks = std::make_unique<worker::ChunkFetcher>(
        worker::ChunkFetcher::Options{sent, board->host->Port()}, *board->connections);
    board->client =
        std::make_unique<worker::BlockClient>(worker::BlockClient::Options{}, *board->chunks);
    return board;
  }

  TestAuthority authority_;
  FakeBlocks blocks_;
  coordinator::BlockHome home_{blocks_, /*between_workers=*/true};
  RecordingServer heard_;
  std::unique_ptr<coordinator::WorkerServer> server_;
};

TEST_P(BlocksTest, AreFetchedFromTheCoordinatorOnceAndThenFromAWorker) {
  const auto first = MakeBoard();
  EXPECT_EQ(first->Get(1), "");
  EXPECT_EQ(blocks_.read, kBytes);
  EXPECT_EQ(server_->Counters().bytes_sent, kBytes);
  for (int n = 0; n < 3; ++n) EXPECT_EQ(MakeBoard()->Get(1), "");
  EXPECT_EQ(blocks_.read, kBytes) << "the others got it from the first, or from each other";
}

TEST_P(BlocksTest, AreFetchedFromTheCoordinatorIfNoWorkerHasThem) {
  const auto first = MakeBoard();
  EXPECT_EQ(first->Get(1), "");
  first->cache.Drop(1);
  const auto second = MakeBoard();
  EXPECT_EQ(second->Get(1), "");
  EXPECT_EQ(blocks_.read, 2 * kBytes);
  second->host.reset();
  EXPECT_EQ(MakeBoard()->Get(1), "");
  EXPECT_EQ(blocks_.read, 3 * kBytes);
}

TEST_P(BlocksTest, WithWrongBytesFromAWorkerAreFetchedFromTheCoordinator) {
  const auto liar = MakeBoard();
  EXPECT_EQ(liar->Get(1), "");
  liar->cache.Find(1)->Bytes()[2'000'000] ^= 1;
  const auto honest = MakeBoard();
  EXPECT_EQ(honest->Get(1), "");
  EXPECT_GT(blocks_.read, kBytes) << "the wrong piece came from the coordinator";

  // The other blocks of the liar are not fetched from it, not even those that are right.
  EXPECT_EQ(liar->Get(2), "");
  const std::int64_t before = blocks_.read;
  EXPECT_EQ(honest->Get(2), "");
  EXPECT_EQ(blocks_.read - before, kBytes);

  // Others fetch from the honest worker.
  const auto third = MakeBoard();
  EXPECT_EQ(third->Get(2), "");
  EXPECT_EQ(blocks_.read - before, kBytes);
}

TEST_P(BlocksTest, WithoutASourceAreAnError) {
  const auto board = MakeBoard();
  EXPECT_EQ(board->Get(10), "the coordinator has no such block");
  EXPECT_EQ(board->Get(9), "the disk is broken");
  EXPECT_EQ(board->Get(2), "") << "the connection goes on";
}

TEST_P(BlocksTest, HaveNoBytesBeyondTheirEnd) {
  const auto board = MakeBoard();
  const auto fetch = [&](std::uint64_t block, std::int64_t offset, std::int64_t size) {
    const auto bytes =
        board->chunks->Fetch({protocol::BlockPlace{block, offset, size}, size, std::nullopt}, {});
    return bytes ? "" : bytes.error().message;
  };
  EXPECT_EQ(fetch(1, kBytes - 10, 10), "");
  EXPECT_EQ(fetch(1, kBytes - 10, 11), "the chunk is outside of the block");
  EXPECT_EQ(fetch(1, kBytes + 1, 1), "the chunk is outside of the block");
  EXPECT_EQ(board->Get(1), "");
  // From a worker's memory neither, also where pointers have 32 bits.
  for (const std::int64_t offset : {kBytes - 10, std::int64_t{1} << 32}) {
    EXPECT_FALSE(board->served.Read({protocol::BlockPlace{1, offset, 11}, {}, true, ""}));
  }
}

TEST_P(BlocksTest, AreNotServedToUnauthenticatedClients) {
  const auto board = Tls() ? MakeBoard("", "other-worker") : MakeBoard("guessed");
  const std::string said = board->Get(1);
  EXPECT_EQ(said, "the coordinator refuses to exchange data: " +
                      std::string(Tls() ? "the certificate does not have the name sums-worker"
                                        : "the token is wrong"));
  EXPECT_EQ(blocks_.read, 0);
}

TEST_P(BlocksTest, FetchesEndWithTheWorker) {
  server_->Shutdown();
  auto board = MakeBoard();
  auto told = std::make_shared<std::promise<std::string>>();
  std::vector<char> bytes(kBytes);
  board->client->Fetch(1, bytes, [told](const Result<void>& fetched) {
    told->set_value(fetched ? "" : fetched.error().message);
  });
  board->client.reset();
  EXPECT_FALSE(told->get_future().get().empty());
}

INSTANTIATE_TEST_SUITE_P(Open, BlocksTest, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Tls, BlocksTest, testing::Values(true));

}  // namespace
}  // namespace evenkeel
