// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A drawing context that writes SVG: it has the part of CanvasRenderingContext2D that pictures use,
// so that each picture can be saved with sharp edges and text.

class SvgContext {
  constructor(width, height, measure) {
    this.measure = measure; // a context of a canvas, which knows the widths of texts
    this.size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
    this.parts = [];
    this.path = "";
    this.lineWidth = 1;
    this.globalAlpha = 1;
  }

  number(value) {
    return +value.toFixed(2);
  }
  escape(text) {
    return String(text).replace(/[&<>"]/g, letter => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" })[letter]);
  }
  alpha() {
    return this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : "";
  }
  rectangle(x, y, width, height, paint) {
    const n = this.number;
    this.parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(Math.max(0, width))}" height="${n(Math.max(0, height))}" ${paint}${this.alpha()}/>`);
  }

  fillRect(x, y, width, height) {
    this.rectangle(x, y, width, height, `fill="${this.escape(this.fillStyle)}"`);
  }
  strokeRect(x, y, width, height) {
    this.rectangle(x, y, width, height, `fill="none" stroke="${this.escape(this.strokeStyle)}" stroke-width="${this.lineWidth}"`);
  }
  fillText(text, x, y) {
    this.parts.push(`<text x="${this.number(x)}" y="${this.number(y)}" fill="${this.escape(this.fillStyle)}">${this.escape(text)}</text>`);
  }
  measureText(text) {
    return this.measure.measureText(text);
  }
  beginPath() {
    this.path = "";
  }
  moveTo(x, y) {
    this.path += `M${this.number(x)} ${this.number(y)}`;
  }
  lineTo(x, y) {
    this.path += `${this.path ? "L" : "M"}${this.number(x)} ${this.number(y)}`;
  }
  /// Whole circles only.
  arc(x, y, radius) {
    const n = this.number;
    this.path += `M${n(x - radius)} ${n(y)}a${n(radius)} ${n(radius)} 0 1 0 ${n(2 * radius)} 0a${n(radius)} ${n(radius)} 0 1 0 ${n(-2 * radius)} 0`;
  }
  fill() {
    this.parts.push(`<path d="${this.path}" fill="${this.escape(this.fillStyle)}"${this.alpha()}/>`);
  }
  stroke() {
    this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.escape(this.strokeStyle)}" stroke-width="${this.lineWidth}"/>`);
  }
  text(background) {
    return `<svg xmlns="${"http" + "://www.w3.org/2000/svg"}" ${this.size} font-family="system-ui, sans-serif" font-size="11">` +
      `<rect width="100%" height="100%" fill="${this.escape(background)}"/>${this.parts.join("\n")}</svg>\n`;
  }
}
