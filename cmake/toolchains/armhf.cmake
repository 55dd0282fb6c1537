# 32-bit boards with hardware floating point (Debian armhf: ARMv7), as arm64.cmake.
set(EVENKEEL_TRIPLET arm-linux-gnueabihf)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(EVENKEEL_EMULATOR qemu-arm)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
# How gcc before 7.1 passed some arguments is of no interest: everything is compiled by the same one.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
