#!/usr/bin/env python3
"""Trains the classifier of this folder and writes its images, labels and weights as .npy.

    train.py [FOLDER]        the folder to write to; this one by default

Needs numpy, and scikit-learn for the images. Nothing here is needed to run the classifier.
The same versions give the same files.
"""
import pathlib
import sys

import numpy as np
from sklearn.datasets import load_digits

TRAINED_ON = 1297  # images that weights are fitted to; the other 500 are only ever classified
HIDDEN = 64
SCALE = 0.5  # of the bilinear gate, as in digits.tn
EPOCHS, BATCH, RATE, DECAY, NOISE = 80, 64, 2e-3, 1e-3, 0.12


def sigmoid(t):
    return 1 / (1 + np.exp(-t))


def initial(rng):
    def normal(rows, columns):
        return rng.standard_normal((rows, columns)) / np.sqrt(rows)

    return dict(w1=normal(64, HIDDEN), b1=np.zeros(HIDDEN), wu=normal(HIDDEN, HIDDEN),
                wv=normal(HIDDEN, HIDDEN), w2=normal(HIDDEN, 10), b2=np.zeros(10))


def forward(p, x):
    a = x @ p["w1"] + p["b1"]
    g = sigmoid(a)
    h = a * g  # acme::swish
    u, v = h @ p["wu"], h @ p["wv"]
    q = u * v * SCALE  # acme::bilinear_gate
    return a, g, h, u, v, q, q @ p["w2"] + p["b2"]


def gradients(p, x, y):
    """Of the mean cross entropy of the softmax of the logits."""
    a, g, h, u, v, q, logits = forward(p, x)
    e = np.exp(logits - logits.max(1, keepdims=True))
    d = e / e.sum(1, keepdims=True)
    d[np.arange(len(y)), y] -= 1
    d /= len(y)
    dq = d @ p["w2"].T
    du, dv = dq * v * SCALE, dq * u * SCALE
    da = (du @ p["wu"].T + dv @ p["wv"].T) * (g + a * g * (1 - g))
    return dict(w2=q.T @ d, b2=d.sum(0), wu=h.T @ du, wv=h.T @ dv, w1=x.T @ da, b1=da.sum(0))


def train(p, x, y, rng):
    """Adam, on images with noise added."""
    mean = {k: np.zeros_like(v) for k, v in p.items()}
    square = {k: np.zeros_like(v) for k, v in p.items()}
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        for start in range(0, len(x), BATCH):
            batch = order[start:start + BATCH]
            noisy = x[batch] + NOISE * rng.standard_normal((len(batch), x.shape[1]))
            step += 1
            for k, gradient in gradients(p, noisy, y[batch]).items():
                gradient = gradient + DECAY * p[k]
                mean[k] = 0.9 * mean[k] + 0.1 * gradient
                square[k] = 0.999 * square[k] + 0.001 * gradient**2
                p[k] -= RATE * (mean[k] / (1 - 0.9**step)) / (
                    np.sqrt(square[k] / (1 - 0.999**step)) + 1e-8)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    rng = np.random.default_rng(7)
    digits = load_digits()
    order = rng.permutation(len(digits.data))
    images = digits.data[order].astype(np.uint8)  # 0 to 16
    labels = digits.target[order].astype(np.uint8)
    p = initial(rng)
    x = images / 16.0
    train(p, x[:TRAINED_ON], labels[:TRAINED_ON].astype(np.int64), rng)
    held_out = forward(p, x[TRAINED_ON:])[-1].argmax(1) == labels[TRAINED_ON:]
    print(f"accuracy on {len(held_out)} images not trained on: {held_out.mean():.3f}")
    for name, value in p.items():
        np.save(folder / f"{name}.npy", value.astype(np.float32))
    np.save(folder / "images.npy", images)
    np.save(folder / "labels.npy", labels)


if __name__ == "__main__":
    main()
