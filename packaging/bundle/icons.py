"""Draw the icon in the sizes that systems want: PNG for Linux, .ico for Windows, .icns for macOS."""

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ROOT = Path(__file__).resolve().parents[2]
SIZES = (16, 32, 48, 64, 128, 256, 512)


def draw(folder: Path) -> None:
    application = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])
    folder.mkdir(parents=True, exist_ok=True)
    renderer = QSvgRenderer(str(ROOT / "resources" / "icons" / "annotator.svg"))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        if not image.save(str(folder / f"annotator-{size}.png")):
            raise SystemExit(f"The icon could not be written to {folder}.")
    largest = Image.open(folder / "annotator-512.png")
    largest.save(folder / "annotator.ico", sizes=[(size, size) for size in SIZES if size <= 256])
    largest.save(folder / "annotator.icns")
    del application


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "icons")
