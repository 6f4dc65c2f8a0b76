// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executed steps over cycles: an overview, layers, steps by activity, and the tiles of the
// step that is picked. Wheel and + - zoom, dragging and arrows move. What is narrower than a
// pixel is drawn once a pixel, so a view never draws more than its width.

function timelineView(model) {
  const executed = model.domains.filter(domain => domain.window?.program.length);
  if (!executed.length)
    return [make("p", {}, "The report has no executed steps: run the program with ipu-run --report.")];
  // Domains have clocks of their own; all pictures have one scale.
  const total = executed.reduce((most, { window }) => Math.max(most, window.start.at(-1) + window.cycles.at(-1)), 0);
  return executed.flatMap(domain => [...executed.length < 2 ? []
    : [make("h2", {}, `Tiles ${domain.first_tile} to ${domain.first_tile + domain.tiles - 1}`)], ...domainTimeline(model, domain, total)]);
}

function domainTimeline(model, domain, total) {
  const { report } = model, { program, start, cycles, sync } = domain.window, count = program.length;
  const end = i => start[i] + cycles[i];
  let from = 0, to = total, picked = -1;
  const layers = layerSpans(model, domain);

  const firstAt = cycle => { // the first step that ends behind it
    let low = 0, high = count;
    while (low < high) {
      const middle = low + high >> 1;
      if (end(middle) > cycle) high = middle; else low = middle + 1;
    }
    return low;
  };
  const x = (cycle, width) => (cycle - from) / (to - from) * width;

  const Height = 170, LayerTop = 44, LayerHeight = 30, StepTop = 84, StepHeight = 60;
  const draw = (context, width) => {
    const text = colour("text"), back = colour("back");
    drawOverview(context, width);
    const label = (name, left, right, y) => {
      if (right - left > 40) {
        context.save();
        context.beginPath();
        context.rect(left, y - 12, right - left - 3, 16);
        context.clip();
        context.fillStyle = "#111";
        context.fillText(name, Math.max(left, 0) + 4, y);
        context.restore();
      }
    };
    for (const span of layers) {
      if (span.end < from || span.begin > to)
        continue;
      const left = x(span.begin, width), right = Math.max(left + 0.5, x(span.end, width));
      context.fillStyle = hue(span.op);
      context.fillRect(left, LayerTop, right - left, LayerHeight);
      label(report.operators[span.op].name, Math.max(left, 0), Math.min(right, width), LayerTop + 19);
    }
    let last = -1;
    for (let i = firstAt(from); i < count && start[i] < to; ++i) {
      const left = x(start[i], width), work = x(start[i] + sync[i], width), right = x(end(i), width);
      if (right - left < 1 && Math.floor(left) === last)
        continue;
      last = Math.floor(left);
      const of = report.programs[program[i]];
      if (sync[i]) {
        context.fillStyle = colours.sync;
        context.fillRect(left, StepTop, Math.max(0.5, work - left), StepHeight);
      }
      context.fillStyle = colours[model.activity(of)];
      context.fillRect(work, StepTop, Math.max(0.7, right - work), StepHeight);
      if (right - work > 3) {
        context.strokeStyle = back;
        context.strokeRect(work, StepTop, right - work, StepHeight);
        label(model.path(of), Math.max(work, 0), Math.min(right, width), StepTop + 34);
      }
      if (i === picked) {
        context.strokeStyle = text;
        context.lineWidth = 2;
        context.strokeRect(left, StepTop - 2, Math.max(2, right - left), StepHeight + 4);
        context.lineWidth = 1;
      }
    }
    context.fillStyle = colour("dim");
    context.fillText(grouped(from), 4, Height - 8);
    const right = grouped(to) + " cycles";
    context.fillText(right, width - context.measureText(right).width - 4, Height - 8);
  };
  const colours = Object.fromEntries(Activities.map(name => [name, colour(name)]));
  const drawOverview = (context, width) => {
    let i = 0;
    for (let pixel = 0; pixel < width; ++pixel) {
      const cycle = (pixel + 0.5) / width * total;
      while (i + 1 < count && end(i) <= cycle)
        ++i;
      if (end(i) < cycle)
        break;
      const of = report.programs[program[i]];
      context.fillStyle = cycle < start[i] + sync[i] ? colours.sync : colours[model.activity(of)];
      context.fillRect(pixel, 4, 1, 24);
    }
    context.strokeStyle = colour("text");
    context.lineWidth = 2;
    context.strokeRect(from / total * width, 2, Math.max(3, (to - from) / total * width), 28);
    context.lineWidth = 1;
  };
  const picture = canvas(Height, draw, "executed steps over cycles");
  const setRange = (a, b) => {
    const length = Math.min(total, Math.max(10, b - a));
    from = Math.max(0, Math.min(total - length, a));
    to = from + length;
    picture.redraw();
  };
  const zoom = (factor, at = (from + to) / 2) => setRange(at - (at - from) * factor, at + (to - at) * factor);
  const cycleAt = event => from + (event.offsetX / picture.clientWidth) * (to - from);
  picture.addEventListener("wheel", event => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, cycleAt(event));
  }, { passive: false });
  let drag = null;
  picture.addEventListener("pointerdown", event => {
    drag = { x: event.offsetX, from, to, overview: event.offsetY < 34, moved: false };
    picture.setPointerCapture(event.pointerId);
  });
  picture.addEventListener("pointermove", event => {
    if (drag) {
      const moved = event.offsetX - drag.x;
      drag.moved ||= Math.abs(moved) > 3;
      const scale = drag.overview ? -total / picture.clientWidth : (drag.to - drag.from) / picture.clientWidth;
      if (drag.moved)
        setRange(drag.from - moved * scale, drag.to - moved * scale);
      return;
    }
    const i = Math.min(count - 1, firstAt(cycleAt(event)));
    const of = report.programs[program[i]];
    showTip(event, `${Kinds[of.kind] ?? "?"} ${model.path(of)}\n${grouped(cycles[i] - sync[i])} cycles from ${grouped(start[i] + sync[i])}` +
      (sync[i] ? `, after ${grouped(sync[i])} of sync` : ""));
  });
  picture.addEventListener("pointerup", event => {
    if (drag && !drag.moved) {
      if (drag.overview) {
        const middle = event.offsetX / picture.clientWidth * total, half = (to - from) / 2;
        setRange(middle - half, middle + half);
      } else
        pick(Math.min(count - 1, firstAt(cycleAt(event))));
    }
    drag = null;
  });
  picture.addEventListener("pointerleave", hideTip);
  picture.addEventListener("keydown", event => {
    const step = (to - from) / 8;
    const actions = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), w: () => zoom(0.5), s: () => zoom(2),
      ArrowLeft: () => setRange(from - step, to - step), ArrowRight: () => setRange(from + step, to + step),
      a: () => setRange(from - step, to - step), d: () => setRange(from + step, to + step), Home: () => setRange(0, total),
      n: () => pick(Math.min(count - 1, picked + 1)), p: () => pick(Math.max(0, picked - 1)) };
    if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    }
  });

  const details = make("div", { class: "step-details" });
  const pick = i => {
    picked = i;
    if (start[i] > to || end(i) < from)
      setRange(start[i] - (to - from) / 2, start[i] + (to - from) / 2);
    picture.redraw();
    details.replaceChildren(...stepDetails(model, domain, i));
    details.querySelector("canvas")?.redraw();
  };
  const found = make("span", { class: "dim" });
  const find = wanted => {
    let hits = 0, first = -1;
    for (let i = 0; wanted && i < count; ++i)
      if (model.path(report.programs[program[i]]).includes(wanted)) {
        ++hits;
        if (first < 0 || first <= picked && i > picked)
          first = i;
      }
    found.textContent = wanted ? `${grouped(hits)} steps` : "";
    if (first >= 0)
      pick(first);
  };
  return [make("div", { class: "tools" }, search("find a step", find), found,
    make("button", { onclick: () => zoom(0.5) }, "zoom in"), make("button", { onclick: () => zoom(2) }, "zoom out"),
    make("button", { onclick: () => setRange(0, total) }, "all"),
    make("span", { class: "dim" }, domain.left_out ? `the first ${grouped(count)} steps; ${grouped(domain.left_out)} more are in sums only` : `${grouped(count)} steps`)),
    legend(Activities.map(name => [name, `var(--${name})`])), picture, details];
}

