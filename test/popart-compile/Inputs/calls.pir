// Loops that end when the model runs, a branch, and arguments by reference.
graph body(%i: int32 scalar, %x: float scalar, %end: float scalar) {
  %two: float scalar = constant [2.0]
  %s: float scalar = Mul-14(%x, %two) {}
  %c: bool scalar = Less-13(%s, %end) {}
  return c = %c: bool scalar
  return x = %s: float scalar
}
graph plus(%x: float scalar) {
  %one: float scalar = constant [1.0]
  %r: float scalar = Add-14(%x, %one) {}
  return r = %r: float scalar
}
graph minus(%x: float scalar, %y: float scalar) {
  %r: float scalar = Sub-14(%x, %y) {}
  return r = %r: float scalar
}
graph accumulate(%acc: float scalar, %x: float scalar) {
  %s: float scalar = Add-14(%acc, %x) {}
  %u: float scalar = ai.graphcore.CopyVarUpdate-1(%acc, %s) {}
}
variable @total: float scalar = zeros
graph main(%a: float scalar, %end: float scalar, %n: int32 scalar, %c: bool scalar) {
  %x: float scalar = ai.graphcore.Loop-1 @body(_, %c, %a, %end) {carried=1, conditional=1}
  %z: float scalar = ai.graphcore.Loop-1 @body(%n, _, %a, %end) {carried=1, conditional=1}
  %i: float scalar = ai.graphcore.If-1 @plus @minus(%c, %a, %x, %end) {then_inputs=1}
  %t: float scalar = variable @total
  ai.graphcore.Call-1 @accumulate(%t, %a) {modified=[0]}
  ai.graphcore.Call-1 @accumulate(%t, %x) {modified=[0]}
  %t2: float scalar = Identity-16(%t) {}
  return x = %x: float scalar
  return z = %z: float scalar
  return i = %i: float scalar
  return t = %t2: float scalar
}
program step = @main
