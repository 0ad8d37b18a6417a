package deskhand.fx;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import javafx.geometry.Point2D;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.SubScene;

/** Which node a mouse at a point would hit, by the rules of JavaFX: its own answer comes only with a real event. */
final class Hit {
    private Hit() {}

    /** The innermost node at a point of the coordinates around a node; null if it lets the mouse through there. */
    static Node at(Node node, double x, double y) {
        if (!node.isVisible() || node.isMouseTransparent()) {
            return null;
        }
        Point2D in = node.parentToLocal(x, y);
        if (in == null) {
            return null; // scaled to nothing, so no point is in it
        }
        Node clip = node.getClip();
        if (clip != null && !clip.contains(clip.parentToLocal(in))) {
            return null;
        }
        for (Node child : frontFirst(node)) {
            Node hit = at(child, in.getX(), in.getY());
            if (hit != null) {
                return hit;
            }
        }
        return node.contains(in) ? node : null;
    }

    private static List<Node> frontFirst(Node node) {
        if (node instanceof SubScene) {
            return List.of(((SubScene) node).getRoot());
        }
        if (!(node instanceof Parent)) {
            return List.of();
        }
        List<Node> children = new ArrayList<>(((Parent) node).getChildrenUnmodifiable());
        Collections.reverse(children);
        children.sort(Comparator.comparingDouble(Node::getViewOrder));
        return children;
    }
}
