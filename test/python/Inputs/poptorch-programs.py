# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as people write them for IPUs, in small: each trains some steps beside PyTorch on the
same batches, which it has to follow."""

import copy
import os
import sys
import tempfile

os.environ["POPULUS_POPTORCH_DEVICE"] = "cpu"

import poptorch
import torch
import torch.nn.functional as F
from torch import nn


def close(a, b, tolerance=1e-4):
    error = ((a.float() - b.float()).abs() / (1 + b.float().abs())).max().item()
    assert error <= tolerance, error


def follow(reference, optimizer, batches, parts=1):
    """Trains in PyTorch; the gradients of `parts` micro-batches are averaged. Returns the last
    loss."""
    for batch in batches:
        optimizer.zero_grad()
        for part in zip(*(tensor.chunk(parts) for tensor in batch)):
            loss = reference(*part)[-1]
            (loss / parts).backward()
        optimizer.step()
    return loss.detach()


def same_weights(model, reference, tolerance=1e-4):
    wanted = reference.state_dict()
    for name, value in model.state_dict().items():
        close(value, wanted[name], tolerance)


class Digits(torch.utils.data.Dataset):
    """Pictures of stripes, whose place is their label."""

    def __init__(self, count, dtype=torch.float32):
        generator = torch.Generator().manual_seed(3)
        self.labels = torch.randint(0, 10, (count,), generator=generator)
        self.pictures = torch.rand(count, 1, 14, 14, generator=generator) * 0.3
        for picture, label in zip(self.pictures, self.labels):
            picture[0, :, label + 2] += 1
        self.pictures = self.pictures.to(dtype)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.pictures[index], self.labels[index]


class Block(nn.Module):
    def __init__(self, inputs, outputs, groups):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3)
        self.norm = nn.GroupNorm(groups, outputs)

    def forward(self, x):
        return F.relu(self.norm(F.max_pool2d(self.conv(x), 2)))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(1, 4, 2), Block(4, 8, 4)
        self.hidden, self.last = nn.Linear(8 * 2 * 2, 16), nn.Linear(16, 10)

    def forward(self, x, labels=None):
        x = self.second(self.first(x)).flatten(1)
        scores = F.log_softmax(self.last(F.relu(self.hidden(x))), dim=1)
        if labels is None:
            return scores
        return scores, F.nll_loss(scores, labels)


def mnist():
    torch.manual_seed(0)
    options = poptorch.Options().deviceIterations(2).outputMode(poptorch.OutputMode.All)
    loader = poptorch.DataLoader(options, Digits(160), batch_size=8, shuffle=True)
    model = Classifier()
    reference = copy.deepcopy(model)
    trainer = poptorch.trainingModel(
        model, options, poptorch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    optimizer = torch.optim.SGD(reference.parameters(), lr=0.1, momentum=0.9)
    for pictures, labels in loader:
        scores, loss = trainer(pictures, labels)
        assert scores.shape == (16, 10) and loss.shape == (2,)
        wanted = follow(reference, optimizer, zip(pictures.chunk(2), labels.chunk(2)))
        close(loss[-1], wanted)
    same_weights(model, reference, 1e-3)
    for batch in [*loader] * 3:
        trainer(*batch)
    trainer.detachFromDevice()
    tester = poptorch.inferenceModel(model.eval(), poptorch.Options())
    pictures, labels = next(iter(poptorch.DataLoader(poptorch.Options(), Digits(160), 160)))
    scores = tester(pictures)
    reference.load_state_dict(model.state_dict())
    close(scores, reference.eval()(pictures).detach())
    accuracy = (scores.argmax(1) == labels).float().mean()
    assert accuracy > 0.9, accuracy


class Clothes(nn.Module):
    """Convolutions with a batch norm, and the loss inside the model."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, bias=False)  # the norm takes it away
        self.norm = nn.BatchNorm2d(4)
        self.pool, self.relu = nn.MaxPool2d(2), nn.ReLU()
        self.last = nn.Linear(4 * 6 * 6, 10)
        self.loss = nn.NLLLoss()

    def forward(self, x, labels=None):
        x = self.pool(self.relu(self.norm(self.conv(x))))
        x = torch.log_softmax(self.last(torch.flatten(x, start_dim=1)), dim=-1)
        return (x, self.loss(x, labels)) if self.training else x


