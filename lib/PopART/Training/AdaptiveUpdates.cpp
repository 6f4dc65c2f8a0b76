// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizers whose steps depend on the size of past gradients: Adam, its
// variants and LAMB, AdaGrad, RMSProp, AdaDelta.

#include "lib/PopART/Training/WeightUpdate.h"

namespace populus::popir {

namespace {

/// Adam, its variants, and LAMB.
class AdamUpdate final : public WeightUpdate {
public:
  using WeightUpdate::WeightUpdate;

  Value &prepare() override {
    Value *s = &scaled(gradient(), "adamGradientScaling");
    if (optimizer.decayInGradient && !isAlways("weightDecay", 0))
      s = &b.add(*s, b.mul(asFloat(w), scalar("weightDecay")));
    return *s;
  }

  void finish(Value &s) override {
    Value &m = state("Accl1___", optimizer.accl1Type.value_or(DataType::Float));
    Value &v = state("Accl2___", optimizer.accl2Type.value_or(DataType::Float));
    Value &beta1 = scalar("adamBeta1"), &beta2 = scalar("adamBeta2");
    const bool isMax = optimizer.kind == Optimizer::AdaMax;
    Value &mean = moving(rescaled(m, 1), beta1, s);
    Value &oldSize = rescaled(v, isMax ? 1 : 2);
    Value &size =
        isMax ? b.op("Max", {&b.mul(oldSize, beta2), &b.op("Abs", {&s})})
              : moving(oldSize, beta2, b.square(s));
    Value *x = &quotient(mean, size, beta1, beta2);
    if (!optimizer.decayInGradient && !isAlways("weightDecay", 0))
      x = &b.add(*x, b.mul(asFloat(w), scalar("weightDecay")));
    Value *rate = &scalar("learningRate");
    if (optimizer.isLamb() && !isAlways("maxWeightNorm", 0))
      rate = &b.mul(*rate, trust(*x));
    write(m, mean);
    write(v, size);
    writeWeight(b.sub(asFloat(w), b.mul(*x, *rate)));
    clearGradient();
  }

private:
  /// Rescales a moment to the current loss scaling; the moment is proportional
  /// to this power of the scaling.
  Value &rescaled(Value &moment, int power) {
    Value &x = asFloat(moment);
    Value *growth =
        optimizer.hasScaledState ? context.growthOfScaling() : nullptr;
    if (!growth)
      return x;
    return b.mul(x, power == 2 ? b.square(*growth) : *growth);
  }

  /// f a + (1 - f) x
  Value &moving(Value &a, Value &factor, Value &x) {
    return b.add(b.mul(a, factor), b.mul(x, b.from(1, factor)));
  }

  Value &quotient(Value &mean, Value &size, Value &beta1, Value &beta2) {
    Value &eps = scalar("adamEps");
    if (optimizer.kind == Optimizer::AdamNoBias ||
        optimizer.kind == Optimizer::LambNoBias)
      return b.div(mean, b.add(b.sqrt(size), eps));
    Value &t = state(context.update, "Step___", DataType::Float, 0, Shape());
    Value &now = b.add(t, 1);
    write(t, now);
    auto bias = [&](Value &beta) -> Value & {
      return b.from(1, b.op("Pow", {&beta, &now}));
    };
    Value &corrected = b.div(mean, bias(beta1));
    if (optimizer.kind == Optimizer::AdaMax)
      return b.div(corrected, b.add(size, eps));
    return b.div(corrected, b.add(b.sqrt(b.div(size, bias(beta2))), eps));
  }

