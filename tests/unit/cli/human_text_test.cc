#include "cli/human_text.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/usage_error.h"

namespace evenkeel::cli {
namespace {

TEST(HumanText, Numbers) {
  EXPECT_EQ(HumanBytes(0), "0 bytes");
  EXPECT_EQ(HumanBytes(1), "1 byte");
  EXPECT_EQ(HumanBytes(999), "999 bytes");
  EXPECT_EQ(HumanBytes(1234), "1.23 kB");
  EXPECT_EQ(HumanBytes(45'000'000), "45.0 MB");
  EXPECT_EQ(HumanAge(-5), "0 s");
  EXPECT_EQ(HumanAge(119), "119 s");
  EXPECT_EQ(HumanAge(3600), "60 min");
  EXPECT_EQ(HumanAge(86400), "24 h");
  EXPECT_EQ(HumanAge(12 * 86400.0), "12 days");
}

TEST(HumanText, Columns) {
  EXPECT_EQ(Columns("█░x"), 3u);
  EXPECT_EQ(Clipped("█░x", 2), "█░");
  EXPECT_EQ(Bar(0.5, 4), "██░░");
}

TEST(HumanText, NothingControlsTheTerminal) {
  EXPECT_EQ(Printable("\x1b[2J\x07 a\nb\tc\x7f"), "?[2J? a b c?");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "?31m")
      << "CSI in one character";
  EXPECT_EQ(Printable("größer"), "größer");
  EXPECT_EQ(Printable("abcdef", 3), "abc...");
  EXPECT_EQ(Printable("aöö", 2), "aö...") << "no half characters";
}

/// The error for a command line.
std::string Refusal(const std::string& line) {
  CLI::App app;
  std::string job;
  app.add_subcommand("run")->add_option("job", job)->required();
  app.add_subcommand("report");
  app.require_subcommand(1);
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    return WhyRefused(app, error);
  }
  return {};
}

TEST(UsageError, NamesTheCommandsThatThereAre) {
  EXPECT_EQ(Refusal("fly"), "\"fly\" is no command, must be one of run, report");
  EXPECT_EQ(Refusal(""), "the command is missing, must be one of run, report");
  EXPECT_EQ(Refusal("--fly"), "\"--fly\" is no command, must be one of run, report");
  EXPECT_EQ(Refusal("run"), "job is required");
  EXPECT_EQ(Refusal("report"), "");
}

}  // namespace
}  // namespace evenkeel::cli
