# SPDX-License-Identifier: Apache-2.0
# One module of the house is one folder: its sources become a library, and the tests and benchmarks that
# lie beside them become programs.
#
#   takt_module(<name> [DEPENDS <module>...] [LINK <target>...] [RECURSE] [TIMING_SERIAL])
#     library     takt_<name>, alias takt::<name>, of all *.cpp but the ones below and (*_)main.cpp; INTERFACE if there are none
#     tests       takt_<name>_tests of *_test.cpp, takt_<name>_concurrent_tests of *_concurrent_test.cpp
#     benchmarks  takt_<name>_bench of *_bench.cpp (not in a sanitizer build)
#   DEPENDS modules that do not exist (yet) are left out. RECURSE takes the sources of subfolders as well.
#   TIMING_SERIAL runs the module's tests alone. A suite named *TimingTest runs alone in any case.
#
#   takt_program(<target> <source>... [LINK <target>...])   an executable of the house in bin/
#   takt_example(<name> [LINK <target>...] [ARGS <arg>...] [EXPECT <regex>] [TIMEOUT <s>])
#     builds <name>.cpp as example_<name>; with ARGS or EXPECT adds a test that runs it in bounded time: the
#     exit code must be 0, and with EXPECT the output must match as well.
#
#   all_tests, concurrent_tests, benches: everything of a kind.

include(GoogleTest)

if(TAKT_BUILD_TESTS)
  add_custom_target(all_tests)
  add_custom_target(concurrent_tests)
  add_custom_target(benches)
endif()

define_property(GLOBAL PROPERTY TAKT_MODULES BRIEF_DOCS "Modules that have been declared")

# takt_existing_modules(<out> <module>...): the targets of those modules that have been declared.
function(takt_existing_modules out)
  set(targets "")
  foreach(module ${ARGN})
    if(TARGET takt_${module})
      list(APPEND targets takt_${module})
    endif()
  endforeach()
  set(${out} "${targets}" PARENT_SCOPE)
endfunction()

# takt_has_timing_suite(<out> <source>...): whether one of the sources has a suite *TimingTest, when configuring.
function(takt_has_timing_suite out)
  set(${out} FALSE PARENT_SCOPE)
  foreach(source ${ARGN})
    file(STRINGS "${source}" suites REGEX "^TEST.*TimingTest,")
    if(suites)
      set(${out} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Under the address sanitizer a process costs a third of a second to start and end: a program's tests share a few. What
# test.sh counts are gtest's own lines.
function(takt_add_shards target properties serial sources)
  set(shards 3)
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${target}.${shard} COMMAND ${target} "--gtest_filter=-*TimingTest.*")
    set_tests_properties(${target}.${shard} PROPERTIES ${properties} RUN_SERIAL "${serial}")
    set_property(TEST ${target}.${shard} APPEND PROPERTY ENVIRONMENT
      GTEST_TOTAL_SHARDS=${shards} GTEST_SHARD_INDEX=${shard})
  endforeach()
  takt_has_timing_suite(has_timing_suite ${sources})
  if(has_timing_suite)
    add_test(NAME ${target}.timing COMMAND ${target} "--gtest_filter=*TimingTest.*")
    set_tests_properties(${target}.timing PROPERTIES ${properties} RUN_SERIAL TRUE)
  endif()
endfunction()

