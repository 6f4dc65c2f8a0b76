// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over the steps of the program: always-live bytes at the bottom, the others above. A
// click lists the live variables.

function livenessView(model, other) {
  const { liveness, programs } = model.report;
  if (!liveness)
    return [make("p", {}, "The executable has no record of when variables are live.")];
  const live = model.liveBytes(), { memory } = model.summary, floor = memory.always_live_bytes;
  const otherLive = other?.report.liveness ? other.liveBytes() : null;
  const otherFloor = other?.summary.memory.always_live_bytes ?? 0;
  const most = list => list?.reduce((all, value) => Math.max(all, value), 0) ?? 0;
  const top = Math.max(floor + most(live), otherFloor + most(otherLive), 1);
  let picked = memory.peak_step;
  const curve = (context, width, height, list, base) => {
    context.beginPath();
    for (let pixel = 0; pixel <= width; ++pixel) {
      const begin = Math.floor(pixel / width * list.length), end = Math.max(begin + 1, Math.floor((pixel + 1) / width * list.length));
      let value = 0;
      for (let i = begin; i < end && i < list.length; ++i)
        value = Math.max(value, list[i]);
      context.lineTo(pixel, height - (base + value) / top * (height - 16));
    }
  };
  const picture = canvas(240, (context, width, height) => {
    curve(context, width, height, live, floor);
    context.lineTo(width, height);
    context.lineTo(0, height);
    context.fillStyle = colour("exchange");
    context.fill();
    const base = floor / top * (height - 16);
    context.fillStyle = colour("dim");
    context.fillRect(0, height - base, width, base);
    if (otherLive) {
      curve(context, width, height, otherLive, otherFloor);
      context.strokeStyle = colour("bad");
      context.stroke();
    }
    context.fillStyle = colour("text");
    context.fillText(bytesText(top), 4, 11);
    const x = (picked + 0.5) / live.length * width;
    context.fillRect(x, 0, 1.5, height);
  }, "live bytes over steps");
  const momentAt = event => Math.min(live.length - 1, Math.floor(event.offsetX / picture.clientWidth * live.length));
  const describe = moment => {
    const program = programs[liveness.program_at[moment]];
    return `${Kinds[program.kind] ?? "?"} ${model.path(program)}`;
  };
  const details = make("div", { id: "live-details" });
  const pick = moment => {
    picked = moment;
    picture.redraw();
    details.replaceChildren(make("h2", {}, `Live at step ${moment}: ${bytesText(live[moment])} beside what always is`),
      make("p", {}, describe(moment)), table([
        { name: "variable", text: true, value: row => row[0] },
        { name: "bytes", value: row => row[1], show: grouped }], model.liveVariables(moment), { sort: 1 }));
  };
  picture.addEventListener("pointermove", event => live.length && showTip(event, `step ${momentAt(event)}: ${describe(momentAt(event))}\n${bytesText(live[momentAt(event)])} + ${bytesText(floor)}`));
  picture.addEventListener("pointerleave", hideTip);
  picture.addEventListener("click", event => live.length && pick(momentAt(event)));
  picture.addEventListener("keydown", event => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (move)
      pick(Math.max(0, Math.min(live.length - 1, picked + move)));
  });
  if (live.length)
    pick(picked);
  return [legend([["always live " + bytesText(floor), "var(--dim)"], ["live for a time", "var(--exchange)"], ...otherLive ? [["target", "var(--bad)"]] : []]), picture, details];
}
