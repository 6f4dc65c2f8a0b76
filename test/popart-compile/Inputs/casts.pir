// Conversions in the middle of a computation: 2049 is not a float16, 2048 is.
graph casts(%x: float 4, %y: float16 4) {
  %a: float16 4 = Cast-28(%x) {to=10}
  %b: float16 4 = Add-14(%a, %y) {}
  %c: float 4 = Cast-28(%b) {to=1}
  %d: float 4 = Mul-14(%c, %x) {}
  return d = %d: float 4
}
