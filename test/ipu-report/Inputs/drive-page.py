"""Opens a page of ipu-report in Chromium, runs a script in it, and prints what the script logs.

    drive-page.py PAGE.html COPY.html SCRIPT.js [ADDRESS]

The copy has the script and helpers for it (page-helpers.js) more, and what they found in place of
the page. Messages on the browser's console are printed, too. ADDRESS is what follows #.
"""
import pathlib
import re
import subprocess
import sys

END = """
finish();
</script></body></html>"""

page, copy, script, *address = sys.argv[1:]
helpers = pathlib.Path(__file__).with_name("page-helpers.js").read_text(encoding="utf-8")
driver = pathlib.Path(script).read_text(encoding="utf-8")
text = pathlib.Path(page).read_text(encoding="utf-8")
pathlib.Path(copy).write_text(
    text.replace("</body></html>", '<script type="module">' + helpers + driver + END),
    encoding="utf-8")
run = subprocess.run(
    ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
     "--window-size=1400,900", "--virtual-time-budget=30000", "--dump-dom",
     "#".join(["file://" + copy, *address])],
    capture_output=True, text=True, timeout=120)
result = re.search("RESULT (.*?) END", run.stdout, re.S)
print(result[1] if result else "the page did not get ready\n" + run.stdout[-500:])
for line in run.stderr.splitlines():
    if "CONSOLE" in line:
        print("console:", line)
