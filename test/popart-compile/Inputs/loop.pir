// Two values change places in each iteration, a third one is collected.
graph body(%i: int32 scalar, %x: float 4, %y: float 4, %w: float 4) {
  %s: float 4 = Add-14(%x, %w) {}
  %f: float scalar = Cast-13(%i) {to=1}
  %r: float 4 = Mul-14(%y, %f) {}
  return x = %y: float 4
  return y = %s: float 4
  return row = %r: float 4
}
graph main(%a: float 4, %b: float 4) {
  %w: float 4 = constant [1.0, 2.0, 3.0, 4.0]
  %x: float 4, %y: float 4, %rows: float 5x4 = ai.graphcore.Loop-1 @body(_, _, %a, %b, %w) {carried=2, trip_count=5}
  return x = %x: float 4
  return y = %y: float 4
  return rows = %rows: float 5x4
}
program step = @main
