// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report from the page's script blocks: base64, gzip, protobuf. Numbers up to 2^53 are
// exact, which is more than a run has cycles.

const Numbers = new Set(["uint32", "uint64", "bool"]);
const utf8 = new TextDecoder();

function decodeMessage(bytes, type) {
  const fields = Schema[type], message = {};
  for (const [name, of, repeated] of Object.values(fields))
    message[name] = repeated ? [] : Numbers.has(of) || of === "double" ? 0 : of === "bytes" ? "" : null;
  let at = 0;
  const varint = () => {
    let value = 0, scale = 1;
    for (;;) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80)
        return value;
      scale *= 128;
    }
  };
  const put = (name, repeated, value) => {
    if (repeated)
      message[name].push(value);
    else
      message[name] = value;
  };
  while (at < bytes.length) {
    const tag = varint(), wire = tag & 7, field = fields[Math.floor(tag / 8)];
    if (wire === 0) {
      const value = varint();
      if (field)
        put(field[0], field[2], value);
    } else if (wire === 1) {
      const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8);
      at += 8;
      if (field)
        put(field[0], field[2], view.getFloat64(0, true));
    } else {
      const length = varint(), end = at + length;
      if (field && Numbers.has(field[1])) // packed
        while (at < end)
          message[field[0]].push(varint());
      else if (field) {
        const part = bytes.subarray(at, end);
        put(field[0], field[2],
          field[1] === "bytes" ? utf8.decode(part) : decodeMessage(part, field[1].split(".").pop()));
      }
      at = end;
    }
  }
  return message;
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
  return new Model(decodeMessage(bytes, "Report"), readSummary(id));
}

function readSummary(id) {
  const block = document.getElementById("summary-" + id);
  return block && JSON.parse(block.textContent);
}
