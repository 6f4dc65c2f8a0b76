// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host timeline: the runs of the report, and the spans that programs traced, by
// thread. Wheel and + - zoom, dragging and arrows move.

function hostView(model) {
  const block = document.getElementById("host"), traced = block ? JSON.parse(block.textContent) : { names: [], threads: [], left_out: 0 };
  const lanes = traced.threads.map(thread => ({ name: thread.name, spans: unpackSpans(thread.spans, traced.names) }));
  const runs = model.report.execution?.runs ?? [];
  if (runs.length)
    lanes.unshift({ name: "runs of the report", spans: runs.map((run, i) => ({ name: run.name || `run ${i}`, begin: run.begin, length: run.end - run.begin, depth: 0 })) });
  if (!lanes.length)
    return [make("p", {}, "Nothing is known of the host: run programs with PVTI_OPTIONS, and give ipu-report their files (--host-trace).")];
  const list = table([
    { name: "own ms", value: row => row.own / 1e6, show: value => value.toFixed(3), sum: true },
    { name: "total ms", value: row => row.total / 1e6, show: value => value.toFixed(3) },
    { name: "times", value: row => row.times, show: grouped },
    { name: "longest ms", value: row => row.longest / 1e6, show: value => value.toFixed(3) },
    { name: "span", text: true, value: row => row.name }], spanSums(lanes), { sort: 0, name: "spans of the host" });
  const rows = spanSums(lanes);
  return [make("div", { class: "tools" }, search("filter spans", wanted => list.setRows(rows.filter(row => matches(row.name, wanted)))),
    make("span", { class: "dim" }, traced.left_out ? `${grouped(traced.left_out)} shorter spans are left out` : "")),
    ...lanes.flatMap(lane => [make("h2", {}, lane.name), figure(laneGraph(lane))]), make("h2", {}, "Spans by name"), list];
}

function unpackSpans(numbers, names) {
  const spans = [];
  for (let i = 0; i < numbers.length; i += 4)
    spans.push({ name: names[numbers[i]], begin: numbers[i + 1], length: numbers[i + 2], depth: numbers[i + 3] });
  return spans;
}

/// By name; own time is what no span inside of another one has.
function spanSums(lanes) {
  const sums = new Map();
  for (const { spans } of lanes) {
    const open = [];
    for (const { name, length, depth } of spans) {
      const sum = sums.get(name) ?? { name, times: 0, total: 0, own: 0, longest: 0 };
      sums.set(name, sum);
      ++sum.times;
      sum.total += length;
      sum.own += length;
      sum.longest = Math.max(sum.longest, length);
      open.length = Math.min(open.length, depth);
      if (open.length)
        open.at(-1).own -= length;
      open.push(sum);
    }
  }
  return [...sums.values()];
}

/// Spans of a thread, those inside of others below them.
function laneGraph({ name, spans }) {
  const Row = 20, deepest = spans.reduce((most, span) => Math.max(most, span.depth), 0);
  const total = spans.reduce((most, span) => Math.max(most, span.begin + span.length), 1);
  const first = spans.reduce((least, span) => Math.min(least, span.begin), total);
  let from = first, to = total;
  const picture = canvas((deepest + 1) * Row + 18, (context, width, height) => {
    const drawn = new Map(); // by row, the last pixel that is taken
    for (const span of spans) {
      const left = (span.begin - from) / (to - from) * width, right = (span.begin + span.length - from) / (to - from) * width;
      if (right < 0 || left > width || right - left < 1 && drawn.get(span.depth) === Math.floor(left))
        continue;
      drawn.set(span.depth, Math.floor(left));
      context.fillStyle = hue(hashOf(span.name));
      context.fillRect(left, span.depth * Row, Math.max(0.7, right - left), Row - 2);
      if (right - left > 30) {
        context.fillStyle = "#111";
        context.fillText(fitting(span.name, right - Math.max(left, 0) - 6), Math.max(left, 0) + 4, span.depth * Row + 13);
      }
    }
    bottomScale(context, ticks(from, to, width / 130), time => (time - from) / (to - from) * width, height - 4, width, time => seconds(time / 1e9));
  }, "spans of " + name);
  const setRange = (a, b) => {
    const length = Math.min(total - first, Math.max(100, b - a));
    from = Math.max(first, Math.min(total - length, a));
    to = from + length;
    picture.redraw();
  };
  const timeAt = event => from + event.offsetX / picture.clientWidth * (to - from);
  const zoom = (factor, at = (from + to) / 2) => setRange(at - (at - from) * factor, at + (to - at) * factor);
  panAndZoom(picture, { zoom, at: timeAt, range: () => [from, to], setRange, all: () => setRange(first, total) });
  picture.addEventListener("pointermove", event => {
    const time = timeAt(event), depth = Math.floor(event.offsetY / Row);
    const span = spans.find(({ begin, length, depth: of }) => of === depth && begin <= time && time < begin + length);
    showTip(event, span ? `${span.name}\n${seconds(span.length / 1e9)} from ${seconds(span.begin / 1e9)}` : "");
  });
  picture.addEventListener("pointerleave", hideTip);
  return picture;
}

function hashOf(text) {
  let hash = 0;
  for (const letter of text)
    hash = (hash * 31 + letter.codePointAt(0)) % 65521;
  return hash;
}

/// Wheel, + -, arrows and dragging move and scale what a picture shows.
function panAndZoom(picture, { zoom, at, range, setRange, all }) {
  picture.addEventListener("wheel", event => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event));
  }, { passive: false });
  let drag = null;
  picture.addEventListener("pointerdown", event => {
    drag = { x: event.offsetX, range: range() };
    picture.setPointerCapture(event.pointerId);
  });
  picture.addEventListener("pointermove", event => {
    if (!drag)
      return;
    const [from, to] = drag.range, moved = (event.offsetX - drag.x) / picture.clientWidth * (to - from);
    setRange(from - moved, to - moved);
  });
  picture.addEventListener("pointerup", () => { drag = null; });
  picture.addEventListener("keydown", event => {
    const [from, to] = range(), step = (to - from) / 8;
    const actions = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), Home: all,
      ArrowLeft: () => setRange(from - step, to - step), ArrowRight: () => setRange(from + step, to + step) };
    if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    }
  });
}
