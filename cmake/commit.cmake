# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE_DIR=... -DTEMPLATE=... -DOUTPUT=... -DVERSION=... -DCOMPILER=... -P commit.cmake
# Writes the version source anew when the commit has changed, and leaves it alone otherwise.
set(TAKT_VERSION "${VERSION}")
set(TAKT_COMPILER "${COMPILER}")
set(TAKT_COMMIT "unknown")
set(ENV{GIT_OPTIONAL_LOCKS} 0)  # do not lock the index of a tree that someone works in
find_program(GIT_PROGRAM git)
if(GIT_PROGRAM AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(
    COMMAND "${GIT_PROGRAM}" -c safe.directory=* describe --always --dirty --abbrev=12 --match=v[0-9]*
    WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND described)
    set(TAKT_COMMIT "${described}")
  endif()
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
