// Passes that rewrite a graph for its own sake, one by one.

// RUN: popir-opt %s --pass-pipeline=PostNRepl --verify-each | FileCheck %s --check-prefix=IDENTITY
// IDENTITY-LABEL: graph identities
// IDENTITY-NEXT:    %b: float 2 = Relu-14(%x) {}
// IDENTITY-NEXT:    return c = %b: float 2
graph identities(%x: float 2) {
  %a: float 2 = Identity-16(%x) {}
  %b: float 2 = Relu-14(%a) {}
  %c: float 2 = Dropout-13(%b) {}
  return c = %c: float 2
}

// RUN: popir-opt %s --pass-pipeline=MergeDuplicateOps --verify-each | FileCheck %s --check-prefix=MERGE
// MERGE-LABEL: graph duplicates
// MERGE-NEXT:    %one: float 1 = constant [1.0]
// MERGE-NEXT:    %a: float 2 = Add-14(%x, %one) {}
// MERGE-NEXT:    %c: float 2 = LeakyRelu-16(%a) {alpha=0.5}
// MERGE-NEXT:    %d: float 2 = LeakyRelu-16(%a) {alpha=0.25}
// MERGE-NEXT:    %e: float 2 = LeakyRelu-16(%a) {alpha=0.5} ipu=1
// MERGE-NEXT:    return a
graph duplicates(%x: float 2) {
  %one: float 1 = constant [1.0]
  %uno: float 1 = constant [1.0]
  %a: float 2 = Add-14(%x, %one) {}
  %b: float 2 = Add-14(%x, %uno) {}
  %c: float 2 = LeakyRelu-16(%a) {alpha=0.5}
  %d: float 2 = LeakyRelu-16(%b) {alpha=0.25}
  %e: float 2 = LeakyRelu-16(%b) {alpha=0.5} ipu=1
  %f: float 2 = LeakyRelu-16(%b) {alpha=0.5}
  return a = %a: float 2
  return c = %c: float 2
  return d = %d: float 2
  return e = %e: float 2
  return f = %f: float 2
}

// Two reads with an overwrite in between are not merged.
// MERGE-LABEL: graph changing
// MERGE:         %b: float 2 = Exp-13(%a) {}
// MERGE-NEXT:    %c: float 2 = Neg-13(%a) {} inplace=0
// MERGE-NEXT:    %d: float 2 = Exp-13(%c) {}
graph changing(%x: float 2) {
  %a: float 2 = Neg-13(%x) {}
  %b: float 2 = Exp-13(%a) {}
  %c: float 2 = Neg-13(%a) {} inplace=0
  %d: float 2 = Exp-13(%c) {}
  return b = %b: float 2
  return d = %d: float 2
}

// RUN: popir-opt %s --pass-pipeline=PadIntoWindow --verify-each | FileCheck %s --check-prefix=PAD
// PAD-LABEL: graph padding
// PAD-NOT:     Pad-13
// PAD:         Conv-11(%x, %w) {{.*}}pads=[1, 1, 1, 1]
graph padding(%x: float 1x1x4x4) {
  %pads: int64 8 = constant [0, 0, 1, 1, 0, 0, 1, 1]
  %w: float 1x1x3x3 = constant [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
  %p: float 1x1x6x6 = Pad-13(%x, %pads) {}
  %y: float 1x1x4x4 = Conv-11(%p, %w) {}
  return y = %y: float 1x1x4x4
}

// RUN: popir-opt %s --pass-pipeline=BatchNormIntoConv --verify-each | FileCheck %s --check-prefix=NORM
// NORM-LABEL: graph norm
// NORM-NOT:     BatchNormalization
// NORM:         %[[W:.*]]: float 1x1x1x1 = constant [4.0]
// NORM:         %[[B:.*]]: float 1 = constant [-1.0]
// NORM:         Conv-11(%x, %[[W]], %[[B]])
graph norm(%x: float 1x1x2x2) {
  %w: float 1x1x1x1 = constant [2.0]
  %scale: float 1 = constant [2.0]
  %shift: float 1 = constant [1.0]
  %mean: float 1 = constant [1.0]
  %var: float 1 = constant [1.0]
  %c: float 1x1x2x2 = Conv-11(%x, %w) {}
  %y: float 1x1x2x2 = BatchNormalization-15(%c, %scale, %shift, %mean, %var) {epsilon=0.0}
  return y = %y: float 1x1x2x2
}
