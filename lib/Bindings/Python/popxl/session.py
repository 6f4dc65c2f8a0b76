# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions: the compiled program of an Ir on a device.

The host keeps a copy of each variable. A run leaves the copies behind; they are fetched when
they are asked for, all at once.
"""

from typing import Any, Dict, Iterable, List, Mapping, Optional

import numpy as np
import popxl_core

from popxl import _ambiguity, dtypes, fp8_utils
from popxl._options import compiler_options
from popxl.ir import Ir
from popxl.remote_buffer import _OffChip
from popxl.streams import DeviceToHostStream, HostToDeviceStream
from popxl.tensor import Constant, Tensor, Variable
from popxl.variables import to_numpy

_DEVICES = {"cpu": ("cpu", "cpu"), "ipu_model": ("ipu2", "ipu-model"), "ipu_hw": ("ipu2", "ipu")}


class Session:
    """Compiles an Ir, for a device, and runs it.

    `device_desc` is "cpu", "ipu_model", "ipu_hw" (the emulator), or a device of
    `popart.DeviceManager`. In a `with` statement the session is attached to its device:
    variables are written to it at the beginning and read back at the end, unless
    `weights_to_host_on_exit` is False.
    """

    def __init__(self, ir: Ir, device_desc: Any = "cpu",
                 weights_to_host_on_exit: bool = True) -> None:
        if ir._session is not None:
            raise RuntimeError("There is a popxl.Session of this Ir already.")
        options = ir._options
        if options.enableReplicatedGraphs and (
                options.replicatedGraphCount != ir.instance_replication_factor):
            raise RuntimeError(f"The session options say {options.replicatedGraphCount} replicas "
                               f"(replicatedGraphCount), and the Ir has "
                               f"{ir.instance_replication_factor}; "
                               "set ir.replication_factor.")
        self._ir = ir
        self._device = None if isinstance(device_desc, str) else device_desc
        self._attached = self._device is not None and bool(self._device.isAttached)
        self._owns_attachment = not self._attached
        self._depth = 0
        self._weights_to_host_on_exit = weights_to_host_on_exit
        self._loaded = False
        machine = self._machine(device_desc)
        if options.enableInplaceAmbiguityChecking:
            for graph in ir._graphs:
                _ambiguity.check(graph)
        self._finish_graphs()
        ir._session = self
        try:
            self._program = popxl_core.Program(
                ir._module, patterns="all", **machine, **compiler_options(options))
        except BaseException:
            self._program = None
            raise
        self._inputs = [self._stream(name) for name, *_ in self._program.inputs]
        self._outputs = [self._stream(name) for name, *_ in self._program.outputs]
        self._device_types = {name: dtypes.from_ir(device).as_numpy() for name, _, device, _ in
                              [*self._program.inputs, *self._program.outputs]}
        if self._attached:
            self._load()
            self._upload()

    # ---- Making ---------------------------------------------------------------

    def _machine(self, device_desc: Any) -> Dict[str, Any]:
        ir = self._ir
        used = [t._ipu for graph in ir._graphs for t in graph._tensors.values()
                if t._ipu is not None]
        ipus = max(used, default=0) + 1
        rounded = 1 << (ipus - 1).bit_length()
        if isinstance(device_desc, str):
            if device_desc not in _DEVICES:
                raise ValueError(f"Unknown device {device_desc!r}; there are "
                                 f"{', '.join(map(repr, _DEVICES))}.")
            target, device = _DEVICES[device_desc]
            _check_replicas(ir, ir.instance_replication_factor if device != "cpu" else 1,
                            device_desc)
            return {"target": target, "device": device,
                    "num_ipus": rounded * ir.replication_factor, "tiles_per_ipu": 0,
                    **_replicas_of(ir)}
        kind = str(device_desc.type).rpartition(".")[2]
        device = {"Cpu": "cpu", "IpuModel": "ipu-model"}.get(kind, "ipu")
        target = "cpu" if device == "cpu" else (device_desc.version or "ipu2")
        _check_replicas(ir, device_desc.numIpus, str(device_desc))
        return {"target": target, "device": device,
                "num_ipus": max(1, device_desc.numIpus * ir.replication_factor //
                                ir.instance_replication_factor),
                **_replicas_of(ir), "tiles_per_ipu": 0 if device == "cpu" else device_desc.tilesPerIPU}

    def _finish_graphs(self) -> None:
        """Variables that were written get their new values at the end of the main graph."""
        main = self._ir.main_graph
        written = [v._memory for v in main.variables if v._memory and v._memory.version != 0]
        main._core.write_variables([(main._core.use_variable(memory.variable), memory.value)
                                    for memory in written])
        self._ir._module.set_main(main._core)

    def _stream(self, name: str):
        return self._ir._streams[name]

    # ---- Attributes -----------------------------------------------------------

    @property
    def ir(self) -> Ir:
        return self._ir

    @property
    def is_attached(self) -> bool:
        return self._attached

    @property
    def device(self) -> Any:
        return self._device

    @property
    def _pb_session(self):
        """What programs reach to write variables: the same session under popart's methods."""
        from popart.ir.session import IrSession

        return IrSession(self._ir, self._device, self)

    def expected_inputs(self) -> List[HostToDeviceStream]:
        """The streams that `run` needs arrays for."""
        return sorted(self._ir.get_all_h2d_streams(), key=lambda s: s.tensor_id)

    # ---- Attaching ------------------------------------------------------------

    def __enter__(self) -> "Session":
        self._depth += 1
        if not self._attached:
            if self._device is not None:
                self._device.attach()
            self._attached = True
            self._attach_depth = self._depth
            self._load()
            self._upload()
        return self

    def __exit__(self, error_type: Any, error: Any, trace: Any) -> None:
        self._depth -= 1
        if not self._owns_attachment or self._depth != 0:
            return
        try:
            if error_type is None and self._weights_to_host_on_exit and not self._has_read_only():
                self.weights_to_host()
        finally:
            self._attached = False
            if self._device is not None:
                self._device.detach()

    def _load(self) -> None:
        if not self._loaded:
            self._program.load()
            self._loaded = True

    def _check_attached(self, what: str) -> None:
        if not self._attached:
            raise ValueError(f"Must be attached to device before calling `popxl.Session.{what}`. "
                             "Use the session in a `with` statement.")

    def _has_read_only(self) -> bool:
        return any(not v._host.flags.writeable for v in self._ir.main_graph.variables)

    # ---- Variables ------------------------------------------------------------

    def weights_from_host(self) -> None:
        """Writes the host's copies of variables to the device."""
        self._check_attached("weights_from_host")
        self._upload()

    def weights_to_host(self) -> None:
        """Reads all variables from the device."""
        self._check_attached("weights_to_host")
        if self._has_read_only():
            raise Exception("weights_to_host would write into a read-only memory-mapped array.")
        self._mark_out_of_sync()
        self._fetch()

    def get_tensor_data(self, tensor: Tensor) -> np.ndarray:
        """The elements of a variable or constant."""
        return self.get_tensors_data([tensor])[tensor]

    def get_tensors_data(self, tensors: Iterable[Tensor]) -> Dict[Tensor, np.ndarray]:
        """The elements of variables and constants, by tensor."""
        tensors = list(tensors)
        for tensor in tensors:
            if not isinstance(tensor, (Variable, Constant)):
                raise TypeError(f"Tensor {getattr(tensor, 'id', tensor)} is not of type Constant "
                                f"or Variable; it is of type {type(tensor).__name__}.")
            if tensor.ir is not self._ir:
                raise ValueError(f"Tensor {tensor.id} is of another Ir than that of the session.")
        if self._attached and any(t._out_of_sync for t in tensors):
            self._fetch()
        return {t: np.array(t._host) for t in tensors}

    def write_variable_data(self, tensor: Variable, data: Any) -> None:
        """Gives a variable other elements, on the host and, if attached, on the device.

        Raises TypeError for another type and ValueError for another shape.
        """
        self.write_variables_data({tensor: data})

    def write_variables_data(self, tensor_to_data: Mapping[Variable, Any]) -> None:
        """The same for several variables."""
        checked = {}
        for tensor, data in tensor_to_data.items():
            if not isinstance(tensor, Variable):
                raise TypeError(f"Tensor {getattr(tensor, 'id', tensor)} is not of type Variable.")
            if tensor.ir is not self._ir:
                raise ValueError(f"Tensor {tensor.id} is of another Ir than that of the session.")
            if tensor.retrieval_mode == "all_replicas":
                raise NotImplementedError("Variables with the retrieval mode 'all_replicas' "
                                          "cannot be written.")
            checked[tensor] = _as_data(tensor, data)
        for tensor, array in checked.items():
            if tensor._out_of_sync and self._attached:
                self._fetch()
            if tensor._host.flags.writeable:
                tensor._host[...] = array
            else:
                tensor._host = array
            if self._attached:
                self._upload_one(tensor)

    def _upload(self) -> None:
        for variable in self._ir.main_graph.variables:
            self._upload_one(variable)

    def _upload_one(self, variable: Variable) -> None:
        if isinstance(variable, _OffChip):
            return self._write_entry(variable)
        name = variable._memory.variable_name
        if self._program.has_variable(name):
            self._program.write_variable(name, dtypes.to_ir(variable.dtype),
                                         variable._on_replicas(variable._host))
        variable._out_of_sync = False

    def _write_entry(self, variable: "_OffChip") -> None:
        buffer = variable._buffer
        if buffer._core is None or not self._program.has_variable(buffer._core_name):
            return
        rows = self._read_buffer(buffer)
        axis = rows.ndim - 1 - len(buffer.tensor_shape)
        rows[(slice(None),) * axis + (variable._offset,)] = variable._on_replicas(variable._host)
        self._program.write_variable(buffer._core_name, dtypes.to_ir(buffer.tensor_dtype), rows)
        variable._out_of_sync = False

    def _read_buffer(self, buffer) -> np.ndarray:
        rows = np.empty(self._of_replicas((buffer.entries, *buffer.tensor_shape)),
                        buffer.tensor_dtype.as_numpy())
        self._program.read_variable(buffer._core_name, rows, of_all=True)
        return rows

    def _of_replicas(self, shape: tuple) -> tuple:
        """The shape of the values of all replicas."""
        replicas = self._ir.replication_factor
        return ((replicas,) if replicas > 1 else ()) + shape

    def _fetch(self) -> None:
        rows: Dict[int, np.ndarray] = {}
        for variable in self._ir.main_graph.variables:
            if not variable._out_of_sync:
                continue
            if isinstance(variable, _OffChip):
                self._fetch_entry(variable, rows)
            else:
                name = variable._memory.variable_name
                if self._program.has_variable(name):
                    # Without need for it, instances of a job do not wait for each other.
                    of_all = variable._differs_by_replica
                    shape = self._of_replicas(variable.shape) if of_all else variable.shape
                    fetched = np.empty(shape, variable.dtype.as_numpy())
                    self._program.read_variable(name, fetched, of_all=of_all)
                    _store(variable, variable._from_replicas(fetched) if of_all else fetched)
            variable._out_of_sync = False

    def _fetch_entry(self, variable: "_OffChip", rows: Dict[int, np.ndarray]) -> None:
        buffer = variable._buffer
        if buffer._core is None or not self._program.has_variable(buffer._core_name):
            return
        if id(buffer) not in rows:
            rows[id(buffer)] = self._read_buffer(buffer)
        _store(variable, variable._from_replicas(
            _entry(buffer, rows[id(buffer)], variable._offset)))

    def _mark_out_of_sync(self) -> None:
        for variable in self._ir.main_graph.variables:
            variable._out_of_sync = True

    # ---- Running --------------------------------------------------------------

    def create_host_outputs(self) -> Dict[DeviceToHostStream, np.ndarray]:
        """An array for each stream to the host, as `run` makes them."""
        return {stream: np.zeros(self._full_shape(stream), stream.dtype.as_numpy())
                for stream in sorted(self._ir.get_all_d2h_streams(), key=lambda s: s.tensor_id)}

    def run(self, inputs: Optional[Mapping[HostToDeviceStream, Any]] = None,
            downcast_inputs: bool = True) -> Dict[DeviceToHostStream, np.ndarray]:
        """Runs the program once; returns what it stored, by stream.

        `inputs` has an array for each stream that is loaded, of the shape of the stream with
        the numbers of host transfers and of replicas in front where these are not 1. Raises
        ValueError where one is missing or has another shape, and where the session is not
        attached; OverflowError for integers that the device lacks.
        """
        self._check_attached("run")
        outputs = self.create_host_outputs()
        self.run_with_outputs(inputs, outputs, downcast_inputs)
        return outputs

    def run_with_outputs(self, inputs: Optional[Mapping[HostToDeviceStream, Any]] = None,
                         outputs: Optional[Mapping[DeviceToHostStream, np.ndarray]] = None,
                         downcast_inputs: bool = True) -> None:
        """The same into arrays of the caller, one for each stream that is stored."""
        self._check_attached("run_with_outputs")
        inputs, outputs = dict(inputs or {}), dict(outputs or {})
        self._check_streams(inputs, self._ir.get_all_h2d_streams(), "input")
        self._check_streams(outputs, self._ir.get_all_d2h_streams(), "output")
        given = {stream: self._input_array(stream, data) for stream, data in inputs.items()}
        for stream, array in outputs.items():
            self._check_shape(stream, np.shape(array), "output")
        written = {stream: self._buffer_for(stream, array) for stream, array in outputs.items()}
        self._mark_out_of_sync()
        self._program.run([given[s] for s in self._inputs], [written[s] for s in self._outputs])
        for stream, array in outputs.items():
            if written[stream] is not array:
                array[...] = _from_device(stream, written[stream]).astype(array.dtype, copy=False)

    def _full_shape(self, stream) -> tuple:
        transfers = self._ir.num_host_transfers
        replicas = self._ir.instance_replication_factor
        return (((transfers,) if transfers > 1 else ()) +
                ((replicas,) if replicas > 1 else ()) + stream.shape)

    def _check_streams(self, given: Mapping, wanted: set, what: str) -> None:
        for stream in given:
            if stream not in wanted:
                raise ValueError(f"Unexpected {what}. Unexpected {what} stream: {stream}.")
        for stream in wanted:
            if stream not in given:
                raise ValueError(f"Missing {what}. Missing {what} stream: {stream}.")

    def _check_shape(self, stream, shape: tuple, what: str) -> None:
        wanted = self._full_shape(stream)
        transfers = self._ir.num_host_transfers
        fits = tuple(shape) == wanted or (
            transfers > 1 and len(shape) == len(wanted) and tuple(shape[1:]) == wanted[1:]
            and shape[0] >= transfers)
        if not fits:
            raise ValueError(f"Shape mismatch for {what} stream {stream.tensor_id}: expected "
                             f"{wanted}, got {tuple(shape)}.")

    def _input_array(self, stream: HostToDeviceStream, data: Any) -> np.ndarray:
        if hasattr(data, "detach") and hasattr(data, "numpy"):
            data = data.detach().numpy()
        array = np.asarray(data)
        self._check_shape(stream, array.shape, "input")
        if dtypes.is_float8(stream.dtype):
            return _float8_input(stream, array)
        # By the stream's type, so that small integers have their range.
        array = array.astype(stream.dtype.as_numpy(), copy=False)
        device_type = self._device_types[stream.tensor_id]
        _check_integers(stream, array, device_type)
        return np.ascontiguousarray(array.astype(device_type, copy=False))

    def _buffer_for(self, stream: DeviceToHostStream, array: np.ndarray) -> np.ndarray:
        wanted = self._device_types[stream.tensor_id]
        if array.dtype == wanted and array.flags.c_contiguous and array.flags.writeable:
            return array
        return np.zeros(array.shape, wanted)

    def __repr__(self) -> str:
        return f"Session(ir={self._ir!r}, is_attached={self._attached})"


