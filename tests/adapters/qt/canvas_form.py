"""A drawing that keeps no reference to its items, as programs do: `python canvas_form.py BINDING`."""

import importlib
import sys

QtWidgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
scene = None


def draw():
    flags = QtWidgets.QGraphicsItem.GraphicsItemFlag
    board = scene.addRect(0, 0, 200, 100)
    board.setToolTip("board")
    piece = QtWidgets.QGraphicsRectItem(10, 10, 40, 40, board)
    piece.setToolTip("piece")
    QtWidgets.QGraphicsSimpleTextItem("label", piece)
    shadow = QtWidgets.QGraphicsRectItem(60, 10, 40, 40, board)
    shadow.setFlag(flags.ItemStacksBehindParent)
    shadow.setToolTip("shadow")
    scene.addText("caption").setPos(0, 120)
    button = QtWidgets.QPushButton("Inside")
    button.clicked.connect(lambda: report.setText("pressed inside"))
    scene.addWidget(button).setPos(-100, -50)


app = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QWidget()
window.setWindowTitle("Canvas")
scene = QtWidgets.QGraphicsScene()
view, report, count = QtWidgets.QGraphicsView(scene), QtWidgets.QLabel("-"), QtWidgets.QPushButton("Count")
report.setObjectName("report")
count.clicked.connect(lambda: report.setText(f"{len(scene.items())} items"))
draw()
layout = QtWidgets.QVBoxLayout(window)
for widget in (view, report, count):
    layout.addWidget(widget)
window.resize(400, 400)
window.show()
sys.exit(app.exec())
