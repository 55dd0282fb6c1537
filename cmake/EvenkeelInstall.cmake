# `cmake --install` installs the programs (component Runtime), and headers and libraries for programs
# with workloads of one's own and for the balancer alone (component Development; docs/own-workloads.md).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Evenkeel)

install(TARGETS evenkeel kubectl-evenkeel evenkeel-worker evenkeel-coordinator evenkeel-operator
                evenkeel-labeller
  RUNTIME COMPONENT Runtime)
install(TARGETS evenkeel-launcher EXPORT EvenkeelPrograms RUNTIME COMPONENT Runtime)
install(PROGRAMS ${PROJECT_BINARY_DIR}/bin/evenkeel-range TYPE BIN COMPONENT Runtime)  # a link to it
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT Runtime)

# The balancer as a library: policies and state machines, without I/O.
add_library(evenkeel_balancer INTERFACE)
target_link_libraries(evenkeel_balancer INTERFACE evenkeel::engine evenkeel::scheduling)

# evenkeel_install_libraries(<component of find_package> <room>...): Evenkeel::<room> of the package.
function(evenkeel_install_libraries component)
  foreach(room ${ARGN})
    set_target_properties(evenkeel_${room} PROPERTIES EXPORT_NAME ${room})
    install(TARGETS evenkeel_${room} EXPORT Evenkeel${component}
      ARCHIVE COMPONENT Development
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endforeach()
  install(EXPORT Evenkeel${component} FILE Evenkeel${component}Targets.cmake NAMESPACE Evenkeel::
    DESTINATION ${package_dir} COMPONENT Development)
endfunction()

evenkeel_install_libraries(Balancer base model scheduling engine balancer)
evenkeel_install_libraries(Workload model_parsing platform platform_values workload)
evenkeel_install_libraries(Programs
  files sha256
  data_services cli cli_run cli_simulate cli_text cli_weights coordinator_loop coordinator_main
  coordinator_process coordinator_live coordinator_service coordinator_transport evenkeel_main http
  journal launcher_protocol launcher_task_directory
  metric_catalogue metrics protocol protocol_generated protocol_service report scenarios simulator
  control_groups task_files techniques transport_settings worker_loop worker_machine worker_main worker_process
  worker_transport workloads)

# Headers that programs of others include as <evenkeel/ROOM/NAME.h>; closed under inclusion.
set(public_headers
  # the balancer
  core/base/check.h core/base/error.h core/base/rng.h core/base/splitmix.h core/base/strong_id.h
  core/base/time.h
  core/model/chart.h core/model/cost_model.h core/model/data_transfer.h
  core/model/index_range.h core/model/job_spec.h
  core/model/node_affinity.h core/model/node_power.h core/model/node_statistics.h core/model/node_profile.h core/model/packed_results.h core/model/range_bounds.h core/model/range_set.h
  core/model/run_record.h core/model/task_facts.h core/model/task_failure.h
  core/model/task_inputs.h core/model/task_policy.h core/model/task_resources.h core/model/weighting_policy.h
  core/scheduling/fuzzy/builtin_policies.h core/scheduling/fuzzy/weight_estimation.h
  core/scheduling/cost_reliability.h core/scheduling/data_holders.h core/scheduling/index_trend.h
  core/scheduling/lease_view.h core/scheduling/node_links.h
  core/scheduling/partition.h core/scheduling/range_times.h core/scheduling/running_means.h
  core/scheduling/residual_time.h core/scheduling/strategy.h
  core/scheduling/timing_estimator.h core/scheduling/weight_calibration.h core/scheduling/task_time_regression.h
  core/scheduling/worker_id.h
  core/engine/age_list.h core/engine/commit_queue.h core/engine/completion_policy.h
  core/engine/coordinator.h core/engine/coordinator_config.h core/engine/crash_isolation.h
  core/engine/delivery_watch.h core/engine/effect_outbox.h core/engine/effects.h
  core/engine/epoch_authenticator.h
  core/engine/eta_spread.h core/engine/grant_queue.h core/engine/job_ending.h
  core/engine/lease_reclaimer.h core/engine/membership.h
  core/engine/lost_runners.h core/engine/messages.h core/engine/node_exclusion.h core/engine/pending_recalls.h core/engine/progress.h
  core/engine/progress_reporter.h core/engine/result_intake.h core/engine/result_outbox.h core/engine/result_verification.h
  core/engine/retry_policy.h core/engine/round_trip_estimator.h core/engine/run_statistics.h
  core/engine/strategy_driver.h core/engine/stream_table.h core/engine/task_ledger.h
  core/engine/verification_rules.h core/engine/withheld_placement.h
  core/engine/worker.h core/engine/worker_lease.h core/engine/worker_lifecycle.h core/engine/worker_room.h
  # workloads
  platform/file_descriptor.h platform/files.h
  core/model/field_reader.h
  workloads/block_cache.h workloads/data_blocks.h workloads/equal_costs.h
  workloads/little_endian.h workloads/npy.h workloads/received_tasks.h workloads/registry.h
  workloads/run_limit.h workloads/short_text.h workloads/task_files.h workloads/workload.h
  # programs
  cli/evenkeel_main.h coordinator/coordinator_main.h worker/worker_main.h workloads/built_in.h)
configure_file(${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake.in
  ${PROJECT_BINARY_DIR}/package/InstallHeaders.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/package/InstallHeaders.cmake COMPONENT Development)

# Until 1.0 a minor version may change interfaces.
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/EvenkeelConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/EvenkeelConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/EvenkeelConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/package/EvenkeelConfig.cmake
  ${PROJECT_BINARY_DIR}/package/EvenkeelConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/EvenkeelGrpc.cmake
  ${CMAKE_CURRENT_LIST_DIR}/EvenkeelOpenBlas.cmake
  ${CMAKE_CURRENT_LIST_DIR}/EvenkeelHardening.cmake
  ${CMAKE_CURRENT_LIST_DIR}/EvenkeelAddPrograms.cmake
  ${CMAKE_CURRENT_LIST_DIR}/EvenkeelProgram.cc.in
  DESTINATION ${package_dir} COMPONENT Development)