def _check_integers(stream: HostToDeviceStream, array: np.ndarray, device_type) -> None:
    """Raises OverflowError for integers that the type on the device does not have."""
    if (array.dtype == device_type or not array.size or array.dtype.kind not in "iu"
            or np.dtype(device_type).kind not in "iu"):
        return
    limits = np.iinfo(device_type)
    for value in (int(array.min()), int(array.max())):
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"The input stream {stream.tensor_id} has the number {value}, "
                                f"which {np.dtype(device_type)}, its type on the device, does not "
                                "have.")


def _float8_input(stream: HostToDeviceStream, array: np.ndarray) -> np.ndarray:
    """8-bit floats, or their bits, as the device gets them."""
    if array.dtype == np.uint8:
        array = array.view(stream.dtype.as_numpy())
    if array.dtype != stream.dtype.as_numpy():
        raise TypeError(f"The input stream {stream.tensor_id} is of {stream.dtype!r}, and the array "
                        f"is {array.dtype}; popxl.utils.host_pow2scale_cast_to_fp8 converts it.")
    return fp8_utils.numbers(stream.dtype, array)


def _from_device(stream: DeviceToHostStream, array: np.ndarray) -> np.ndarray:
    return fp8_utils.elements(stream.dtype, array) if dtypes.is_float8(stream.dtype) else array