  /// min(|w|, largest) / |x|, or 1 if either norm is 0.
  Value &trust(Value &x) {
    Value &weightNorm = norm(asFloat(w)), &stepNorm = norm(x);
    Value &most = scalar("maxWeightNorm"), &zero = b.scalar(DataType::Float, 0);
    Value &ratio = b.div(b.op("Min", {&weightNorm, &most}), stepNorm);
    Value &isNone =
        b.op("Equal", {&b.mul(b.mul(weightNorm, stepNorm), most), &zero});
    return b.select(isNone, b.scalar(DataType::Float, 1), ratio);
  }
  Value &norm(Value &x) { return b.sqrt(b.reduceAll("ReduceSumSquare", x)); }
};

/// AdaGrad, RMSProp, AdaDelta.
class AdaptiveUpdate final : public WeightUpdate {
public:
  using WeightUpdate::WeightUpdate;

  Value &prepare() override {
    Value *s = &scaled(gradient(), "adaptiveGradientScaling");
    if (optimizer.decayInGradient && !isAlways("weightDecay", 0))
      s = &b.add(*s, b.mul(asFloat(w), scalar("weightDecay")));
    return *s;
  }

  void finish(Value &s) override {
    Value *x = &step(s);
    const bool hasMomentum = optimizer.hasMomentum(name);
    const bool hasRateInside = optimizer.isTensorFlowVariant && hasMomentum;
    if (hasMomentum) {
      Value &kept =
          state("Accl3___", optimizer.accl3Type.value_or(w.info.type));
      Value &added = hasRateInside ? b.mul(*x, scalar("learningRate")) : *x;
      x = &b.add(b.mul(asFloat(kept), scalar("adaptiveMomentum")), added);
      write(kept, *x);
    }
    Value &moved = hasRateInside ? *x : b.mul(*x, scalar("learningRate"));
    writeWeight(b.sub(decayed(hasRateInside), moved));
    clearGradient();
  }

private:
  Value &decayed(bool hasRateInside) {
    if (optimizer.decayInGradient || isAlways("weightDecay", 0))
      return asFloat(w);
    Value &decay = hasRateInside
                       ? scalar("weightDecay")
                       : b.mul(scalar("weightDecay"), scalar("learningRate"));
    return b.mul(asFloat(w), b.from(1, decay));
  }

  Value &moving(Value &a, Value &x) {
    Value &alpha = scalar("adaptiveAlpha");
    return b.add(b.mul(a, alpha), b.mul(x, b.from(1, alpha)));
  }

  Value &step(Value &s) {
    const bool isTensorFlow = optimizer.isTensorFlowVariant;
    Value &v1 = state("Accl1___", optimizer.accl1Type.value_or(DataType::Float),
                      isTensorFlow ? 1 : 0);
    Value &square = b.square(s), &eps = scalar("adaptiveEps");
    Value &size = optimizer.kind == Optimizer::AdaGrad
                      ? b.add(asFloat(v1), square)
                      : moving(asFloat(v1), square);
    write(v1, size);
    if (optimizer.kind == Optimizer::AdaDelta) {
      Value &v2 =
          state("Accl2___", optimizer.accl2Type.value_or(DataType::Float));
      Value &old = asFloat(v2);
      Value &x =
          b.mul(s, b.div(b.sqrt(b.add(old, eps)), b.sqrt(b.add(size, eps))));
      write(v2, moving(old, b.square(x)));
      return x;
    }
    Value *variance = &size;
    if (optimizer.kind == Optimizer::CenteredRmsProp) {
      Value &v2 =
          state("Accl2___", optimizer.accl2Type.value_or(DataType::Float));
      Value &mean = moving(asFloat(v2), s);
      write(v2, mean);
      variance = &b.sub(size, b.square(mean));
    }
    return isTensorFlow ? b.div(s, b.sqrt(b.add(*variance, eps)))
                        : b.div(s, b.add(b.sqrt(*variance), eps));
  }
};

} // namespace

std::unique_ptr<WeightUpdate> makeAdaptiveUpdate(UpdateContext &context,
                                                 const TrainedWeight &weight) {
  if (context.optimizer.isAdamFamily())
    return std::make_unique<AdamUpdate>(context, weight);
  return std::make_unique<AdaptiveUpdate>(context, weight);
}

} // namespace populus::popir
