// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address keeps what is looked at: "#timeline&t=0-1200&step=0.5" names a view and its values.
// Values of the second report begin with "b.". Browsers limit how often an address may be written,
// so changes are collected for a moment.

const address = { view: "", values: new Map(), timer: 0 };

address.read = () => {
  const [view, ...pairs] = location.hash.slice(1).split("&");
  address.view = view;
  address.values = new Map(pairs.map(pair => {
    const equals = pair.indexOf("=");
    try {
      return [pair.slice(0, equals), decodeURIComponent(pair.slice(equals + 1))];
    } catch {
      return ["", ""]; // a broken escape
    }
  }));
};

address.text = (view = address.view, values = address.values) => "#" + [view, ...[...values]
  .filter(([key, value]) => key && value !== "").map(([key, value]) => `${key}=${encodeURIComponent(value)}`)].join("&");

/// Writes the address at once; `isNew`: the browser's way back leads to the one before.
address.write = (isNew = false) => {
  clearTimeout(address.timer);
  address.timer = 0;
  if (location.hash !== address.text())
    history[isNew ? "pushState" : "replaceState"](null, "", address.text());
};

address.set = (key, value) => {
  address.values.set(key, String(value));
  address.timer ||= setTimeout(address.write, 200);
};

/// The values of one report: get(key) is "" if there is none.
const valuesOf = prefix => ({
  prefix,
  get: key => address.values.get(prefix + key) ?? "",
  set: (key, value) => address.set(prefix + key, value),
});

/// A value of a report for addresses, with the side that shows it.
function placeOf({ prefix }, key, value) {
  const side = address.values.get("side") ?? "", own = prefix ? "after" : side === "after" ? "before" : side;
  const found = key === "find" ? { [prefix + "step"]: "", [prefix + "t"]: "" } : {}; // those of another search
  return { ...found, [prefix + key]: value, side: side === "both" ? side : own };
}

/// The address of a view with other values.
function addressOf(view, values) {
  const all = new Map(address.values);
  for (const [key, value] of Object.entries(values))
    all.set(key, String(value));
  return address.text(view, all);
}

/// The address is written first, so that the way back leads to what is shown now.
const link = (text, view, values) => make("a", { href: addressOf(view, values), onclick: () => address.write() }, text);
