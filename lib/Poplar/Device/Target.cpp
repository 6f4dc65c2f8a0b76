// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::Target. Numbers come from the runtime's tables of targets and timing;
// those that only planners need are defined here.

#include "lib/Poplar/Device/TargetData.h"

#include "lib/Poplar/Support/FloatControl.h"
#include "lib/Poplar/Support/NearestName.h"
#include "lib/Poplar/Support/Types.h"
#include "runtime/Target/Half.h"
#include "runtime/Target/Timing.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <ostream>
#include <tuple>

namespace poplar {

using core::TargetData;
namespace timing = populus::runtime::timing;

std::string toString(TargetType type) {
  switch (type) {
  case TargetType::IPU:
    return "IPU";
  case TargetType::IPU_MODEL:
    return "IPU_MODEL";
  case TargetType::CPU:
    return "CPU";
  }
  return "unknown";
}

namespace {

/// Systems that are sold, by the begin of their names.
constexpr std::pair<std::string_view, const char *> Systems[] = {
    {"IPU-POD", "ipu2"}, {"POD", "ipu2"}, {"IPU-M2000", "ipu2"},
    {"Bow-", "ipu21"},   {"C2", "ipu1"},
};

const populus::runtime::TargetInfo &findIpuTarget(std::string name) {
  for (const auto &[system, target] : Systems)
    if (name.starts_with(system))
      name = target;
  const auto *info = populus::runtime::findTarget(name);
  if (info && info->isIpu())
    return *info;
  std::vector<std::string_view> names;
  for (const auto &target : populus::runtime::allTargets())
    if (target.isIpu())
      names.push_back(target.name);
  throw invalid_machine_model("there is no IPU target '" + name + "'" +
                              core::didYouMean(name, names) +
                              "; there are ipu1, ipu2 and ipu21");
}

auto key(const TargetData &data) {
  return std::make_tuple(data.type, data.info->name, data.numIpus,
                         data.tilesPerIpu, data.options,
                         data.model ? core::numbersOf(data.model->settings)
                                    : std::vector<double>());
}

// ---- Options ----------------------------------------------------------------

constexpr std::string_view OptionKeys[] = {
    "gatewayMode",     "ipuLinkConfiguration", "ipuLinkDomainSize",
    "ipuLinkTopology", "syncConfiguration",
};

/// Merges the options of the environment with those of the program, which take
/// precedence.
OptionFlags checkedOptions(const OptionFlags &given) {
  OptionFlags all;
  readJSONFromEnv("POPLAR_TARGET_OPTIONS", all);
  for (const auto &[key, value] : given)
    all.set(key, value);
  for (const auto &[key, value] : all)
    if (std::find(std::begin(OptionKeys), std::end(OptionKeys), key) ==
        std::end(OptionKeys))
      throw invalid_option("there is no target option '" + key + "'" +
                           core::didYouMean(key, OptionKeys));
  return all;
}

/// The place of an option's value in a list of names; 0 if it is not set.
template <std::size_t Count>
std::size_t choice(const OptionFlags &options, const char *key,
                   const std::string_view (&names)[Count]) {
  const auto option = options.find(key);
  if (option == options.end())
    return 0;
  const auto equal = [&](std::string_view name) {
    return std::equal(
        name.begin(), name.end(), option->second.begin(), option->second.end(),
        [](char a, char b) { return std::tolower(a) == std::tolower(b); });
  };
  const auto *name = std::find_if(std::begin(names), std::end(names), equal);
  if (name == std::end(names))
    throw invalid_option("the value of target option '" + std::string(key) +
                         "' is '" + option->second + "'" +
                         core::didYouMean(option->second, names));
  return static_cast<std::size_t>(name - std::begin(names));
}

constexpr std::string_view TopologyNames[] = {"mesh", "torus"};
constexpr std::string_view ConfigurationNames[] = {"default", "barleyTwist",
                                                   "slidingWindow", "allToAll"};
constexpr std::string_view GatewayNames[] = {"true", "false"};

std::shared_ptr<TargetData> ipuTarget(unsigned numIPUs, unsigned tilesPerIPU,
                                      const std::string &name,
                                      const OptionFlags &options) {
  auto data = std::make_shared<TargetData>();
  data->type = TargetType::IPU;
  data->info = &findIpuTarget(name);
  data->numIpus = numIPUs;
  data->tilesPerIpu = tilesPerIPU ? tilesPerIPU : data->info->tilesPerIpu;
  if (numIPUs == 0)
    throw invalid_machine_model("a target needs at least one IPU");
  data->options = checkedOptions(options);
  return data;
}

} // namespace

Target::Target(std::shared_ptr<const TargetData> data)
    : data(std::move(data)) {}
Target::Target() : Target(createCPUTarget()) {}

Target Target::createIPUTarget(unsigned numIPUs, StringRef system,
                               const OptionFlags &options) {
  return Target(ipuTarget(numIPUs, 0, system, options));
}

Target Target::createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU,
                               StringRef system, const OptionFlags &options) {
  if (tilesPerIPU == 0)
    throw invalid_machine_model("an IPU needs at least one tile");
  return Target(ipuTarget(numIPUs, tilesPerIPU, system, options));
}

