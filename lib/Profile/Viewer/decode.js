// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report from the page's script blocks: base64, gzip, protobuf. Numbers up to 2^53 are
// exact, which is more than a run has cycles.

const Numbers = new Set(["uint32", "uint64", "bool"]);
const utf8 = new TextDecoder();

// Bytes being decoded, and the position in them.
let source = null, at = 0;

function varint() {
  let byte = source[at++];
  if (byte < 0x80)
    return byte;
  let value = byte & 0x7f, scale = 128;
  do {
    byte = source[at++];
    value += (byte & 0x7f) * scale;
    scale *= 128;
  } while (byte >= 0x80);
  return value;
}

// By message: its fields by number, and those of a message that says nothing.
const layouts = new Map();
function layoutOf(type) {
  let layout = layouts.get(type);
  if (!layout) {
    const fields = Object.entries(Schema[type]).map(([number, [name, of, repeated]]) =>
      ({ number: +number, name, repeated, isNumber: Numbers.has(of), isText: of === "bytes", type: of.split(".").pop(),
        none: Numbers.has(of) || of === "double" ? 0 : of === "bytes" ? "" : null }));
    const byNumber = [];
    for (const field of fields)
      byNumber[field.number] = field;
    layout = { fields, byNumber };
    layouts.set(type, layout);
  }
  return layout;
}

function decodeMessage(type, end) {
  const { fields, byNumber } = layoutOf(type), message = {};
  for (const { name, repeated, none } of fields)
    message[name] = repeated ? [] : none;
  while (at < end) {
    const tag = varint(), wire = tag & 7, field = byNumber[tag >>> 3];
    let value;
    if (wire === 0)
      value = varint();
    else if (wire === 1) {
      value = new DataView(source.buffer, source.byteOffset + at, 8).getFloat64(0, true);
      at += 8;
    } else {
      const length = varint(), last = at + length;
      if (field?.isNumber) { // packed
        const list = message[field.name];
        while (at < last)
          list.push(varint());
        continue;
      }
      if (field)
        value = field.isText ? utf8.decode(source.subarray(at, last)) : decodeMessage(field.type, last);
      at = last;
    }
    if (!field)
      continue;
    if (field.repeated)
      message[field.name].push(value);
    else
      message[field.name] = value;
  }
  return message;
}

function decodeReport(bytes) {
  source = bytes;
  at = 0;
  return decodeMessage("Report", bytes.length);
}

async function readReport(id) {
  const block = document.getElementById("report-" + id);
  if (!block)
    return null;
  const text = block.textContent;
  const packed = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), character => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return new Model(decodeReport(bytes), readSummary(id), valuesOf(id === "a" ? "" : id + "."));
}

function readSummary(id) {
  const block = document.getElementById("summary-" + id);
  return block && JSON.parse(block.textContent);
}
