// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward liveness analysis over the tree of steps, one block at a time. The
// steps are numbered in preorder, with all calls expanded; the numbers are
// *moments*. For example, the liveness of block X:
//
//    moment  step           needed before
//      0     Sequence       no
//      1       write X      no     the write kills the old value
//      2       Repeat 10    yes
//      3         read X     yes    the next round reads X again
//      4       write Y      no     nothing reads the value in X any more
//      5       write X      no
//      6       read X       yes
//
// X is live in [1, 3] and [5, 6]. Y is live at moment 4 only, so X and Y may
// have the same address.
//
// `transfer` walks backwards: from the bytes of the block that are needed after
// a node it computes the bytes needed before it. A read makes the whole block
// needed; a write removes the bytes that it writes. Branches are united, and
// the body of a loop is walked until nothing changes. `collect` then finds the
// intervals. It uses `transfer` to find the nodes between which the value
// flows.

#include "lib/Poplar/Lowering/Liveness.h"

#include "lib/Poplar/Lowering/Accesses.h"
#include "lib/Poplar/Support/Log.h"

#include <algorithm>
#include <optional>
#include <span>

namespace poplar::core {

namespace rt = populus::runtime;
using rt::StepKind;

namespace {

/// Limits on the number of steps with all calls expanded, and of their
/// accesses. The variables of larger programs do not share memory: the analysis
/// would take too long.
constexpr std::size_t MostNodes = 1 << 20;
constexpr std::size_t MostAccesses = std::size_t(1) << 25;

/// A step at one of its call sites. `first` to `last` are the moments of the
/// step and those inside it; `own` is its own.
struct Node {
  std::uint32_t step;
  std::uint32_t first = 0, last = 0;
  std::uint32_t own = 0;
  std::vector<std::uint32_t> children = {}; // nodes
};

class ProgramTree {
public:
  explicit ProgramTree(const rt::Executable &exe) : exe(exe) {
    for (std::uint32_t root : exe.programs)
      roots.push_back(add(root));
  }

  bool isTooLong() const { return nodes.size() > MostNodes; }

  const rt::Executable &exe;
  std::vector<Node> nodes;
  std::vector<std::uint32_t> roots;
  std::vector<std::uint32_t> stepAt; // by moment

private:
  std::uint32_t add(std::uint32_t stepIndex) {
    const auto id = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back({stepIndex});
    const rt::Step &step = exe.steps[stepIndex];
    Node node{stepIndex};
    node.first = static_cast<std::uint32_t>(stepAt.size());
    // A loop tests its condition after computing it; any other step reads
    // first.
    const bool isLate = step.kind == StepKind::RepeatWhile;
    if (!isLate)
      addMoment(node, stepIndex);
    const auto addChild = [&](std::uint32_t child) {
      if (!isTooLong())
        node.children.push_back(add(child));
      if (isLate && node.children.size() == 1)
        addMoment(node, stepIndex);
    };
    for (std::uint32_t child : step.children)
      addChild(child);
    if (step.kind == StepKind::Call)
      addChild(step.function());
    node.last = static_cast<std::uint32_t>(stepAt.size() - 1);
    nodes[id] = std::move(node);
    return id;
  }

  void addMoment(Node &node, std::uint32_t step) {
    node.own = static_cast<std::uint32_t>(stepAt.size());
    stepAt.push_back(step);
  }
};

/// Bytes [begin, end) of a block, or none.
struct Bytes {
  std::uint32_t begin = 0, end = 0;
  bool empty() const { return begin == end; }

