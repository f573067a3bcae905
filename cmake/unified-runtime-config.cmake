# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_package(unified-runtime) for oxur's installed tree. Gives:
#   unified-runtime::headers  the C headers, for programs that dlopen the loader
#   unified-runtime::loader   libur_loader.so and the headers
# It finds the tree from its own place (lib/cmake/unified-runtime), so the tree can be moved. CMake may have come here
# through a link from outside of it.

if(TARGET unified-runtime::loader)
  return()
endif()

get_filename_component(_unified_runtime_prefix "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(_unified_runtime_prefix "${_unified_runtime_prefix}/../../../.." ABSOLUTE)

foreach(_unified_runtime_file IN ITEMS include/unified-runtime/ur_api.h lib/libur_loader.so)
  if(NOT EXISTS "${_unified_runtime_prefix}/${_unified_runtime_file}")
    set(unified-runtime_FOUND FALSE)
    set(unified-runtime_NOT_FOUND_MESSAGE "${_unified_runtime_prefix}/${_unified_runtime_file} is missing")
    return()
  endif()
endforeach()

add_library(unified-runtime::headers INTERFACE IMPORTED)
set_target_properties(unified-runtime::headers PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${_unified_runtime_prefix}/include")

add_library(unified-runtime::loader SHARED IMPORTED)
set_target_properties(unified-runtime::loader PROPERTIES
  IMPORTED_LOCATION "${_unified_runtime_prefix}/lib/libur_loader.so"
  IMPORTED_SONAME libur_loader.so.0
  INTERFACE_LINK_LIBRARIES unified-runtime::headers)

unset(_unified_runtime_file)
unset(_unified_runtime_prefix)
