// make_sample_report DIR WORKERS STRATEGY TASKS REPORT_SECONDS JOB: an existing DIR with the files
// of a sample run and the report on it. With DIR alone only the report.
#include <cstdlib>
#include <iostream>

#include "cli/report_command.h"
#include "tests/integration/report/sample_run.h"

int main(int argc, char** argv) {
  if (argc == 2) return evenkeel::cli::RunReportCommand(argv[1], std::cout, std::cerr);
  if (argc != 7) {
    std::cerr << "usage: make_sample_report DIR WORKERS STRATEGY TASKS REPORT_SECONDS JOB\n";
    return 2;
  }
  evenkeel::testing::SampleOptions options;
  options.workers = std::atoll(argv[2]);
  options.strategy = argv[3];
  options.tasks = std::atoll(argv[4]);
  options.report_seconds = std::atof(argv[5]);
  options.job = argv[6];
  if (const auto written = evenkeel::testing::WriteSampleRun(argv[1], options); !written) {
    std::cerr << written.error().message << '\n';
    return 1;
  }
  return evenkeel::cli::RunReportCommand(argv[1], std::cout, std::cerr);
}
