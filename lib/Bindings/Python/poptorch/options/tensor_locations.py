# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The places of tensors: on the chip or off it, whole or in shards on the replicas."""

from typing import Any, Dict, Optional

from ._group import Field, Group, boolean


class TensorLocationSettings(Group):
    """The place of one kind of tensors. What is not set is as PopART has it for that kind."""

    FIELDS = {
        "min_elements_for_off_chip": Field(None, int),
        "min_elements_for_replicated_tensor_sharding": Field(None, int),
        "on_chip": Field(None, bool),
        "use_replicated_tensor_sharding": Field(None, bool),
        "use_io_tiles_to_load": Field(None, bool),
        "use_io_tiles_to_store": Field(None, bool),
    }

    def minElementsForOffChip(self, min_elements: int) -> "TensorLocationSettings":
        """Smaller tensors stay on the chip."""
        assert isinstance(min_elements, int) and min_elements >= 0, (
            f"minElementsForOffChip must be a number of 0 or more, not {min_elements!r}")
        return self._set(min_elements_for_off_chip=min_elements)

    def minElementsForReplicatedTensorSharding(
            self, min_elements: int) -> "TensorLocationSettings":
        """Smaller tensors are whole on each replica."""
        assert isinstance(min_elements, int) and min_elements >= 0, (
            "minElementsForReplicatedTensorSharding must be a number of 0 or more, not "
            f"{min_elements!r}")
        return self._set(min_elements_for_replicated_tensor_sharding=min_elements)

    def useOnChipStorage(self, use: Optional[bool] = True) -> "TensorLocationSettings":
        """On the chip, or off it; None leaves it to PopART."""
        return self._set(on_chip=use)

    def useReplicatedTensorSharding(self, use: bool = True) -> "TensorLocationSettings":
        """Each replica keeps a part."""
        boolean("useReplicatedTensorSharding", use)
        return self._set(use_replicated_tensor_sharding=use)

    def useIOTilesToLoad(self, use: bool = True) -> "TensorLocationSettings":
        """Tiles that are set aside for transfers load it."""
        boolean("useIOTilesToLoad", use)
        return self._set(use_io_tiles_to_load=use)

    def useIOTilesToStore(self, use: bool = True) -> "TensorLocationSettings":
        """They store it."""
        boolean("useIOTilesToStore", use)
        return self._set(use_io_tiles_to_store=use)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self.toDict().items()
                           if value is not None)
        return f"TensorLocationSettings({values})"


class TensorLocationOptions(Group):
    """The place of each kind of tensors."""

    FIELDS = {
        "location_activation": Field(None, TensorLocationSettings),
        "location_weight": Field(None, TensorLocationSettings),
        "location_optimizer": Field(None, TensorLocationSettings),
        "location_accumulator": Field(None, TensorLocationSettings),
        "num_io_tiles": Field(None, int),
    }

    def setActivationLocation(self, location: TensorLocationSettings) -> "TensorLocationOptions":
        """Results that the backward pass needs."""
        return self._put("location_activation", location)

    def setWeightLocation(self, location: TensorLocationSettings) -> "TensorLocationOptions":
        """Weights."""
        return self._put("location_weight", location)

    def setOptimizerLocation(self, location: TensorLocationSettings) -> "TensorLocationOptions":
        """State of the optimizer."""
        return self._put("location_optimizer", location)

    def setAccumulatorLocation(self, location: TensorLocationSettings) -> "TensorLocationOptions":
        """Gradients that accumulate."""
        return self._put("location_accumulator", location)

    def _put(self, name: str, location: TensorLocationSettings) -> "TensorLocationOptions":
        assert isinstance(location, TensorLocationSettings), (
            f"Expected poptorch.TensorLocationSettings, not {location!r}")
        return self._set(**{name: location})

    def numIOTiles(self, num_tiles: int) -> "TensorLocationOptions":
        """Tiles of each IPU that only transfer: an even number from 32 to 192."""
        assert isinstance(num_tiles, int) and not isinstance(num_tiles, bool), (
            f"numIOTiles must be a number, not {num_tiles!r}")
        assert 32 <= num_tiles <= 192, (
            f"numIOTiles must be from 32 to 192 inclusive, not {num_tiles}")
        assert num_tiles % 2 == 0, f"numIOTiles must be an even number, not {num_tiles}"
        return self._set(num_io_tiles=num_tiles)

    def toDict(self) -> Dict[str, Any]:
        return {name: value.toDict() if isinstance(value, Group) else value
                for name, value in super().toDict().items()}
