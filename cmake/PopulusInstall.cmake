# All rules of `cmake --install`: bin, lib, include, a CMake package, a pkg-config file,
# and enable.sh, which makes a tree (installed or build) usable from a shell.
include(CMakePackageConfigHelpers)

set(LIBRARIES pva pvti poplar poputil popops poplin popnn poprand popsolver popsparse popfloat gcl popart populus-runtime)
# A program asks for the library of the release that it was linked with (libpoplar.so.0.1), so
# that another release is an error of the loader and not a wrong call. The rule is that of
# PopulusConfigVersion.cmake: releases with the same two first numbers are compatible.
foreach(NAME IN LISTS LIBRARIES)
  if(TARGET ${NAME})
    set_target_properties(${NAME} PROPERTIES
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    install(TARGETS ${NAME} EXPORT PopulusTargets
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endforeach()
install(EXPORT PopulusTargets NAMESPACE Populus::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Populus)
# The build tree has the package at the same place as an installed tree.
set(PACKAGE ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/cmake/Populus)
export(EXPORT PopulusTargets NAMESPACE Populus:: FILE ${PACKAGE}/PopulusTargets.cmake)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/PopulusConfig.cmake.in
  ${PACKAGE}/PopulusConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Populus
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PACKAGE}/PopulusConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_CURRENT_LIST_DIR}/PopulusCodelets.cmake ${PACKAGE} COPYONLY)
set(PKG_CONFIG_FILE ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/populus.pc)
configure_file(${CMAKE_CURRENT_LIST_DIR}/populus.pc.in ${PKG_CONFIG_FILE} @ONLY)
install(FILES ${PKG_CONFIG_FILE} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PACKAGE}/PopulusConfig.cmake
  ${CMAKE_CURRENT_LIST_DIR}/PopulusCodelets.cmake
  ${PACKAGE}/PopulusConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Populus)

include(PublicPackages)

foreach(NAME popc gp-dump gc-info ipu-dbg ipu-report ipu-run popart-compile popir-opt poprun)
  if(TARGET ${NAME})
    install(TARGETS ${NAME} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
foreach(NAME populus_codelet populus_translate populus_mpi)
  if(TARGET ${NAME})
    install(TARGETS ${NAME} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()

# Codelet archives of the libraries and the device library.
install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/populus DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  PATTERN CMakeLists.txt EXCLUDE)

set(POPULUS_EXAMPLES ${PROJECT_SOURCE_DIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/enable.sh.in ${PROJECT_BINARY_DIR}/enable.sh @ONLY)
set(POPULUS_EXAMPLES "$populus_root/share/populus")
configure_file(${CMAKE_CURRENT_LIST_DIR}/enable.sh.in
  ${PROJECT_BINARY_DIR}/install/enable.sh @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/install/enable.sh DESTINATION .)
# Files that the README and the pages of docs/ use.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/test/models/lenet
  DESTINATION ${CMAKE_INSTALL_DATADIR}/populus/test/models)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/test/tutorials
  DESTINATION ${CMAKE_INSTALL_DATADIR}/populus/test
  FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp")
# The examples. Those of the guide's tutorials have its folders: start_here has
# the beginning of a program, complete all of it.
set(EXAMPLES ${CMAKE_INSTALL_DATADIR}/populus/examples)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/test/examples/ DESTINATION ${EXAMPLES}
  FILES_MATCHING PATTERN "*.cpp" PATTERN "*.py" PATTERN Makefile)
file(GLOB TUTORIALS RELATIVE ${PROJECT_SOURCE_DIR}/test/tutorials
  ${PROJECT_SOURCE_DIR}/test/tutorials/tut?_*)
foreach(TUTORIAL ${TUTORIALS})
  set(FOLDER ${PROJECT_SOURCE_DIR}/test/tutorials/${TUTORIAL})
  install(DIRECTORY ${FOLDER}/ DESTINATION ${EXAMPLES}/tutorials/${TUTORIAL}/complete
    FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp" PATTERN "*.py" PATTERN Makefile
    PATTERN start_here EXCLUDE)
  if(EXISTS ${FOLDER}/start_here)
    install(DIRECTORY ${FOLDER}/start_here DESTINATION ${EXAMPLES}/tutorials/${TUTORIAL})
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/test/tutorials/device.hpp
    ${PROJECT_SOURCE_DIR}/test/tutorials/matrix-vector.hpp
    DESTINATION ${EXAMPLES}/tutorials/${TUTORIAL})
endforeach()
install(PROGRAMS ${PROJECT_SOURCE_DIR}/test/docs/Inputs/scale-model.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/populus/test/docs/Inputs)
