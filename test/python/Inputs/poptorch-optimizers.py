# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers of torch.optim and poptorch.optim as PopART's: numbers, constants, groups, refusals,
state; and ten updates beside PyTorch's own."""

import copy
import math
import pickle

import numpy as np
import popart
import torch

import poptorch
from poptorch import optim
from poptorch._optimizers import defaultOptimizer, toPopart, unexpected


def refused(errors, function, *arguments, **named):
    text = named.pop("text", "")
    try:
        function(*arguments, **named)
    except errors as error:
        assert text in str(error), (text, str(error))
        return
    raise AssertionError(f"{function} took {arguments} {named}")


def parameters():
    return [torch.nn.Parameter(torch.ones(2)) for _ in range(3)]


def named(weights):
    return [(f"w{number}", weight) for number, weight in enumerate(weights)]


def close(value, expected, constant):
    assert math.isclose(value.val(), expected, rel_tol=1e-6), (value.val(), expected)
    assert value.isConst() == constant


def constants():
    weights = parameters()
    sgd = toPopart(torch.optim.SGD(weights, lr=0.5), named(weights))
    close(sgd.learningRates().getDefault(), 0.5, False)
    close(sgd.momentums().getDefault(), 0, True)
    close(sgd.weightDecays().getDefault(), 0, True)
    moving = toPopart(torch.optim.SGD(weights, lr=0.5, momentum=0.9, weight_decay=0.1),
                      named(weights))
    close(moving.momentums().getDefault(), 0.9, False)
    close(moving.weightDecays().getDefault(), 0.1, False)
    adamw = toPopart(torch.optim.AdamW(weights), named(weights))
    close(adamw.weightDecays().getDefault(), 0.01, True)
    close(adamw.beta1s().getDefault(), 0.9, True)
    close(adamw.epss().getDefault(), 1e-8, True)
    # In poptorch.optim what is written is variable.
    ours = optim.AdamW(weights, lr=0.1, weight_decay=0.01, eps=1e-8)
    made = toPopart(ours, named(weights))
    close(made.weightDecays().getDefault(), 0.01, False)
    close(made.epss().getDefault(), 1e-8, False)
    close(made.beta2s().getDefault(), 0.999, True)
    assert ours.variable_attrs.isConstant("betas") and not ours.variable_attrs.isConstant("lr")
    ours.variable_attrs.markAsConstant("lr")
    ours.variable_attrs.markAsVariable("betas")
    made = toPopart(ours, named(weights))
    close(made.learningRates().getDefault(), 0.1, True)
    close(made.beta2s().getDefault(), 0.999, False)
    refused(AssertionError, ours.variable_attrs.markAsConstant, "momentum", text="momentum")
    assert optim.SGD(weights, lr=0.1).variable_attrs.isConstant("loss_scaling")
    # Attributes that programs set on PyTorch's own.
    plain = torch.optim.SGD(weights, lr=0.5)
    plain.loss_scaling = 64.0
    assert toPopart(plain, named(weights)).getLossScalingVal() == 64.0
    close(toPopart(defaultOptimizer(weights), named(weights)).learningRates().getDefault(), 0.01,
          False)
    lamb = optim.LAMB(parameters(), max_weight_norm=3)
    assert lamb.param_groups[0]["max_weight_norm"] == 3
    assert not lamb.variable_attrs.isConstant("max_weight_norm")


def groups():
    weights = parameters()
    optimizer = torch.optim.SGD([{"params": weights[:1]},
                                 {"params": weights[1:2], "lr": 0.25, "weight_decay": 0.5}], lr=1)
    made = toPopart(optimizer, named(weights))
    assert [made.learningRates().get(f"w{number}").val() for number in range(3)] == [1, 0.25, 0]
    close(made.weightDecays().get("w1"), 0.5, False)
    adam = optim.Adam([{"params": weights[:2]}, {"params": weights[2:], "betas": (0.5, 0.25)}],
                      lr=0.1)
    made = toPopart(adam, named(weights))
    assert made.beta1s().get("w2").val() == 0.5 and made.beta2s().get("w2").val() == 0.25
    centered = torch.optim.RMSprop([{"params": weights[:2]},
                                    {"params": weights[2:], "centered": True}])
    refused(ValueError, toPopart, centered, named(weights), text="centered")


