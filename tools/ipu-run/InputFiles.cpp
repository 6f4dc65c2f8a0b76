// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kind a file is of, and samples joined.

#include "InputFiles.h"

#include "FileErrors.h"

#include <algorithm>

namespace populus::run {

namespace {

HostTensor readFileOf(const std::filesystem::path &path, const InputKind &input,
                      const ImageOptions &images) {
  const std::vector<std::uint8_t> bytes = readFile(path);
  if (isImage(bytes))
    return parseImage(bytes, path.string(), input.shape, input.type, images);
  return parseTensor(bytes, path, input.name);
}

/// The files of a folder, without hidden ones.
std::vector<std::filesystem::path>
filesOf(const std::filesystem::path &folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_regular_file(error) &&
        !entry.path().filename().string().starts_with("."))
      files.push_back(entry.path());
  if (error)
    throw InputError("cannot read " + folder.string() + ": " + error.message());
  std::ranges::sort(files);
  return files;
}

/// A sample without the dimension of the batch gets it.
HostTensor asBatch(HostTensor sample, const InputKind &input) {
  if (sample.shape.size() + 1 == input.shape.size())
    sample.shape.insert(sample.shape.begin(), 1);
  return sample;
}

void append(HostTensor &all, const HostTensor &sample,
            const std::filesystem::path &file) {
  if (sample.type != all.type || sample.isDouble != all.isDouble ||
      sample.shape.size() != all.shape.size() || sample.shape.empty() ||
      !std::equal(sample.shape.begin() + 1, sample.shape.end(),
                  all.shape.begin() + 1))
    fail(file.string(), "has " + describe(sample.type, sample.shape) +
                            ", which does not go behind the samples before "
                            "it: " +
                            describe(all.type, all.shape));
  all.shape[0] += sample.shape[0];
  all.data.insert(all.data.end(), sample.data.begin(), sample.data.end());
}

HostTensor readFolder(const std::filesystem::path &folder,
                      const InputKind &input, const ImageOptions &images) {
  const std::vector<std::filesystem::path> files = filesOf(folder);
  if (files.empty())
    fail(folder.string(), "is a folder without samples");
  HostTensor all = asBatch(readFileOf(files[0], input, images), input);
  for (std::size_t i = 1; i != files.size(); ++i)
    append(all, asBatch(readFileOf(files[i], input, images), input), files[i]);
  return all;
}

} // namespace

HostTensor readInput(const std::filesystem::path &path, const InputKind &input,
                     const ImageOptions &images) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored)
             ? readFolder(path, input, images)
             : readFileOf(path, input, images);
}

} // namespace populus::run
