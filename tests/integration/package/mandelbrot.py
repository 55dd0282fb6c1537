"""The picture of examples/own-workload, computed another way."""

LEFT, SPAN = -2.25, 3.0


def shade(re, im, iterations):
    x = y = 0.0
    for n in range(iterations):
        xx, yy = x * x, y * y
        if xx + yy > 4:
            return 255 - n % 255
        x, y = xx - yy + re, 2 * x * y + im
    return 0


def picture(width, height, iterations):
    """A PGM file. Numbers of Python are doubles, too, so every byte is the same."""
    step = SPAN / width
    points = bytes(shade(LEFT + (column + 0.5) * step, (2 * row + 1 - height) / 2 * step, iterations)
                   for row in range(height) for column in range(width))
    return f"P5\n{width} {height}\n255\n".encode() + points
