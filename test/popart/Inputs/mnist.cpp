// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tutorial 5 of the user guide once more, with PopART in place of PopLibs:
// softmax regression on images in MNIST's format, batches of 20, plain gradient
// descent from weights of zero. It prints what the tutorial's program prints,
// and leaves the trained model behind.
//
// usage: mnist DEVICE DATA-FOLDER EPOCHS MODEL.onnx
#include "tutorials/tut5_ml/mnist.hpp"
#include "device.hpp"

#include <popart/builder.hpp>
#include <popart/dataflow.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>

#include <algorithm>
#include <cstdint>

namespace {

const std::int64_t BatchSize = 20;
const float LearningRate = 0.1f;

struct Model {
  std::string proto, images, labels, probabilities, loss;
};

Model makeModel(std::int64_t pixels) {
  Model model;
  auto builder = popart::Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  const std::vector<float> zeros(pixels * NumClasses);
  auto parameter = [&](const popart::Shape &shape, const char *name) {
    return builder->addInitializedInputTensor(
        {zeros.data(), popart::TensorInfo("FLOAT", shape)}, name);
  };
  model.images = builder->addInputTensor("FLOAT", {BatchSize, pixels});
  model.labels = builder->addInputTensor("INT32", {BatchSize});
  const std::string weights = parameter({pixels, NumClasses}, "weights");
  const std::string biases = parameter({NumClasses}, "biases");
  model.probabilities =
      onnx.softmax({onnx.add({onnx.matmul({model.images, weights}), biases})});
  model.loss = builder->aiGraphcoreOpset1().nllloss(
      {model.probabilities, model.labels}, popart::ReductionType::Mean);
  model.proto = builder->getModelProto();
  return model;
}

/// The class with the largest of ten numbers.
std::int32_t classOf(const float *numbers) {
  return static_cast<std::int32_t>(
      std::max_element(numbers, numbers + NumClasses) - numbers);
}

/// A set of images, of which a step takes as many batches as there are.
class Samples {
public:
  explicit Samples(MnistSet from)
      : set(std::move(from)),
        batches(static_cast<std::int64_t>(set.count) / BatchSize) {
    for (std::size_t i = 0; i != set.count; ++i)
      labels.push_back(classOf(&set.labels[i * NumClasses]));
  }

  popart::DataFlow dataFlow(const Model &model) const {
    return popart::DataFlow(
        static_cast<int>(batches),
        {{model.probabilities, popart::AnchorReturnType("All")}});
  }
  std::int64_t pixels() const {
    return static_cast<std::int64_t>(set.pixelsPerImage);
  }

  /// Runs a step over all of it; how many percent were taken for what they are.
  double run(popart::Session &session, const Model &model) {
    std::vector<float> found(batches * BatchSize * NumClasses);
    popart::NDArrayWrapper<float> images(set.images.data(),
                                         {batches, BatchSize, pixels()});
    popart::NDArrayWrapper<std::int32_t> classes(labels.data(),
                                                 {batches, BatchSize});
    popart::NDArrayWrapper<float> probabilities(
        found.data(), {batches, BatchSize, NumClasses});
    popart::StepIO io({{model.images, images}, {model.labels, classes}},
                      {{model.probabilities, probabilities}});
    session.run(io);
    int correct = 0;
    for (std::int64_t i = 0; i != batches * BatchSize; ++i)
      correct += classOf(&found[i * NumClasses]) == labels[i];
    return 100.0 * correct / static_cast<double>(batches * BatchSize);
  }

private:
  MnistSet set;
  std::int64_t batches;
  std::vector<std::int32_t> labels;
};

} // namespace

int main(int, char **argv) {
  auto device = deviceOf(argv[1]);
  Samples train(readMnist(argv[2], "train")), test(readMnist(argv[2], "t10k"));
  const Model model = makeModel(train.pixels());
  auto training = popart::TrainingSession::createFromOnnxModel(
      model.proto, train.dataFlow(model), model.loss,
      popart::ConstSGD(LearningRate), device);
  training->prepareDevice();
  training->weightsFromHost();
  for (int epoch = 1; epoch <= std::atoi(argv[3]); ++epoch)
    std::cout << "Epoch " << epoch << ": accuracy while training "
              << train.run(*training, model) << "%\n";
  training->modelToHost(argv[4]);

  auto inference = popart::InferenceSession::createFromOnnxModel(
      argv[4], test.dataFlow(model), device);
  inference->prepareDevice();
  std::cout << "Accuracy on the test set: " << test.run(*inference, model)
            << "%\n";
}