def refusals():
    weights = parameters()
    refused(ValueError, optim.Adam, weights, amsgrad=True, text="amsgrad")
    refused(ValueError, toPopart, torch.optim.AdamW(weights, amsgrad=True), named(weights))
    refused(ValueError, toPopart, torch.optim.SGD(weights, lr=1, maximize=True), named(weights),
            text="maximize")
    refused(AssertionError, toPopart, torch.optim.Adagrad(weights), named(weights),
            text="Adagrad; supported are SGD")
    refused(AssertionError, optim.SGD, weights, lr=0.1, loss_scaling="big")
    refused(AssertionError, optim.SGD, weights, lr=0.1, accum_type=torch.bfloat16)
    text = torch.optim.SGD(weights, lr=1)
    text.param_groups[0]["momentum"] = "fast"
    refused(AssertionError, toPopart, text, named(weights), text="momentum")
    strange = torch.optim.SGD(weights, lr=1)
    strange.colour, strange.param_groups[0]["taste"] = "red", 1
    assert len(unexpected(strange)) == 2 and "Ignoring unexpected" in unexpected(strange)[0]
    scheduled = torch.optim.SGD(weights, lr=1)
    torch.optim.lr_scheduler.CyclicLR(scheduled, 0.1, 1, cycle_momentum=False)
    assert unexpected(scheduled) == []


def state():
    weights = parameters()
    optimizer = optim.AdamW(weights, lr=0.1, loss_scaling=8, bias_correction=False)
    state = optimizer.state_dict()
    assert state["ipu_state"] == {} and state["param_groups"][0]["lr"] == 0.1
    refused(RuntimeError, optimizer.load_state_dict, {})
    refused(RuntimeError, optimizer.load_state_dict,
            torch.optim.AdamW(weights).state_dict(), text="ipu_state")
    reads = []
    optimizer._bindState(lambda: reads.append(1) or ({"Accl1___w0": torch.ones(2)}, {}))
    optimizer._markStateStale()
    assert list(optimizer.state_dict()["ipu_state"]) == ["Accl1___w0"]
    state = optimizer.state_dict()
    assert len(reads) == 1
    other = optim.AdamW(weights, lr=0.5)
    other.load_state_dict(state)
    assert other.param_groups[0]["lr"] == 0.1
    assert list(other._takeLoadedState()[0]) == ["Accl1___w0"]
    assert other._takeLoadedState() is None
    for same in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        assert same.loss_scaling == 8 and not same.bias_correction
        assert not same.variable_attrs.isConstant("lr")
        assert list(same.state_dict()["ipu_state"]) == ["Accl1___w0"]
    lamb = optim.LAMB(weights)
    assert lamb.param_groups[0]["max_weight_norm"] == 65500.0
    refused(NotImplementedError, lamb.step)


def updates():
    """Ten updates of w by the gradient of |x w|, which is x, beside PyTorch's."""
    factory = {
        "sgd": lambda w: torch.optim.SGD(w, lr=0.1, momentum=0.9, weight_decay=0.1,
                                         nesterov=True),
        "combined": lambda w: optim.SGD(w, lr=0.1, momentum=0.5, use_combined_accum=True),
        "adam": lambda w: torch.optim.Adam(w, lr=0.1, weight_decay=0.1),
        "adamw": lambda w: optim.AdamW(w, lr=0.1, loss_scaling=16),
        "rmsprop": lambda w: torch.optim.RMSprop(w, lr=0.1, momentum=0.5, centered=True)}
    data = np.random.RandomState(0).rand(10, 2).astype(np.float32) + 0.5
    for name, make in factory.items():
        weight = torch.nn.Parameter(torch.ones(2) * 4)
        optimizer = make([weight])
        found = onDevice(toPopart(optimizer, [("w", weight)]), data)
        reference = make([weight])
        for row in data:
            reference.zero_grad()
            (weight * torch.from_numpy(row)).sum().backward()
            reference.step()
        np.testing.assert_allclose(found, weight.detach().numpy(), rtol=2e-5, err_msg=name)


def onDevice(optimizer, data):
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2]), "x")
    w = builder.addInitializedInputTensor(np.full(2, 4, np.float32), "w")
    product = builder.aiOnnx.mul([x, w])
    loss = builder.aiGraphcore.identityloss([product], popart.ReductionType.Sum)
    session = popart.TrainingSession(
        builder.getModelProto(), popart.DataFlow(len(data)), loss, optimizer,
        popart.DeviceManager().createCpuDevice())
    session.prepareDevice()
    session.weightsFromHost()
    session.run(popart.PyStepIO({x: data}, {}))
    session.weightsToHost()
    weights = {w: np.zeros(2, np.float32)}
    session.readWeights(popart.PyWeightsIO(weights))
    return weights[w]


for test in (constants, groups, refusals, state, updates):
    test()
    print(test.__name__, "ok")