  Bytes hull(Bytes other) const {
    if (empty() || other.empty())
      return empty() ? other : *this;
    return {std::min(begin, other.begin), std::max(end, other.end)};
  }
  /// Removes a written range. A rest of two parts counts as one range.
  Bytes without(Bytes other) const {
    if (other.begin <= begin && other.end >= end)
      return {};
    if (other.begin <= begin && other.end > begin)
      return {other.end, end};
    if (other.end >= end && other.begin < end)
      return {begin, other.begin};
    return *this;
  }
  friend bool operator==(Bytes a, Bytes b) {
    return a.begin == b.begin && a.end == b.end;
  }
};

/// Adds an interval that begins no earlier than the last one.
void addInterval(std::vector<LiveInterval> &found, std::uint32_t first,
                 std::uint32_t last) {
  if (!found.empty() && first <= found.back().last + 1)
    found.back().last = std::max(found.back().last, last);
  else
    found.push_back({first, last});
}

/// Access of the current block at a moment.
struct Event {
  std::uint32_t moment;
  bool reads;
  Bytes written;
};

class BlockLiveness {
public:
  BlockLiveness(const ProgramTree &tree, std::span<const Event> events,
                std::uint32_t blockBytes)
      : tree(tree), events(events), whole{0, blockBytes} {}

  /// Returns false if the block is always live.
  bool find(std::vector<LiveInterval> &found) {
    for (std::uint32_t root : tree.roots)
      if (!transfer(root, {}).empty())
        return false;
    for (std::uint32_t root : tree.roots)
      collect(root, {}, found);
    return true;
  }

private:
  const Event *firstFrom(std::uint32_t moment) const {
    return std::lower_bound(
        events.data(), events.data() + events.size(), moment,
        [](const Event &e, std::uint32_t m) { return e.moment < m; });
  }
  bool touches(std::uint32_t id) const {
    const Node &node = tree.nodes[id];
    const Event *event = firstFrom(node.first);
    return event != events.data() + events.size() && event->moment <= node.last;
  }
  /// Finds the child that contains an event. Few of the many children access
  /// the block, so they are looked up by its events.
  std::optional<std::uint32_t> childAt(const Node &node,
                                       const Event &event) const {
    const auto behind = std::upper_bound(
        node.children.begin(), node.children.end(), event.moment,
        [&](std::uint32_t moment, std::uint32_t child) {
          return moment < tree.nodes[child].first;
        });
    if (behind == node.children.begin() ||
        event.moment > tree.nodes[behind[-1]].last)
      return std::nullopt;
    return behind[-1];
  }
  const Event *ownEvent(const Node &node) const {
    const Event *event = firstFrom(node.own);
    return event != events.data() + events.size() && event->moment == node.own
               ? event
               : nullptr;
  }

  Bytes transferOwn(const Node &node, Bytes after) const {
    const Event *event = ownEvent(node);
    if (!event)
      return after;
    return event->reads ? whole : after.without(event->written);
  }

  /// Returns the bytes needed before a node if `after` is needed after it.
  Bytes transfer(std::uint32_t id, Bytes after) const {
    if (!touches(id))
      return after;
    const Node &node = tree.nodes[id];
    const rt::Step &step = tree.exe.steps[node.step];
    switch (step.kind) {
    case StepKind::If:
    case StepKind::Switch: {
      Bytes before;
      for (std::uint32_t child : node.children)
        before = before.hull(transfer(child, after));
      return transferOwn(node, before);
    }
    case StepKind::Repeat: {
      if (step.repeatCount() == 0)
        return after;
      return fixpoint(after, [&](Bytes again) {
        return transfer(node.children[0], after.hull(again));
      });
    }
    case StepKind::RepeatWhile:
      return fixpoint(after, [&](Bytes again) {
        const Bytes body = transfer(node.children[1], again);
        return transfer(node.children[0], transferOwn(node, after.hull(body)));
      });
    default: {
      Bytes before = after;
      const Event *first = firstFrom(node.first);
      const Event *next = firstFrom(node.last + 1);
      while (next != first) {
        const std::optional<std::uint32_t> child = childAt(node, next[-1]);
        if (!child)
          break; // its own event, which is the first one
        before = transfer(*child, before);
        next = firstFrom(tree.nodes[*child].first);
      }
      return transferOwn(node, before);
    }
    }
  }

