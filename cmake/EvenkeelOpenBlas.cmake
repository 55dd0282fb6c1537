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
  # Some of its kernels for 32-bit ARM do not say that they need no executable stack. Its allocator of working
  # memory is not thread-safe: workloads/matmul/gemm.cc wraps it.
  INTERFACE_LINK_OPTIONS
    "LINKER:-z,noexecstack;LINKER:--wrap=blas_memory_alloc;LINKER:--wrap=blas_memory_free")
