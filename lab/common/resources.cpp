// SPDX-License-Identifier: Apache-2.0
#include "lab/common/resources.hpp"

// The assembler takes a file in as it is; CMake gives the paths.
#define TAKT_RESOURCE(name, path)                \
  __asm__(                                       \
      ".section .rodata\n"                       \
      ".global takt_lab_" #name                  \
      "\n"                                       \
      ".hidden takt_lab_" #name                  \
      "\n"                                       \
      "takt_lab_" #name ": .incbin \"" path      \
      "\"\n"                                     \
      ".global takt_lab_" #name                  \
      "_end\n"                                   \
      ".hidden takt_lab_" #name                  \
      "_end\n"                                   \
      "takt_lab_" #name                          \
      "_end: .byte 0\n"                          \
      ".previous\n");                            \
  extern "C" const char takt_lab_##name[];       \
  extern "C" const char takt_lab_##name##_end[]; \
  std::string_view takt::lab::resources::name() noexcept { return {takt_lab_##name, takt_lab_##name##_end}; }

TAKT_RESOURCE(chart_js, TAKT_CHART_JS)
TAKT_RESOURCE(report_js, TAKT_REPORT_JS)
TAKT_RESOURCE(report_css, TAKT_REPORT_CSS)
