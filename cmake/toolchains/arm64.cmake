# 64-bit boards, on Debian's cross compiler; $EVENKEEL_SYSROOT has the libraries (scripts/cross.sh).
set(EVENKEEL_TRIPLET aarch64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(EVENKEEL_EMULATOR qemu-aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