Target Target::createCPUTarget(bool, unsigned numIPUs) {
  auto data = std::make_shared<TargetData>();
  data->info = populus::runtime::findTarget("cpu");
  data->numIpus = numIPUs;
  return Target(std::move(data));
}

Target Target::createVirtualTarget(unsigned numIPUs,
                                   unsigned tilesPerIPU) const {
  if (numIPUs == 0 || tilesPerIPU == 0)
    throw invalid_machine_model("a virtual target needs at least one IPU and "
                                "one tile on it");
  auto result = std::make_shared<TargetData>(*data);
  result->numIpus = numIPUs;
  result->tilesPerIpu = tilesPerIPU;
  return Target(std::move(result));
}

TargetType Target::getTargetType() const { return data->type; }
std::string Target::getTargetSystemString() const {
  return std::string(data->info->name);
}
std::string Target::getTargetArchString() const {
  return std::string(data->info->name);
}
unsigned Target::getNumIPUs() const { return data->numIpus; }
unsigned Target::getTilesPerIPU() const { return data->tilesPerIpu; }
unsigned Target::getNumTiles() const {
  return data->numIpus * data->tilesPerIpu;
}
unsigned Target::getNumWorkerContexts() const {
  return data->model ? data->model->settings.numWorkerContexts
                     : data->info->workersPerTile;
}
unsigned Target::getBytesPerTile() const {
  return data->info->isIpu() ? data->info->bytesPerTile() : ~0u;
}
double Target::getTileClockFrequency() const { return data->info->clockHz; }

std::size_t Target::getTypeSize(const Type &type) const {
  core::requireValid(type, "the argument of getTypeSize");
  return core::sizeOf(type);
}
unsigned Target::getVectorWidth(const Type &type) const {
  if (type == FLOAT)
    return getFloatVectorWidth();
  if (type == HALF)
    return getHalfVectorWidth();
  return 1;
}
unsigned Target::getFloatVectorWidth() const {
  return data->info->isIpu() ? 2 : 1;
}
unsigned Target::getHalfVectorWidth() const {
  return data->info->isIpu() ? 4 : 1;
}
unsigned Target::getDataPathWidth() const {
  return data->model ? data->model->settings.dataPathWidth
                     : timing::LoadBytesPerCycle * 8;
}
// The count of `rpt` is 16 bits wide in a register, 12 as an immediate.
unsigned Target::getRptCountMax() const {
  return data->model ? data->model->settings.rptCountMax : 0xffff;
}
unsigned Target::getAtomicStoreGranularity() const {
  return data->model           ? data->model->settings.atomicStoreGranularity
         : data->info->isIpu() ? 4
                               : 1;
}
unsigned Target::getExchangeBytesPerCycle() const {
  return data->info->exchangeBytesPerCycle;
}
unsigned Target::getMemcpyBytesPerCycle() const {
  return data->model ? data->model->settings.memcpyBytesPerCycle
                     : timing::LocalCopyBytesPerCycle;
}
unsigned Target::getTilesPerSharedExchangeBus() const {
  return data->model ? data->model->settings.tilesPerSuperTile : 2;
}
bool Target::supportsExchangeBusSharing() const {
  return data->model && data->model->settings.supportsSuperTileSendReceive;
}
unsigned Target::getNumStrideBits() const { return 10; }
unsigned Target::getMinIPUSyncDelay() const {
  return static_cast<unsigned>(timing::internalSyncCycles(*data->info));
}
unsigned Target::getMaxIPUSyncDelay() const { return getMinIPUSyncDelay(); }
unsigned Target::getGlobalSyncCycles() const {
  return static_cast<unsigned>(timing::globalSyncCycles(*data->info));
}
unsigned Target::getInterleavedMemoryElementIndex() const {
  return data->model ? data->model->settings.interleavedMemoryElementIndex
         : data->info->isIpu() ? 1
                               : 0;
}

