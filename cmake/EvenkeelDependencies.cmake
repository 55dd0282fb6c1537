# Every dependency comes from Debian bookworm; docs/dependencies.md says why each is here.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(primesieve REQUIRED)
pkg_check_modules(spdlog REQUIRED IMPORTED_TARGET spdlog)

# As shared libraries, gRPC and its fifty companions cost every worker two thirds of its start-up.
# OpenSSL stays shared, for the sake of its security updates.
option(EVENKEEL_STATIC_GRPC "Link gRPC from its archives where there are any" ON)
set(evenkeel_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(EVENKEEL_STATIC_GRPC)
  find_library(pkgcfg_lib_grpcpp_ssl ssl)
  find_library(pkgcfg_lib_grpcpp_crypto crypto)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a ${evenkeel_suffixes})
endif()
pkg_check_modules(grpcpp REQUIRED IMPORTED_TARGET grpc++)
pkg_check_modules(protobuf_lite REQUIRED IMPORTED_TARGET protobuf-lite)
set(CMAKE_FIND_LIBRARY_SUFFIXES ${evenkeel_suffixes})