def basics():
    """Training, a file of weights, and another program for them."""
    torch.manual_seed(0)
    model = Clothes().train()
    reference = copy.deepcopy(model)
    options = poptorch.Options().deviceIterations(5)
    trainer = poptorch.trainingModel(model, options, poptorch.optim.AdamW(model.parameters(),
                                                                         lr=0.01))
    optimizer = torch.optim.AdamW(reference.parameters(), lr=0.01)
    for pictures, labels in poptorch.DataLoader(options, Digits(160), batch_size=8, shuffle=True):
        _, loss = trainer(pictures, labels)
        close(loss, follow(reference, optimizer, zip(pictures.chunk(5), labels.chunk(5))), 1e-3)
    trainer.detachFromDevice()
    with tempfile.TemporaryDirectory() as folder:
        torch.save(model.state_dict(), f"{folder}/classifier.pth")
        other = Clothes()
        other.load_state_dict(torch.load(f"{folder}/classifier.pth"))
    predictor = poptorch.inferenceModel(other.eval(), poptorch.Options())
    pictures = torch.stack([picture for picture, _ in Digits(8)])
    close(predictor(pictures), other(pictures).detach())
    close(other(pictures).detach(), reference.eval()(pictures).detach(), 1e-2)


def dataLoading():
    torch.manual_seed(0)
    options = poptorch.Options().deviceIterations(2)
    options.Training.gradientAccumulation(2)
    loader = poptorch.DataLoader(options, Digits(64), batch_size=4, shuffle=True,
                                 mode=poptorch.DataLoaderMode.Async,
                                 async_options={"early_preload": True})
    assert loader.combinedBatchSize == 16
    model = Classifier()
    reference = copy.deepcopy(model)
    trainer = poptorch.trainingModel(model, options, torch.optim.Adam(model.parameters()))
    optimizer = torch.optim.Adam(reference.parameters())
    for pictures, labels in loader:
        trainer(pictures, labels)
        follow(reference, optimizer, zip(pictures.chunk(2), labels.chunk(2)), parts=2)
    loader.terminate()
    same_weights(model, reference, 1e-3)


def mixedPrecision():
    torch.manual_seed(0)
    options = poptorch.Options()
    options.Precision.setPartialsType(torch.float)
    options.Training.gradientAccumulation(2)
    model = Classifier()
    reference = copy.deepcopy(model)
    model.half()
    trainer = poptorch.trainingModel(model, options, poptorch.optim.AdamW(
        model.parameters(), lr=0.001, loss_scaling=256, accum_type=torch.float32))
    optimizer = torch.optim.AdamW(reference.parameters(), lr=0.001)
    batches = [(p.half(), l) for p, l in torch.utils.data.DataLoader(Digits(48), 16)]
    for pictures, labels in batches:
        _, loss = trainer(pictures, labels)
        wanted = follow(reference, optimizer, [(pictures.float(), labels)], parts=2)
        assert loss.dtype == torch.float16
        close(loss, wanted, 1e-2)
    same_weights(model, reference, 1e-2)


def pipelining():
    os.environ.pop("POPULUS_POPTORCH_DEVICE")
    torch.manual_seed(0)
    model = Classifier()
    reference = copy.deepcopy(model)
    poptorch.BeginBlock(model.first, "convolutions", ipu_id=0)
    poptorch.BeginBlock(model.hidden, "classifier", ipu_id=1)
    options = poptorch.Options().useIpuModel(True).showCompilationProgressBar(False)
    options.Training.gradientAccumulation(4)
    options.setExecutionStrategy(poptorch.PipelinedExecution(poptorch.AutoStage.SameAsIpu))
    trainer = poptorch.trainingModel(model, options,
                                     poptorch.optim.SGD(model.parameters(), lr=0.1))
    optimizer = torch.optim.SGD(reference.parameters(), lr=0.1)
    for batch in torch.utils.data.DataLoader(Digits(16), 8):
        trainer(*batch)
        follow(reference, optimizer, [batch], parts=4)
    same_weights(model, reference)


def observing():
    torch.manual_seed(0)
    model = Classifier()
    reference = copy.deepcopy(model)
    probe = poptorch.inferenceModel(model)
    batch = next(iter(torch.utils.data.DataLoader(Digits(8), 8)))
    probe(batch[0])
    assert "first/conv/Conv:0" in probe.getTensorNames(), probe.getTensorNames()
    options = poptorch.Options()
    options.anchorTensor("maps", "first/conv/Conv:0")
    options.anchorTensor("gradient", "Gradient___last.weight")
    trainer = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    trainer(*batch)
    reference(*batch)[1].backward()
    close(trainer.getAnchoredTensor("maps"), reference.first.conv(batch[0]).detach())
    close(trainer.getAnchoredTensor("gradient"), reference.last.weight.grad)


