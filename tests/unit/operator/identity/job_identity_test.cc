#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "operator/identity/key_ring.h"

namespace evenkeel::identity {
namespace {

using std::chrono::hours;
using std::chrono::system_clock;

using Certificate = std::unique_ptr<X509, void (*)(X509*)>;

Certificate Read(const std::string& pem) {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  return {PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free};
}

bool HasKey(const KeyPair& pair) {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(
      BIO_new_mem_buf(pair.key_pem.data(), static_cast<int>(pair.key_pem.size())), BIO_free);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  return X509_check_private_key(Read(pair.certificate_pem).get(), key.get()) == 1;
}

/// X509_V_OK or why not.
int Verify(const std::string& pem, const std::string& ca_pem, int purpose,
           system_clock::time_point at) {
  const std::unique_ptr<X509_STORE, void (*)(X509_STORE*)> store(X509_STORE_new(), X509_STORE_free);
  const Certificate ca = Read(ca_pem);
  const Certificate subject = Read(pem);
  X509_STORE_add_cert(store.get(), ca.get());
  const std::unique_ptr<X509_STORE_CTX, void (*)(X509_STORE_CTX*)> context(X509_STORE_CTX_new(),
                                                                           X509_STORE_CTX_free);
  X509_STORE_CTX_init(context.get(), store.get(), subject.get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  X509_STORE_CTX_set_time(context.get(), 0, system_clock::to_time_t(at));
  X509_verify_cert(context.get());
  return X509_STORE_CTX_get_error(context.get());
}

bool Named(const std::string& pem, const std::string& name) {
  return X509_check_host(Read(pem).get(), name.data(), name.size(),
                         X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr) == 1;
}

/// The URIs among the alternative names.
std::vector<std::string> Uris(const std::string& pem) {
  const Certificate certificate = Read(pem);
  const std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  std::vector<std::string> uris;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* uri = name->d.uniformResourceIdentifier;
    uris.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                      static_cast<std::size_t>(ASN1_STRING_length(uri)));
  }
  return uris;
}

OperatorKey KeyOf(const std::string& secret) { return {secret, KeyId(secret)}; }

class JobIdentityTest : public testing::Test {
 protected:
  JobAuthority Authority(const std::string& secret, const std::string& uid,
                         system_clock::time_point now) const {
    return JobAuthority::Derive(KeyOf(secret), {"lab", "primes", uid}, WindowAt(now)).value();
  }

