# SPDX-License-Identifier: Apache-2.0
# The libraries that takt builds on. Each is a Debian package; tools/setup.sh installs what is missing.

# takt_require(<package> <Debian package>): find_package, or an error that says how to mend it.
macro(takt_require package debian_package)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR
      "takt needs ${package}, which was not found (Debian package ${debian_package}).\n"
      "Run tools/setup.sh: it installs what is missing.")
  endif()
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
takt_require(Threads libc6-dev)
takt_require(fmt libfmt-dev)
takt_require(spdlog libspdlog-dev)
takt_require(nlohmann_json nlohmann-json3-dev)
takt_require(CLI11 libcli11-dev)
takt_require(yaml-cpp libyaml-cpp-dev)

# SHA-256 for type hashes. libmd is small; it has no CMake package.
find_path(TAKT_MD_INCLUDE sha2.h)
find_library(TAKT_MD_LIBRARY md)
mark_as_advanced(TAKT_MD_INCLUDE TAKT_MD_LIBRARY)
if(NOT TAKT_MD_INCLUDE OR NOT TAKT_MD_LIBRARY)
  message(FATAL_ERROR "takt needs libmd (Debian package libmd-dev). Run tools/setup.sh: it installs what is missing.")
endif()
add_library(takt_md INTERFACE)
target_include_directories(takt_md SYSTEM INTERFACE "${TAKT_MD_INCLUDE}")
target_link_libraries(takt_md INTERFACE "${TAKT_MD_LIBRARY}")

if(TAKT_BUILD_TESTS)
  takt_require(GTest libgtest-dev)
  if(NOT TARGET GTest::gmock)
    message(FATAL_ERROR "takt needs GoogleMock (Debian package libgmock-dev). Run tools/setup.sh.")
  endif()
  takt_require(benchmark libbenchmark-dev)
  takt_require(fastcdr libfastcdr-dev)
endif()