function(takt_add_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TIMING_SERIAL" "LABEL" "SOURCES;LINK")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LINK} GTest::gmock GTest::gtest_main takt::options)
  target_compile_definitions(${target} PRIVATE
    TAKT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TAKT_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
  # What is tested is optimised as it will be used; the tests themselves are compiled in two thirds of the time.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  add_dependencies(all_tests ${target})

  set(timeout 120)
  if(TAKT_SANITIZER STREQUAL "asan")
    set(timeout 600)  # of many tests
  endif()
  if(DEFINED ENV{TAKT_TEST_LONG})
    set(timeout 3600)  # as it is when configuring, which test.sh does first
  endif()
  # Tests that run beside each other do not meet in shared memory, but where they ask for it in a folder of their own.
  set(properties TIMEOUT ${timeout} ENVIRONMENT "ROS_AUTOMATIC_DISCOVERY_RANGE=OFF")
  if(arg_LABEL)
    list(APPEND properties LABELS ${arg_LABEL})
  endif()
  if(TAKT_SANITIZER STREQUAL "asan")
    takt_add_shards(${target} "${properties}" "${arg_TIMING_SERIAL}" "${arg_SOURCES}")
  elseif(arg_TIMING_SERIAL)
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES ${properties} RUN_SERIAL TRUE)
  else()
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      TEST_FILTER "-*TimingTest.*" TEST_LIST ${target}_parallel PROPERTIES ${properties})
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      TEST_FILTER "*TimingTest.*" TEST_LIST ${target}_serial PROPERTIES ${properties} RUN_SERIAL TRUE)
  endif()
endfunction()

function(takt_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RECURSE;TIMING_SERIAL" "" "DEPENDS;LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "takt_module(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  else()
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  endif()
  set(library_sources ${sources})
  list(FILTER library_sources EXCLUDE REGEX "(_test|_bench|_main|/main)\\.cpp$")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(concurrent_tests ${tests})
  list(FILTER concurrent_tests INCLUDE REGEX "_concurrent_test\\.cpp$")
  list(FILTER tests EXCLUDE REGEX "_concurrent_test\\.cpp$")
  set(benches ${sources})
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")

  set(target takt_${name})
  takt_existing_modules(modules ${arg_DEPENDS})
  if(library_sources)
    add_library(${target} STATIC ${library_sources})
    set(scope PUBLIC)
    target_link_libraries(${target} PUBLIC ${modules} ${arg_LINK} PRIVATE $<BUILD_INTERFACE:takt_options>)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(${target} INTERFACE ${modules} ${arg_LINK})
  endif()
  target_include_directories(${target} ${scope} "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>")
  target_compile_features(${target} ${scope} cxx_std_20)
  add_library(takt::${name} ALIAS ${target})
  set_property(GLOBAL APPEND PROPERTY TAKT_MODULES ${name})

  if(NOT TAKT_BUILD_TESTS)
    return()
  endif()
  set(serial "")
  if(arg_TIMING_SERIAL)
    set(serial TIMING_SERIAL)
  endif()
  if(tests)
    takt_add_tests(${target}_tests SOURCES ${tests} LINK ${target} ${serial})
  endif()
  if(concurrent_tests)
    takt_add_tests(${target}_concurrent_tests SOURCES ${concurrent_tests} LINK ${target}
      LABEL concurrent ${serial})
    add_dependencies(concurrent_tests ${target}_concurrent_tests)
  endif()
  if(benches AND NOT TAKT_SANITIZER)
    add_executable(${target}_bench ${benches})
    target_link_libraries(${target}_bench PRIVATE ${target} benchmark::benchmark_main takt::options)
    add_dependencies(benches ${target}_bench)
  endif()
endfunction()

function(takt_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PRIVATE ${arg_LINK} takt::options)
endfunction()

function(takt_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPECT;TIMEOUT" "LINK;ARGS")
  if(NOT TARGET example_${name})
    takt_program(example_${name} "${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp" LINK takt::takt ${arg_LINK})
  elseif(arg_LINK)
    target_link_libraries(example_${name} PRIVATE ${arg_LINK})
  endif()
  if(NOT TAKT_BUILD_TESTS OR (NOT arg_ARGS AND NOT arg_EXPECT))
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  # PASS_REGULAR_EXPRESSION alone would ignore the exit code, so a script checks both.
  add_test(NAME example.${name}
    COMMAND "${CMAKE_COMMAND}" "-DEXPECT=${arg_EXPECT}" -P "${PROJECT_SOURCE_DIR}/cmake/run_example.cmake" --
      $<TARGET_FILE:example_${name}> ${arg_ARGS})
  set_tests_properties(example.${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS example
    ENVIRONMENT "ROS_AUTOMATIC_DISCOVERY_RANGE=OFF")
  add_dependencies(all_tests example_${name})
endfunction()
