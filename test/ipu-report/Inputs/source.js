// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source of a codelet beside its bundles.

all("main tbody tr").find(row => row.textContent.includes("Polynomial")).click();
const [source, bundles] = all("main pre"), listed = [...source.querySelectorAll("[data-line]")];
log("source " + all("main h3")[0].textContent);
const hot = listed.find(line => line.textContent.includes("out[i]"));
log(`lines ${listed[0].dataset.line} to ${listed.at(-1).dataset.line}; ${hot.dataset.line}: ${hot.textContent.slice(hot.textContent.indexOf("out[i]"))}`);
const cycles = line => /^ *[\d,]+ +[\d.]+ %/.test(line.textContent) ? numberIn(line.textContent) : 0;
log(`cycles of lines ${added(listed.map(cycles))}, of bundles ${numberIn(all("main .box p")[0].textContent.split("bundles in ")[1])}`);
hot.click();
const lit = [...bundles.querySelectorAll(".lit")].map(bundle => bundle.dataset.line);
log(`line ${hot.dataset.line} lights bundles of line ${[...new Set(lit)].join(" ")}`);