unsigned Target::getFp16InFp16OutConvUnitsPerTile() const {
  return data->model ? data->model->settings.fp16InFp16OutConvUnitsPerTile : 16;
}
unsigned Target::getFp16InFp32OutConvUnitsPerTile() const {
  return data->model ? data->model->settings.fp16InFp32OutConvUnitsPerTile
         : data->info->archVersion == 1 ? 8
                                        : 16;
}
unsigned Target::getFp32InFp32OutConvUnitsPerTile() const {
  return data->model ? data->model->settings.fp32InFp32OutConvUnitsPerTile
         : data->info->archVersion == 1 ? 4
                                        : 8;
}
unsigned Target::getNumConvUnits(const Type &input,
                                 const Type &partials) const {
  if (input == FLOAT && partials == FLOAT)
    return getFp32InFp32OutConvUnitsPerTile();
  if (input == HALF && partials == FLOAT)
    return getFp16InFp32OutConvUnitsPerTile();
  if (input == HALF && partials == HALF)
    return getFp16InFp16OutConvUnitsPerTile();
  throw poplar_error("there are no convolution units for " + input.toString() +
                     " with partial sums of " + partials.toString());
}
unsigned Target::getWeightsPerConvUnit(const Type &type) const {
  return type == HALF ? 16 : 8;
}
unsigned Target::getConvUnitMaxPipelineDepth(const Type &type) const {
  if (!data->model)
    return 4;
  return type == HALF ? data->model->settings.fp16ConvUnitMaxPipelineDepth
                      : data->model->settings.fp32ConvUnitMaxPipelineDepth;
}
unsigned Target::getFp16ConvUnitInputLoadElemsPerCycle() const {
  return data->model ? data->model->settings.fp16ConvUnitInputLoadElemsPerCycle
                     : timing::LoadBytesPerCycle / 2;
}
unsigned Target::getFp32ConvUnitInputLoadElemsPerCycle() const {
  return data->model ? data->model->settings.fp32ConvUnitInputLoadElemsPerCycle
                     : timing::LoadBytesPerCycle / 4;
}
unsigned Target::getConvUnitInputLoadElemsPerCycle(const Type &type) const {
  if (type == HALF)
    return getFp16ConvUnitInputLoadElemsPerCycle();
  if (type == FLOAT)
    return getFp32ConvUnitInputLoadElemsPerCycle();
  return timing::LoadBytesPerCycle / static_cast<unsigned>(getTypeSize(type));
}
unsigned Target::getConvUnitCoeffLoadBytesPerCycle() const {
  return data->model ? data->model->settings.convUnitCoeffLoadBytesPerCycle
                     : timing::InterleavedLoadBytesPerCycle;
}

const OptionFlags &Target::getTargetOptions() const { return data->options; }
bool Target::getGatewayMode() const {
  return choice(data->options, "gatewayMode", GatewayNames) == 0;
}
unsigned Target::getIpuLinkDomainSize() const {
  const auto option = data->options.find("ipuLinkDomainSize");
  if (option == data->options.end())
    return getNumIPUs();
  const unsigned long size = std::strtoul(option->second.c_str(), nullptr, 10);
  if (size == 0 || size > 1u << 16)
    throw invalid_option("the value of target option 'ipuLinkDomainSize' is '" +
                         option->second + "', but must be a number of IPUs");
  return static_cast<unsigned>(size);
}
IpuLinkTopology Target::getIpuLinkTopology() const {
  return static_cast<IpuLinkTopology>(
      choice(data->options, "ipuLinkTopology", TopologyNames));
}
IpuLinkConfiguration Target::getIpuLinkConfiguration() const {
  return static_cast<IpuLinkConfiguration>(
      choice(data->options, "ipuLinkConfiguration", ConfigurationNames));
}
std::ostream &operator<<(std::ostream &out, IpuLinkTopology value) {
  return out << TopologyNames[static_cast<std::size_t>(value)];
}
std::ostream &operator<<(std::ostream &out, IpuLinkConfiguration value) {
  return out << ConfigurationNames[static_cast<std::size_t>(value)];
}
std::vector<GlobalExchangeConstraint>
Target::getGlobalExchangeConstraints() const {
  return data->model ? data->model->settings.globalExchangeConstraints
                     : std::vector<GlobalExchangeConstraint>();
}
std::vector<std::size_t> Target::getMemoryElementOffsets() const {
  if (!data->info->isIpu())
    return {0};
  return {0, data->info->regions[0].size()};
}

