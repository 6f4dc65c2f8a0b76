# populus_add_unit_test(NAME SOURCES ... LIBS ... [PRECOMPILED ...]): one GoogleTest program
# in bin/unit, where lit finds it; NAME ends in "Tests". It is compiled with less
# optimisation than what it tests. PRECOMPILED are arguments of populus_precompile().
function(populus_add_unit_test NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;PRECOMPILED" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gtest_main)
  target_compile_options(${NAME} PRIVATE -O1)
  if(ARG_PRECOMPILED)
    populus_precompile(${NAME} ${ARG_PRECOMPILED})
  endif()
  set_target_properties(${NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/unit)
  set_property(GLOBAL APPEND PROPERTY POPULUS_TEST_DEPENDS ${NAME})
  get_filename_component(FOLDER ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set_property(GLOBAL APPEND PROPERTY POPULUS_UNIT_TESTS_OF_${FOLDER} ${NAME})
endfunction()

# populus_add_check(NAME PATHS ... [TESTS ...] [ARGS ...]): a target that builds the
# product and the targets TESTS, and runs lit with ARGS on PATHS.
function(populus_add_check NAME)
  cmake_parse_arguments(ARG "" "" "PATHS;TESTS;ARGS" ${ARGN})
  # A custom target cannot depend on `all`.
  add_custom_target(${NAME}
    COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target all ${ARG_TESTS}
    COMMAND ${Python3_EXECUTABLE} ${POPULUS_LIT} -sv ${ARG_ARGS} ${ARG_PATHS}
    USES_TERMINAL VERBATIM)
endfunction()
