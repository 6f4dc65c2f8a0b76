"""Running statistics that batch norms move, in float32 and float16, beside NumPy in float64: in
Graphcore's domain the variance is an estimate over n - 1, in ONNX's it is that of the batch."""
import numpy as np
import popart

for kind in (np.float32, np.float16):
    data = np.array([[[1, 2, 4, 9], [0, 3, 3, 6]]], kind)
    exact = data.astype(np.float64)
    for domain in ("aiGraphcore", "aiOnnx"):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo(data))
        given = [b.addInitializedInputTensor(np.array([v, v], kind)) for v in (1, 0, 0, 1)]
        _, mean, variance, _, _ = getattr(b, domain).batchnormalization([x, *given], 5, 1e-5, 0.99)
        session = popart.InferenceSession(
            b.getModelProto(), popart.DataFlow(1, [mean, variance]),
            popart.DeviceManager().createCpuDevice())
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({x: data}, anchors))
        tolerance = 1e-5 if kind == np.float32 else 2.0 ** -10
        wanted = 0.99 + 0.01 * exact.var(2, ddof=domain == "aiGraphcore").ravel()
        np.testing.assert_allclose(anchors[variance].ravel(), wanted, rtol=tolerance)
        np.testing.assert_allclose(anchors[mean].ravel(), 0.01 * exact.mean(2).ravel(),
                                   rtol=tolerance)