def _as_data(tensor: Variable, data: Any) -> np.ndarray:
    array = data if isinstance(data, np.ndarray) else to_numpy(data)
    if array.dtype != tensor.dtype.as_numpy():
        raise TypeError(f"The data of Variable {tensor.id} is {array.dtype}, and the variable "
                        f"is {tensor.dtype}.")
    if array.shape != tensor.shape_on_host:
        raise ValueError(f"The data of Variable {tensor.id} has the shape {array.shape}, and the "
                         f"variable {tensor.shape_on_host}.")
    return np.ascontiguousarray(array)


def _replicas_of(ir: Ir) -> Dict[str, int]:
    """All replicas, and those of this process."""
    return {"replicas": ir.replication_factor, "first_replica": ir._replica_offset,
            "own_replicas": ir.instance_replication_factor}


def _check_replicas(ir: Ir, ipus: int, device: str) -> None:
    """RuntimeError where the device has no equal parts for the replicas of this process."""
    replicas = ir.instance_replication_factor
    if ipus % replicas != 0:
        raise RuntimeError("For replicated graphs, the number of IPUs must be divisible by the "
                           f"replication factor. The Ir has {replicas} replicas, and the device "
                           f"{device!r} has {ipus} IPU{'s' if ipus != 1 else ''}.")


def _entry(buffer: Any, rows: np.ndarray, offset: int) -> np.ndarray:
    """An entry of a buffer, of all replicas where there are several."""
    return np.take(rows, offset, axis=rows.ndim - 1 - len(buffer.tensor_shape))


def _store(variable: Variable, fetched: np.ndarray) -> None:
    if variable._host.flags.writeable and variable._host.shape == fetched.shape:
        variable._host[...] = fetched
    else:
        variable._host = np.array(fetched)

