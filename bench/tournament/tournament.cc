#include <algorithm>
#include <atomic>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string_view>
#include <thread>

#include "bench/tournament/league.h"
#include "bench/tournament/players.h"
#include "core/base/check.h"

namespace evenkeel::tournament {
namespace {

constexpr const char* kOurs = "TailStealing";
constexpr const char* kUsage =
    "usage: tournament COUNT [SEED] [--plain] [--players NAME,...]\n"
    "                  [--where DIMENSION=VALUE] [--jobs N] [--json FILE] [--worst FOLDER]\n"
    "Draws COUNT scenarios from SEED (1) on, finds the best rival of TailStealing in each, and\n"
    "prints how much longer TailStealing takes.\n"
    "  --plain    draws the dimensions of the first tournament only\n"
    "  --players  only these rivals, e.g. SS+R,FAC2+R\n"
    "  --where    skips seeds whose draw has another value, e.g. 'tasks per node=3'; all must "
    "hold\n"
    "  --jobs     draws played at a time (number of processors)\n"
    "  --json     writes one object per draw\n"
    "  --worst    writes the ten draws with the largest regrets as scenario files\n";

// All players take part in the first draws. Later draws have only the players that were within
// kNearlyTheBest of the best in some draw, at most kMaxRivals, those that were it most often.
constexpr std::size_t kDrawsForAll = 40;
constexpr double kNearlyTheBest = 0.005;
constexpr std::size_t kMaxRivals = 12;
// From this number of tasks on, fewer runs are made: the variance within a run is small, and a run
// takes long.
constexpr std::int64_t kManyTasks = 2000;
constexpr std::int64_t kVeryManyTasks = 8000;  // only the best kBestRivals rivals take part
constexpr std::size_t kBestRivals = 5;
constexpr std::int64_t kMaxSkipped = 1'000'000;  // seeds, by --where

ContestOptions OptionsFor(const Draw& draw) {
  ContestOptions options;
  if (draw.tasks < kManyTasks) return options;
  options.rounds = {1, 1, 2};
  options.kept = {4, 2, 1};
  options.elimination_ratio = 1.1;
  if (draw.tasks < kVeryManyTasks) return options;
  options.rounds = {1, 1};
  options.kept = {2, 1};
  options.min_pairs = 3;
  return options;
}

struct Options {
  std::int64_t count = 0;
  std::int64_t seed = 1;
  Field field = Field::kFull;
  std::vector<std::string> players;
  std::vector<std::pair<std::string, std::string>> where;  // dimension and value
  std::int64_t jobs = std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
  std::string json;
  std::string worst;
};

/// CPU time of this thread.
double ThreadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool ReadNumber(std::string_view text, std::int64_t least, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= least;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

bool Parse(const std::vector<std::string>& arguments, Options& options) {
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    if (argument == "--plain") {
      options.field = Field::kPlain;
    } else if (argument == "--players" && has_value) {
      options.players = Split(arguments[++i]);
    } else if (argument == "--where" && has_value) {
      const std::string& condition = arguments[++i];
      const std::size_t equals = condition.find('=');
      if (equals == std::string::npos) return false;
      options.where.emplace_back(condition.substr(0, equals), condition.substr(equals + 1));
    } else if (argument == "--jobs" && has_value) {
      if (!ReadNumber(arguments[++i], 1, options.jobs)) return false;
    } else if (argument == "--json" && has_value) {
      options.json = arguments[++i];
    } else if (argument == "--worst" && has_value) {
      options.worst = arguments[++i];
    } else if (numbers < 2 && ReadNumber(argument, numbers == 0 ? 1 : 0,
                                         numbers == 0 ? options.count : options.seed)) {
      ++numbers;
    } else {
      return false;
    }
  }
  return numbers > 0;
}

class Tournament {
 public:
  explicit Tournament(const Options& options) : options_(options), players_(AllPlayers()) {
    for (const auto& player : players_) {
      if (player.name != kOurs) rivals_.push_back(player.name);
    }
    if (!options.players.empty()) rivals_ = options.players;
    played_.resize(static_cast<std::size_t>(options.count));
  }

  /// Draws the scenarios; false if some condition holds for none of many seeds.
  [[nodiscard]] bool DrawAll() {
    auto seed = static_cast<std::uint64_t>(options_.seed);
    std::int64_t skipped = 0;
    for (Played& played : played_) {
      for (;; ++seed, ++skipped) {
        if (skipped > kMaxSkipped) return false;
        played.draw = DrawScenario(seed, options_.field);
        if (Wanted(played.draw)) break;
      }
      ++seed;
    }
    return true;
  }

  /// The names of the dimensions of a draw.
  [[nodiscard]] std::string Dimensions() const {
    std::string names;
    for (const auto& [name, value] : DrawScenario(1, options_.field).dimensions) {
      names += (names.empty() ? "" : "; ") + name;
    }
    return names;
  }

  /// The name of a player that does not exist; empty if all do.
  [[nodiscard]] std::string Unknown() const {
    for (const std::string& rival : rivals_) {
      if (std::none_of(players_.begin(), players_.end(),
                       [&](const auto& player) { return player.name == rival; })) {
        return rival;
      }
    }
    return {};
  }

  const std::vector<Played>& Play() {
    const std::size_t first = std::min(kDrawsForAll, played_.size());
    PlayAll(0, first);
    if (options_.players.empty() && first < played_.size()) DropWeakRivals(first);
    PlayAll(first, played_.size());
    std::cerr << "\n";
    return played_;
  }