/// Steps of one operator that follow each other.
function layerSpans(model, domain) {
  const { program, start, cycles } = domain.window, spans = [];
  for (let i = 0; i < program.length; ++i) {
    const [op] = model.report.programs[program[i]].operators;
    if (op === undefined)
      continue;
    const last = spans.at(-1);
    if (last?.op === op && last.step === i - 1)
      Object.assign(last, { step: i, end: start[i] + cycles[i] });
    else
      spans.push({ op, step: i, begin: start[i], end: start[i] + cycles[i] });
  }
  return spans;
}

function stepDetails(model, domain, i) {
  const { window } = domain, program = model.report.programs[window.program[i]];
  const byTile = model.tileCycles(program), taken = window.cycles[i] - window.sync[i];
  const facts = [`${Kinds[program.kind]} ${model.path(program)}`, `${grouped(taken)} cycles`];
  if (program.kind === 1)
    facts.push(...model.report.compute_sets[program.index].types.map(type =>
      `${grouped(type.count)} × ${model.report.vertex_types[type.type].name}`));
  if (program.kind === 2) {
    const exchange = model.report.exchanges[program.index];
    facts.push(`${bytesText(exchange.bytes)} between tiles, ${bytesText(exchange.local_bytes)} within tiles`,
      `tile ${exchange.most_tile} receives most, ${bytesText(exchange.most_received)}`);
  }
  const view = [make("h2", {}, `Step ${i}`), make("div", { class: "box" }, ...facts.map(fact => make("div", {}, fact)))];
  if (byTile)
    view.push(make("h2", {}, "Cycles by tile"), tileGraph(byTile, [["cycles", byTile, colour(model.activity(program))]], taken, grouped));
  return view;
}