  /// Returns the bytes needed before a loop. `body` maps the bytes needed at
  /// the end of a round to those needed at its begin.
  template <typename Body> static Bytes fixpoint(Bytes, Body body) {
    Bytes before = body(Bytes());
    for (;;) {
      const Bytes next = before.hull(body(before));
      if (next == before)
        return before;
      before = next;
    }
  }

  /// Adds the live intervals inside a node, after which `after` is needed.
  void collect(std::uint32_t id, Bytes after,
               std::vector<LiveInterval> &found) const {
    const Node &node = tree.nodes[id];
    if (!touches(id)) {
      if (!after.empty())
        addInterval(found, node.first, node.last);
      return;
    }
    const Bytes before = transfer(id, after);
    const StepKind kind = tree.exe.steps[node.step].kind;
    if (kind == StepKind::RepeatWhile)
      return collectLoop(node, !before.empty() || !after.empty(), found);
    if (ownEvent(node) || !before.empty())
      addInterval(found, node.own, node.own);
    if (kind == StepKind::If || kind == StepKind::Switch) {
      for (std::uint32_t child : node.children)
        collect(child, after, found);
      return;
    }
    // The end of a round needs what the next round reads.
    collectChildren(node, kind == StepKind::Repeat ? after.hull(before) : after,
                    found);
  }

  void collectLoop(const Node &node, bool isLiveOutside,
                   std::vector<LiveInterval> &found) const {
    // A value that flows between the condition and the body is live all the
    // time.
    const bool condition = touches(node.children[0]);
    const bool body = touches(node.children[1]);
    if (isLiveOutside || ownEvent(node) || (condition && body))
      addInterval(found, node.first, node.last);
    else
      collect(node.children[condition ? 0 : 1], {}, found);
  }

  /// Adds the intervals of the children in order. Each child must keep the
  /// bytes that the next ones need.
  void collectChildren(const Node &node, Bytes after,
                       std::vector<LiveInterval> &found) const {
    std::vector<std::uint32_t> touching;
    for (const Event *event = firstFrom(node.first);
         event != events.data() + events.size() && event->moment <= node.last;)
      if (const auto child = childAt(node, *event)) {
        touching.push_back(*child);
        event = firstFrom(tree.nodes[*child].last + 1);
      } else {
        ++event; // its own
      }
    std::vector<Bytes> before(touching.size() + 1);
    before.back() = after;
    for (std::size_t i = touching.size(); i-- != 0;)
      before[i] = transfer(touching[i], before[i + 1]);
    std::uint32_t end = node.own;
    for (std::size_t i = 0; i != touching.size(); ++i) {
      const Node &child = tree.nodes[touching[i]];
      if (!before[i].empty())
        addInterval(found, end, child.first);
      collect(touching[i], before[i + 1], found);
      end = child.last;
    }
    if (!after.empty())
      addInterval(found, end, node.last);
  }

