# SPDX-License-Identifier: Apache-2.0
# cmake -DEXPECT=<regex> -P run_example.cmake -- <program> <args>...
# Runs the program, shows its output, and fails unless it exits with 0 and its output matches EXPECT.
set(command "")
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(index RANGE ${last})
  if(after_dashes)
    list(APPEND command "${CMAKE_ARGV${index}}")
  elseif(CMAKE_ARGV${index} STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE exit_code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
message("${output}${errors}")
if(NOT exit_code STREQUAL "0")
  message(FATAL_ERROR "the program ended with ${exit_code}, 0 was expected")
endif()
if(EXPECT AND NOT "${output}${errors}" MATCHES "${EXPECT}")
  message(FATAL_ERROR "the output does not match: ${EXPECT}")
endif()