/// Bars over tiles; several lists are stacked. Tiles that share a pixel show the highest.
function tileGraph(first, lists, limit, show, onpick) {
  const picture = canvas(160, (context, width, height) => {
    // The limit is shown where it is near.
    const tiles = first.length, most = highest(lists), top = (most * 4 > limit ? Math.max(limit, most) : most) || 1;
    for (let pixel = 0; pixel < width; ++pixel) {
      const begin = Math.floor(pixel / width * tiles), last = Math.max(begin + 1, Math.floor((pixel + 1) / width * tiles));
      let best = begin, sumOfBest = -1;
      for (let tile = begin; tile < last && tile < tiles; ++tile) {
        const sum = lists.reduce((all, [, list]) => all + list[tile], 0);
        if (sum > sumOfBest)
          [sumOfBest, best] = [sum, tile];
      }
      let y = height;
      for (const [, list, fill] of lists) {
        const size = list[best] / top * (height - 14);
        context.fillStyle = fill;
        context.fillRect(pixel, y - size, 1, size);
        y -= size;
      }
    }
    if (limit && limit <= top) {
      const y = height - limit / top * (height - 14);
      context.strokeStyle = colour("bad");
      context.beginPath();
      context.moveTo(0, y);
      context.lineTo(width, y);
      context.stroke();
    }
    context.fillStyle = colour("dim");
    context.fillText(show(top), 4, 11);
  }, "numbers by tile");
  const tileAt = event => Math.min(first.length - 1, Math.floor(event.offsetX / picture.clientWidth * first.length));
  picture.addEventListener("pointermove", event => showTip(event, `tile ${tileAt(event)}\n` +
    lists.filter(([, list]) => list[tileAt(event)]).map(([name, list]) => `${name}: ${show(list[tileAt(event)])}`).join("\n")));
  picture.addEventListener("pointerleave", hideTip);
  if (onpick)
    picture.addEventListener("click", event => onpick(tileAt(event)));
  return picture;
}

function highest(lists) {
  let most = 0;
  for (let tile = 0; tile < lists[0][1].length; ++tile)
    most = Math.max(most, lists.reduce((all, [, list]) => all + list[tile], 0));
  return most;
}
