"""Opens a page of ipu-report in Chromium, uses each of its views, and prints what it saw.

    drive-page.py PAGE.html COPY.html

The copy has a script more, which clicks, types, zooms and moves in every view and then puts
what it found in place of the page. Messages on the browser's console are printed, too.
"""
import re
import subprocess
import sys

DRIVER = """<script type="module">
const errors = [], log = [];
addEventListener("error", event => errors.push(event.message));
addEventListener("unhandledrejection", event => errors.push(String(event.reason)));
const wait = ms => new Promise(resolve => setTimeout(resolve, ms));
const main = () => document.querySelector("main");
const all = selector => [...document.querySelectorAll(selector)];
while (!document.documentElement.dataset.ready)
  await wait(10);
log.push("ready, " + all("nav button").length + " views");
for (const tab of all("nav button")) {
  tab.click();
  await wait(50);
  const filled = main().textContent.length > 20;
  let drawn = 0;
  for (const canvas of all("main canvas")) {
    canvas.redraw();
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    drawn += pixels.some(value => value !== 0);
    const box = canvas.getBoundingClientRect();
    const at = { clientX: box.left + 40, clientY: box.top + 60, bubbles: true, cancelable: true };
    canvas.dispatchEvent(new PointerEvent("pointermove", at));
    canvas.dispatchEvent(new MouseEvent("click", at));
    canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: -100 }));
    for (const key of ["+", "ArrowRight", "n", "-", "Home"])
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }
  const before = all("main tbody tr").length;
  for (const input of all("main input[type=search]")) {
    input.value = "no such name";
    input.dispatchEvent(new Event("input"));
  }
  const hidden = all("main tbody tr").length <= before;
  for (const input of all("main input[type=search]")) {
    input.value = "Conv";
    input.dispatchEvent(new Event("input"));
  }
  for (const head of all("main th"))
    head.click();
  for (const row of all("main tbody tr").slice(0, 3))
    row.click();
  for (const part of all("main details").slice(0, 10))
    part.open = true;
  await wait(30);
  log.push(`${tab.textContent}: filled ${filled}, drawn ${drawn} of ${all("main canvas").length > 0 ? "some" : "none"}, search ${hidden}`);
}
all("header button").at(-1).click();
log.push("theme " + document.documentElement.dataset.theme);
all("header button").filter(button => button.textContent === "target").forEach(button => {
  button.click();
  log.push("shows the target");
});
// Keys choose views, and paper is light.
dispatchEvent(new KeyboardEvent("keydown", { key: "6", bubbles: true }));
log.push("key 6: " + document.querySelector("[aria-selected=true]").textContent);
const theme = document.documentElement.dataset.theme;
dispatchEvent(new Event("beforeprint"));
log.push("paper " + document.documentElement.dataset.theme);
dispatchEvent(new Event("afterprint"));
log.push("screen as before " + (document.documentElement.dataset.theme === theme));
document.body.replaceChildren(document.createTextNode(
  "RESULT " + log.join("\\n") + "\\nerrors: " + JSON.stringify(errors) + " END"));
</script>
"""

page, copy = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    text = file.read()
with open(copy, "w", encoding="utf-8") as file:
    file.write(text.replace("</body></html>", DRIVER + "</body></html>"))
run = subprocess.run(
    ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
     "--window-size=1300,1000", "--virtual-time-budget=30000", "--dump-dom", "file://" + copy],
    capture_output=True, text=True, timeout=120)
result = re.search("RESULT (.*?) END", run.stdout, re.S)
print(result[1] if result else "the page did not get ready\n" + run.stdout[-500:])
for line in run.stderr.splitlines():
    if "CONSOLE" in line:
        print("console:", line)
