# evenkeel_add_programs(REGISTRY <function> HEADER <header> LIBRARIES <target>...)
#
# Makes the programs evenkeel, evenkeel-worker and evenkeel-coordinator with the workloads of a registry:
# <function>, declared in <header> and defined in one of the libraries, returns an
# evenkeel::workloads::Registry. The programs are put into ${PROJECT_BINARY_DIR}/bin, and beside them
# evenkeel-launcher, which the built-in workload `command` starts, and evenkeel-range, a link to it. Their
# names are what `evenkeel run` and the operator look for. `cmake --install` puts all five into bin; in an
# image that has to be /usr/bin.
function(evenkeel_add_programs)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "REGISTRY;HEADER" "LIBRARIES")
  foreach(argument REGISTRY HEADER LIBRARIES)
    if(NOT ARG_${argument})
      message(FATAL_ERROR "evenkeel_add_programs: ${argument} is missing")
    endif()
  endforeach()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "evenkeel_add_programs: unknown argument ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  set(registry ${ARG_REGISTRY})
  set(registry_header ${ARG_HEADER})
  evenkeel_add_program(evenkeel cli/evenkeel_main cli::EvenkeelMain)
  evenkeel_add_program(evenkeel-worker worker/worker_main worker::WorkerMain)
  evenkeel_add_program(evenkeel-coordinator coordinator/coordinator_main
    coordinator::CoordinatorMain)
  add_custom_command(TARGET evenkeel-worker POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy_if_different
            $<TARGET_FILE:Evenkeel::evenkeel-launcher> $<TARGET_FILE_DIR:evenkeel-worker>
    COMMAND ${CMAKE_COMMAND} -E create_symlink evenkeel-launcher
            $<TARGET_FILE_DIR:evenkeel-worker>/evenkeel-range
    VERBATIM)
  install(TARGETS evenkeel evenkeel-worker evenkeel-coordinator)
  install(IMPORTED_RUNTIME_ARTIFACTS Evenkeel::evenkeel-launcher)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/bin/evenkeel-range TYPE BIN)
endfunction()

# One of them; `registry`, `registry_header` and ARG_LIBRARIES are the caller's.
function(evenkeel_add_program name header main)
  set(main_header evenkeel/${header}.h)
  set(source ${PROJECT_BINARY_DIR}/evenkeel/${name}.cc)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/EvenkeelProgram.cc.in ${source} @ONLY)
  get_filename_component(room_main ${header} NAME)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE Evenkeel::${room_main} ${ARG_LIBRARIES} Evenkeel::hardening)
  # Without --as-needed, programs would load libraries that they do not use, and images would need them.
  target_link_options(${name} PRIVATE -Wl,-O1,--as-needed)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
