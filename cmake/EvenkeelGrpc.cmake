# gRPC and protobuf, which have no CMake packages of their own in Debian bookworm.
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