  const system_clock::time_point now_ = system_clock::from_time_t(1'790'000'000);
  const JobAuthority authority_ = Authority("the operator's key", "uid-1", now_);
  const KeyPair coordinator_ = authority_.IssueForCoordinator().value();
  const KeyPair worker_ = authority_.IssueForWorker("primes-worker-pi-1", "pi.local").value();
};

TEST_F(JobIdentityTest, TheAuthoritySignedBoth) {
  EXPECT_TRUE(HasKey(coordinator_));
  EXPECT_TRUE(HasKey(worker_));
  const std::string& ca = authority_.certificate_pem();
  EXPECT_EQ(Verify(coordinator_.certificate_pem, ca, X509_PURPOSE_SSL_SERVER, now_), X509_V_OK);
  EXPECT_EQ(Verify(worker_.certificate_pem, ca, X509_PURPOSE_SSL_CLIENT, now_), X509_V_OK);
}

TEST_F(JobIdentityTest, ACoordinatorsCertificateIsNotAWorkers) {
  EXPECT_EQ(Verify(coordinator_.certificate_pem, authority_.certificate_pem(),
                   X509_PURPOSE_SSL_CLIENT, now_),
            X509_V_ERR_INVALID_PURPOSE);
  EXPECT_FALSE(Named(coordinator_.certificate_pem, "primes-worker"));
  EXPECT_TRUE(Uris(coordinator_.certificate_pem).empty());
}

TEST_F(JobIdentityTest, AWorkerIsNamedWithItsNode) {
  EXPECT_TRUE(Named(worker_.certificate_pem, "primes-worker"));
  EXPECT_EQ(Uris(worker_.certificate_pem),
            std::vector<std::string>{
                model::WorkerUri({"lab", "primes", "primes-worker-pi-1", "pi.local"})});
  for (const char* name :
       {"primes-coordinator", "primes-coordinator.lab", "primes-coordinator.lab.svc"}) {
    EXPECT_TRUE(Named(coordinator_.certificate_pem, name)) << name;
    EXPECT_FALSE(Named(worker_.certificate_pem, name)) << name;
  }
}

TEST_F(JobIdentityTest, NeitherCanSignAnything) {
  for (const KeyPair* pair : {&coordinator_, &worker_}) {
    EXPECT_EQ(X509_check_ca(Read(pair->certificate_pem).get()), 0);
  }
}

TEST_F(JobIdentityTest, ADerivationAtAnyTimeTrustsWhatAnotherOneSigned) {
  const JobAuthority again = Authority("the operator's key", "uid-1", now_ + hours(24 * 12));
  const KeyPair later = again.IssueForCoordinator().value();
  const auto at = now_ + hours(24 * 12);
  EXPECT_EQ(
      Verify(later.certificate_pem, authority_.certificate_pem(), X509_PURPOSE_SSL_SERVER, at),
      X509_V_OK);
  EXPECT_EQ(Verify(worker_.certificate_pem, again.certificate_pem(), X509_PURPOSE_SSL_CLIENT, at),
            X509_V_OK);
}

TEST_F(JobIdentityTest, OtherJobsAndOtherKeysAreNotTrusted) {
  for (const JobAuthority& other : {Authority("the operator's key", "uid-2", now_),
                                    Authority("another key of it", "uid-1", now_)}) {
    EXPECT_NE(Verify(other.IssueForCoordinator().value().certificate_pem,
                     authority_.certificate_pem(), X509_PURPOSE_SSL_SERVER, now_),
              X509_V_OK);
  }
}

TEST_F(JobIdentityTest, CertificatesLiveThirtyDaysAndAreReplacedInTime) {
  const CertificateWindow window = WindowAt(now_);
  EXPECT_EQ(window.not_after - window.not_before, hours(24 * 30));
  for (int day = 0; day < 400; ++day) {
    const auto now = now_ + hours(24 * day);
    const CertificateWindow then = WindowAt(now);
    EXPECT_LE(then.not_before + hours(24), now) << "a board may be a day late";
    EXPECT_GE(then.not_after - now, hours(24 * 19));
    EXPECT_EQ(then.number, WindowAt(then.not_before + hours(24)).number);
  }
  const auto at = [&](system_clock::time_point when) {
    return Verify(worker_.certificate_pem, authority_.certificate_pem(), X509_PURPOSE_SSL_CLIENT,
                  when);
  };
  EXPECT_EQ(at(window.not_before), X509_V_OK);
  EXPECT_NE(at(window.not_before - hours(1)), X509_V_OK);
  EXPECT_NE(at(window.not_after + hours(1)), X509_V_OK);
}

TEST_F(JobIdentityTest, TheLongestNamesFit) {
  const std::string job(50, 'j');
  const std::string space(63, 'n');
  const auto authority = JobAuthority::Derive(KeyOf("the operator's key"),
                                              {space, job, std::string(36, 'u')}, WindowAt(now_));
  ASSERT_TRUE(authority.has_value());
  const auto coordinator = authority->IssueForCoordinator();
  ASSERT_TRUE(coordinator.has_value());
  EXPECT_TRUE(Named(coordinator->certificate_pem, job + "-coordinator." + space + ".svc"));
  const std::string node = std::string(253, 'd');
  const auto worker = authority->IssueForWorker(std::string(63, 'p'), node);
  ASSERT_TRUE(worker.has_value());
  EXPECT_EQ(Uris(worker->certificate_pem).size(), 1U);
}

TEST(KeyIdTest, NamesAKeyWithoutTellingIt) {
  EXPECT_EQ(KeyId("the operator's key").size(), 16U);
  EXPECT_EQ(KeyId("the operator's key"), KeyId("the operator's key"));
  EXPECT_NE(KeyId("the operator's key"), KeyId("another key of it"));
}

TEST(KeyRingTest, FindsTheKeysThatThereAre) {
  const KeyRing ring(OperatorKeys{KeyOf("the operator's key"), {}});
  const auto keys = ring.Keys();
  ASSERT_NE(keys->Find(KeyId("the operator's key")), nullptr);
  EXPECT_EQ(keys->Find(KeyId("another key of it")), nullptr);
  EXPECT_EQ(keys->Find(""), nullptr);
}

TEST(KeyRingTest, FollowsItsFilesAndKeepsGoodKeysWhenTheyBreak) {
  class ManualClock final : public Clock {
   public:
    [[nodiscard]] Instant Now() const override { return now; }
    Instant now{};
  } clock;
  const std::filesystem::path folder = testing::TempDir() + "/key-ring";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("key", "the first key of it");
  std::filesystem::remove(folder / "previous");
  const auto ring = KeyRing::Load(folder / "key", folder / "previous", clock);
  ASSERT_TRUE(ring.has_value());
  EXPECT_TRUE((*ring)->Keys()->previous.id.empty());
  write("key", "the second key of it");
  write("previous", "the first key of it");
  EXPECT_EQ((*ring)->Keys()->current.id, KeyId("the first key of it")) << "read too often";
  clock.now += std::chrono::seconds(10);
  EXPECT_EQ((*ring)->Keys()->current.id, KeyId("the second key of it"));
  EXPECT_EQ((*ring)->Keys()->previous.id, KeyId("the first key of it"));
  write("key", "short");
  clock.now += std::chrono::seconds(10);
  EXPECT_EQ((*ring)->Keys()->current.id, KeyId("the second key of it"));
  EXPECT_FALSE(KeyRing::Load(folder / "key", "", clock).has_value());
  EXPECT_FALSE(KeyRing::Load(folder / "none", "", clock).has_value());
}

// HMAC-SHA256, RFC 4231, test case 2.
TEST(OperatorTokenTest, IsTheStandardsHmac) {
  EXPECT_EQ(OperatorToken("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace evenkeel::identity
