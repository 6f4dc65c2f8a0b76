"""Einsum of any number of operands, against NumPy, which is its definition."""
import numpy as np

from harness import Case, Samples, main

samples = Samples(1)
normal = samples.normal


def case(equation, *operands):
    return Case("Einsum", *operands, equation=equation, ref=lambda *x: np.asarray(
        np.einsum(equation, *(v.astype(np.float64) for v in x))).astype(x[0].dtype)
                if x[0].dtype.kind == "f" else np.asarray(np.einsum(equation, *x)))


def ints(*shape):
    return samples.integers(-9, 9, *shape)


main([
    case("ij,jk,kl->il", normal(3, 4), normal(4, 5), normal(5, 2)),
    case("ij,jk,kl", normal(3, 4), normal(4, 5), normal(5, 2)),
    case("i,i,i->", normal(4), normal(4), normal(4)),
    case("i,j,k->kij", normal(2), normal(3), normal(4)),
    case("ii,ij,jj->i", normal(3, 3), normal(3, 4), normal(4, 4)),
    case("bi,bi,bi,b->bi", normal(2, 3), normal(2, 3), normal(2, 3), normal(2)),
    case("...ij,...jk,k->...i", normal(2, 3, 4), normal(2, 4, 5), normal(5)),
    case("...ij,...jk,kl...->l...i", normal(2, 3, 4), normal(4, 5), normal(5, 2, 2)),
    case(",ij,->ji", normal(), normal(2, 3), normal()),
    case("bhqd, bhkd, bhkv -> bhqv", normal(1, 2, 3, 4), normal(1, 2, 5, 4), normal(1, 2, 5, 3)),
    case("ij,ij->i", normal(3, 1), normal(3, 4)),
    case("...a,...b->...ab", normal(1, 3, 2), normal(4, 1, 2)),
    case("i,i,i->i", normal(1), normal(1), normal(5)),
    case("Ab,bA,A", normal(2, 3), normal(3, 2), normal(2)),
    case("i,ij->j", normal(0), normal(0, 3)),
    case("ij,jk,kl->il", normal(3, 0), normal(0, 5), normal(5, 2)),
    case("ii->i", ints(4, 4)),
    case("ij,jk->ik", ints(3, 4), ints(4, 2)),
    case("ii,ij,j", ints(3, 3), ints(3, 4), ints(4)),
    case("ij->", ints(3, 4)),
])
