# The pages of docs with their pictures, in docs of the build tree: `ninja docs`. Pictures are
# drawn by the tools that the pages are about, in Chromium, so they are made on demand only.
add_custom_target(docs
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/docs ${PROJECT_BINARY_DIR}/docs
  COMMAND ${PROJECT_SOURCE_DIR}/utils/docs-pictures ${PROJECT_BINARY_DIR}
    ${PROJECT_BINARY_DIR}/docs/pictures
  DEPENDS ipu-report ipu-run popart-compile
  COMMENT "Drawing the pictures of docs" VERBATIM)
