# The packages and targets that public CMake files name: find_package(poplar) and
# target_link_libraries(program poplar popops). One package file serves the build tree and
# an installed tree, which look alike: it finds include/ and lib/ from its own place.
#
# populus_add_package(NAME LIBRARIES LIBRARY... [DEPENDS PACKAGE...])

set(PUBLIC_LIBRARIES poplar pva pvti poputil popops poplin popnn poprand popsolver
  popsparse popfloat gcl popart)

function(populus_add_package NAME)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;DEPENDS" ${ARGN})
  set(TARGETS "")
  foreach(LIBRARY IN LISTS ARG_LIBRARIES)
    if(NOT TARGET ${LIBRARY})
      continue()
    endif()
    # The libraries that users have to link, too: public ones among the public links.
    get_target_property(LINKS ${LIBRARY} INTERFACE_LINK_LIBRARIES)
    set(PUBLIC "")
    foreach(LINK IN LISTS LINKS)
      if(LINK IN_LIST PUBLIC_LIBRARIES)
        list(APPEND PUBLIC ${LINK})
      endif()
    endforeach()
    string(APPEND TARGETS "populus_import(${LIBRARY} \"${PUBLIC}\")\n")
  endforeach()
  set(PACKAGE_NAME ${NAME})
  set(PACKAGE_DEPENDS "${ARG_DEPENDS}")
  set(PACKAGE_TARGETS "${TARGETS}")
  set(FOLDER ${PROJECT_BINARY_DIR}/lib/cmake/${NAME})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/PublicPackage.cmake.in
    ${FOLDER}/${NAME}-config.cmake @ONLY)
  write_basic_package_version_file(${FOLDER}/${NAME}-config-version.cmake
    VERSION ${POPULUS_INTERFACE_VERSION} COMPATIBILITY AnyNewerVersion)
  install(FILES ${FOLDER}/${NAME}-config.cmake ${FOLDER}/${NAME}-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/${NAME})
endfunction()

populus_add_package(poplar LIBRARIES poplar pva pvti)
populus_add_package(poplibs DEPENDS poplar
  LIBRARIES poputil popops poplin popnn poprand popsolver popsparse popfloat)
populus_add_package(gcl DEPENDS poplibs LIBRARIES gcl)
populus_add_package(popart DEPENDS poplibs LIBRARIES popart)
populus_add_package(pva DEPENDS poplar)
populus_add_package(pvti DEPENDS poplar)