  const ProgramTree &tree;
  std::span<const Event> events;
  Bytes whole;
};

/// Selects blocks whose liveness is known: operands, and variables without
/// initial value that only programs access.
std::vector<bool> candidates(const Draft &draft) {
  const std::vector<Block> &blocks = draft.storage.blocks();
  std::vector<bool> result(blocks.size());
  for (std::size_t i = 0; i != blocks.size(); ++i)
    result[i] = draft.isOperand(static_cast<std::uint32_t>(i)) ||
                (blocks[i].category == MemoryCategory::Variable &&
                 draft.graph.variables[blocks[i].variable].data.empty());
  for (const rt::HostTensor &handle : draft.exe.hostTensors) {
    const rt::Range range = draft.exe.tensors[handle.tensor].segments;
    for (std::uint32_t i = 0; i != range.count; ++i)
      result[draft.segments[range.first + i].place.block] = false;
  }
  return result;
}

} // namespace

Liveness::Liveness(const Draft &draft) {
  const std::vector<bool> wanted = candidates(draft);
  const ProgramTree tree(draft.exe);
  if (tree.isTooLong()) {
    log(LogLevel::Info, "the program is too long to share memory");
    shareOperands(draft);
    return;
  }
  const Accesses accesses(draft, wanted);

  // Events by block, in the order of moments: first counted, then filled in.
  std::vector<std::size_t> end(wanted.size() + 1);
  for (std::uint32_t step : tree.stepAt)
    for (const Access &access : accesses.of(step))
      ++end[access.block + 1];
  for (std::size_t i = 1; i != end.size(); ++i)
    end[i] += end[i - 1];
  if (end.back() > MostAccesses) {
    log(LogLevel::Info, "the program is too large to share memory");
    shareOperands(draft);
    return;
  }
  std::vector<Event> events(end.back());
  std::vector<std::size_t> next = end;
  for (std::uint32_t moment = 0; moment != tree.stepAt.size(); ++moment)
    for (const Access &access : accesses.of(tree.stepAt[moment]))
      events[next[access.block]++] = {
          moment, access.reads, {access.begin, access.end}};

  intervals.resize(wanted.size());
  draft.workers.run(wanted.size(), [&](std::size_t block, unsigned) {
    const std::span<const Event> own(events.data() + end[block],
                                     end[block + 1] - end[block]);
    if (!wanted[block] || own.empty())
      return;
    BlockLiveness liveness(
        tree, own,
        static_cast<std::uint32_t>(draft.storage.blocks()[block].bytes));
    liveness.find(intervals[block]);
  });
  stepAt = tree.stepAt;
}

/// Assigns moments to compute sets only, so that their operands can share
/// memory. No two compute sets run at the same time, and their results are
/// always live.
void Liveness::shareOperands(const Draft &draft) {
  intervals.resize(draft.storage.blocks().size());
  for (std::uint32_t step = 0; step != draft.exe.steps.size(); ++step)
    if (draft.exe.steps[step].kind == StepKind::Execute) {
      const auto moment = static_cast<std::uint32_t>(stepAt.size());
      for (std::uint32_t block :
           draft.operandBlocks[draft.exe.steps[step].computeSet()])
        intervals[block] = {{moment, moment}};
      stepAt.push_back(step);
    }
}

template <typename Function>
void Liveness::forEachMeeting(std::uint32_t a, std::uint32_t b,
                              Function function) const {
  auto i = intervals[a].begin(), j = intervals[b].begin();
  while (i != intervals[a].end() && j != intervals[b].end()) {
    const LiveInterval both = {std::max(i->first, j->first),
                               std::min(i->last, j->last)};
    if (both.first <= both.last && !function(both))
      return;
    ++(i->last < j->last ? i : j);
  }
}

bool Liveness::interfere(std::uint32_t a, std::uint32_t b) const {
  if (isAlwaysLive(a) || isAlwaysLive(b))
    return true;
  bool found = false;
  forEachMeeting(a, b, [&](LiveInterval) {
    found = true;
    return false;
  });
  return found;
}

bool Liveness::meetOnlyAt(std::uint32_t a, std::uint32_t b,
                          std::uint32_t step) const {
  bool only = true;
  forEachMeeting(a, b, [&](LiveInterval both) {
    only = both.first == both.last && stepAt[both.first] == step;
    return only;
  });
  return only;
}

void Liveness::unite(std::uint32_t block, std::uint32_t other) {
  std::vector<LiveInterval> all = intervals[block];
  all.insert(all.end(), intervals[other].begin(), intervals[other].end());
  std::sort(all.begin(), all.end(),
            [](const LiveInterval &a, const LiveInterval &b) {
              return a.first < b.first;
            });
  intervals[block].clear();
  for (const LiveInterval &interval : all)
    addInterval(intervals[block], interval.first, interval.last);
}

} // namespace poplar::core
