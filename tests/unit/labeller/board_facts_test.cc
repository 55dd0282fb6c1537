#include "labeller/board_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/model/names.h"
#include "core/scheduling/fuzzy/node_facts.h"
#include "labeller/rooted_files.h"
#include "tests/unit/labeller/boards.h"

namespace evenkeel::labeller {
namespace {

using Values = std::map<std::string, std::string>;

/// Label values without the prefix; each has to be valid and to be understood by the weights.
Values ValuesOf(const Board& board, const std::string& kernel) {
  Values values;
  model::NodeProfile node;
  const BoardFacts read = ReadBoardFacts(board.Root(), kernel);
  for (const auto& [label, found] : read.labels) {
    EXPECT_TRUE(label.starts_with("hardware.evenkeel.dev/")) << label;
    EXPECT_TRUE(model::IsLabelValue(found.value)) << found.value;
    EXPECT_FALSE(found.source.empty()) << label;
    values[label.substr(22)] = found.value;
    node.labels[label] = found.value;
  }
  const auto facts = scheduling::CollectFacts(node);
  for (const auto& [label, found] : read.labels) {
    if (label == scheduling::fact::kModel) continue;
    const auto fact = facts.facts.find(label);
    EXPECT_TRUE(fact != facts.facts.end() && fact->second.number) << label << " " << found.value;
  }
  EXPECT_TRUE(facts.notes.empty());
  return values;
}

bool Mentions(const std::vector<std::string>& notes, const std::string& what) {
  return std::any_of(notes.begin(), notes.end(), [&what](const std::string& note) {
    return note.find(what) != std::string::npos;
  });
}

TEST(BoardFacts, Pi1) {
  Board board;
  board.Model("Raspberry Pi Model B Rev 2").MemoryKib("443080").Programs(32).RpiIssue("2023-12-05");
  board.RootOn("mmcblk0", "179:2", "15523840").MaxKhz(1, "700000");
  board.Write("/proc/cpuinfo",
              "processor\t: 0\nmodel name\t: ARMv6-compatible processor rev 7 (v6l)\n"
              "CPU implementer\t: 0x41\nCPU architecture: 7\nCPU part\t: 0xb76\n");
  EXPECT_EQ(ValuesOf(board, "armv6l"), (Values{{"model", "raspberry-pi-1b"},
                                               {"cpu", "arm1176"},
                                               {"cpu-mhz", "700"},
                                               {"os-bits", "32"},
                                               {"ram-mib", "432"},
                                               {"sd-gb", "7.9"},
                                               {"power-watts", "2"},
                                               {"os-release-date", "2023-12-05"}}));
}

TEST(BoardFacts, Zero2W) {
  Board board;
  board.Model("Raspberry Pi Zero 2 W Rev 1.0").ArmCores(4, "0xd03").MaxKhz(4, "1000000");
  board.MemoryKib("426884").Programs(64).RootOn("mmcblk0", "179:2", "62333952").Debian("12");
  EXPECT_EQ(ValuesOf(board, "aarch64"), (Values{{"model", "raspberry-pi-zero-2-w"},
                                                {"cpu", "cortex-a53"},
                                                {"cpu-mhz", "1000"},
                                                {"os-bits", "64"},
                                                {"ram-mib", "416"},
                                                {"sd-gb", "31.9"},
                                                {"power-watts", "3"},
                                                {"os-release-date", "2023-06-10"}}));
}

TEST(BoardFacts, Pi3WithA32BitSystem) {
  Board board;
  board.Model("Raspberry Pi 3 Model B Rev 1.2").ArmCores(4, "0xd03").MaxKhz(4, "1200000");
  board.MemoryKib("945364").Programs(32).RootOn("mmcblk0", "179:2", "15523840");
  board.RpiIssue("2021-01-11");
  const Values values = ValuesOf(board, "armv7l");
  EXPECT_EQ(values.at("model"), "raspberry-pi-3b");
  EXPECT_EQ(values.at("os-bits"), "32");
  EXPECT_EQ(values.at("power-watts"), "5.1");
  EXPECT_EQ(values.at("os-release-date"), "2021-01-11");
  EXPECT_TRUE(ReadBoardFacts(board.Root(), "armv7l").notes.empty());
}

TEST(BoardFacts, Pi4With32BitProgramsOnA64BitKernel) {
  Board board;
  board.Model("Raspberry Pi 4 Model B Rev 1.4").ArmCores(4, "0xd08").MaxKhz(4, "1800000");
  board.MemoryKib("1929216").Programs(32).RootOn("mmcblk0", "179:2", "62333952");
  board.RpiIssue("2023-10-10").Write("/proc/sys/kernel/arch", "aarch64\n");
  const BoardFacts facts = ReadBoardFacts(board.Root(), "armv8l");
  EXPECT_EQ(facts.labels.at("hardware.evenkeel.dev/os-bits"),
            (Found{"32", "ELF class of /bin/sh"}));
  EXPECT_EQ(facts.labels.at("hardware.evenkeel.dev/cpu-mhz").value, "1800");
  EXPECT_EQ(facts.kernel, "aarch64");
  EXPECT_TRUE(Mentions(facts.notes, "64-bit kernel"));
}

TEST(BoardFacts, NewerBoards) {
  const struct {
    const char* name;
    const char* part;
    const char* khz;
    Values want;
  } cases[] = {
      {"Raspberry Pi 5 Model B Rev 1.0",
       "0xd0b",
       "2400000",
       {{"model", "raspberry-pi-5"},
        {"cpu", "cortex-a76"},
        {"cpu-mhz", "2400"},
        {"power-watts", "8.8"}}},
      {"Raspberry Pi Compute Module 4 Rev 1.0",
       "0xd08",
       "1500000",
       {{"model", "raspberry-pi-cm4"},
        {"cpu", "cortex-a72"},
        {"cpu-mhz", "1500"},
        {"power-watts", "6.4"}}},
      {"Raspberry Pi 400 Rev 1.0",
       "0xd08",
       "1800000",
       {{"model", "raspberry-pi-400"},
        {"cpu", "cortex-a72"},
        {"cpu-mhz", "1800"},
        {"power-watts", "7"}}},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.name);
    Board board;
    board.Model(one.name).ArmCores(4, one.part).MaxKhz(4, one.khz);
    EXPECT_EQ(ValuesOf(board, ""), one.want);
  }
}

TEST(BoardFacts, Pc) {
  Board board;
  board.Write("/proc/cpuinfo",
              "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) N100\n"
              "cpu MHz\t\t: 700.1\nflags\t\t: fpu vme lm sse2\n");
  board.Write("/sys/class/dmi/id/product_name", "EQ12\n").MaxKhz(4, "3400000");
  board.MemoryKib("16203032").Programs(64).RootOn("nvme0n1", "259:2", "976773168");
  board.Write("/etc/os-release",
              "NAME=\"openSUSE Tumbleweed\"\nID=\"opensuse-tumbleweed\"\n"
              "VERSION_ID=\"20240918\"\n");
  EXPECT_EQ(ValuesOf(board, "x86_64"), (Values{{"cpu", "x86-64"},
                                               {"cpu-mhz", "3400"},
                                               {"os-bits", "64"},
                                               {"ram-mib", "15823"},
                                               {"sd-gb", "500.1"},
                                               {"os-release-date", "2024-09-18"}}));
  EXPECT_EQ(ReadBoardFacts(board.Root(), "").machine, "EQ12, Intel(R) N100");
}

TEST(BoardFacts, VirtualMachine) {
  Board board;
  board.Write("/proc/cpuinfo",
              "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\n"
              "cpu MHz\t\t: 2595.124\nflags\t\t: fpu hypervisor lm\n");
  board.Write("/etc/os-release", "ID=ubuntu\nVERSION_ID='22.04'\n");
  // Btrfs: the number of the device leads nowhere, its name does.
  board.Write("/proc/1/mountinfo", "26 1 0:24 /root / rw - btrfs /dev/vda rw\n");
  board.Write("/sys/class/block/vda/size", "41943040\n");
  const Values values = ValuesOf(board, "x86_64");
  EXPECT_EQ(values.at("cpu-mhz"), "2595");
  EXPECT_EQ(values.at("sd-gb"), "21.5");
  EXPECT_EQ(values.at("os-bits"), "64") << "the kernel's, for want of programs";
  EXPECT_EQ(values.at("os-release-date"), "2022-04-21");
  EXPECT_TRUE(Mentions(ReadBoardFacts(board.Root(), "").notes, "virtual machine"));
}

TEST(BoardFacts, ADiskByAFileThatIsOnIt) {
  Board board;
  board.Write("/etc/os-release", "ID=arch\n");
  const std::string device = *RootedFiles(board.Root()).Device("/etc/os-release");
  board.Write("/sys/dev/block/" + device + "/size", "62333952\n");
  EXPECT_EQ(ValuesOf(board, "").at("sd-gb"), "31.9");
  EXPECT_EQ(RootedFiles(board.Root()).Device("/missing"), std::nullopt);
}

TEST(BoardFacts, CoresOfTwoKindsCountAsTheSlowerOneOfEquallyMany) {
  Board board;
  std::string cpuinfo;
  for (const char* part : {"0xd03", "0xd03", "0xd08", "0xd08"}) {
    cpuinfo += std::string("CPU implementer\t: 0x41\nCPU part\t: ") + part + "\n";
  }
  board.Write("/proc/cpuinfo", cpuinfo);
  EXPECT_EQ(ValuesOf(board, "").at("cpu"), "cortex-a53");
  board.Write("/proc/cpuinfo", cpuinfo + "CPU implementer\t: 0x41\nCPU part\t: 0xd08\n");
  EXPECT_EQ(ValuesOf(board, "").at("cpu"), "cortex-a72");
}

TEST(BoardFacts, NothingThere) {
  const Board board;
  const BoardFacts facts = ReadBoardFacts(board.Root(), "");
  EXPECT_TRUE(facts.labels.empty());
  EXPECT_FALSE(facts.notes.empty());
  EXPECT_TRUE(ReadBoardFacts("/nowhere/at/all", "").labels.empty());
}

TEST(BoardFacts, Nonsense) {
  Board board;
  board.Model("Toaster \x1b[31m 9000\n");
  board.Write("/proc/cpuinfo", "CPU implementer\t: 0x41\nCPU part\t: 0xfff\ncpu MHz : -5\n:::\n");
  board.MaxKhz(2, "999999999999").MemoryKib("-1").Write("/bin/sh", "#!/bin/true");
  board.Write("/var/lib/dpkg/arch", "pdp11\n").Write("/etc/rpi-issue", "9999-99-99 0000-00-00");
  board.Write("/etc/os-release", "ID=debian\nVERSION_ID=twelve\n");
  board.RootOn("mmcblk0", "179:2", "minus one");
  const BoardFacts facts = ReadBoardFacts(board.Root(), "z80");
  EXPECT_TRUE(facts.labels.empty()) << facts.labels.begin()->first;
  EXPECT_EQ(facts.machine, "Toaster ?[31m 9000");
  for (const std::string& note : facts.notes) EXPECT_EQ(note.find('\x1b'), std::string::npos);
}

TEST(BoardFacts, PackageManagerWhereThereIsNoProgram) {
  Board board;
  board.Write("/var/lib/dpkg/arch", "armhf\narm64\n");
  EXPECT_EQ(ValuesOf(board, "aarch64").at("os-bits"), "32");
}

}  // namespace
}  // namespace evenkeel::labeller
