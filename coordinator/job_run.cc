#include "coordinator/job_run.h"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "coordinator/journal_writer.h"
#include "coordinator/manifest_watch.h"
#include "coordinator/verification.h"
#include "core/base/freed_memory.h"
#include "core/base/log.h"

namespace evenkeel::coordinator {
namespace {

std::uintmax_t BytesIn(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::uintmax_t size = entry.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

/// Whether the folder's disk has room for what the workload is going to leave there; what lies in
/// the folder already counts as room, for it is the same. kInvalidInput if not; `name` is the job's
/// for the workload.
Result<void> CheckDiskRoom(const std::string& name, const workloads::Workload& workload,
                           const std::filesystem::path& folder) {
  const auto needed = static_cast<std::uintmax_t>(workload.BytesOnDisk());
  if (needed == 0) return {};
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error) return {};  // the journal will say what is wrong with it
  const std::uintmax_t room = space.available + BytesIn(folder);
  if (needed <= room) return {};
  return InvalidInput("spec.workload." + name + ": needs " + std::to_string(needed >> 20) +
                      " MiB on the disk, " + folder.string() + " has room for " +
                      std::to_string(room >> 20) + " MiB");
}

ResultSizes SizesOf(const JobVersion& version) {
  constexpr std::int64_t kLarge = 64 << 10;
  return version.workload()->BytesOnDisk() >=
                 kLarge * std::max<std::int64_t>(version.TaskCount(), 1)
             ? ResultSizes::kLarge
             : ResultSizes::kSmall;
}

}  // namespace

Result<std::unique_ptr<JobRun>> JobRun::Open(JobRunConfig config) {
  const JobVersion& version = *config.version;
  if (auto room = CheckDiskRoom(version.spec().workload, *version.workload(), config.folder);
      !room) {
    return tl::unexpected<Error>(room.error());
  }
  auto identity = IdentityOf(version);
  if (!identity) return tl::unexpected<Error>(identity.error());
  auto journal =
      Journal::Open(config.folder, *identity, config.complete, SizesOf(version), config.rerun);
  if (!journal) return tl::unexpected<Error>(journal.error());
  std::unique_ptr<JobRun> run(new JobRun(std::move(config), std::move(*journal)));
  if (auto read = run->ReadVerification(); !read) return tl::unexpected<Error>(read.error());
  if (auto listening = run->Listen(); !listening) return tl::unexpected<Error>(listening.error());
  return run;
}

JobRun::JobRun(JobRunConfig config, std::unique_ptr<Journal> journal)
    : config_(std::move(config)), journal_(std::move(journal)) {}

JobRun::~JobRun() { StopListening(); }

Result<void> JobRun::ReadVerification() {
  verification_ = VerificationRulesOf(*config_.version, journal_->State().draw_key);
  auto verified = ReadVerified(*journal_, verification_);
  if (!verified) return tl::unexpected<Error>(verified.error());
  verified_ = std::move(*verified);
  return {};
}

Result<void> JobRun::Listen() {
  ServerOptions options = config_.server;
  const workloads::Workload& workload = *config_.version->workload();
  if (const auto policy = workload.BlocksAtWorker()) {
    if (const auto* const blocks = workload.Blocks()) {
      blocks_ = std::make_unique<BlockHome>(*blocks, policy->between_workers);
      options.chunks = blocks_.get();
      options.data_token = config_.token;
    }
    KeepFreedMemory();
  }
  if (config_.inputs && workload.HasFiles()) {
    auto files = JobFiles::Open(config_.version->workload(), *config_.inputs, config_.folder,
                                [this](const std::string& node, const model::RangeSet& tasks) {
                                  inbox_.Post(DataHeldReported{node, tasks});
                                });
    if (!files) return tl::unexpected<Error>(files.error());
    files_ = std::move(*files);
    options.chunks = &files_->Home();
    options.files = &files_->Home();
    options.data_token = config_.token;
  }
  if (files_ && !verification_) {
    auto keeper = OutputKeeper::Make(*journal_, *files_);
    if (!keeper) return tl::unexpected<Error>(keeper.error());
    keeper_ = std::move(*keeper);
  }
  auto server = WorkerServer::Start(options, *this);
  if (!server) return tl::unexpected<Error>(server.error());
  server_ = std::move(*server);
  return {};
}

void JobRun::StopListening() {
  inbox_.Close();
  if (server_) server_->Shutdown();
}

void JobRun::ReportContainerEnds(engine::ContainerEnds ends) {
  inbox_.Post(ContainerEndsReported{std::move(ends)});
}

void JobRun::Interrupt(const std::string& reason) {
  reduce_.Interrupt(reason);
  InterruptTasks(reason);
}

void JobRun::InterruptTasks(const std::string& reason) { inbox_.Post(InterruptRequested{reason}); }

Result<void> JobRun::Reduce(const ReducePhase::AttemptHandler& on_attempt, RunEnd& end) {
  return reduce_.Run({config_.folder, config_.reduce, Deadline(), DeadlineReason()}, *journal_,
                     on_attempt, end);
}

// On the job's own time line: the gaps between an interruption and its resumption do not count. A
// rerun has all of the time again.
Instant JobRun::Deadline() const {
  const auto& allowed = config_.version->spec().active_deadline;
  const JournalState& known = journal_->State();
  if (!allowed) return kNever;
  return config_.started + *allowed - (known.active - known.active_before_rerun);
}

std::string JobRun::DeadlineReason() const {
  const Duration allowed = config_.version->spec().active_deadline.value_or(Duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(allowed);
  return "active deadline exceeded: spec.activeDeadlineSeconds is " +
         std::to_string(seconds.count());
}

CoordinatorLoop::Config JobRun::LoopConfig() {
  const JournalState& known = journal_->State();
  CoordinatorLoop::Config loop;
  loop.version = config_.version;
  loop.drain_grace = config_.drain_grace;
  loop.engine = EngineConfigOf(*config_.version);
  loop.engine.epoch = known.epoch;
  loop.engine.token = config_.token;
  loop.engine.epochs = config_.epochs;
  loop.engine.nodes = config_.nodes;
  loop.engine.admit_unexpected = config_.admit_unexpected;
  loop.engine.completed = known.completed;
  loop.engine.failures = known.failures;
  loop.engine.active_before = known.active;
  loop.engine.started = config_.started;
  loop.engine.report_interval = config_.report_interval;
  loop.engine.keep_workers = config_.keep_workers;
  loop.engine.verification = verification_;
  loop.engine.verified = std::exchange(verified_, {});
  loop.engine.data_fetched_ahead = files_ != nullptr && files_->HasInputs();
  loop.deadline = Deadline();
  loop.deadline_reason = DeadlineReason();
  return loop;
}

RunEnd JobRun::Run(RunObserver* observer) {
  std::optional<ObserverThread> observed;
  if (observer != nullptr) observed.emplace(*observer, clock_);
  RunEnd end;
  {
    JournalWriter writer(keeper_ ? static_cast<RecordStore&>(*keeper_) : *journal_, inbox_);
    CoordinatorLoop loop(LoopConfig(),
                         {clock_, inbox_, *this, writer, observed ? &*observed : nullptr});
    std::optional<VersionWatch> watch;
    if (config_.source != nullptr) watch.emplace(*config_.source, config_.version, inbox_);
    loop.Start();
    while (!loop.Ended()) {
      inbox_.WaitUntil(loop.NextWakeup(), clock_);
      loop.Step();
    }
    static_cast<LoopEnd&>(end) = loop.Finish();
    StopListening();
  }
  end.traffic = server_->Counters();
  CleanUpFiles(end);
  return end;
}

void JobRun::CleanUpFiles(const LoopEnd& end) {
  // Before the job has ended, workers may report results again that are not in the journal yet, and
  // a later start may be storing files.
  const bool ended =
      end.state == model::JobState::kComplete || end.state == model::JobState::kFailed;
  if (!files_ || !ended || end.superseded || end.journal_error) return;
  const auto cleaned = CompletedTasks(*journal_).and_then(
      [this](const model::RangeSet& completed) { return files_->KeepOutputsOf(completed); });
  if (!cleaned) Log(LogLevel::kWarning, cleaned.error().message);
}

void JobRun::OnMessage(StreamId stream, engine::ToCoordinator message) {
  inbox_.Post(MessageReceived{stream, std::move(message)});
}

void JobRun::OnClosed(StreamId stream) { inbox_.Post(StreamClosed{stream}); }

bool JobRun::MayReadOn(StreamId stream) { return inbox_.MayReadOn(stream); }

void JobRun::Send(StreamId stream, engine::ToWorker message) {
  server_->Send(stream, std::move(message));
}

void JobRun::Close(StreamId stream) { server_->Close(stream); }

void JobRun::ReadOn(StreamId stream) { server_->ReadOn(stream); }

}  // namespace evenkeel::coordinator
