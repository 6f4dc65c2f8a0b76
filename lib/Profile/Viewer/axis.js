// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales of pictures: round numbers with a line at each of them, and the borders of IPUs.

/// Multiples of 1, 2 or 5 times a power of ten in a range, about `most` of them.
function ticks(from, to, most) {
  const rough = Math.max((to - from) / Math.max(1, most), 1e-12), power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(factor => factor * power >= rough * 0.999);
  const list = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i)
    list.push(i * step);
  return list;
}

/// The same of whole numbers.
const wholeTicks = (from, to, most) => ticks(from, to, Math.max(1, Math.min(most, Math.floor(to - from)))).filter(Number.isInteger);

/// The same of bytes, in powers of two.
function byteTicks(to, most) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, to) / most)));
  return Array.from({ length: Math.floor(to / step) + 1 }, (_, i) => i * step);
}

/// Powers of ten in a range.
function decades(from, to) {
  const list = [];
  for (let power = Math.ceil(Math.log10(from)); 10 ** power <= to; ++power)
    list.push(10 ** power);
  return list;
}

/// A number and a line for each value: y(value) is where.
function leftScale(context, left, width, values, y, show) {
  for (const value of values) {
    context.fillStyle = colour("line");
    context.fillRect(left, Math.round(y(value)), width - left, 1);
    context.fillStyle = colour("dim");
    const text = show(value);
    context.fillText(text, Math.max(2, left - context.measureText(text).width - 6), Math.max(10, y(value) + 4));
  }
}

/// Numbers below a picture: x(value) is where.
function bottomScale(context, values, x, y, width, show = grouped) {
  for (const value of values) {
    context.fillStyle = colour("dim");
    context.fillRect(Math.round(x(value)), y - 14, 1, 4);
    const text = show(value), wide = context.measureText(text).width;
    context.fillText(text, Math.max(2, Math.min(width - wide - 2, x(value) - wide / 2)), y);
  }
}

/// Numbers of tiles below a picture, and the borders of IPUs across it.
function tileScale(context, model, left, width, bottom) {
  const { ipus, tiles_per_ipu: each } = model.report.target, scale = (width - left) / model.tiles;
  const last = model.tiles - 1;
  bottomScale(context, wholeTicks(0, last, (width - left) / 90), tile => left + (tile + 0.5) * scale, bottom + 15, width,
    tile => tile ? grouped(tile) : "tile 0");
  if (ipus < 2)
    return;
  for (let ipu = 0; ipu < ipus; ++ipu) {
    context.fillStyle = colour("text");
    if (ipu)
      context.fillRect(Math.round(left + ipu * each * scale), 0, 1, bottom);
    if (each * scale > 40)
      context.fillText("IPU " + ipu, left + ipu * each * scale + 4, 11);
  }
}

/// The beginning of a text that fits into a width.
function fitting(text, width) {
  const letters = Math.floor(width / 6);
  return text.length <= letters ? text : letters < 3 ? "" : text.slice(0, letters - 1) + "…";
}
