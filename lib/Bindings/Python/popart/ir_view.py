# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The IR of a session, as its JSON has it, under the names of PopART's own objects."""

from typing import Any, Dict, List


class OpView:
    """An operator."""

    def __init__(self, graph: "GraphView", operator: Dict[str, Any]) -> None:
        self._graph = graph
        self._operator = operator

    def opType(self) -> str:
        return self._operator["type"]

    def name(self) -> str:
        return self._operator["name"]

    def getGraph(self) -> "GraphView":
        return self._graph

    def getInputIds(self) -> List[str]:
        return [tensor["name"] for tensor in self._operator["inputs"]]

    def getOutputIds(self) -> List[str]:
        return [tensor["name"] for tensor in self._operator["outputs"]]

    def getAttributes(self) -> Dict[str, str]:
        return dict(self._operator.get("attributes", {}))

    def __repr__(self) -> str:
        return f"{', '.join(self.getOutputIds())} = {self.opType()}"


class GraphView:
    """A graph; its operators are in the order in which they run."""

    def __init__(self, id: str, operators: List[Dict[str, Any]]) -> None:
        self.id = id
        self._operators = operators

    def getOps(self) -> List[OpView]:
        return [OpView(self, operator) for operator in self._operators]

    def getOpSchedule(self, *_args: Any) -> List[OpView]:
        return self.getOps()

    def __repr__(self) -> str:
        return f"Graph[{self.id}, {len(self._operators)} operators]"


class IrView:
    """What `session.getIr()` returns."""

    def __init__(self, graphs: Dict[str, List[Dict[str, Any]]], options: Any) -> None:
        self._graphs = [GraphView(id, operators) for id, operators in graphs.items()]
        self._options = options

    def getAllGraphs(self) -> List[GraphView]:
        return list(self._graphs)

    def getMainGraph(self) -> GraphView:
        return self._graphs[0]

    def getSessionOptions(self) -> Any:
        return self._options