 private:
  void PlayAll(std::size_t begin, std::size_t end) {
    std::atomic<std::size_t> next = begin;
    std::vector<std::thread> threads;
    for (std::int64_t i = 0; i < options_.jobs; ++i) {
      threads.emplace_back([&] {
        for (std::size_t at = next++; at < end; at = next++) {
          PlayOne(at);
          std::cerr << "\r" + std::to_string(++done_) + " of " + std::to_string(played_.size())
                    << std::flush;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  [[nodiscard]] bool Wanted(const Draw& draw) const {
    return std::all_of(options_.where.begin(), options_.where.end(), [&](const auto& condition) {
      return draw.Value(condition.first) == condition.second;
    });
  }

  void PlayOne(std::size_t at) {
    const double start = ThreadSeconds();
    Played& played = played_[at];
    auto playground = ScenarioPlayer::Create(played.draw.yaml, players_);
    EVENKEEL_CHECK(playground.has_value(), "a draw that is no scenario");
    Contest contest(OptionsFor(played.draw), [&](const std::string& player, std::int64_t seed) {
      return playground->Measure(player, seed);
    });
    std::vector<std::string> rivals = rivals_;
    if (sorted_ && played.draw.tasks >= kVeryManyTasks) {
      rivals.resize(std::min(rivals.size(), kBestRivals));
    }
    played.result = contest.Run(kOurs, rivals);
    if (const auto oracle = MeanOracle(*playground)) {
      played.over_oracle = played.result.over_bound / *oracle;
    }
    played.seconds = ThreadSeconds() - start;
  }

  /// On the first seeds on which regrets are measured.
  static std::optional<double> MeanOracle(ScenarioPlayer& playground) {
    constexpr std::int64_t kSeeds = 4;
    double sum = 0;
    for (std::int64_t seed = 0; seed < kSeeds; ++seed) {
      const auto oracle = playground.Oracle(Contest::kFirstPair + seed);
      if (!oracle) return std::nullopt;
      sum += *oracle;
    }
    return sum / kSeeds;
  }

  void DropWeakRivals(std::size_t draws) {
    std::map<std::string, int> good;  // in how many draws
    for (std::size_t i = 0; i < draws; ++i) {
      const auto& regrets = played_[i].result.race_regret;
      double best = regrets.at(rivals_.front());
      for (const std::string& rival : rivals_) best = std::min(best, regrets.at(rival));
      for (const std::string& rival : rivals_) {
        good[rival] += regrets.at(rival) <= best + kNearlyTheBest ? 1 : 0;
      }
    }
    std::stable_sort(rivals_.begin(), rivals_.end(),
                     [&](const auto& one, const auto& other) { return good[one] > good[other]; });
    std::erase_if(rivals_, [&](const std::string& rival) { return good[rival] == 0; });
    rivals_.resize(std::min(rivals_.size(), kMaxRivals));
    sorted_ = true;
    std::cerr << "\r" << rivals_.size() << " rivals are left after " << draws << " draws\n";
  }

  Options options_;
  std::vector<simulator::Variant> players_;
  std::vector<std::string> rivals_;
  bool sorted_ = false;  // the rivals, the best first
  std::vector<Played> played_;
  std::atomic<std::int64_t> done_ = 0;
};

void WriteWorst(const std::vector<const Played*>& worst, const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < worst.size(); ++i) {
    const auto file = std::filesystem::path(folder) / ("worst-" + std::to_string(i + 1) + ".yaml");
    std::ofstream(file) << worst[i]->draw.yaml;
  }
}

void WriteWorstTable(const std::vector<const Played*>& worst, std::ostream& out) {
  out << "| seed | regret, % | standard error, % | x bound | best rival | draw |\n"
         "|---|---|---|---|---|---|\n";
  for (const Played* played : worst) {
    const ContestResult& result = played->result;
    out << "| " << played->draw.seed << " | " << 100 * result.regret.mean << " | "
        << 100 * result.regret.standard_error << " | " << result.over_bound << " | " << result.rival
        << " | ";
    for (const auto& [name, value] : played->draw.dimensions) {
      if (value != "none") out << name << " " << value << "; ";
    }
    out << "|\n";
  }
}

int Main(const std::vector<std::string>& arguments) {
  Options options;
  if (!Parse(arguments, options)) {
    std::cerr << kUsage;
    return 2;
  }
  Tournament tournament(options);
  if (const std::string unknown = tournament.Unknown(); !unknown.empty()) {
    std::cerr << "tournament: --players: there is no player " << unknown << "\n";
    return 2;
  }
  if (!tournament.DrawAll()) {
    std::cerr << "tournament: --where: too few draws have these values; dimensions are "
              << tournament.Dimensions() << "\n";
    return 2;
  }
  const auto& played = tournament.Play();
  const auto worst = LargestRegrets(played, 10);
  WriteStandings(played, std::cout);
  std::cout << "\n";
  WriteLeague(played, std::cout);
  std::cout << "\n";
  WriteWorstTable(worst, std::cout);
  if (!options.worst.empty()) WriteWorst(worst, options.worst);
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    WriteJson(played, file);
  }
  return 0;
}

}  // namespace
}  // namespace evenkeel::tournament

int main(int argc, char** argv) { return evenkeel::tournament::Main({argv + 1, argv + argc}); }
