# Compilation options of all targets: C++20, one output tree that works without an
# install (bin/, lib/, include/), warnings on, ccache if it is installed.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# -O3 takes a sixth more of the compiler's time. Only the runtime gains by it, and has it.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/static)

# Tools and libraries find each other by their place beside one another, so the
# whole tree can be moved. What is installed is linked once, with the run path that it
# keeps: CMake would fill the place for another path with colons, and the loader reads
# an empty entry as the current folder. test/install/run-paths.test looks at all files.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../lib;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
list(REMOVE_DUPLICATES CMAKE_INSTALL_RPATH)

# Members that an initializer does not name have their defaults.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-comment>)
# GCC 12 reports overlapping copies inside its own std::string (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Sources that use precompiled headers are cached only if it may ignore how
  # macros of those headers came to be.
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER
    env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# populus_precompile(TARGET HEADER... | FROM OTHER): parses these headers once for all
# sources of a target, or uses what another target has. They are those of libraries, and
# own ones that nearly all of the sources include. A source includes what it needs all
# the same: CMAKE_DISABLE_PRECOMPILE_HEADERS builds without this.
function(populus_precompile TARGET)
  list(TRANSFORM ARGN REPLACE "^lib/" "${PROJECT_SOURCE_DIR}/lib/")
  if(ARGV1 STREQUAL "FROM")
    target_precompile_headers(${TARGET} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${TARGET} PRIVATE ${ARGN})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # for ccache
    target_compile_options(${TARGET} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endfunction()

set(POPULUS_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
if(POPULUS_SANITIZE)
  add_compile_options(-fsanitize=${POPULUS_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${POPULUS_SANITIZE})
endif()
