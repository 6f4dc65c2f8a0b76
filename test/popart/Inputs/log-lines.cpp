// Lines of a program's own, by module: those below a module's level are left
// out.
#include <popart/logging.hpp>

int main() {
  popart::logging::configure({{"all", "OFF"}, {"op", "DEBUG"}, {"opx", "ERR"}});
  popart::logging::op::trace("left out");
  popart::logging::op::debug("scale {} of {}", 0.5, "x");
  popart::logging::opx::warn("left out");
  popart::logging::opx::err("no input");
  popart::logging::info("left out");
  popart::logging::setLogLevel("popart", "INFO");
  popart::logging::info("{} operators {}", 3, true);
}
