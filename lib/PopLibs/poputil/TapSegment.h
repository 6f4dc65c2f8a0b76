// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work lists of vertices that slide windows over adjacent channels
// (poplin::ConvChannelwise, popnn::PoolChannelwise, popnn::MaxPoolGradient).
// TapLists makes the lists on the host; the codelets read them.

#ifndef POPULUS_LIB_POPLIBS_POPUTIL_TAPSEGMENT_H
#define POPULUS_LIB_POPLIBS_POPUTIL_TAPSEGMENT_H

namespace poplibs {

/// Number of workers that share the segments.
constexpr unsigned TapWorkers = 6;
/// Bytes of a group of channels at a position of the field.
constexpr unsigned ChannelGroupBytes = 32;
/// Channels that are worked on at once.
constexpr unsigned ChannelsOfBlock = 4;

/// Results of a group of channels whose windows have the same form. Places
/// count groups of channels.
struct TapSegment {
  unsigned short input;  // the place of the first result's first tap
  unsigned short result; // the place of the first result
  unsigned short count;  // results
  unsigned short group;
  unsigned short list; // the first of the taps
  unsigned short taps; // how many
  /// Blocks of the group's channels: one, or all of them.
  unsigned short firstBlock, blocks;
};

/// Distances in bytes: of the input from that of the window's first tap, and of
/// the weights from those of the group.
struct Tap {
  unsigned short input, weights;
};

/// Number of 16-bit fields of a structure.
template <class T> constexpr unsigned numbersOf() {
  return sizeof(T) / sizeof(unsigned short);
}

} // namespace poplibs

#endif
