# Manual pages, and what bash and zsh complete options from, made from each tool's --help
# (utils/gen/manual.py). They lie in share/ of the build tree and of an installed one, where
# man and the shells look for them.
set(SHARE ${PROJECT_BINARY_DIR}/share)
set(GENERATOR ${PROJECT_SOURCE_DIR}/utils/gen/manual.py)
set(MANUALS)
foreach(NAME popc gp-dump gc-info ipu-dbg ipu-report ipu-run popart-compile popir-opt poprun)
  add_custom_command(OUTPUT ${SHARE}/man/man1/${NAME}.1
    COMMAND ${Python3_EXECUTABLE} ${GENERATOR} $<TARGET_FILE:${NAME}> ${SHARE}
    DEPENDS ${NAME} ${GENERATOR}
    COMMENT "Writing the manual of ${NAME}" VERBATIM)
  list(APPEND MANUALS ${SHARE}/man/man1/${NAME}.1)
endforeach()
add_custom_target(manuals ALL DEPENDS ${MANUALS})
install(DIRECTORY ${SHARE}/ DESTINATION ${CMAKE_INSTALL_DATADIR})
