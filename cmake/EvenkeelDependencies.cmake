# Every dependency comes from Debian bookworm; docs/dependencies.md says why each is here.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(CURL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(primesieve REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(cpprestsdk REQUIRED)
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

# The serial variant: a worker has its own threads. From the archive, so that programs which never
# multiply do not load it, and without the Fortran library that only LAPACK needs.
find_path(EVENKEEL_OPENBLAS_INCLUDE cblas.h REQUIRED
  PATH_SUFFIXES openblas-serial ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial)
find_library(EVENKEEL_OPENBLAS libopenblas.a REQUIRED PATH_SUFFIXES openblas-serial)
add_library(OpenBLAS::Serial UNKNOWN IMPORTED)
set_target_properties(OpenBLAS::Serial PROPERTIES
  IMPORTED_LOCATION ${EVENKEEL_OPENBLAS}
  INTERFACE_INCLUDE_DIRECTORIES ${EVENKEEL_OPENBLAS_INCLUDE}
  INTERFACE_LINK_LIBRARIES "Threads::Threads;m"
  # Some of its kernels for 32-bit ARM do not say that they need no executable stack.
  INTERFACE_LINK_OPTIONS "LINKER:-z,noexecstack")