unsigned Target::makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr,
                                 bool nanoo) const {
  namespace bits = core::float_control;
  return (inv ? bits::Invalid : 0) | (div0 ? bits::DivideByZero : 0) |
         (oflo ? bits::Overflow : 0) | (esr ? bits::StochasticRounding : 0) |
         (nanoo ? bits::NanOnOverflow : 0);
}

long double Target::getTypeLimit(const Type &type, bool isMax) const {
  core::requireValid(type, "the argument of getTypeLimits");
  if (type == FLOAT || type == HALF) {
    const long double most =
        type == FLOAT ? std::numeric_limits<float>::max() : 65504.0f;
    return isMax ? most : -most;
  }
  if (type == QUARTER)
    throw type_error("the limits of quarters depend on their metadata; 240 or "
                     "57344, times 2 to the power of the scale");
  if (type == BOOL)
    return isMax ? 1 : 0;
  const auto &info = populus::runtime::info(core::elementType(type));
  const int bits = 8 * info.bytes - (info.isSigned ? 1 : 0);
  const long double end = std::ldexp(1.0L, bits);
  return isMax ? end - 1 : info.isSigned ? -end : 0;
}

// ---- Serialisation ----------------------------------------------------------

void Target::serialize(std::ostream &out) const {
  const std::string system(data->info->name);
  if (data->model && core::numbersOf(data->model->settings) !=
                         core::numbersOf(IPUModel(system.c_str())))
    throw not_supported_error("a target of an IPUModel whose settings were "
                              "changed cannot be serialised");
  nlohmann::json options = nlohmann::json::object();
  for (const auto &[key, value] : data->options)
    options[key] = value;
  out << nlohmann::json{{"type", toString(data->type)},
                        {"system", system},
                        {"numIPUs", data->numIpus},
                        {"tilesPerIPU", data->tilesPerIpu},
                        {"options", options}}
             .dump()
      << '\n';
}

Target::Target(std::istream &in) {
  std::string line;
  std::getline(in, line);
  try {
    const auto json = nlohmann::json::parse(line);
    const std::string type = json.at("type"), system = json.at("system");
    const unsigned ipus = json.at("numIPUs"), tiles = json.at("tilesPerIPU");
    if (type == toString(TargetType::CPU)) {
      *this = createCPUTarget(false, ipus);
      return;
    }
    OptionFlags options;
    readJSON(json.at("options").dump(), options);
    *this = createIPUTarget(ipus, tiles, system, options);
    if (type == toString(TargetType::IPU_MODEL)) {
      IPUModel model(system.c_str());
      model.numIPUs = ipus;
      model.tilesPerIPU = tiles;
      *this = model.createDevice(options).getTarget();
    }
  } catch (const nlohmann::json::exception &) {
    throw parse_error("what is read is not a target that Target::serialize "
                      "has written");
  }
}

bool operator==(const Target &a, const Target &b) {
  return key(*a.data) == key(*b.data);
}
bool operator<(const Target &a, const Target &b) {
  return key(*a.data) < key(*b.data);
}
std::size_t Target::hash() const {
  std::size_t result = static_cast<std::size_t>(data->type);
  for (std::size_t part :
       {std::hash<std::string_view>()(data->info->name),
        std::size_t(data->numIpus), std::size_t(data->tilesPerIpu)})
    result = result * 1000003 + part;
  return result;
}

namespace {

template <typename T> void toHalf(const T *src, void *dst, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i) {
    const std::uint16_t half =
        populus::runtime::floatToHalf(static_cast<float>(src[i]));
    std::memcpy(static_cast<char *>(dst) + 2 * i, &half, 2);
  }
}

template <typename T>
void fromHalf(const void *src, T *dst, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i) {
    std::uint16_t half;
    std::memcpy(&half, static_cast<const char *>(src) + 2 * i, 2);
    dst[i] = populus::runtime::halfToFloat(half);
  }
}

} // namespace

void copyFloatToDeviceHalf(const Target &, const float *src, void *dst,
                           std::size_t count) {
  toHalf(src, dst, count);
}
void copyDeviceHalfToFloat(const Target &, const void *src, float *dst,
                           std::size_t count) {
  fromHalf(src, dst, count);
}
void copyDoubleToDeviceHalf(const Target &, const double *src, void *dst,
                            std::size_t count) {
  toHalf(src, dst, count);
}
void copyDeviceHalfToDouble(const Target &, const void *src, double *dst,
                            std::size_t count) {
  fromHalf(src, dst, count);
}

} // namespace poplar
