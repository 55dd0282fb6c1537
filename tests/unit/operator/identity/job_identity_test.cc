#include "operator/identity/job_identity.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

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

class JobIdentityTest : public testing::Test {
 protected:
  const system_clock::time_point now_ = system_clock::from_time_t(1'790'000'000);
  const IdentityRequest request_{"lab", "primes", now_, hours(48)};
  const JobIdentity identity_ = MakeJobIdentity(request_).value();
};

TEST_F(JobIdentityTest, TheAuthoritySignedBoth) {
  EXPECT_TRUE(HasKey(identity_.coordinator));
  EXPECT_TRUE(HasKey(identity_.worker));
  EXPECT_EQ(Verify(identity_.coordinator.certificate_pem, identity_.ca_pem, X509_PURPOSE_SSL_SERVER,
                   now_),
            X509_V_OK);
  EXPECT_EQ(
      Verify(identity_.worker.certificate_pem, identity_.ca_pem, X509_PURPOSE_SSL_CLIENT, now_),
      X509_V_OK);
}

TEST_F(JobIdentityTest, ACoordinatorIsNoWorker) {
  EXPECT_EQ(Verify(identity_.coordinator.certificate_pem, identity_.ca_pem, X509_PURPOSE_SSL_CLIENT,
                   now_),
            X509_V_ERR_INVALID_PURPOSE);
  EXPECT_FALSE(Named(identity_.coordinator.certificate_pem, "primes-worker"));
}

TEST_F(JobIdentityTest, AWorkerDoesNotCarryTheCoordinatorsNames) {
  EXPECT_TRUE(Named(identity_.worker.certificate_pem, "primes-worker"));
  for (const char* name :
       {"primes-coordinator", "primes-coordinator.lab", "primes-coordinator.lab.svc"}) {
    EXPECT_TRUE(Named(identity_.coordinator.certificate_pem, name)) << name;
    EXPECT_FALSE(Named(identity_.worker.certificate_pem, name)) << name;
  }
}

TEST_F(JobIdentityTest, NeitherCanSignAnything) {
  for (const KeyPair* pair : {&identity_.coordinator, &identity_.worker}) {
    EXPECT_EQ(X509_check_ca(Read(pair->certificate_pem).get()), 0);
  }
}

TEST_F(JobIdentityTest, ABoardWithoutAClockOfItsOwnIsADayLate) {
  const auto at = [&](system_clock::time_point when) {
    return Verify(identity_.worker.certificate_pem, identity_.ca_pem, X509_PURPOSE_SSL_CLIENT,
                  when);
  };
  EXPECT_EQ(at(now_ - hours(23)), X509_V_OK);
  EXPECT_NE(at(now_ - hours(25)), X509_V_OK);
  EXPECT_EQ(at(now_ + hours(47)), X509_V_OK);
  EXPECT_NE(at(now_ + hours(49)), X509_V_OK);
}

TEST_F(JobIdentityTest, IdentitiesOfTwoJobsKnowNothingOfEachOther) {
  const JobIdentity other = MakeJobIdentity(request_).value();
  EXPECT_NE(other.fingerprint, identity_.fingerprint);
  EXPECT_NE(Verify(other.worker.certificate_pem, identity_.ca_pem, X509_PURPOSE_SSL_CLIENT, now_),
            X509_V_OK);
}

TEST_F(JobIdentityTest, TheLongestNamesFit) {
  const IdentityRequest longest{std::string(63, 'n'), std::string(50, 'j'), now_, hours(24 * 3650)};
  const auto identity = MakeJobIdentity(longest);
  ASSERT_TRUE(identity.has_value());
  EXPECT_TRUE(Named(identity->coordinator.certificate_pem,
                    longest.job + "-coordinator." + longest.namespace_name + ".svc"));
}

// HMAC-SHA256, RFC 4231, test case 2.
TEST(OperatorTokenTest, IsTheStandardsHmac) {
  EXPECT_EQ(OperatorToken("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace evenkeel::identity
