// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .npz files: ZIP archives of .npy files, stored (numpy.savez) or deflated
// (numpy.savez_compressed). The entries are found from the end of the file, as
// the format wants it; every offset is checked against the file's size.

#include "HostTensor.h"

#include <zlib.h>

#include <cstring>

namespace populus::run {

namespace {

// The signatures and fixed sizes of ZIP's records, and where their fields are.
constexpr std::uint32_t EndSignature = 0x06054b50;
constexpr std::uint32_t EntrySignature = 0x02014b50;
constexpr std::uint32_t LocalSignature = 0x04034b50;
constexpr std::size_t EndBytes = 22, EntryBytes = 46, LocalBytes = 30;
constexpr std::uint32_t Zip64 = 0xffffffff; // the value is elsewhere
constexpr std::uint16_t Stored = 0, Deflated = 8;
/// Limit on the bytes that inflating may yield per byte. The format allows
/// about a thousand.
constexpr std::uint64_t MostInflation = 1100;

class ZipReader {
public:
  ZipReader(const std::vector<std::uint8_t> &bytes, const std::string &file)
      : bytes(bytes), file(file) {}

  std::vector<HostTensor> read() {
    const std::size_t end = findEnd();
    const std::uint64_t count = field(end + 10, 2);
    std::uint64_t at = field(end + 16, 4);
    std::vector<HostTensor> arrays;
    for (std::uint64_t i = 0; i != count; ++i) {
      require(at, EntryBytes);
      if (field(at, 4) != EntrySignature)
        fail("its list of entries is damaged");
      arrays.push_back(readEntry(at));
      at += EntryBytes + field(at + 28, 2) + field(at + 30, 2) +
            field(at + 32, 2);
    }
    return arrays;
  }

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw InputError(file + ": not an .npz file: " + what);
  }

  void require(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes.size() || size > bytes.size() - at)
      fail("it ends too early");
  }

  std::uint64_t field(std::uint64_t at, unsigned size) const {
    require(at, size);
    std::uint64_t value = 0;
    for (unsigned i = 0; i != size; ++i)
      value |= std::uint64_t(bytes[at + i]) << 8 * i;
    return value;
  }

  std::size_t findEnd() const {
    for (std::size_t at = bytes.size() - std::min(bytes.size(), EndBytes) + 1;
         at-- != 0;)
      if (bytes.size() - at >= EndBytes && field(at, 4) == EndSignature)
        return at;
    fail("it has no list of entries");
  }

  HostTensor readEntry(std::uint64_t at) const {
    const std::uint64_t method = field(at + 10, 2);
    const std::uint64_t packed = field(at + 20, 4);
    const std::uint64_t size = field(at + 24, 4);
    const std::uint64_t nameBytes = field(at + 28, 2);
    const std::uint64_t local = field(at + 42, 4);
    require(at + EntryBytes, nameBytes);
    std::string name(bytes.begin() + at + EntryBytes,
                     bytes.begin() + at + EntryBytes + nameBytes);
    if (packed == Zip64 || size == Zip64 || local == Zip64)
      fail("entry '" + name + "' is larger than 4 GiB");
    if (field(local, 4) != LocalSignature)
      fail("entry '" + name + "' is not where it should be");
    const std::uint64_t data =
        local + LocalBytes + field(local + 26, 2) + field(local + 28, 2);
    require(data, packed);
    HostTensor tensor =
        parseNpy(unpack(method, data, packed, size, name), file + ":" + name);
    tensor.name = name.ends_with(".npy") ? name.substr(0, name.size() - 4)
                                         : std::move(name);
    return tensor;
  }

