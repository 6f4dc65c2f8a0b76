// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures over tiles. All of them begin at the same place, so that a tile is below itself.

const TileLeft = 130;

/// Columns of a picture: { x, width, tile }. Tiles that share a pixel show the one with the most.
function tileColumns(tiles, span, amount) {
  const columns = [];
  if (tiles <= span) {
    for (let tile = 0; tile < tiles; ++tile)
      columns.push({ x: tile / tiles * span, width: span / tiles, tile });
    return columns;
  }
  for (let pixel = 0; pixel < span; ++pixel) {
    const begin = Math.floor(pixel / span * tiles), end = Math.min(tiles, Math.floor((pixel + 1) / span * tiles));
    let best = begin;
    for (let tile = begin; tile < end; ++tile)
      if (amount(tile) > amount(best))
        best = tile;
    columns.push({ x: pixel, width: 1, tile: best });
  }
  return columns;
}

const tileAt = (event, picture, tiles) => Math.max(0, Math.min(tiles - 1,
  Math.floor((event.offsetX - TileLeft) / (picture.clientWidth - TileLeft) * tiles)));

/// Bars over tiles: lists [{ name, list, fill }] are stacked. `limit`: a line, where it is near.
function tileGraph(model, lists, { limit = 0, show = grouped, scale = (top, most) => wholeTicks(0, top, most), onpick } = {}) {
  const { tiles } = model, Below = 20, Above = 14, sums = new Float64Array(tiles);
  for (const { list } of lists)
    for (let tile = 0; tile < tiles; ++tile)
      sums[tile] += list[tile];
  const most = sums.reduce((all, value) => Math.max(all, value), 0);
  const top = (most * 4 > limit ? Math.max(limit, most) : most) || 1;
  const picture = canvas(200, (context, width, height) => {
    const bottom = height - Below, y = value => bottom - value / top * (bottom - Above);
    leftScale(context, TileLeft, width, scale(top, 5), y, show);
    for (const { x, width: wide, tile } of tileColumns(tiles, Math.floor(width - TileLeft), of => sums[of])) {
      let below = 0;
      for (const { list, fill } of lists) {
        if (!list[tile])
          continue;
        context.fillStyle = fill;
        context.fillRect(TileLeft + x, y(below + list[tile]), wide, y(below) - y(below + list[tile]));
        below += list[tile];
      }
    }
    if (limit && limit <= top) {
      context.fillStyle = colour("bad");
      context.fillRect(TileLeft, y(limit), width - TileLeft, 1.5);
    }
    tileScale(context, model, TileLeft, width, bottom);
  }, lists.length > 1 ? "numbers by tile, stacked" : lists[0].name + " by tile");
  picture.addEventListener("pointermove", event => {
    const tile = tileAt(event, picture, tiles);
    showTip(event, tileText(tile, lists, show));
  });
  picture.addEventListener("pointerleave", hideTip);
  if (onpick)
    picture.addEventListener("click", event => onpick(tileAt(event, picture, tiles)));
  return picture;
}

/// The values of a tile in each list, and their sum.
function tileText(tile, lists, show) {
  const shown = lists.filter(({ list }) => list[tile]), sum = shown.reduce((all, { list }) => all + list[tile], 0);
  return [`tile ${tile}`, ...shown.map(({ name, list }) => `${name}: ${show(list[tile])}`),
    ...shown.length > 1 ? [`together ${show(sum)}`] : []].join("\n");
}
