# populus_add_unit_test(NAME SOURCES ... LIBS ...): one GoogleTest program in bin/unit,
# where lit finds it; NAME ends in "Tests".
function(populus_add_unit_test NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gtest_main)
  set_target_properties(${NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/unit)
  set_property(GLOBAL APPEND PROPERTY POPULUS_TEST_DEPENDS ${NAME})
endfunction()