  std::vector<std::uint8_t> unpack(std::uint64_t method, std::uint64_t data,
                                   std::uint64_t packed, std::uint64_t size,
                                   const std::string &name) const {
    const std::uint8_t *source = bytes.data() + data;
    if (method == Stored && packed == size)
      return {source, source + size};
    if (method != Deflated || size / MostInflation > packed)
      fail("entry '" + name + "' is packed in an unknown way");
    std::vector<std::uint8_t> result(size);
    z_stream stream = {};
    stream.next_in = const_cast<Bytef *>(source);
    stream.avail_in = static_cast<uInt>(packed);
    stream.next_out = result.data();
    stream.avail_out = static_cast<uInt>(size);
    // Negative: the data have no header of zlib's own.
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      throw std::bad_alloc();
    const int status = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    if (status != Z_STREAM_END || stream.avail_out != 0)
      fail("entry '" + name + "' is damaged");
    return result;
  }

  const std::vector<std::uint8_t> &bytes;
  const std::string &file;
};

} // namespace

namespace {

/// Entries that are stored as they are.
class ZipWriter {
public:
  void add(const std::string &name, const std::vector<std::uint8_t> &data) {
    if (data.size() >= Zip64 || bytes.size() + data.size() >= Zip64)
      throw InputError("entry '" + name + "' makes the file larger than 4 GiB");
    const auto at = static_cast<std::uint32_t>(bytes.size());
    const std::vector<std::uint8_t> facts = factsOf(name, data);
    number(bytes, LocalSignature, 4);
    bytes.insert(bytes.end(), facts.begin(), facts.end());
    bytes.insert(bytes.end(), name.begin(), name.end());
    bytes.insert(bytes.end(), data.begin(), data.end());
    number(entries, EntrySignature, 4);
    number(entries, Version, 2);
    entries.insert(entries.end(), facts.begin(), facts.end());
    number(entries, 0, 2);  // comment
    number(entries, 0, 2);  // disk
    number(entries, 0, 2);  // internal attributes
    number(entries, 0, 4);  // external attributes
    number(entries, at, 4); // of the entry itself
    entries.insert(entries.end(), name.begin(), name.end());
    ++count;
  }

  std::vector<std::uint8_t> finish() {
    const auto begin = static_cast<std::uint32_t>(bytes.size());
    const auto size = static_cast<std::uint32_t>(entries.size());
    bytes.insert(bytes.end(), entries.begin(), entries.end());
    number(bytes, EndSignature, 4);
    number(bytes, 0, 4); // disks
    number(bytes, count, 2);
    number(bytes, count, 2);
    number(bytes, size, 4);
    number(bytes, begin, 4);
    number(bytes, 0, 2); // comment
    return std::move(bytes);
  }

private:
  static constexpr std::uint32_t Version = 20;

  static void number(std::vector<std::uint8_t> &to, std::uint64_t value,
                     unsigned size) {
    for (unsigned i = 0; i != size; ++i)
      to.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  }

  /// Fields that an entry's header and the central directory share.
  static std::vector<std::uint8_t>
  factsOf(const std::string &name, const std::vector<std::uint8_t> &data) {
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, data.data(), static_cast<uInt>(data.size())));
    const auto size = static_cast<std::uint32_t>(data.size());
    std::vector<std::uint8_t> facts;
    number(facts, Version, 2);
    number(facts, 0, 2); // flags
    number(facts, Stored, 2);
    number(facts, 0, 4); // time and date
    number(facts, crc, 4);
    number(facts, size, 4); // packed
    number(facts, size, 4);
    number(facts, name.size(), 2);
    number(facts, 0, 2); // extra field
    return facts;
  }

  std::vector<std::uint8_t> bytes, entries;
  std::uint32_t count = 0;
};

} // namespace

void writeNpz(const std::vector<HostTensor> &tensors,
              const std::filesystem::path &path) {
  ZipWriter writer;
  for (const HostTensor &tensor : tensors)
    writer.add(tensor.name + ".npy", npyBytes(tensor));
  writeFile(path, writer.finish());
}

std::vector<HostTensor> readNpz(const std::filesystem::path &path) {
  return parseNpz(readFile(path), path.string());
}

std::vector<HostTensor> parseNpz(const std::vector<std::uint8_t> &bytes,
                                 const std::string &file) {
  return ZipReader(bytes, file).read();
}

} // namespace populus::run
