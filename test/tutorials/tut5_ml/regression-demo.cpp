// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tutorial 5 of the user guide, a basic machine learning example: logistic
// regression on the MNIST data set, trained with gradient descent. For each
// batch of images the device computes the probability of each class,
//     p = softmax(images * weights + biases)
// and, as the gradient of the cross entropy with respect to the argument of
// softmax is p - labels, moves weights and biases against
//     images^T * (p - labels)   and   the sum of the rows of p - labels.
//
// usage: regression-demo [-IPU | -CPU] DATA-FOLDER [EPOCHS]

#include "mnist.hpp"

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cstring>
#include <utility>

using namespace poplar;
using namespace poplar::program;

namespace {

const std::size_t BatchSize = 20;
const float LearningRate = 0.1f;

/// The places of the programs in the engine's list.
enum { TrainEpoch, TestEpoch };

struct Options {
  TargetType device;
  std::string dataFolder;
  unsigned epochs;
};

Options readOptions(int argc, char **argv) {
  Options options = {TargetType::IPU_MODEL, "", 3};
  int next = 1;
  if (next < argc && std::strcmp(argv[next], "-IPU") == 0) {
    options.device = TargetType::IPU;
    ++next;
  } else if (next < argc && std::strcmp(argv[next], "-CPU") == 0) {
    options.device = TargetType::CPU;
    ++next;
  }
  if (next < argc)
    options.dataFolder = argv[next++];
  if (next < argc)
    options.epochs =
        static_cast<unsigned>(std::strtoul(argv[next++], nullptr, 10));
  if (options.dataFolder.empty() || options.epochs == 0 || next != argc) {
    std::cerr << "usage: " << argv[0]
              << " [-IPU | -CPU] DATA-FOLDER [EPOCHS]\n";
    std::exit(2);
  }
  return options;
}

Device getDevice(TargetType type) {
  if (type == TargetType::CPU)
    return Device::createCPUDevice();
  if (type == TargetType::IPU_MODEL) {
    IPUModel model;
    model.tilesPerIPU = 64;
    return model.createDevice();
  }
  DeviceManager manager = DeviceManager::createDeviceManager();
  for (auto &device : manager.getDevices(TargetType::IPU, 1))
    if (device.attach())
      return std::move(device);
  std::cerr << "Error attaching to device\n";
  std::exit(1);
}

/// The graph of one batch: what it reads, and what it makes of it.
class Regression {
public:
  Regression(Graph &graph, std::size_t pixels) : graph(graph) {
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    images = poplin::createMatMulInputLHS(graph, FLOAT, {BatchSize, pixels},
                                          {pixels, NumClasses}, "images");
    weights = poplin::createMatMulInputRHS(graph, FLOAT, {BatchSize, pixels},
                                           {pixels, NumClasses}, "weights");
    labels = addLinear({BatchSize, NumClasses}, "labels");
    biases = addLinear({NumClasses}, "biases");
    graph.setInitialValue(weights, 0.0f);
    graph.setInitialValue(biases, 0.0f);
    imageStream =
        graph.addHostToDeviceFIFO("images", FLOAT, images.numElements());
    labelStream =
        graph.addHostToDeviceFIFO("labels", FLOAT, labels.numElements());
    resultStream =
        graph.addDeviceToHostFIFO("probabilities", FLOAT, labels.numElements());
  }

  Sequence train() {
    Sequence prog{Copy(imageStream, images), Copy(labelStream, labels)};
    const Tensor error = forward(prog);
    prog.add(Copy(error, resultStream));
    popops::subInPlace(graph, error, labels, prog, "error");
    const float scale = -LearningRate / BatchSize;
    poplin::matMulAcc(graph, weights, scale, images.transpose(), error, prog,
                      "weightUpdate");
    const Tensor sum =
        popops::reduce(graph, error, {0}, popops::Operation::ADD, prog, "sum");
    popops::scaledAddTo(graph, biases, sum, scale, prog, "biasUpdate");
    return prog;
  }

  Sequence test() {
    Sequence prog{Copy(imageStream, images)};
    prog.add(Copy(forward(prog), resultStream));
    return prog;
  }

private:
  Tensor addLinear(std::vector<std::size_t> shape, const char *name) {
    const Tensor tensor = graph.addVariable(FLOAT, shape, name);
    poputil::mapTensorLinearly(graph, tensor);
    return tensor;
  }

  /// Adds the computation of the probabilities.
  Tensor forward(Sequence &prog) {
    const Tensor result =
        poplin::matMul(graph, images, weights, prog, FLOAT, "activations");
    popops::addInPlace(graph, result, biases, prog, "addBiases");
    return popnn::nonLinearity(graph, popnn::NonLinearityType::SOFTMAX_STABLE,
                               result, prog, "softmax");
  }

  Graph &graph;
  Tensor images, labels, weights, biases;
  DataStream imageStream, labelStream, resultStream;
};

/// Compares the results of a run with the labels, batch after batch.
class Accuracy : public LegacyStreamCallback {
public:
  Accuracy(const MnistSet *&set, std::size_t &correct)
      : set(set), correct(correct), next(0) {}

  void fetch(void *buffer) override {
    const float *results = static_cast<const float *>(buffer);
    for (std::size_t i = 0; i < BatchSize; ++i) {
      const float *label = &set->labels[(next + i) * NumClasses];
      unsigned best = 0;
      for (unsigned c = 1; c < NumClasses; ++c)
        if (results[i * NumClasses + c] > results[i * NumClasses + best])
          best = c;
      correct += label[best] != 0;
    }
    next += BatchSize;
    if (next + BatchSize > set->count)
      next = 0;
  }

private:
  const MnistSet *&set;
  std::size_t &correct;
  std::size_t next;
};

} // namespace

int main(int argc, char **argv) {
  const Options options = readOptions(argc, argv);
  MnistSet train = readMnist(options.dataFolder, "train");
  MnistSet test = readMnist(options.dataFolder, "t10k");
  const unsigned trainBatches = unsigned(train.count / BatchSize);
  const unsigned testBatches = unsigned(test.count / BatchSize);
  if (trainBatches == 0 || testBatches == 0 ||
      train.pixelsPerImage != test.pixelsPerImage) {
    std::cerr << "the data set is too small for batches of " << BatchSize
              << " images, or its images differ in size\n";
    return 1;
  }

  Device device = getDevice(options.device);
  Graph graph(device.getTarget());
  Regression regression(graph, train.pixelsPerImage);
  Engine engine(graph, {Repeat(trainBatches, regression.train()),
                        Repeat(testBatches, regression.test())});
  engine.load(device);

  const MnistSet *current = &train;
  std::size_t correct = 0;
  engine.connectStreamToCallback(
      "probabilities",
      std::unique_ptr<Accuracy>(new Accuracy(current, correct)));
  const auto run = [&](MnistSet &set, unsigned program, unsigned batches) {
    const std::size_t used = batches * BatchSize;
    current = &set;
    correct = 0;
    engine.connectStream("images", &set.images[0],
                         &set.images[0] + used * set.pixelsPerImage);
    engine.connectStream("labels", &set.labels[0],
                         &set.labels[0] + used * NumClasses);
    engine.run(program);
    return 100.0 * double(correct) / double(used);
  };

  for (unsigned epoch = 1; epoch <= options.epochs; ++epoch) {
    const double accuracy = run(train, TrainEpoch, trainBatches);
    std::cout << "Epoch " << epoch << ": accuracy while training " << accuracy
              << "%\n";
  }
  std::cout << "Accuracy on the test set: " << run(test, TestEpoch, testBatches)
            << "%\n";
  return 0;
}
