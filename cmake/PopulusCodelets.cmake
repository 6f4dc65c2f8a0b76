# populus_add_codelets(NAME SOURCE...
#   [OUTPUT FILE.gp]     default: NAME.gp in the current binary directory
#   [TARGETS TARGET...]  default: all that popc knows
#   [OPTIONS OPTION...]) more options of popc
#
# Compiles codelets into an archive as part of the build, again when a source or a
# header that it includes has changed. The target NAME stands for the archive; its
# property POPULUS_ARCHIVE is the path, for Graph::addCodelets.
function(populus_add_codelets NAME)
  cmake_parse_arguments(ARG "" "OUTPUT" "TARGETS;OPTIONS" ${ARGN})
  if(NOT ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "populus_add_codelets(${NAME}): no sources")
  endif()
  set(SOURCES)
  foreach(SOURCE IN LISTS ARG_UNPARSED_ARGUMENTS)
    get_filename_component(SOURCE "${SOURCE}" ABSOLUTE)
    list(APPEND SOURCES "${SOURCE}")
  endforeach()
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT ${NAME}.gp)
  endif()
  get_filename_component(ARCHIVE "${ARG_OUTPUT}" ABSOLUTE
    BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  set(OPTIONS ${ARG_OPTIONS})
  if(ARG_TARGETS)
    list(JOIN ARG_TARGETS "," LIST)
    list(APPEND OPTIONS --target=${LIST})
  endif()
  add_custom_command(OUTPUT "${ARCHIVE}"
    COMMAND "${POPULUS_POPC}" ${OPTIONS} -MMD -MF "${ARCHIVE}.d" -MT "${ARCHIVE}"
      ${SOURCES} -o "${ARCHIVE}"
    DEPENDS ${SOURCES} "${POPULUS_POPC}"
    DEPFILE "${ARCHIVE}.d" VERBATIM
    COMMENT "Compiling codelets ${NAME}")
  add_custom_target(${NAME} ALL DEPENDS "${ARCHIVE}")
  set_target_properties(${NAME} PROPERTIES POPULUS_ARCHIVE "${ARCHIVE}")
endfunction()
