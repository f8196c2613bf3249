# SPDX-License-Identifier: Apache-2.0
# takt_interfaces(<package> [DIR <folder>] [DEPENDS <package>...])
#
# The .msg (and .srv) files of a ROS 2 package become the C++ structs that ROS 2 itself generates:
#   #include <my_msgs/msg/my_type.hpp>     my_msgs::msg::MyType, my_msgs::msg::MyType::SharedPtr
# and what takt itself needs of the types (tools/interface_fields.py), so that a user's are encoded and named as well.
# Targets: takt_interfaces_<package>, alias <package>::<package>, which link those of DEPENDS.
#
# DIR is the folder that holds msg/ (default: the first of ./<package>, ./interfaces/<package> and . that has
# one). The headers are generated while CMake configures, and again when a definition changes, into
# TAKT_INTERFACES_DIR, which several build trees may share. No ROS installation and no ament are needed.

set(TAKT_INTERFACES_DIR "${CMAKE_BINARY_DIR}/interfaces" CACHE PATH "Where generated message headers go")
set(TAKT_GENERATE_INTERFACES "${CMAKE_CURRENT_LIST_DIR}/../tools/generate_interfaces.py" CACHE INTERNAL "")

# rosidl's Python modules belong to the system's Python; another one may come first on PATH.
set(TAKT_PYTHON "/usr/bin/python3" CACHE FILEPATH "The Python that has rosidl's modules")

find_path(TAKT_ROSIDL_RUNTIME_CPP rosidl_runtime_cpp/bounded_vector.hpp PATH_SUFFIXES rosidl_runtime_cpp)
find_path(TAKT_ROSIDL_RUNTIME_C rosidl_runtime_c/message_type_support_struct.h PATH_SUFFIXES rosidl_runtime_c)
find_path(TAKT_ROSIDL_TYPESUPPORT_INTERFACE rosidl_typesupport_interface/macros.h
  PATH_SUFFIXES rosidl_typesupport_interface)
mark_as_advanced(TAKT_PYTHON TAKT_ROSIDL_RUNTIME_CPP TAKT_ROSIDL_RUNTIME_C TAKT_ROSIDL_TYPESUPPORT_INTERFACE)
foreach(path TAKT_ROSIDL_RUNTIME_CPP TAKT_ROSIDL_RUNTIME_C TAKT_ROSIDL_TYPESUPPORT_INTERFACE)
  if(NOT ${path})
    message(FATAL_ERROR "takt needs the rosidl runtime headers (Debian packages librosidl-runtime-c-cpp-dev and "
      "librosidl-typesupport-interface-dev).\nRun tools/setup.sh: it installs what is missing.")
  endif()
endforeach()

define_property(GLOBAL PROPERTY TAKT_INTERFACE_PACKAGES BRIEF_DOCS "Packages that have been declared")
define_property(TARGET PROPERTY TAKT_INTERFACE_SOURCE BRIEF_DOCS "Folder that holds the package's msg/")
define_property(TARGET PROPERTY TAKT_INTERFACE_HEADERS BRIEF_DOCS "Headers to include, as written in #include")

function(takt_interfaces package)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIR" "DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "takt_interfaces(${package}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(candidates ${package} interfaces/${package} .)
  if(arg_DIR)
    set(candidates "${arg_DIR}")
  endif()
  set(source "")
  foreach(candidate ${candidates})
    get_filename_component(candidate "${candidate}" ABSOLUTE)
    if(NOT source AND (IS_DIRECTORY "${candidate}/msg" OR IS_DIRECTORY "${candidate}/srv"))
      set(source "${candidate}")
    endif()
  endforeach()
  if(NOT source)
    message(FATAL_ERROR "takt_interfaces(${package}): no msg/ folder in ${candidates}")
  endif()

  # Every package that is reached through DEPENDS: a field may name only the direct ones' types, but the
  # generator needs no more than their folders.
  set(depends_arguments "")
  set(depends_targets "")
  foreach(dependency ${arg_DEPENDS})
    if(NOT TARGET takt_interfaces_${dependency})
      message(FATAL_ERROR "takt_interfaces(${package}): DEPENDS ${dependency}, which is not declared before")
    endif()
    get_target_property(folder takt_interfaces_${dependency} TAKT_INTERFACE_SOURCE)
    list(APPEND depends_arguments --depends "${dependency}=${folder}")
    list(APPEND depends_targets takt_interfaces_${dependency})
  endforeach()

  file(GLOB definitions CONFIGURE_DEPENDS "${source}/msg/*.msg" "${source}/srv/*.srv")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${definitions} "${TAKT_GENERATE_INTERFACES}")
  execute_process(
    COMMAND "${TAKT_PYTHON}" -B "${TAKT_GENERATE_INTERFACES}" --package ${package} --source "${source}"
      --output "${TAKT_INTERFACES_DIR}" ${depends_arguments}
    RESULT_VARIABLE result ERROR_VARIABLE errors OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "takt_interfaces(${package}) failed:\n${errors}")
  endif()
  if(output)
    message(STATUS "${output}")
  endif()

  set(include "${TAKT_INTERFACES_DIR}/${package}/include")
  file(GLOB headers RELATIVE "${include}" "${include}/${package}/msg/*.hpp" "${include}/${package}/srv/*.hpp")
  set(target takt_interfaces_${package})
  add_library(${target} INTERFACE)
  add_library(${package}::${package} ALIAS ${target})
  target_include_directories(${target} SYSTEM INTERFACE
    "$<BUILD_INTERFACE:${include}>" "$<INSTALL_INTERFACE:include/takt-interfaces/${package}>"
    "${TAKT_ROSIDL_RUNTIME_CPP}" "${TAKT_ROSIDL_RUNTIME_C}" "${TAKT_ROSIDL_TYPESUPPORT_INTERFACE}")
  target_link_libraries(${target} INTERFACE ${depends_targets})
  set_target_properties(${target} PROPERTIES
    TAKT_INTERFACE_SOURCE "${source}" TAKT_INTERFACE_HEADERS "${headers}")
  set_property(GLOBAL APPEND PROPERTY TAKT_INTERFACE_PACKAGES ${package})
endfunction()
