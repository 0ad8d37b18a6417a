package deskhand.fx;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javafx.geometry.Bounds;
import javafx.geometry.Point2D;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.chart.Chart;
import javafx.scene.control.CheckMenuItem;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Control;
import javafx.scene.control.CustomMenuItem;
import javafx.scene.control.IndexedCell;
import javafx.scene.control.Label;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuItem;
import javafx.scene.control.RadioMenuItem;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.control.Tab;
import javafx.scene.control.Tooltip;
import javafx.stage.PopupWindow;
import javafx.stage.Stage;
import javafx.stage.Window;

/** Reads windows and what is in them, as one answer. Lives for one reading, on the FX thread. */
final class Reader {
    private final Registry registry;
    private final boolean details;
    private final boolean internals;
    /** Whether nothing but uids is taken from readings before, and what those keep is left as it is. */
    private final boolean cold;

    private final int depth;
    final Fields f;
    private final Out windows = new Out(1 << 10);
    private final Map<String, String> labels = new LinkedHashMap<>();
    private final Views views;
    /** With internals: what was already reported, so that it is not repeated as an inner part. */
    private final Set<Object> told;
    private Map<Node, String> chartNames = Map.of();
    /** The handle of what was met last. */
    private Registry.Handle before = new Registry.Handle(null, null);
    /** On the screen: where (0, 0) of the node is that was met last, and whether that is only moved. */
    private double x;

    private double y;
    private boolean straight;
    private Node focusOwner;
    private String focused;
    /** What to read, if that is not a node in a scene and must be searched. */
    private Object target;
    private int base;

    Reader(Registry registry, Integer depth, boolean details, boolean internals, boolean cold) {
        this(registry, depth, details, internals, cold, new Fields(new Kinds(), new Out(1 << 16)));
    }

    private Reader(
            Registry registry, Integer depth, boolean details, boolean internals, boolean cold, Fields fields) {
        this.registry = registry;
        this.cold = cold;
        this.f = fields;
        this.views = new Views(this);
        this.depth = depth == null ? Integer.MAX_VALUE : depth;
        this.details = details;
        this.internals = internals;
        this.told = internals ? Collections.newSetFromMap(new IdentityHashMap<>()) : null;
    }

    /** Ends a walk that has found its target. */
    private static final class Found extends RuntimeException {
        private static final long serialVersionUID = 1;

        Found() {
            super(null, null, false, false);
        }
    }

    /** All windows for a peer that has the answer of that number. */
    static Out since(Registry registry, Told before, Integer held) {
        Reader reader = new Reader(registry, null, false, false, false, before.since(held));
        reader.all(Windows.showing());
        Out out = new Out(1 << 10).append('{');
        before.write(out, reader.f);
        return reader.around(out);
    }

    /** All windows, or what a uid names and all below. */
    Out read(String root) {
        List<Window> all = Windows.showing();
        if (root == null) {
            all(all);
        } else {
            describe(all);
            part(registry.get(root), registry.find(root));
        }
        Out out = new Out(f.out.length() + 4096);
        return around(out.append("{\"nodes\":[").append(f.out).append("],"));
    }

    private void all(List<Window> all) {
        describe(all);
        for (Window window : all) {
            window(window);
        }
    }

    /** Adds what is reported in addition to nodes. */
    private Out around(Out out) {
        out.append("\"kinds\":[").append(f.kinds()).append("],\"windows\":[").append(windows).append("],\"labels\":");
        Json.write(out, labels);
        out.append(",\"focused\":");
        Json.write(out, focused);
        return out.append('}');
    }