class Octave(nn.Module):
    """A convolution of two resolutions: four convolutions, of which two change the resolution."""

    def __init__(self, channels):
        super().__init__()
        self.parts = nn.ModuleDict({name: nn.Conv2d(channels, channels, 3, padding=1)
                                    for name in ("hh", "hl", "lh", "ll")})

    def forward(self, high, low):
        small = F.avg_pool2d(high, 2)
        with poptorch.MultiConv().planType(poptorch.MultiConvPlanType.Serial):
            hh, lh = self.parts["hh"](high), self.parts["lh"](low)
            hl, ll = self.parts["hl"](small), self.parts["ll"](low)
        return F.relu(hh + F.interpolate(lh, scale_factor=2, mode="nearest")), F.relu(hl + ll)


class Octaves(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Octave(3), Octave(3)
        self.last = nn.Linear(6, 4)

    def forward(self, x, labels):
        high, low = self.second(*self.first(x, F.avg_pool2d(x, 2)))
        y = self.last(torch.cat([high.mean((2, 3)), low.amax((2, 3))], 1))
        return y, F.cross_entropy(y, labels, label_smoothing=0.1)


def octaves():
    torch.manual_seed(0)
    train_beside(Octaves(), [(torch.rand(4, 3, 8, 8), torch.randint(0, 4, (4,)))] * 3,
                 lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.5))


def train_beside(model, batches, make, options=None, parts=1, make_reference=None,
                 tolerance=1e-4):
    reference = copy.deepcopy(model)
    trainer = poptorch.trainingModel(model, options, make(model.parameters()))
    optimizer = (make_reference or make)(reference.parameters())
    for batch in batches:
        *_, loss = trainer(*batch)
        wanted = follow(reference, optimizer, [batch], parts)
        close(loss, wanted, tolerance)
    same_weights(model, reference, tolerance)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        # A bias of keys changes no softmax: its gradient is noise, of which Adam makes steps.
        self.query, self.key, self.value, self.out = (nn.Linear(width, width, bias=bias)
                                                      for bias in (True, False, True, True))

    def forward(self, x, mask):
        def split(y):
            return y.view(*y.shape[:2], self.heads, -1).permute(0, 2, 1, 3)

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + mask
        mixed = scores.softmax(-1) @ v
        return self.out(mixed.permute(0, 2, 1, 3).reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = Attention(width, heads)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width, eps=1e-12) for _ in range(2))

    def forward(self, x, mask):
        x = self.norms[0](x + self.attention(x, mask))
        x = self.norms[1](x + self.down(F.gelu(self.up(x))))
        return poptorch.recomputationCheckpoint(x)


class Bert(nn.Module):
    """Masked words and the order of two sentences; the embedding is the decoder, too."""

    def __init__(self, words=40, width=16, length=12):
        super().__init__()
        self.words = nn.Embedding(words, width, padding_idx=0)
        self.places, self.kinds = nn.Embedding(length, width), nn.Embedding(2, width)
        self.register_buffer("place_ids", torch.arange(length).unsqueeze(0), persistent=False)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(Layer(width, 2) for _ in range(2))
        self.pooler, self.order = nn.Linear(width, width), nn.Linear(width, 2)
        self.decoder = nn.Linear(width, words)
        self.decoder.weight = self.words.weight

    def forward(self, ids, kinds, attended, chosen, labels, order):
        mask = (1.0 - attended[:, None, None, :].to(self.norm.weight.dtype)) * -1e4
        x = self.norm(self.words(ids) + self.places(self.place_ids) + self.kinds(kinds))
        for layer in self.layers:
            x = layer(x, mask)
        picked = torch.gather(x, 1, chosen.long().unsqueeze(-1).expand(-1, -1, x.shape[-1]))
        scores = self.decoder(picked)
        words = F.cross_entropy(scores.view(-1, scores.shape[-1]), labels.view(-1).long(),
                                ignore_index=-100)
        pooled = torch.tanh(self.pooler(x[:, 0]))
        sentences = F.cross_entropy(self.order(pooled), order.view(-1).long())
        return poptorch.identity_loss(words + sentences, reduction="none")


