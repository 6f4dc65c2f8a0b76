# Finds third-party code. All of it is distribution packages. LLVM and Clang are always
# shared libraries (mixing in a static archive of theirs aborts at start). Code that
# includes their headers is compiled with NDEBUG like the packages, because class
# layouts depend on it.
find_package(Protobuf REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(Threads REQUIRED)
find_package(GTest)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(TurboJpeg REQUIRED IMPORTED_TARGET libturbojpeg)

# LLVM_DIR and CMAKE_PREFIX_PATH name another one. Distributions keep versions side by side in
# folders that CMake does not search by itself.
find_package(LLVM 19.1 REQUIRED CONFIG PATHS
  /usr/lib/llvm-19 /usr/lib/llvm19 /usr/lib64/llvm19 /usr/lib/llvm/19)
set(LLVM_TABLEGEN_EXE ${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen)
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR})
# LLVM's tablegen() writes the names in its dependency files as ninja knows them. CMake is not to
# make them relative once more: ninja would then run llvm-tblgen in every build.
cmake_policy(PUSH)
cmake_policy(SET CMP0116 OLD)
include(TableGen)
cmake_policy(POP)

add_library(populus_llvm INTERFACE)
target_include_directories(populus_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(populus_llvm INTERFACE NDEBUG
  _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
target_link_libraries(populus_llvm INTERFACE LLVM)

# Debian's package has no libclang-cpp.so without a version, others have no other.
find_library(CLANG_CPP NO_DEFAULT_PATH PATHS ${LLVM_LIBRARY_DIRS} NAMES
  libclang-cpp.so.${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR} clang-cpp)
if(NOT CLANG_CPP)
  message(FATAL_ERROR "libclang-cpp ${LLVM_VERSION_MAJOR} is not in ${LLVM_LIBRARY_DIRS}")
endif()
add_library(populus_clang INTERFACE)
target_link_libraries(populus_clang INTERFACE populus_llvm ${CLANG_CPP})
