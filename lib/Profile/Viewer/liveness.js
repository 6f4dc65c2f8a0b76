// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over the steps of the program: always-live bytes at the bottom, unless they are hidden,
// the others above. A click lists the live variables.

function livenessView(model, other) {
  const { liveness, programs } = model.report;
  if (!liveness)
    return [make("p", {}, "The executable has no record of when variables are live.")];
  const Left = 74, Below = 20, { values } = model, { memory } = model.summary;
  const live = model.liveBytes(), otherLive = other?.report.liveness ? other.liveBytes() : null;
  let hides = values.get("always") === "hide", which = values.get("live") || "passing";
  let picked = values.get("moment") !== "" && +values.get("moment") < live.length ? +values.get("moment") : memory.peak_step;
  const most = list => list?.reduce((all, value) => Math.max(all, value), 0) ?? 0;
  const floor = () => hides ? 0 : memory.always_live_bytes, otherFloor = () => hides ? 0 : other?.summary.memory.always_live_bytes ?? 0;
  const top = () => Math.max(floor() + most(live), otherFloor() + most(otherLive), 1);

  const curve = (context, width, list, base, y) => {
    const span = width - Left;
    context.beginPath();
    for (let pixel = 0; pixel <= span; ++pixel) {
      const begin = Math.floor(pixel / span * list.length), end = Math.max(begin + 1, Math.floor((pixel + 1) / span * list.length));
      let value = 0;
      for (let i = begin; i < end && i < list.length; ++i)
        value = Math.max(value, list[i]);
      context.lineTo(Left + pixel, y(base + value));
    }
  };
  const picture = canvas(280, (context, width, height) => {
    const bottom = height - Below, y = value => bottom - value / top() * (bottom - 10);
    leftScale(context, Left, width, byteTicks(top(), 6), y, bytesText);
    curve(context, width, live, floor(), y);
    context.lineTo(width, bottom);
    context.lineTo(Left, bottom);
    context.fillStyle = colour("exchange");
    context.fill();
    context.fillStyle = colour("dim");
    context.fillRect(Left, y(floor()), width - Left, bottom - y(floor()));
    if (otherLive) {
      curve(context, width, otherLive, otherFloor(), y);
      context.strokeStyle = colour("bad");
      context.stroke();
    }
    bottomScale(context, wholeTicks(0, live.length, (width - Left) / 90), step => Left + step / Math.max(1, live.length) * (width - Left), height - 5, width, step => step ? grouped(step) : "step 0");
    context.fillStyle = colour("text");
    context.fillRect(Left + (picked + 0.5) / Math.max(1, live.length) * (width - Left), 0, 1.5, bottom);
  }, "live bytes over steps");
  const momentAt = event => Math.max(0, Math.min(live.length - 1, Math.floor((event.offsetX - Left) / (picture.clientWidth - Left) * live.length)));
  const describe = moment => {
    const program = programs[liveness.program_at[moment]];
    return `${Kinds[program.kind] ?? "?"} ${model.path(program)}`;
  };
  const details = make("div", { class: "live-details" });
  let filter = values.get("variable");
  const list = () => model.liveVariables({ moment: live.length ? picked : undefined, which }).filter(({ name }) => matches(name, filter));
  const showTable = () => {
    const rows = list(), sum = rows.reduce((all, row) => all + row.bytes, 0);
    const title = which === "always" ? `Always live: ${bytesText(sum)}` : !live.length ? "No step is recorded"
      : `Live at step ${picked}: ${bytesText(sum)}` + (which === "both" ? ", with what always is" : " beside what always is");
    details.replaceChildren(make("h2", {}, title), ...which === "always" || !live.length ? [] : [make("p", {}, describe(picked))], table([
      { name: "variable", text: true, value: row => row.name },
      { name: "bytes", value: row => row.bytes, show: grouped, sum: true },
      { name: "tiles", value: row => row.tiles, show: grouped },
      { name: "most on a tile", value: row => row.most, show: grouped },
      { name: "live", text: true, value: row => row.always ? "always" : "for a time" }], rows, { sort: 1, name: "live variables" }));
  };
  const pick = moment => {
    picked = moment;
    values.set("moment", moment);
    picture.redraw();
    showTable();
  };
  picture.addEventListener("pointermove", event => live.length && showTip(event, `step ${momentAt(event)}: ${describe(momentAt(event))}\n` +
    `${bytesText(live[momentAt(event)])} + ${bytesText(memory.always_live_bytes)} always = ${bytesText(live[momentAt(event)] + memory.always_live_bytes)}`));
  picture.addEventListener("pointerleave", hideTip);
  picture.addEventListener("click", event => live.length && pick(momentAt(event)));
  picture.addEventListener("keydown", event => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (move)
      pick(Math.max(0, Math.min(live.length - 1, picked + move)));
  });
  showTable();
  const hide = make("input", { type: "checkbox", checked: hides, onchange: event => {
    hides = event.target.checked;
    values.set("always", hides ? "hide" : "");
    picture.redraw();
  } });
  return [make("div", { class: "tools" }, make("label", {}, hide, " hide what is always live in the picture"),
    choice("list", [["passing", "what is live for a time"], ["always", "what is always live"], ["both", "both"]], which, value => {
      which = value;
      values.set("live", value);
      showTable();
    }), search("filter variables", wanted => {
      filter = wanted;
      values.set("variable", wanted);
      showTable();
    }, { value: filter })),
  legend([["always live " + bytesText(memory.always_live_bytes), "var(--dim)"], ["live for a time", "var(--exchange)"], ...otherLive ? [["after", "var(--bad)"]] : []]),
  figure(picture), details];
}
