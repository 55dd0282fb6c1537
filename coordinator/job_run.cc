#include "coordinator/job_run.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "coordinator/disk_room.h"
#include "coordinator/event_queue.h"
#include "coordinator/job_inputs.h"
#include "coordinator/journal_writer.h"
#include "core/base/freed_memory.h"

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
  if (config.workload->HasInputs()) {
    engine.input_of = [workload = config.workload](model::TaskIndex index) {
      return workload->InputOf(index);
    };
  }
  if (auto parameters = config.workload->WorkerParameters()) {
    engine.job.workload_parameters = std::move(*parameters);
  }
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
    while (!engine_.Ended()) {
      // 1. Wait for something to happen. 2. Let the state machine say what follows. 3. Do it.
      const Instant deadline =
          std::min({engine_.NextTimer(), job_deadline, observer ? next_look : kNever});
      auto event = events_.PopUntil(deadline, clock_);
      const Instant now = clock_.Now();
      if (event) Carry(Handle(std::move(*event), now));
      if (now >= engine_.NextTimer()) Carry(engine_.OnTimer(now));
      if (now >= job_deadline) Carry(engine_.OnDeadline(DeadlineReason()));
      writer.Add(engine_.TakeEvents());
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

  void TellCounted(const engine::Persist& batch) {
    for (const auto& record : batch.results) observer_->OnCounted(record.range.Size(), record.busy);
  }

  RunEnd Finish() {
    const Instant now = clock_.Now();
    writer_->Add(engine_.TakeEvents());
    writer_->Add(engine_.StageEvents(now));
    writer_ = nullptr;
    end_.progress = engine_.CurrentProgress(now);
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
  RunEnd end_;
};

}  // namespace

Result<std::unique_ptr<JobRun>> JobRun::Open(JobRunConfig config) {
  if (auto room = CheckDiskRoom(config.job.workload, *config.workload, config.folder); !room) {
    return tl::unexpected<Error>(room.error());
  }
  auto identity = IdentityOf(config.job, *config.workload);
  if (!identity) return tl::unexpected<Error>(identity.error());
  auto journal = Journal::Open(config.folder, *identity, SizesOf(*config.workload));
  if (!journal) return tl::unexpected<Error>(journal.error());
  auto run = std::make_unique<JobRunImpl>(std::move(config), std::move(*journal));
  if (auto listening = run->Listen(); !listening) return tl::unexpected<Error>(listening.error());
  return run;
}

}  // namespace evenkeel::coordinator
