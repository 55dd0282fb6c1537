#include "tests/unit/labeller/boards.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "core/base/check.h"

namespace evenkeel::labeller {

Board::Board() {
  std::string name = testing::TempDir() + "boardXXXXXX";
  EVENKEEL_CHECK(mkdtemp(name.data()) != nullptr, "no folder for a board");
  root_ = name;
}

Board::~Board() { std::filesystem::remove_all(root_); }

Board& Board::Write(const std::string& path, const std::string& text) {
  const std::filesystem::path file = root_.string() + path;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return *this;
}

Board& Board::Link(const std::string& path, const std::string& target) {
  const std::filesystem::path link = root_.string() + path;
  std::filesystem::create_directories(link.parent_path());
  std::filesystem::create_symlink(target, link);
  return *this;
}

// The kernel has the tree below /sys; /proc only points there, from the root.
Board& Board::Model(const std::string& model) {
  Write("/sys/firmware/devicetree/base/model", model + std::string(1, '\0'));
  return Link("/proc/device-tree", "/sys/firmware/devicetree/base");
}

Board& Board::ArmCores(int cores, const std::string& part) {
  std::string text;
  for (int core = 0; core < cores; ++core) {
    text += "processor\t: " + std::to_string(core) +
            "\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
            "CPU variant\t: 0x0\nCPU part\t: " +
            part + "\nCPU revision\t: 3\n\n";
  }
  return Write("/proc/cpuinfo", text + "Hardware\t: BCM2835\nRevision\t: c03114\n");
}

Board& Board::MaxKhz(int cores, const std::string& khz) {
  for (int core = 0; core < cores; ++core) {
    Write("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/cpufreq/cpuinfo_max_freq",
          khz + "\n");
  }
  return Write("/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "9999999\n");
}

Board& Board::MemoryKib(const std::string& kib) {
  return Write("/proc/meminfo", "MemTotal:        " + kib + " kB\nMemFree:          100 kB\n");
}

Board& Board::Programs(int bits) {
  const std::string shell(
      "\x7f"
      "ELF",
      4);
  Write("/usr/bin/dash", shell + (bits == 64 ? '\x02' : '\x01') + std::string(60, '\0'));
  Link("/usr/bin/sh", "dash");
  return Link("/bin", "usr/bin");
}

Board& Board::RootOn(const std::string& disk, const std::string& device,
                     const std::string& sectors) {
  const std::string folder = "/sys/devices/platform/host/" + disk;
  const std::string partition = disk + (disk.starts_with("mmc") ? "p2" : "2");
  Write(folder + "/size", sectors + "\n");
  Write(folder + "/" + partition + "/size", "1000\n");
  Write(folder + "/" + partition + "/partition", "2\n");
  Link("/sys/dev/block/" + device, "../../devices/platform/host/" + disk + "/" + partition);
  Link("/sys/class/block/" + disk, "../../devices/platform/host/" + disk);
  return Write("/proc/1/mountinfo", "21 1 0:5 / /dev rw shared:2 - devtmpfs udev rw\n22 1 " +
                                        device + " / / rw,noatime shared:1 - ext4 /dev/" +
                                        partition + " rw\n23 22 0:20 / /proc rw - proc proc rw\n");
}

Board& Board::Debian(const std::string& version) {
  Write("/usr/lib/os-release", "PRETTY_NAME=\"Debian GNU/Linux " + version +
                                   "\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"" + version +
                                   "\"\nID=debian\n");
  return Link("/etc/os-release", "../usr/lib/os-release");
}

Board& Board::RpiIssue(const std::string& day) {
  return Write("/etc/rpi-issue",
               "Raspberry Pi reference " + day + "\nGenerated using pi-gen, stage2\n");
}

}  // namespace evenkeel::labeller
