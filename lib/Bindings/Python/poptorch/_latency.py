# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When the tensors of a call crossed over between host and device.

The session asks for each input and gives each result, a micro-batch at a time; PyStepIO notes when
it asks, and when the copy is complete. A result that only some micro-batches return belongs to the
last one before it:

    micro-batch      0     1     2     3
    inputs           i0    i1    i2    i3
    result EveryN 2        r0          r1      r0 has the latency from i1, r1 from i3
"""

from typing import Any, Dict, List, Tuple

Times = Dict[str, Tuple[List[float], List[float]]]
Counters = Dict[str, List[List[float]]]


def counters(inputs: List[str], outputs: List[str], times: Times) -> Counters:
    """For each input and output, when each micro-batch was asked for and when it was complete."""
    nothing: Tuple[List[float], List[float]] = ([], [])
    found = {name: times.get(name, nothing) for name in (*inputs, *outputs)}
    return {"input": [found[name][0] for name in inputs],
            "input_complete": [found[name][1] for name in inputs],
            "output": [found[name][0] for name in outputs],
            "output_complete": [found[name][1] for name in outputs]}


def latency(found: Counters, begin: str, end: str) -> Tuple[float, float, float]:
    """(minimum, maximum, mean) of the seconds between two of the counters."""
    begins, ends = (_of_each_step(found[name], name in ("input", "output"))
                    for name in (begin, end))
    steps = min(len(begins), len(ends))
    if not steps:
        return 0.0, 0.0, 0.0
    spans = [max(0.0, last - first)
             for first, last in zip(_thinned(begins, steps), _thinned(ends, steps))]
    return min(spans), max(spans), sum(spans) / len(spans)


def _of_each_step(tensors: List[List[float]], is_first: bool) -> List[float]:
    """The time of each micro-batch: that of the first of its tensors, or of the last one."""
    times = [of_tensor for of_tensor in tensors if of_tensor]
    steps = min(map(len, times), default=0)
    choose = min if is_first else max
    return [choose(of_step) for of_step in zip(*(_thinned(part, steps) for part in times))]


def _thinned(times: List[float], steps: int) -> List[float]:
    """The last of each share of the times."""
    return [times[(step + 1) * len(times) // steps - 1] for step in range(steps)]


class Latencies:
    """The counters of an executor's last call; a base of PoplarExecutor."""
    _counters: Any = None

    def getPerfCounters(self) -> Counters:
        """Seconds of a clock at which tensors of the last call were asked for ("input",
        "output") and complete: a list for each tensor, with each of its micro-batches."""
        if self._counters is None:
            return {"input": [], "input_complete": [], "output": [], "output_complete": []}
        inputs, outputs, times = self._counters
        return counters(inputs, outputs, times)

    def getLatency(self) -> Tuple[float, float, float]:
        """(minimum, maximum, mean) of the seconds from the inputs of a micro-batch to its
        results on the host, in the last call."""
        return latency(self.getPerfCounters(), "input", "output_complete")

    def getHostIpuLatency(self) -> Tuple[float, float, float]:
        """The part in which inputs go to the device."""
        return latency(self.getPerfCounters(), "input", "input_complete")

    def getComputeLatency(self) -> Tuple[float, float, float]:
        """The part in which the device computes."""
        return latency(self.getPerfCounters(), "input_complete", "output")

    def getIpuHostLatency(self) -> Tuple[float, float, float]:
        """The part in which results come back."""
        return latency(self.getPerfCounters(), "output", "output_complete")
