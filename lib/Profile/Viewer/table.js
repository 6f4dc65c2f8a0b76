// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that can be sorted and saved. A column is { name, text?, sum?, value(row), show?(value, row) };
// the last line has the sums of those that are asked for.

function table(columns, rows, { onpick, sort = -1, limit = 500, name = "table" } = {}) {
  const body = make("tbody"), foot = make("tfoot");
  const firstText = columns.find(column => column.text);
  let order = rows, by = sort, down = true;
  const text = (column, row) => {
    const value = column.value(row);
    return String(column.show ? column.show(value, row) : value);
  };
  const fill = () => {
    body.replaceChildren(...order.slice(0, limit).map(row => make("tr", onpick
      ? { tabindex: 0, onclick: () => onpick(row), onkeydown: e => e.key === "Enter" && e.target.tagName === "TR" && onpick(row) } : {},
      ...columns.map(column => make("td", column.text ? { class: "text" } : {}, text(column, row))))));
    if (order.length > limit)
      body.append(make("tr", {}, make("td", { class: "text dim", colspan: columns.length },
        `and ${grouped(order.length - limit)} more; search to narrow down, or save all as CSV`)));
    if (columns.some(column => column.sum) && order.length > 1)
      foot.replaceChildren(make("tr", {}, ...columns.map(column => make("td", column.text ? { class: "text" } : {},
        column.sum ? (column.show ?? String)(order.reduce((all, row) => all + column.value(row), 0), null) : column === firstText ? "sum" : ""))));
    else
      foot.replaceChildren();
  };
  const sortBy = index => {
    down = by === index ? !down : !columns[index].text;
    by = index;
    apply();
  };
  const apply = () => {
    if (by >= 0) {
      const { value } = columns[by];
      order = [...order].sort((a, b) => {
        const x = value(a), y = value(b);
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
      });
    }
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== by ? "none" : down ? "descending" : "ascending"));
    fill();
  };
  const heads = columns.map((column, index) => make("th", { class: column.text ? "text" : "", scope: "col" },
    make("button", { onclick: () => sortBy(index) }, column.name)));
  const saver = make("button", { class: "small", "aria-label": `save ${name} as CSV`, onclick: () => save(fileName(name, "csv"), "text/csv", element.csv()) }, "CSV");
  const element = make("div", { class: "table" }, make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": name }, make("table", {},
    make("thead", {}, make("tr", {}, ...heads)), body, foot)), make("div", { class: "exports" }, saver));
  element.setRows = list => { order = list; apply(); };
  element.csv = () => [columns.map(column => csvField(column.name)).join(","),
    ...order.map(row => columns.map(column => csvField(column.value(row))).join(","))].join("\r\n") + "\r\n";
  apply();
  return element;
}

/// A field of CSV (RFC 4180). A text that a spreadsheet would take for a formula is not one.
function csvField(value) {
  const text = typeof value === "string" && /^[=+\-@\t]/.test(value) ? "'" + value : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text;
}