def text(batch):
    ids = torch.randint(1, 40, (batch, 12))
    attended = (torch.arange(12) < torch.randint(6, 13, (batch, 1))).int()
    labels = torch.randint(0, 40, (batch, 3))
    labels[:, 2] = -100
    return (ids * attended, torch.randint(0, 2, (batch, 12)), attended,
            torch.randint(0, 6, (batch, 3)).int(), labels, torch.randint(0, 2, (batch, 1)))


class OneLoss(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *batch):
        return (self.model(*batch),)


def groups(model, kind, **arguments):
    """Biases and norms do not decay."""
    named = list(model.named_parameters())
    plain = [p for name, p in named if p.ndim == 1]
    return kind([{"params": [p for name, p in named if p.ndim > 1], "weight_decay": 0.01},
                 {"params": plain, "weight_decay": 0.0}], lr=0.002, **arguments)


def bert():
    torch.manual_seed(0)
    model = Bert()
    reference = OneLoss(copy.deepcopy(model))
    options = poptorch.Options()
    options.Training.gradientAccumulation(2)
    options._Popart.set("autoRecomputation", 0)
    optimizer = groups(model, poptorch.optim.AdamW, loss_scaling=64.0)
    trainer = poptorch.trainingModel(model, options, optimizer)
    torch_optimizer = groups(reference.model, torch.optim.AdamW)
    schedules = [torch.optim.lr_scheduler.LambdaLR(o, lambda step: 1 / (1 + step))
                 for o in (optimizer, torch_optimizer)]
    for _ in range(3):
        batch = text(4)
        loss = trainer(*batch)
        close(loss, follow(reference, torch_optimizer, [batch], parts=2))
        for schedule in schedules:
            schedule.step()
        trainer.setOptimizer(optimizer)
    same_weights(model, reference.model)
    assert model.decoder.weight is model.words.weight
    lamb = poptorch.trainingModel(Bert(), None, groups(Bert(), poptorch.optim.LAMB))
    assert torch.isfinite(lamb(*text(2)))


class Messages(nn.Module):
    """A layer of a graph network: nodes get the sum and the mean of their neighbours' messages."""

    def __init__(self, width):
        super().__init__()
        self.message, self.update = nn.Linear(2 * width, width), nn.Linear(3 * width, width)

    def forward(self, x, edges):
        source, target = edges[0], edges[1]
        parts = [x.index_select(0, source), x.index_select(0, target)]
        sent = F.relu(self.message(torch.cat(parts, 1)))
        places = target.unsqueeze(1).expand_as(sent)
        total = torch.zeros_like(x).scatter_add(0, places, sent)
        counts = torch.zeros(x.shape[0], dtype=x.dtype).index_add(
            0, target, torch.ones(target.shape[0], dtype=x.dtype))
        mean = total / counts.clamp(min=1).unsqueeze(1)
        return F.relu(self.update(torch.cat([x, total, mean], 1)))


class GraphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.kinds = nn.Embedding(5, 8)
        self.layers = nn.ModuleList(Messages(8) for _ in range(2))
        self.last = nn.Linear(8, 1)

    def forward(self, kinds, edges, graphs, targets):
        x = self.kinds(kinds)
        for layer in self.layers:
            x = x + layer(x, edges)
        pooled = torch.zeros(4, 8).index_add(0, graphs, x)
        largest = torch.full((4, 8), -1e4).scatter_reduce(
            0, graphs.unsqueeze(1).expand(-1, 8), x, "amax")
        result = self.last(pooled + largest).squeeze(-1)
        return result, F.mse_loss(result, targets)


def graphs():
    torch.manual_seed(0)
    batch = (torch.randint(0, 5, (12,)), torch.randint(0, 12, (2, 30)),
             torch.arange(12) // 3, torch.rand(4))
    train_beside(GraphNet(), [batch] * 3, lambda p: torch.optim.Adam(p, lr=0.01))


def main():
    for test in (mnist, basics, dataLoading, mixedPrecision, observing, octaves, bert, graphs,
                 pipelining):
        if not sys.argv[1:] or test.__name__ in sys.argv[1:]:
            test()
            print(test.__name__, "ok", flush=True)


if __name__ == "__main__":  # which processes that load data are not
    main()
