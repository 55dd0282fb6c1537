#include "coordinator/job_run.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "coordinator/disk_room.h"
#include "coordinator/event_queue.h"
#include "coordinator/job_inputs.h"
#include "coordinator/journal_writer.h"
#include "core/base/freed_memory.h"
#include "core/base/log.h"

namespace evenkeel::coordinator {
namespace {

// Messages that wait for the state machine; more are held back in their streams.
constexpr std::size_t kMaxWaitingEvents = 4096;

struct Said {
  StreamId stream;
  engine::ToCoordinator message;
};
struct Closed {
  StreamId stream;
};
struct Written {
  engine::BatchId batch;
};
struct WriteFailed {
  Error error;
};
struct Interrupted {
  std::string reason;
};
using Event = std::variant<Said, Closed, Written, WriteFailed, Interrupted>;

constexpr Duration kSourceInterval = std::chrono::seconds(1);

/// What workers are told.
std::string ParametersOf(const JobVersion& version) {
  return version.workload->WorkerParameters().value_or(version.job.workload_parameters);
}

engine::InputOf InputsOf(const std::shared_ptr<const workloads::Workload>& workload) {
  if (!workload->HasInputs()) return nullptr;
  return [workload](model::TaskIndex index) { return workload->InputOf(index); };
}

engine::CoordinatorConfig EngineConfig(const JobRunConfig& config, const JournalState& known) {
  engine::CoordinatorConfig engine;
  engine.job = config.job;
  engine.costs = config.workload->Costs();
  engine.workload_version = config.workload->Version();
  engine.epoch = known.epoch;
  engine.token = config.token;
  engine.nodes = config.nodes;
  engine.admit_unexpected = config.admit_unexpected;
  engine.completed = known.completed;
  engine.failures = known.failures;
  engine.active_before = known.active;
  engine.started = config.started;
  engine.report_interval = config.report_interval;
  engine.keep_workers = config.keep_workers;
  engine.input_of = InputsOf(config.workload);
  engine.job.workload_parameters = ParametersOf({config.job, config.workload});
  return engine;
}

ResultSizes SizesOf(const workloads::Workload& workload) {
  constexpr std::int64_t kLarge = 64 << 10;
  return workload.BytesOnDisk() / workload.TaskCount() >= kLarge ? ResultSizes::kLarge
                                                                 : ResultSizes::kSmall;
}

class JobRunImpl final : public JobRun, private StreamListener {
 public:
  JobRunImpl(JobRunConfig config, std::unique_ptr<Journal> journal)
      : config_(std::move(config)),
        journal_(std::move(journal)),
        events_(kMaxWaitingEvents),
        engine_(EngineConfig(config_, journal_->State())) {}

  ~JobRunImpl() override {
    events_.Close();
    if (server_) server_->Shutdown();
  }

  Result<void> Listen() {
    ServerOptions options = config_.server;
    if (const auto policy = config_.workload->BlocksAtWorker()) {
      options.blocks = config_.workload->Blocks();
      options.blocks_between_workers = policy->between_workers;
      options.block_token = config_.token;
      KeepFreedMemory();
    }
    auto server = WorkerServer::Start(options, *this);
    if (!server) return tl::unexpected<Error>(server.error());
    server_ = std::move(*server);
    return {};
  }

  std::uint16_t Port() const override { return server_->Port(); }
  Journal& TheJournal() override { return *journal_; }
  protocol::Traffic TrafficSoFar() const override { return server_->Counters(); }
  void StopListening() override {
    events_.Close();
    server_->Shutdown();
  }
  void Interrupt(const std::string& reason) override { events_.PushNow(Interrupted{reason}); }

  RunEnd Run(RunObserver* observer) override {
    JournalWriter writer(
        *journal_, [this](engine::BatchId batch) { events_.PushNow(Written{batch}); },
        [this](const Error& error) { events_.PushNow(WriteFailed{error}); });
    writer_ = &writer;
    observer_ = observer;
    Carry(engine_.Start(clock_.Now()));
    Instant next_look = clock_.Now();
    const Instant job_deadline = JobDeadline();
    Instant next_news = config_.source ? clock_.Now() + kSourceInterval : kNever;
    while (!engine_.Ended()) {
      // 1. Wait for something to happen. 2. Let the state machine say what follows. 3. Do it.
      const Instant deadline =
          std::min({engine_.NextTimer(), job_deadline, next_news, observer ? next_look : kNever});
      auto event = events_.PopUntil(deadline, clock_);
      const Instant now = clock_.Now();
      if (event) Carry(Handle(std::move(*event), now));
      if (now >= engine_.NextTimer()) Carry(engine_.OnTimer(now));
      if (now >= next_news) {
        if (auto news = config_.source->News()) TakeNews(std::move(*news));
        next_news = clock_.Now() + kSourceInterval;
      }
      if (now >= job_deadline) Carry(engine_.OnDeadline(DeadlineReason()));
      AddEvents(writer);
      if (observer && now >= next_look) {
        observer->OnProgress(engine_.CurrentProgress(now));
        next_look = now + observer->ProgressInterval();
      }
    }
    return Finish();
  }

 private:
  /// On the job's own time line: the gaps between an interruption and its resumption do not count.
  Instant JobDeadline() const {
    if (!config_.job.active_deadline) return kNever;
    return config_.started + *config_.job.active_deadline - journal_->State().active;
  }
  std::string DeadlineReason() const {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(*config_.job.active_deadline);
    return "active deadline exceeded: spec.activeDeadlineSeconds is " +
           std::to_string(seconds.count());
  }

