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
  popart::logging::setLogLevel("opx", "CRITICAL");
  popart::logging::opx::err("left out");
  popart::logging::opx::critical("no way on");
  // All modules, and one of them.
  popart::logger::setLevel("popart", "DEBUG");
  popart::logger::setLevel("session", "OFF");
  popart::logging::session::critical("left out");
  popart::logging::transform::debug("a transform");
  popart::logging::pattern::debug("a pattern");
  popart::logging::ces::debug("a constant expression");
  popart::logging::builder::debug("a builder");
  popart::logging::op::trace("left out");
  popart::logger::setLevel("op", "TRACE");
  popart::logging::op::trace("a call");
  popart::logger::setLevel("python", "OFF");
}
