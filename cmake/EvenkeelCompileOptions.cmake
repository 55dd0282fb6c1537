# One INTERFACE target carries the language level and the warnings of the whole project.
option(EVENKEEL_BUILD_TESTS "Build the tests" ON)
option(EVENKEEL_BUILD_BENCHMARKS "Build the benchmarks" ON)
set(EVENKEEL_SANITIZERS "" CACHE STRING "Comma-separated list for -fsanitize=, e.g. address,undefined")

include(EvenkeelHardening)
add_library(evenkeel_compile_options INTERFACE)
target_link_libraries(evenkeel_compile_options INTERFACE evenkeel_hardening)
target_compile_features(evenkeel_compile_options INTERFACE cxx_std_20)
target_include_directories(evenkeel_compile_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_options(evenkeel_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wold-style-cast -Werror
  # Decisions have to be identical on every architecture: no fused multiply-add behind our back.
  -ffp-contract=off)
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  target_compile_definitions(evenkeel_compile_options INTERFACE _FILE_OFFSET_BITS=64)  # files of 2 GiB
endif()
if(EVENKEEL_SANITIZERS)
  target_compile_options(evenkeel_compile_options INTERFACE
    -fsanitize=${EVENKEEL_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # With sanitizers gcc 12 takes parts of libstdc++ (std::function, std::regex) for uninitialized.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(evenkeel_compile_options INTERFACE -fsanitize=${EVENKEEL_SANITIZERS})
endif()

find_program(EVENKEEL_CCACHE ccache)
if(EVENKEEL_CCACHE)
  # Paths relative to the checkout: every clone and work tree shares one cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${EVENKEEL_CCACHE})
endif()

# evenkeel_library(<room> SOURCES ... DEPENDS ... [PRIVATE_DEPENDS ...])
# One target a room, with an evenkeel::<room> alias; its dependencies are the edges of the
# architecture and are checked by tests/architecture.
function(evenkeel_library room)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(evenkeel_${room} STATIC ${ARG_SOURCES})
  add_library(evenkeel::${room} ALIAS evenkeel_${room})
  target_link_libraries(evenkeel_${room}
    PUBLIC ${ARG_DEPENDS}
    PRIVATE $<BUILD_INTERFACE:evenkeel_compile_options> ${ARG_PRIVATE_DEPENDS})
  target_include_directories(evenkeel_${room}
    PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR};${PROJECT_BINARY_DIR}>")
  target_compile_features(evenkeel_${room} PUBLIC cxx_std_20)
endfunction()
