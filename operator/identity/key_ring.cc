#include "operator/identity/key_ring.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "core/base/log.h"

namespace evenkeel::identity {
namespace {

constexpr Duration kReadInterval = std::chrono::seconds(10);
constexpr std::size_t kMinKeyBytes = 16;
constexpr std::size_t kMaxKeyBytes = 4096;

Result<OperatorKey> ReadKey(const std::string& flag, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string secret(kMaxKeyBytes + 1, '\0');
  file.read(secret.data(), static_cast<std::streamsize>(secret.size()));
  if (!file.is_open() || file.bad()) return InvalidInput(flag + ": " + path + " cannot be read");
  secret.resize(static_cast<std::size_t>(file.gcount()));
  if (secret.size() < kMinKeyBytes || secret.size() > kMaxKeyBytes) {
    return InvalidInput(flag + ": " + path + " must have 16 to 4096 bytes");
  }
  std::string id = KeyId(secret);
  return OperatorKey{std::move(secret), std::move(id)};
}

bool Exists(const std::string& path) { return std::ifstream(path).is_open(); }

}  // namespace

const OperatorKey* OperatorKeys::Find(const std::string& id) const {
  if (id.empty()) return nullptr;
  if (id == current.id) return &current;
  return id == previous.id ? &previous : nullptr;
}

KeyRing::KeyRing(OperatorKeys keys) : keys_(std::make_shared<OperatorKeys>(std::move(keys))) {}

KeyRing::KeyRing(std::string file, std::string previous_file, const Clock& clock)
    : file_(std::move(file)), previous_file_(std::move(previous_file)), clock_(&clock) {}

Result<std::unique_ptr<KeyRing>> KeyRing::Load(std::string file, std::string previous_file,
                                               const Clock& clock) {
  std::unique_ptr<KeyRing> ring(new KeyRing(std::move(file), std::move(previous_file), clock));
  Result<OperatorKeys> keys = ring->Read();
  if (!keys) return tl::unexpected<Error>(keys.error());
  ring->keys_ = std::make_shared<const OperatorKeys>(std::move(*keys));
  ring->read_again_ = clock.Now() + kReadInterval;
  return ring;
}

Result<OperatorKeys> KeyRing::Read() const {
  Result<OperatorKey> current = ReadKey("--key-file", file_);
  if (!current) return tl::unexpected<Error>(current.error());
  OperatorKeys keys{std::move(*current), {}};
  if (previous_file_.empty() || !Exists(previous_file_)) return keys;
  Result<OperatorKey> previous = ReadKey("--previous-key-file", previous_file_);
  if (!previous) return tl::unexpected<Error>(previous.error());
  if (previous->id != keys.current.id) keys.previous = std::move(*previous);
  return keys;
}

std::shared_ptr<const OperatorKeys> KeyRing::Keys() const {
  const std::scoped_lock lock(mutex_);
  if (clock_ == nullptr || clock_->Now() < read_again_) return keys_;
  read_again_ = clock_->Now() + kReadInterval;
  Result<OperatorKeys> keys = Read();
  if (!keys) {
    Log(LogLevel::kWarning, "the operator keeps its keys: " + keys.error().message);
  } else if (keys->current.id != keys_->current.id || keys->previous.id != keys_->previous.id) {
    Log(LogLevel::kInfo, "the operator's key is now " + keys->current.id +
                             (keys->previous.id.empty() ? "" : ", before " + keys->previous.id));
    keys_ = std::make_shared<const OperatorKeys>(std::move(*keys));
  }
  return keys_;
}

}  // namespace evenkeel::identity