  // On the server's threads.
  void OnMessage(StreamId stream, engine::ToCoordinator message) override {
    events_.Push(Said{stream, std::move(message)});
  }
  void OnClosed(StreamId stream) override { events_.PushNow(Closed{stream}); }

  engine::Effects Handle(Event event, Instant now) {
    if (auto* said = std::get_if<Said>(&event)) {
      return engine_.OnMessage(said->stream, std::move(said->message), now);
    }
    if (const auto* closed = std::get_if<Closed>(&event)) {
      return engine_.OnStreamClosed(closed->stream, now);
    }
    if (const auto* written = std::get_if<Written>(&event)) {
      return engine_.OnDurable(written->batch, now);
    }
    if (const auto* failed = std::get_if<WriteFailed>(&event)) {
      end_.journal_error = failed->error;
      return engine_.OnJournalFailed(failed->error.message, now);
    }
    return engine_.OnInterrupt(std::get<Interrupted>(event).reason, config_.drain_grace, now);
  }

  void Carry(engine::Effects effects) {
    for (auto& effect : effects) {
      if (auto* send = std::get_if<engine::SendToWorker>(&effect)) {
        server_->Send(send->stream, std::move(send->message));
      } else if (const auto* close = std::get_if<engine::CloseStream>(&effect)) {
        server_->Close(close->stream);
      } else if (auto* persist = std::get_if<engine::Persist>(&effect)) {
        if (observer_ != nullptr) TellCounted(*persist);
        writer_->Add(std::move(*persist));
      } else if (auto* end = std::get_if<engine::EndJob>(&effect)) {
        end_.state = end->state;
        end_.reason = std::move(end->reason);
        end_.superseded = end->superseded;
      }
    }
  }

  /// What the manifest says besides more tasks is for the next start.
  void TakeNews(JobVersion news) {
    if (engine_.Ended()) return;
    const std::int64_t before = config_.workload->TaskCount();
    const std::int64_t tasks = news.workload->TaskCount();
    const auto grown = CheckJob(config_.job, *news.workload)
                           .and_then([&] { return IdentityOf(news.job, news.workload); })
                           .and_then([&](const JobIdentity& identity) {
                             return journal_->Grow(identity);  // before anybody runs them
                           });
    if (!grown) {
      const bool for_now = grown.error().code != ErrorCode::kConflict &&
                           grown.error().code != ErrorCode::kInvalidInput;
      if (for_now) config_.source->TellAgain();
      ComplainOfNews(grown.error().message);
      return;
    }
    if (tasks == before) return;
    config_.workload = std::move(news.workload);
    config_.job.workload_parameters = std::move(news.job.workload_parameters);
    Log(LogLevel::kInfo, config_.job.name + ": " + std::to_string(tasks - before) +
                             " tasks appended, " + std::to_string(tasks) + " in all");
    const JobVersion job{config_.job, config_.workload};
    Carry(engine_.OnGrown({job.workload->Costs(), InputsOf(job.workload), ParametersOf(job)},
                          clock_.Now()));
    if (observer_ != nullptr) observer_->OnGrown(job);
  }

  void ComplainOfNews(const std::string& why) {
    if (why == complaint_) return;
    Log(LogLevel::kWarning, config_.job.name + ": the changed manifest is not taken: " + why);
    complaint_ = why;
  }

  void TellCounted(const engine::Persist& batch) {
    for (const auto& record : batch.results) observer_->OnCounted(record);
  }

  void AddEvents(JournalWriter& writer) {
    auto events = engine_.TakeEvents();
    if (observer_ != nullptr) {
      for (const auto& event : events) observer_->OnEvent(event);
    }
    writer.Add(std::move(events));
  }

  RunEnd Finish() {
    const Instant now = clock_.Now();
    writer_->Add(engine_.TakeEvents());
    writer_->Add(engine_.StageEvents(now));
    writer_ = nullptr;
    end_.progress = engine_.CurrentProgress(now);
    end_.job = {config_.job, config_.workload};
    StopListening();
    end_.traffic = server_->Counters();
    return std::move(end_);
  }

  JobRunConfig config_;
  SteadyClock clock_;
  std::unique_ptr<Journal> journal_;
  EventQueue<Event> events_;
  engine::Coordinator engine_;
  std::unique_ptr<WorkerServer> server_;
  JournalWriter* writer_ = nullptr;  // while Run is running
  RunObserver* observer_ = nullptr;
  std::string complaint_;  // the last one of the manifest
  RunEnd end_;
};

}  // namespace

Result<std::unique_ptr<JobRun>> JobRun::Open(JobRunConfig config) {
  if (auto room = CheckDiskRoom(config.job.workload, *config.workload, config.folder); !room) {
    return tl::unexpected<Error>(room.error());
  }
  auto identity = IdentityOf(config.job, config.workload);
  if (!identity) return tl::unexpected<Error>(identity.error());
  auto journal =
      Journal::Open(config.folder, *identity, config.complete, SizesOf(*config.workload));
  if (!journal) return tl::unexpected<Error>(journal.error());
  auto run = std::make_unique<JobRunImpl>(std::move(config), std::move(*journal));
  if (auto listening = run->Listen(); !listening) return tl::unexpected<Error>(listening.error());
  return run;
}

}  // namespace evenkeel::coordinator
