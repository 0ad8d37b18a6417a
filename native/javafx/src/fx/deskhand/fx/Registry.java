package deskhand.fx;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javafx.beans.InvalidationListener;
import javafx.beans.Observable;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuBar;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.Tab;
import javafx.scene.control.TableColumnBase;
import javafx.scene.control.Tooltip;
import javafx.stage.Window;

/** What each uid names. A uid is in the properties of what it names, and is never used for anything else. */
final class Registry {
    static final String KEY = "mcp.uid";
    /** Where the handle is kept next to the uid, so that no search is needed. */
    private static final String HANDLE = "deskhand.handle";
    private static final int SWEPT = 20_000;
    private static final int LOOKS_KEPT = 10_000;

    private final Map<String, Handle> handles = new HashMap<>();
    private final Map<Look, Look> looks = new HashMap<>();
    private long last;
    private int sweepAt = SWEPT;

    /**
     * A uid, and what it names while that is there.
     *
     * <p>What costs much to look up again and again is kept here too, until the node says that it has changed: most of the
     * time that a reading takes goes by in waiting for memory.
     */
    static final class Handle extends WeakReference<Object> implements InvalidationListener {
        final String uid;
        /** The uid of what it was last seen in. */
        String parent;
        /** Of a node that a reading has met: its class and style classes; null if they may be others by now. */
        Look look;
        /** Of such a node: the tooltip that was installed on it, if any. */
        Tooltip tooltip;
        /** The handle of the node that a reading met after this one; it is mostly met there again. */
        private Handle next;

        private boolean listens;

        Handle(String uid, Object target) {
            super(target);
            this.uid = uid;
        }

        boolean isGone() {
            return get() == null;
        }

        @Override
        public void invalidated(Observable changed) {
            look = null;
        }
    }

    /** The handle of something that has properties. */
    Handle of(Object target, Map<Object, Object> properties) {
        Object kept = properties.get(HANDLE);
        if (kept instanceof Handle && ((Handle) kept).get() == target) {
            return (Handle) kept;
        }
        Object known = properties.get(KEY);
        // One that something else has was copied from that.
        boolean isFree = known instanceof String && !handles.containsKey(known);
        Handle handle = add(isFree ? (String) known : fresh(), target);
        properties.put(KEY, handle.uid);
        properties.put(HANDLE, handle);
        return handle;
    }

    Handle of(Node node) {
        return of(node, node.getProperties());
    }

    /** The same for a reading, which has just met another node, with what is kept there. */
    Handle after(Handle before, Node node) {
        Handle next = before.next;
        if (next == null || next.look == null || next.get() != node) {
            next = met(node);
            before.next = next;
        }
        return next;
    }

    private Handle met(Node node) {
        Handle handle = of(node);
        if (!handle.listens) {
            node.getProperties().addListener(handle);
            node.getStyleClass().addListener(handle);
            handle.listens = true;
        }
        if (handle.look == null) {
            handle.tooltip = tooltip(node);
            handle.look = look(Text.type(node), node.getStyleClass());
        }
        return handle;
    }

    /** The tooltip that was installed on a node, if any. */
    static Tooltip tooltip(Node node) {
        Object installed = node.getProperties().get("javafx.scene.control.Tooltip");
        return installed instanceof Tooltip ? (Tooltip) installed : null;
    }

    /** The one object for that class and those style classes. */
    Look look(Class<?> type, List<String> styles) {
        Look known = looks.get(new Look(type, styles));
        if (known == null) {
            if (looks.size() >= LOOKS_KEPT) {
                looks.clear();
            }
            known = new Look(type, Collections.unmodifiableList(new ArrayList<>(styles)));
            looks.put(known, known);
        }
        return known;
    }

    /** What something that has properties was last seen in; null if it never was. */
    Object parent(Map<Object, Object> properties) {
        Handle handle = handles.get(String.valueOf(properties.get(KEY)));
        Handle above = handle == null ? null : handles.get(handle.parent);
        return above == null ? null : above.get();
    }

    /** A new uid for a node that is used again for something else, as those in the cells of a list are. */
    Handle anew(Node node, Handle before) {
        handles.remove(before.uid);
        before.clear();
        node.getProperties().removeListener(before);
        node.getStyleClass().removeListener(before);
        node.getProperties().remove(KEY);
        node.getProperties().remove(HANDLE);
        return met(node);
    }

    Handle of(Window window) {
        return of(window, window.getProperties());
    }

    /** The uid of a node; of a window's, if it is the root of one. */
    String uid(Node node) {
        Scene scene = node.getScene();
        if (scene != null && scene.getRoot() == node && scene.getWindow() != null && Windows.isMerged(scene.getRoot())) {
            return of(scene.getWindow()).uid;
        }
        return of(node).uid;
    }

    Handle add(Object target) {
        return add(fresh(), target);
    }

    Handle find(String uid) {
        return handles.get(uid);
    }

    /** What a uid names; fails with stale if that is gone, and with not_found if there never was such a uid. */
    Object get(String uid) {
        Handle handle = handles.get(uid);
        Object target = handle == null ? null : handle.get();
        if (target == null || !isThere(handle, target)) {
            String what = target == null ? "" : Text.describe(target) + " ";
            throw new Failure("stale", what + uid + " is gone").with("target", "uid=" + uid);
        }
        return target;
    }

    private boolean isThere(Handle handle, Object target) {
        if (target instanceof Node && ((Node) target).getScene() != null) {
            Window window = ((Node) target).getScene().getWindow();
            return window != null && window.isShowing();
        }
        if (target instanceof Window) {
            return ((Window) target).isShowing();
        }
        if (target instanceof Row) {
            return ((Row) target).isThere();
        }
        if (target instanceof Row.Cell) {
            return ((Row.Cell) target).isThere();
        }
        Handle above = handles.get(handle.parent);
        Object parent = above == null ? null : above.get();
        return parent != null && has(parent, target) && isThere(above, parent);
    }

    private static boolean has(Object parent, Object target) {
        if (target instanceof Tab) {
            return ((Tab) target).getTabPane() == parent;
        }
        if (target instanceof MenuItem) {
            return parent instanceof MenuBar
                    ? ((MenuBar) parent).getMenus().contains(target)
                    : parent instanceof Menu
                            ? ((Menu) parent).getItems().contains(target)
                            : parent instanceof MenuButton
                                    ? ((MenuButton) parent).getItems().contains(target)
                                    : parent instanceof ContextMenu
                                            && ((ContextMenu) parent).getItems().contains(target);
        }
        // A node that its control holds but does not show, such as a tool that a tool bar has no room for.
        boolean held = target instanceof Node && parent instanceof Node && Controls.holds(Controls.inside((Node) parent), target);
        return held || target instanceof TableColumnBase;
    }

    private Handle add(String uid, Object target) {
        if (handles.size() >= sweepAt) {
            handles.values().removeIf(Handle::isGone);
            sweepAt = Math.max(SWEPT, handles.size() * 2);
        }
        Handle handle = new Handle(uid, target);
        handles.put(uid, handle);
        return handle;
    }

    private String fresh() {
        String uid;
        do {
            uid = "u-" + Long.toString(++last, 36);
        } while (handles.containsKey(uid));
        return uid;
    }
}
