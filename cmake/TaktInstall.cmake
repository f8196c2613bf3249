# SPDX-License-Identifier: Apache-2.0
# `cmake --install build --prefix DIR`: the command, the library with its headers, the messages, and what
# find_package(takt) needs to give a project takt::takt, the message packages and takt_interfaces().
#
#   bin/                        takt, takt-performance
#   libexec/takt/               the runners of `takt lab comm`
#   include/, lib/              headers, static libraries
#   include/takt-interfaces/    generated headers, a folder for each package
#   lib/cmake/takt/             takt-config.cmake
#   share/takt/                 definitions of the messages, takt_interfaces() and its generator
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/takt")

# The modules that a user's program may link; the laboratory and the command's own library stay inside.
get_property(modules GLOBAL PROPERTY TAKT_MODULES)
list(REMOVE_ITEM modules lab cli)
set(libraries "")
foreach(module ${modules})
  set_target_properties(takt_${module} PROPERTIES EXPORT_NAME ${module})
  list(APPEND libraries takt_${module})
endforeach()
set_target_properties(takt_all PROPERTIES EXPORT_NAME takt)
install(TARGETS ${libraries} takt_all takt_version takt_md EXPORT takt-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT takt-targets NAMESPACE takt:: DESTINATION "${config_folder}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/takt" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING
  PATTERN "*.hpp" PATTERN "*test_support.hpp" EXCLUDE PATTERN "testing" EXCLUDE PATTERN "cli" EXCLUDE)

# Messages: targets without a namespace, since takt_interfaces() makes them by these names.
get_property(packages GLOBAL PROPERTY TAKT_INTERFACE_PACKAGES)
list(REMOVE_ITEM packages takt_bench_msgs)
foreach(package ${packages})
  install(TARGETS takt_interfaces_${package} EXPORT takt-interface-targets)
  install(DIRECTORY "${TAKT_INTERFACES_DIR}/${package}/include/" DESTINATION "include/takt-interfaces/${package}")
  get_target_property(source takt_interfaces_${package} TAKT_INTERFACE_SOURCE)
  install(DIRECTORY "${source}/" DESTINATION "share/takt/interfaces/${package}"
    FILES_MATCHING PATTERN "*.msg" PATTERN "*.srv")
endforeach()
install(TARGETS takt_interfaces EXPORT takt-interface-targets)
install(EXPORT takt-interface-targets DESTINATION "${config_folder}")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/TaktInterfaces.cmake" DESTINATION share/takt/cmake)
install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/generate_interfaces.py" "${PROJECT_SOURCE_DIR}/tools/interface_fields.py"
  DESTINATION share/takt/tools)

set(TAKT_PACKAGES "${packages}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/takt-config.cmake.in" "${PROJECT_BINARY_DIR}/takt-config.cmake"
  INSTALL_DESTINATION "${config_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/takt-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/takt-config.cmake" "${PROJECT_BINARY_DIR}/takt-config-version.cmake"
  DESTINATION "${config_folder}")

install(TARGETS takt takt-performance RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
get_property(runners GLOBAL PROPERTY TAKT_COMM_RUNNERS)
install(TARGETS ${runners} RUNTIME DESTINATION libexec/takt)  # where lab/comm/stacks.cpp looks
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
