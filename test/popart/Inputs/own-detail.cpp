// A program's own namespaces do not clash with those that the headers keep
// their helpers in.

#include <popart/builder.hpp>
#include <popart/error.hpp>
#include <popart/opmanager.hpp>
#include <popart/session.hpp>

using namespace popart;

namespace detail {
int twice(int x) { return 2 * x; }
} // namespace detail

int main() {
  try {
    throw error("{} operators", detail::twice(1));
  } catch (const popart::error &) {
  }
  return detail::twice(0);
}
