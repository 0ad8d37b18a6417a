package deskhand.fx;

import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.stage.Window;

/** Where in the tree and on the screen a walk is: what the things at one level have in common. */
final class Place {
    final String parent;
    final int level;
    /** On the screen: where (0, 0) of the scene is. */
    final double sceneX;
    final double sceneY;
    /** On the screen: where (0, 0) of the node around is, if that is only moved and not turned or stretched. */
    double x;
    double y;
    boolean straight;
    /** On the screen: what can be seen of what is here. */
    double left;
    double top;
    double right;
    double bottom;
    boolean visible;
    boolean enabled = true;
    boolean internal;
    /** False in what a control holds but does not show, and so has no position on the screen. */
    boolean inScene = true;
    /** In a row of a virtualised control, whose nodes are used for others as one scrolls. */
    boolean inRow;

    private Place(String parent, int level, double sceneX, double sceneY) {
        this.parent = parent;
        this.level = level;
        this.sceneX = sceneX;
        this.sceneY = sceneY;
    }

    /** At the top of a window. */
    static Place in(Window window) {
        Scene scene = window.getScene();
        double x = window.getX() + (scene == null ? 0 : scene.getX());
        double y = window.getY() + (scene == null ? 0 : scene.getY());
        Place place = new Place(null, 0, x, y);
        place.left = x;
        place.top = y;
        place.right = x + (scene == null ? window.getWidth() : scene.getWidth());
        place.bottom = y + (scene == null ? window.getHeight() : scene.getHeight());
        place.visible = window.isShowing();
        return place;
    }

    /** Around a node, wherever that is: as if one had walked there. */
    static Place around(Node node, String parent) {
        Place top = in(node.getScene().getWindow());
        Place place = top.below(parent);
        place.straight = false;
        for (Node above = node.getParent(); above != null; above = above.getParent()) {
            place.visible &= above.isVisible();
            place.clip(above);
        }
        return place;
    }

    /** One level down, with the uid of what is around. */
    Place below(String uid) {
        Place place = new Place(uid, level + 1, sceneX, sceneY);
        place.x = x;
        place.y = y;
        place.straight = straight;
        place.left = left;
        place.top = top;
        place.right = right;
        place.bottom = bottom;
        place.visible = visible;
        place.enabled = enabled;
        place.inScene = inScene;
        place.inRow = inRow;
        return place;
    }

    /** The same for a node that is deeper inside a control than it seems. */
    Place through(Node inner, Node control) {
        Place place = new Place(parent, level, sceneX, sceneY);
        place.left = left;
        place.top = top;
        place.right = right;
        place.bottom = bottom;
        place.inScene = inner.getScene() != null;
        place.visible = visible && place.inScene;
        place.enabled = enabled;
        place.internal = internal;
        place.inRow = inRow;
        for (Node above = inner.getParent(); above != null && above != control; above = above.getParent()) {
            place.visible &= above.isVisible();
            place.clip(above);
        }
        return place;
    }

    /** Leaves out what a node's clip hides. */
    void clip(Node node) {
        Node clip = node.getClip();
        if (clip != null) {
            Bounds seen = node.localToScene(clip.getBoundsInParent(), true);
            left = Math.max(left, sceneX + seen.getMinX());
            top = Math.max(top, sceneY + seen.getMinY());
            right = Math.min(right, sceneX + seen.getMaxX());
            bottom = Math.min(bottom, sceneY + seen.getMaxY());
        }
    }

    /** Whether nothing of a rectangle on the screen can be seen. */
    boolean hides(double x, double y, double width, double height) {
        return x >= right || y >= bottom || x + width < left || y + height < top || (width > 0 && x + width == left)
                || (height > 0 && y + height == top);
    }
}
