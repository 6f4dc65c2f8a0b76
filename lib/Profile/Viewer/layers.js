// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of the model: a table, and a roofline plot of those whose operations are known.

function layersView(model) {
  const { summary } = model, all = summary.layers, sum = summary.cycles?.total;
  const details = make("div", { class: "box", id: "layer-details" }, "Pick a layer.");
  const pick = layer => details.replaceChildren(make("b", {}, layer.name), make("div", {}, layer.kind),
    ...Activities.map(name => make("div", {}, `${name}: ${grouped(layer[name])} cycles`)),
    make("div", {}, `${grouped(layer.exchanged_bytes)} bytes exchanged, ${bytesText(layer.memory_bytes)} of variables`),
    layer.cycles ? activityBar({ ...layer, total: layer.cycles }) : "");
  const list = table([
    { name: "cycles", value: layer => layer.cycles, show: grouped },
    { name: "share", value: layer => layer.cycles, show: cycles => percent(cycles, sum) },
    ...["compute", "exchange", "sync"].map(name => ({ name, value: layer => layer[name], show: grouped })),
    { name: "tiles", value: layer => layer.tiles, show: grouped },
    { name: "FLOP", value: layer => layer.flops, show: flops => flops ? flops.toExponential(2) : "" },
    { name: "of peak", value: layer => layer.share_of_peak, show: share => share ? (100 * share).toFixed(1) + " %" : "" },
    { name: "memory", value: layer => layer.memory_bytes, show: bytesText },
    { name: "layer", text: true, value: layer => layer.name },
    { name: "kind", text: true, value: layer => layer.kind }], all, { sort: 0, onpick: pick });
  const find = wanted => list.setRows(all.filter(layer => (layer.name + " " + layer.kind).toLowerCase().includes(wanted.toLowerCase())));
  return [make("div", { class: "tools" }, search("filter layers", find)), list, details, ...roofline(model, pick)];
}

function roofline(model, pick) {
  const { target, operators } = model.report;
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
  const X = (value, width) => 50 + Math.log(value / low.x) / Math.log(high.x / low.x) * (width - 60);
  const Y = (value, height) => height - 22 - Math.log(value / low.y) / Math.log(high.y / low.y) * (height - 36);
  const picture = canvas(300, (context, width, height) => {
    context.strokeStyle = colour("dim");
    context.fillStyle = colour("dim");
    for (const [limit, name] of [[peak, "peak, 4 bytes"], [halfPeak, "peak, 2 bytes"]]) {
      context.beginPath();
      context.moveTo(X(low.x, width), Y(Math.max(low.y, Math.min(limit, bandwidth * low.x)), height));
      context.lineTo(X(limit / bandwidth, width), Y(limit, height));
      context.lineTo(X(high.x, width), Y(limit, height));
      context.stroke();
      context.fillText(name, width - 110, Y(limit, height) - 4);
    }
    context.fillText("FLOP a cycle", 4, 11);
    context.fillText("FLOP a byte of inputs and results; the slope is the exchange's bandwidth", 50, height - 6);
    for (const point of points) {
      context.fillStyle = colour("compute") + "b0";
      context.beginPath();
      context.arc(X(point.intensity, width), Y(point.rate, height), radius(point), 0, 7);
      context.fill();
    }
  }, "roofline plot of layers");
  const radius = point => 3 + 12 * Math.sqrt(point.layer.share);
  const nearest = event => {
    let best = null, least = 400;
    for (const point of points) {
      const distance = (X(point.intensity, picture.clientWidth) - event.offsetX) ** 2 + (Y(point.rate, 300) - event.offsetY) ** 2;
      if (distance < least)
        [best, least] = [point, distance];
    }
    return best;
  };
  picture.addEventListener("pointermove", event => {
    const point = nearest(event);
    showTip(event, point ? `${point.layer.name}\n${grouped(point.rate)} FLOP a cycle, ${(100 * point.layer.share_of_peak).toFixed(1)} % of peak` : "");
  });
  picture.addEventListener("pointerleave", hideTip);
  picture.addEventListener("click", event => nearest(event) && pick(nearest(event).layer));
  return [make("h2", {}, "Roofline"), picture];
}
