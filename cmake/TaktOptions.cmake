# SPDX-License-Identifier: Apache-2.0
# Language, warnings, sanitizers and the compiler cache: what holds for every target of the house.

option(TAKT_WERROR "Treat warnings as errors" OFF)
option(TAKT_BUILD_TESTS "Build tests and benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(TAKT_CCACHE "Use ccache when it is installed" ON)
set(TAKT_SANITIZER "" CACHE STRING "Sanitizer of this build: asan, tsan or empty")
set_property(CACHE TAKT_SANITIZER PROPERTY STRINGS "" asan tsan)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(TAKT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TAKT_CCACHE_PROGRAM ccache)
  if(TAKT_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${TAKT_CCACHE_PROGRAM}")
    set(CMAKE_C_COMPILER_LAUNCHER "${TAKT_CCACHE_PROGRAM}")
  endif()
endif()

# Left out, because GCC 12 reports them where there is no fault: -Wnull-dereference and -Wrestrict (inside std::string),
# and under the sanitizers warnings are no errors.
# takt_options: compile and link options that every own target uses, and no user of takt inherits.
add_library(takt_options INTERFACE)
add_library(takt::options ALIAS takt_options)
target_compile_options(takt_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-align -Wformat=2 -Wundef
  -Wdouble-promotion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wextra-semi>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-missing-field-initializers;-Wno-restrict>
  $<$<BOOL:${TAKT_WERROR}>:-Werror>)

# A sanitizer must be in every object, so it is set for the whole build and not per target.
if(TAKT_SANITIZER STREQUAL "asan")
  # Without optimisation: most of this build's time would go into that of the checks themselves. Without the check
  # of dynamic types, which needs a file descriptor for each look: the tests of exhausted ones could not run.
  add_compile_options(-O0 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined
    -fno-sanitize=vptr -fno-sanitize-recover=undefined)
  # At fixed addresses: the commands, which the tests start by hundreds, are up a third sooner.
  add_link_options(-fsanitize=address,undefined -no-pie)
  add_compile_definitions(TAKT_ASAN=1)
elseif(TAKT_SANITIZER STREQUAL "tsan")
  add_compile_options(-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread)
  add_link_options(-fsanitize=thread)
  add_compile_definitions(TAKT_TSAN=1)
  # GCC warns that it does not instrument atomic_thread_fence; the code says where it relies on one.
  target_compile_options(takt_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
elseif(TAKT_SANITIZER)
  message(FATAL_ERROR "TAKT_SANITIZER is '${TAKT_SANITIZER}': it can be asan, tsan or empty")
endif()
if(TAKT_SANITIZER)
  # The sanitizers' instrumentation confuses GCC 12's flow analysis into false reports.
  target_compile_options(takt_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
endif()
