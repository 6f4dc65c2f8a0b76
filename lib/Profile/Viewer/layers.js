// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of the model: a table, and a roofline plot of those whose operations are known. A click on
// a point leads to the timeline; the browser's way back leads here.

function layersView(model) {
  const { summary, values } = model, all = summary.layers, sum = summary.cycles?.total;
  const details = make("div", { class: "box layer-details" }, "Pick a layer.");
  const pick = layer => {
    values.set("layer", layer.name);
    details.replaceChildren(make("b", {}, layer.name), make("div", {}, layer.kind + (layer.phase ? ", " + layer.phase : "")),
      ...Activities.map(name => make("div", {}, `${name}: ${grouped(layer[name])} cycles`)),
      make("div", {}, `together ${grouped(layer.cycles)} cycles`),
      make("div", {}, `${grouped(layer.exchanged_bytes)} bytes exchanged, ${bytesText(layer.memory_bytes)} of variables`),
      layer.cycles ? activityBar({ ...layer, total: layer.cycles }) : "",
      make("div", {}, link("Show it in the timeline", "timeline", placeOf(model, "find", layer.name))));
  };
  const cyclesOf = name => ({ name, value: layer => layer[name], show: grouped, sum: true });
  const list = table([
    { name: "layer", text: true, value: layer => layer.name },
    cyclesOf("cycles"),
    { name: "share", value: layer => layer.cycles, show: cycles => percent(cycles, sum) },
    ...Activities.map(cyclesOf),
    { name: "tiles", value: layer => layer.tiles, show: grouped },
    { name: "FLOP", value: layer => layer.flops, show: flops => flops ? flops.toExponential(2) : "" },
    { name: "of peak", value: layer => layer.share_of_peak, show: share => share ? (100 * share).toFixed(1) + " %" : "" },
    { name: "memory", value: layer => layer.memory_bytes, show: bytesText, sum: true },
    ...model.isTraining ? [{ name: "phase", text: true, value: layer => layer.phase ?? "" }] : [],
    { name: "kind", text: true, value: layer => layer.kind }], all, { sort: 1, onpick: pick, name: "layers" });
  const find = wanted => list.setRows(all.filter(layer => matches(layer.name + " " + layer.kind, wanted)));
  const asked = all.find(layer => layer.name === values.get("layer"));
  if (asked)
    pick(asked);
  return [make("div", { class: "tools" }, search("filter layers", find), make("span", { class: "dim" }, restOf(model, all))), list, details, ...roofline(model, pick)];
}

/// Cycles that belong to no layer.
function restOf({ summary, domains }, layers) {
  if (!summary.cycles)
    return "";
  const inLayers = layers.reduce((all, layer) => all + layer.cycles, 0), { total } = summary.cycles;
  if (domains.length > 1)
    return `layers of all IPUs have ${grouped(inLayers)} cycles; a run takes ${grouped(total)}, because IPUs work at the same time`;
  return `${grouped(inLayers)} of ${grouped(total)} cycles are in layers, ${grouped(total - inLayers)} in none (streams, control, syncs)`;
}

function roofline(model, pick) {
  const { target, operators } = model.report, Left = 74, Below = 34;
  const byName = new Map(operators.map(op => [op.name, op]));
  const points = model.summary.layers.filter(layer => layer.flops && layer.cycles).map(layer => {
    const op = byName.get(layer.name), moved = (op.input_bytes + op.output_bytes) * layer.times;
    return { layer, intensity: layer.flops / Math.max(1, moved), rate: layer.flops / layer.cycles };
  });
  if (!points.length)
    return [];
  const peak = 2 * target.products_per_cycle * model.tiles, halfPeak = 2 * target.half_products_per_cycle * model.tiles;
  const bandwidth = target.exchange_bytes_per_cycle * model.tiles;
  const low = { x: Math.min(0.1, ...points.map(p => p.intensity)), y: Math.min(1, ...points.map(p => p.rate)) };
  const high = { x: Math.max(1000, ...points.map(p => p.intensity)), y: halfPeak * 2 };
  const X = (value, width) => Left + Math.log(value / low.x) / Math.log(high.x / low.x) * (width - Left - 10);
  const Y = (value, height) => height - Below - Math.log(value / low.y) / Math.log(high.y / low.y) * (height - Below - 14);
  const radius = point => 3 + 12 * Math.sqrt(point.layer.share);
  const short = value => value >= 1e3 ? grouped(value) : String(+value.toPrecision(1));
  const picture = canvas(340, (context, width, height) => {
    leftScale(context, Left, width, decades(low.y, high.y), value => Y(value, height), short);
    bottomScale(context, decades(low.x, high.x), value => X(value, width), height - 20, width, short);
    context.strokeStyle = context.fillStyle = colour("dim");
    for (const [limit, name] of [[peak, "peak, 4 bytes"], [halfPeak, "peak, 2 bytes"]]) {
      const turn = Math.max(low.x, limit / bandwidth), begin = bandwidth * low.x < low.y ? low.y / bandwidth : low.x;
      context.beginPath();
      context.moveTo(X(begin, width), Y(Math.min(limit, Math.max(low.y, bandwidth * begin)), height));
      context.lineTo(X(turn, width), Y(limit, height));
      context.lineTo(X(high.x, width), Y(limit, height));
      context.stroke();
      context.fillText(name, width - 80, Y(limit, height) - 4);
    }
    context.fillText("FLOP a cycle", Left + 4, 11);
    context.fillText("FLOP a byte of inputs and results; the slope is the exchange's bandwidth", Left, height - 4);
    for (const point of points) {
      context.globalAlpha = 0.7;
      context.fillStyle = colour("compute");
      context.beginPath();
      context.arc(X(point.intensity, width), Y(point.rate, height), radius(point), 0, 7);
      context.fill();
      context.globalAlpha = 1;
    }
  }, "roofline plot of layers");
  const nearest = event => {
    let best = null, least = 400;
    for (const point of points) {
      const distance = (X(point.intensity, picture.clientWidth) - event.offsetX) ** 2 + (Y(point.rate, picture.clientHeight) - event.offsetY) ** 2;
      if (distance < least)
        [best, least] = [point, distance];
    }
    return best;
  };
  picture.addEventListener("pointermove", event => {
    const point = nearest(event);
    showTip(event, point ? `${point.layer.name}\n${grouped(point.rate)} FLOP a cycle, ${(100 * point.layer.share_of_peak).toFixed(1)} % of peak\n` +
      `${point.intensity.toPrecision(3)} FLOP a byte` : "");
  });
  picture.addEventListener("pointerleave", hideTip);
  picture.addEventListener("click", event => {
    const point = nearest(event);
    if (!point)
      return;
    pick(point.layer);
    goTo("timeline", placeOf(model, "find", point.layer.name));
  });
  return [make("h2", {}, "Roofline"), figure(picture)];
}