    private void part(Object wanted, Registry.Handle handle) {
        if (wanted instanceof Window) {
            window((Window) wanted);
            return;
        }
        Node start = Windows.nodeAround(wanted, registry, handle);
        Window window = start == null ? Windows.windowOf(wanted, registry, handle) : start.getScene().getWindow();
        lookAtFocus(window);
        if (start == wanted) {
            base = 1;
            node(start, Place.around(start, handle.parent));
            return;
        }
        target = wanted;
        try {
            if (start == null) {
                window(window);
            } else {
                node(start, Place.around(start, registry.of(start).parent));
            }
        } catch (Found found) {
            return;
        }
        f.clear();
        if (wanted instanceof Row || wanted instanceof Row.Cell) {
            views.elsewhere(wanted, handle.parent);
        }
    }

    // -- windows --------------------------------------------------------------------------------

    private void describe(List<Window> all) {
        for (Window window : all) {
            describe(window);
        }
    }

    private void describe(Window window) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("uid", registry.of(window).uid);
        fields.put("title", Windows.title(window));
        fields.put("kind", Windows.kind(window));
        Place place = Place.in(window);
        fields.put("bounds", List.of(place.left, place.top, place.right - place.left, place.bottom - place.top));
        fields.put("focused", window.isFocused() && !(window instanceof PopupWindow));
        fields.put("scale", window.getOutputScaleX());
        if (window instanceof Stage) {
            Stage stage = (Stage) window;
            fields.put("minimized", stage.isIconified());
            fields.put("maximized", stage.isMaximized());
            fields.put("modal", Windows.isModal(stage));
        }
        if (window.getScene() != null && !window.getScene().getStylesheets().isEmpty()) {
            fields.put("stylesheets", window.getScene().getStylesheets());
        }
        windows.append(windows.length() == 0 ? "" : ",");
        Json.write(windows, fields);
    }

    private void window(Window window) {
        lookAtFocus(window);
        Place place = Place.in(window);
        Registry.Handle handle = registry.of(window);
        before = handle;
        Scene scene = window.getScene();
        Parent root = scene == null ? null : scene.getRoot();
        Parent merged = root != null && Windows.isMerged(root) ? root : null;
        List<?> parts = List.of();
        if (window instanceof ContextMenu) {
            parts = ((ContextMenu) window).getItems();
            merged = null;
        } else if (root != null) {
            parts = merged == null ? List.of(root) : Controls.inside(merged);
        }
        f.begin(handle.uid, null);
        f.name = Windows.title(window);
        f.role = Windows.role(window);
        f.actions = "focus";
        f.on("modal", window instanceof Stage && Windows.isModal((Stage) window));
        f.some("automation_id", merged == null ? root instanceof Control || root == null ? null : root.getId() : merged.getId());
        f.bounds(place.left, place.top, place.right - place.left, place.bottom - place.top);
        if (!parts.isEmpty()) {
            f.number("child_count", parts.size());
        }
        if (merged != null && merged.isDisabled()) {
            f.flag("enabled", false);
        }
        if (details) {
            Details.window(window, merged, f);
        }
        f.end(
                merged == null ? look(window, List.of()) : look(merged, merged.getStyleClass()),
                merged == null ? null : merged.getAccessibleRole());
        if (window instanceof Tooltip || !isDeepEnough(1)) {
            return;
        }
        Place inside = place.below(handle.uid);
        if (merged != null) {
            enter(merged, place);
            inside = inside(handle.uid, place);
        }
        children(parts, merged, inside);
    }

    private void lookAtFocus(Window window) {
        Scene scene = window.getScene();
        // A pop-up always says that it has the focus; the keys still go to the window that it belongs to.
        boolean has = scene != null && window.isFocused() && !(window instanceof PopupWindow);
        focusOwner = has ? Controls.whole(scene.getFocusOwner()) : null;
    }

    // -- nodes ----------------------------------------------------------------------------------

    private void children(List<?> parts, Node control, Place place) {
        boolean deeper = control != null && Controls.hidesInside(control);
        // By number: a list of children may be large, and an iterator for each costs more than this.
        for (int i = 0; i < parts.size(); i++) {
            Object part = parts.get(i);
            if (part instanceof Node) {
                Node child = (Node) part;
                node(child, deeper ? place.through(child, control) : place);
            } else if (part instanceof MenuItem) {
                menuItem((MenuItem) part, place);
            } else if (part instanceof Tab) {
                tab((Tab) part, place);
            }
        }
    }

    void node(Node node, Place place) {
        if (told != null) {
            if (!told.add(node)) {
                return;
            }
        }
        Registry.Handle handle = cold ? registry.of(node) : registry.after(before, node);
        if (place.inRow && handle.parent != null && !handle.parent.equals(place.parent)) {
            handle = registry.anew(node, handle);
        }
        before = handle;
        // What is kept is forgotten if something is put into the node's properties below.
        Look look = cold ? look(node, node.getStyleClass()) : handle.look;
        seen(handle, place.parent);
        View view = View.of(node);
        List<?> parts = view == null ? Controls.inside(node) : List.of();
        begin(node, handle.uid, place);
        String spoken = node.getAccessibleText();
        if (spoken != null && !spoken.isEmpty()) {
            f.name = spoken;
        }
        if (view == null) {
            Controls.state(node, f);
        } else {
            f.role = view.role;
            f.actions = "select scroll focus";
        }
        name(node);
        boolean visible = place.visible && node.isVisible();
        common(node, handle, place, visible);
        bounds(node, place, visible);
        List<Node> hidden = told == null ? List.of() : hidden(node, parts);
        // Most nodes hold nothing, and need no place for it.
        Place inside = view == null && parts.isEmpty() && hidden.isEmpty() ? null : inside(handle.uid, place);
        if (inside != null) {
            inside.visible = visible;
            inside.enabled = place.enabled && !node.isDisabled();
            inside.internal = place.internal;
        }
        views.prepare(view, inside);
        int count = view == null ? parts.size() : views.count();
        if (count + hidden.size() > 0) {
            f.number("child_count", count + hidden.size());
        }
        if (details) {
            Details.node(node, f);
        }
        f.end(look, node.getAccessibleRole());
        if (inside == null || !isDeepEnough(inside.level)) {
            ended(node);
            return;
        }
        if (node instanceof Chart) {
            chartNames = Rare.data((Chart) node);
        }
        if (view != null) {
            views.rows(view, inside);
        } else if (count > 0) {
            inside.clip(node);
            children(parts, node, inside);
        }
        for (Node part : hidden) {
            Place inner = inside.through(part, node);
            inner.internal = true;
            node(part, inner);
        }
        ended(node);
    }

    private void name(Node node) {
        if (!chartNames.isEmpty() && f.name == null) {
            f.name = chartNames.get(node);
        }
        if (node instanceof Label && ((Label) node).getLabelFor() != null && f.name != null) {
            labels.put(registry.uid(((Label) node).getLabelFor()), f.name);
        }
    }

    /** What every node has. */
    private void common(Node node, Registry.Handle handle, Place place, boolean visible) {
        f.some("automation_id", node.getId());
        String tip = Text.tooltip(node, cold ? Registry.tooltip(node) : handle.tooltip);
        f.text("tooltip", tip);
        if (f.name == null && tip != null && f.actions.startsWith("press")) {
            f.name = tip; // a button with only an image
        }
        f.some("help", node.getAccessibleHelp());
        if (!visible) {
            f.flag("visible", false);
            if (node.isVisible()) {
                f.flag("visible_self", true);
            }
        }
        if (node.isDisabled() || !place.enabled) {
            f.flag("enabled", false);
            if (!node.isDisable()) {
                f.flag("enabled_self", true);
            }
        }
        f.on("focusable", node.isFocusTraversable());
        if (node == focusOwner) {
            f.flag("focused", true);
            focused = handle.uid;
        }
        f.on("internal", place.internal);
        if (!details && (!node.isManaged() || node.getOpacity() != 1)) {
            f.out.append(",\"properties\":{\"managed\":").append(node.isManaged()).append(",\"opacity\":");
            Json.number(f.out, node.getOpacity());
            f.out.append('}');
        }
    }

    /** Tells where a node is. */
    private void bounds(Node node, Place place, boolean visible) {
        enter(node, place);
        if (!place.inScene) {
            return;
        }
        Bounds own = node.getLayoutBounds();
        double left = x + own.getMinX();
        double top = y + own.getMinY();
        double width = own.getWidth();
        double height = own.getHeight();
        if (!straight) {
            Bounds there = node.localToScene(own, true);
            left = place.sceneX + there.getMinX();
            top = place.sceneY + there.getMinY();
            width = there.getWidth();
            height = there.getHeight();
        }
        f.bounds(left, top, width, height);
        f.on("offscreen", visible && place.hides(left, top, width, height));
    }

    /** Finds where (0, 0) of a node is on the screen; by addition where the way there is straight. */
    private void enter(Node node, Place place) {
        Point2D zero;
        Point2D one;
        if (place.straight) {
            zero = node.localToParent(0, 0);
            one = node.localToParent(1, 1);
            x = place.x + zero.getX();
            y = place.y + zero.getY();
        } else {
            zero = node.localToScene(0, 0, true);
            one = node.localToScene(1, 1, true);
            x = place.sceneX + zero.getX();
            y = place.sceneY + zero.getY();
        }
        straight = one.getX() - zero.getX() == 1 && one.getY() - zero.getY() == 1;
    }

    /** Goes into the node that was entered last. */
    private Place inside(String uid, Place place) {
        Place inside = place.below(uid);
        inside.x = x;
        inside.y = y;
        inside.straight = straight;
        return inside;
    }

    private List<Node> hidden(Node node, List<?> parts) {
        if (!(node instanceof Parent) || node instanceof javafx.scene.control.PasswordField || !Controls.hidesInside(node)) {
            return List.of();
        }
        List<Node> hidden = new ArrayList<>();
        for (Node child : ((Parent) node).getChildrenUnmodifiable()) {
            if (!Controls.holds(parts, child)) {
                hidden.add(child);
            }
        }
        return hidden;
    }

    // -- tabs and menus -------------------------------------------------------------------------

    private void tab(Tab tab, Place place) {
        Registry.Handle handle = registry.of(tab, tab.getProperties());
        seen(handle, place.parent);
        begin(tab, handle.uid, place);
        f.role = "tab";
        f.actions = "press select";
        f.caption(tab.getText() == null || tab.getText().isEmpty() ? Text.inside(tab.getGraphic()) : tab.getText());
        f.some("automation_id", tab.getId());
        f.flag("selected", tab.isSelected());
        if (tab.getTooltip() != null) {
            f.some("tooltip", tab.getTooltip().getText());
        }
        boolean enabled = place.enabled && !tab.isDisabled();
        if (!place.visible) {
            f.flag("visible", false);
        }
        if (!enabled) {
            f.flag("enabled", false);
        }
        Node head = Windows.head(tab);
        drawnBy(head, place);
        Node content = tab.getContent();
        Node close = Windows.closing(head);
        if (content != null || close != null) {
            f.number("child_count", content == null || close == null ? 1 : 2);
        }
        f.end(look(tab, tab.getStyleClass()), null);
        Place inside = place.below(handle.uid);
        if (content != null && isDeepEnough(inside.level)) {
            Place there = inside.through(content, tab.getTabPane());
            there.visible &= tab.isSelected();
            node(content, there);
        }
        if (close != null && isDeepEnough(inside.level)) {
            node(close, inside.through(close, tab.getTabPane()));
        }
        ended(tab);
    }

    private void menuItem(MenuItem item, Place place) {
        Registry.Handle handle = registry.of(item, item.getProperties());
        seen(handle, place.parent);
        begin(item, handle.uid, place);
        List<MenuItem> items = item instanceof Menu ? ((Menu) item).getItems() : List.of();
        Node content = item instanceof CustomMenuItem ? ((CustomMenuItem) item).getContent() : null;
        f.role = Controls.menuRole(item);
        if (item instanceof SeparatorMenuItem) {
            content = null;
        } else {
            f.actions = "press";
            String text = Text.of(item);
            f.caption(text == null || text.isEmpty() ? Text.inside(content == null ? item.getGraphic() : content) : text);
        }
        if (item instanceof Menu) {
            f.actions = "press expand select";
            f.flag("expanded", ((Menu) item).isShowing());
        } else if (item instanceof CheckMenuItem) {
            f.actions = "press toggle";
            f.flag("checked", ((CheckMenuItem) item).isSelected());
        } else if (item instanceof RadioMenuItem) {
            f.actions = "press select";
            f.flag("checked", ((RadioMenuItem) item).isSelected());
        }
        f.some("automation_id", item.getId());
        boolean visible = place.visible && item.isVisible();
        boolean enabled = place.enabled && !item.isDisable();
        if (!visible) {
            f.flag("visible", false);
        }
        if (!enabled) {
            f.flag("enabled", false);
        }
        drawnBy(visible ? Menus.drawing(item) : null, place);
        int count = items.size() + (content == null ? 0 : 1);
        if (count > 0) {
            f.number("child_count", count);
        }
        if (details && item.getAccelerator() != null) {
            f.json("properties", Map.of("accelerator", item.getAccelerator().getDisplayText()));
        }
        f.end(look(item, item.getStyleClass()), null);
        Place inside = place.below(handle.uid);
        inside.visible = visible;
        inside.enabled = enabled;
        if (isDeepEnough(inside.level)) {
            children(items, null, inside);
            if (content != null && content.getScene() != null) {
                node(content, Place.around(content, handle.uid));
            }
        }
        ended(item);
    }

    /** Tells where something is that is drawn by a node; off the screen if that node is not there. */
    void drawnBy(Node node, Place place) {
        boolean there = node != null && node.getScene() != null && node.getScene().getWindow() != null
                && node.getScene().getWindow().isShowing();
        if (!there) {
            f.on("offscreen", place.visible);
            return;
        }
        Place around = Place.around(node, null);
        Bounds on = node.localToScene(node.getLayoutBounds(), true);
        double x = around.sceneX + on.getMinX();
        double y = around.sceneY + on.getMinY();
        f.bounds(x, y, on.getWidth(), on.getHeight());
        f.on("offscreen", place.visible && around.hides(x, y, on.getWidth(), on.getHeight()));
    }

    // -- for this and Views ---------------------------------------------------------------------

    Registry registry() {
        return registry;
    }

    Look look(Object thing, List<String> styles) {
        return registry.look(Text.type(thing), styles);
    }

    /** Keeps what something is in. */
    void seen(Registry.Handle handle, String parent) {
        if (!cold || handle.parent == null) {
            handle.parent = parent;
        }
    }

    void tell(Object node) {
        if (told != null) {
            told.add(node);
        }
    }

    /** Begins something; what is looked for begins the answer. */
    void begin(Object what, String uid, Place place) {
        if (what == target) {
            f.clear();
            base = place.level;
        }
        f.begin(uid, place.parent);
    }

    /** Ends it with all below. */
    void ended(Object what) {
        if (what == target && target != null) {
            throw new Found();
        }
    }

    boolean isTarget(Object what) {
        return what == target;
    }

    boolean isDeepEnough(int level) {
        return depth == Integer.MAX_VALUE || (target != null && base == 0) || level - base <= depth;
    }

    void cell(IndexedCell<?> cell, Place place) {
        for (Node part : Controls.graphic(cell)) {
            node(part, place);
        }
        tell(cell);
    }
}
