# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speaks the Debug Adapter Protocol with a debugger.

    dap_session.py REQUESTS.json COMMAND...

REQUESTS.json is a list: a request is [name, arguments], and {"wait": event} waits for an event.
All that the debugger says is printed, an object a line.
"""
import json
import subprocess
import sys


def main():
    with open(sys.argv[1]) as file:
        script = json.load(file)
    debugger = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def receive():
        line = debugger.stdout.readline()
        assert line.startswith(b"Content-Length: "), line
        assert debugger.stdout.readline() == b"\r\n"
        message = json.loads(debugger.stdout.read(int(line.split()[1])))
        del message["seq"]
        print(json.dumps(message, sort_keys=True), flush=True)
        return message

    events = []
    for sequence, entry in enumerate(script, 1):
        if isinstance(entry, dict):
            while entry["wait"] not in events:
                message = receive()
                if message["type"] == "event":
                    events.append(message["event"])
            events.remove(entry["wait"])
            continue
        text = json.dumps({"type": "request", "seq": sequence, "command": entry[0],
                           "arguments": entry[1]}).encode()
        debugger.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        debugger.stdin.flush()
        while True:
            message = receive()
            if message["type"] == "response":
                assert message["request_seq"] == sequence
                break
            events.append(message["event"])
    debugger.stdin.close()
    print("exit status", debugger.wait(20))


main()
