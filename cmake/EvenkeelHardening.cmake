# The target Evenkeel::hardening: compiler and linker flags that make memory errors in a program harder
# to exploit. "Hardened programs" in docs/architecture.md lists them. The build and the installed
# package both include this file.
include_guard(GLOBAL)
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

add_library(evenkeel_hardening INTERFACE)
add_library(Evenkeel::hardening ALIAS evenkeel_hardening)
block()
  target_compile_definitions(evenkeel_hardening INTERFACE _GLIBCXX_ASSERTIONS)
  set(library $<IN_LIST:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY$<SEMICOLON>SHARED_LIBRARY>)
  target_compile_options(evenkeel_hardening INTERFACE
    $<IF:${library},-fPIC,-fPIE> -fstack-protector-strong)
  # These flags depend on the processor.
  foreach(flag -fstack-clash-protection -fcf-protection -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "EVENKEEL_HAS${flag}" supported)
    check_cxx_compiler_flag("-Werror ${flag}" ${supported})
    if(${supported})
      target_compile_options(evenkeel_hardening INTERFACE ${flag})
    endif()
  endforeach()
  # It needs optimization, and the address sanitizer does not see the calls that it replaces.
  if(NOT EVENKEEL_SANITIZERS)
    set(optimized $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
    target_compile_options(evenkeel_hardening INTERFACE
      $<${optimized}:-U_FORTIFY_SOURCE> $<${optimized}:-D_FORTIFY_SOURCE=3>)
  endif()
  # Programs that need no shared library set the property EVENKEEL_STATIC. Debian's C library for
  # armhf has no start code for -static-pie.
  set(CMAKE_REQUIRED_FLAGS -fPIE)
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie)
  check_cxx_source_compiles("int main() {}" EVENKEEL_HAS_static_pie)
  set(static_program -static)
  if(EVENKEEL_HAS_static_pie)
    set(static_program -static-pie)
  endif()
  set(executable $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
  set(static $<BOOL:$<TARGET_PROPERTY:EVENKEEL_STATIC>>)
  target_link_options(evenkeel_hardening INTERFACE
    -Wl,-z,relro,-z,now,-z,noexecstack $<${executable}:$<IF:${static},${static_program},-pie>>)
endblock()
