package deskhand.fx;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javafx.geometry.BoundingBox;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.control.Control;
import javafx.scene.control.IndexedCell;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.Tab;
import javafx.scene.control.TableColumnBase;
import javafx.scene.control.TableRow;
import javafx.scene.control.TitledPane;
import javafx.scene.control.TreeTableRow;
import javafx.stage.PopupWindow;
import javafx.stage.Stage;
import javafx.stage.Window;

/** Performs actions, each once. Runs on a thread of its own and goes to the FX thread for every step. */
final class Actor {
    private static final double SOON = 0.5;

    final Registry registry;
    final Input input = new Input();
    private final ReentrantLock turn = new ReentrantLock();

    Actor(Registry registry) {
        this.registry = registry;
    }

    /** Where on the screen something is done, and to what. */
    static final class Spot {
        final Window window;
        final Node node;
        final double x;
        final double y;

        Spot(Window window, Node node, double x, double y) {
            this.window = window;
            this.node = node;
            this.x = x;
            this.y = y;
        }
    }

    /** Performs an action; one after the other, since there is one pointer and one keyboard. */
    Map<String, Object> perform(Request request) {
        boolean ours = false;
        try {
            ours = turn.tryLock(request.deadline.nanosLeft(), TimeUnit.NANOSECONDS);
            if (!ours) {
                throw request.deadline.busy();
            }
            return performNow(request);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw request.deadline.busy();
        } finally {
            if (ours) {
                turn.unlock();
            }
        }
    }

    private Map<String, Object> performNow(Request request) {
        String uid = request.string("uid");
        Ui.Deadline deadline = request.deadline;
        Object target = uid == null ? null : Ui.call(deadline, () -> registry.get(uid));
        String action = request.string("action", "");
        switch (action) {
            case "click":
                return click(request, target);
            case "hover":
                input.move(deadline, spot(deadline, target, request.number("x"), request.number("y")));
                return Map.of();
            case "mouse_down":
                Spot down = spot(deadline, target, request.number("x"), request.number("y"));
                makeWay(deadline, down.window);
                input.press(deadline, down, request.string("button", "left"), request.strings("modifiers"));
                return Map.of();
            case "mouse_up":
                Spot up = target == null && request.number("x") == null
                        ? null
                        : spot(deadline, target, request.number("x"), request.number("y"));
                input.release(deadline, up, request.string("button", "left"));
                return Map.of();
            case "drag":
                return drag(request, target);
            case "key":
                return key(request, target);
            case "type_text":
                return typeText(request, target);
            case "scroll":
                return new Scrolling(this).scroll(request, target);
            case "control_window":
                return new Frames(this).control(request, target);
            default:
        }
        if (target == null) {
            throw Failure.invalid("target", Text.quote(action) + " needs a target");
        }
        switch (action) {
            case "press":
                return new Pressing(this).press(request, target);
            case "set_checked":
                return new Pressing(this).setChecked(request, target);
            case "expand":
                return new Pressing(this).expand(request, target);
            case "show_menu":
                return new Pressing(this).showMenu(request, target);
            case "set_value":
                return new Editing(this).setValue(request, target);
            case "select":
                return new Choosing(this).select(request, target);
            case "focus":
                focus(deadline, target);
                return Map.of();
            default:
                throw new Failure("action_unsupported", "the agent for JavaFX does not know the action " + Text.quote(action));
        }
    }

    // -- mouse ----------------------------------------------------------------------------------

    private Map<String, Object> click(Request request, Object target) {
        Ui.Deadline deadline = request.deadline;
        if (target instanceof MenuItem) {
            open(deadline, (MenuItem) target);
        }
        Spot spot = spot(deadline, target, request.number("x"), request.number("y"));
        makeWay(deadline, spot.window);
        return input.click(
                deadline, spot, request.string("button", "left"), request.whole("count", 1), request.strings("modifiers"));
    }

    private Map<String, Object> drag(Request request, Object target) {
        Ui.Deadline deadline = request.deadline;
        String uid = request.string("to");
        Object to = uid == null ? null : Ui.call(deadline, () -> registry.get(uid));
        Spot from = spot(deadline, target, request.number("x"), request.number("y"));
        makeWay(deadline, from.window);
        Spot until = Ui.call(deadline, () -> place(to, request.number("to_x"), request.number("to_y")));
        input.drag(deadline, from, until, request.string("button", "left"), request.strings("modifiers"), request.whole("steps", 10));
        return Map.of();
    }

    /** Clicks in the middle of something, for what has no way of its own to be pressed. */
    Map<String, Object> clickOn(Ui.Deadline deadline, Object target, String button) {
        Spot spot = spot(deadline, target, null, null);
        makeWay(deadline, spot.window);
        return input.click(deadline, spot, button, 1, List.of());
    }

    /** Where something is, which is scrolled into view first; without a target, a point on the screen. */
    Spot spot(Ui.Deadline deadline, Object target, Double x, Double y) {
        if (target != null) {
            boolean moved = Ui.call(deadline, () -> isHidden(target, x, y) && Scrolling.intoView(target));
            if (moved) {
                Desk.pulse(deadline);
            }
        }
        return Ui.call(deadline, () -> place(target, x, y));
    }

    private boolean isHidden(Object target, Double x, Double y) {
        Node node = drawing(target);
        if (node == null) {
            return true;
        }
        Bounds on = onScreen(aim(node));
        Place around = Place.around(node, null);
        double px = x == null ? on.getMinX() + on.getWidth() / 2 : on.getMinX() + x;
        double py = y == null ? on.getMinY() + on.getHeight() / 2 : on.getMinY() + y;
        return around.hides(px, py, 0, 0);
    }

    private Spot place(Object target, Double x, Double y) {
        if (target == null) {
            if (x == null || y == null) {
                throw Failure.invalid("x", "neither a target nor a point on the screen was given");
            }
            Window window = windowAt(x, y);
            return new Spot(window, null, x, y);
        }
        Node node = drawing(target);
        if (node == null || node.getScene() == null || node.getScene().getWindow() == null) {
            throw new Failure("not_visible", Text.describe(target) + " is not on the screen");
        }
        Window window = node.getScene().getWindow();
        if (target instanceof Window && x == null) {
            Place whole = Place.in(window);
            return new Spot(window, null, (whole.left + whole.right) / 2, (whole.top + whole.bottom) / 2);
        }
        Bounds on = target instanceof Window ? onScreen(node) : onScreen(x == null ? aim(node) : node);
        double px = x == null ? on.getMinX() + on.getWidth() / 2 : on.getMinX() + x;
        double py = y == null ? on.getMinY() + on.getHeight() / 2 : on.getMinY() + y;
        return new Spot(window, target instanceof Window ? null : node, px, py);
    }

    private static Window windowAt(double x, double y) {
        List<Window> all = Windows.showing();
        // The last ones are on top.
        for (int i = all.size() - 1; i >= 0; i--) {
            Place there = Place.in(all.get(i));
            if (!there.hides(x, y, 0, 0)) {
                return all.get(i);
            }
        }
        throw new Failure("action_failed", "no window of the program is at " + Text.number(x) + ", " + Text.number(y));
    }

    /** The part of a node that one would click. */
    private static Node aim(Node node) {
        if (node instanceof TableRow) {
            return aimInRow(node, ((TableRow<?>) node).getTableView());
        }
        if (node instanceof TreeTableRow) {
            return aimInRow(node, ((TreeTableRow<?>) node).getTreeTableView());
        }
        Node title = node instanceof TitledPane ? node.lookup(".title") : null;
        return title == null ? node : title;
    }

    /**
     * The first cell of a row whose middle is in view and is not a control: where single cells are selected, the rest of a row
     * takes no click.
     */
    private static Node aimInRow(Node row, Control view) {
        Bounds seen = onScreen(view);
        for (Node child : ((Parent) row).getChildrenUnmodifiable()) {
            boolean plain = View.columnOf(child) != null && ((IndexedCell<?>) child).getGraphic() == null;
            Bounds on = plain ? onScreen(child) : null;
            if (on != null && on.getWidth() > 0 && seen.contains(on.getCenterX(), on.getCenterY())) {
                return child;
            }
        }
        return row;
    }

    static Bounds onScreen(Node node) {
        Bounds on = node.localToScreen(node.getLayoutBounds());
        return on == null ? new BoundingBox(0, 0, 0, 0) : on;
    }

    /** The node that draws something on the screen; null if none does just now. */
    static Node drawing(Object target) {
        if (target instanceof Window) {
            Scene scene = ((Window) target).getScene();
            return scene == null ? null : scene.getRoot();
        }
        if (target instanceof Row) {
            Row row = (Row) target;
            return row.view.cellOf(row.index());
        }
        if (target instanceof Row.Cell) {
            Row.Cell cell = (Row.Cell) target;
            return cell.row.view.cellOf(cell.row.index(), cell.column);
        }
        if (target instanceof Tab) {
            return Windows.head((Tab) target);
        }
        if (target instanceof MenuItem) {
            return Menus.drawing((MenuItem) target);
        }
        if (target instanceof TableColumnBase) {
            return View.head((TableColumnBase<?, ?>) target);
        }
        return target instanceof Node ? (Node) target : null;
    }

    /** Opens the menus on the way to an entry, as a person does. */
    void open(Ui.Deadline deadline, MenuItem item) {
        Object opener = Ui.call(deadline, () -> Menus.drawing(item) == null ? Menus.opener(item, registry) : null);
        if (opener == null) {
            return;
        }
        if (opener instanceof Menu) {
            openMenu(deadline, (Menu) opener);
        } else {
            MenuButton button = (MenuButton) opener;
            clickUnless(deadline, button, button::isShowing);
        }
        if (!Ui.eventually(deadline, SOON, () -> Menus.drawing(item) != null)) {
            throw new Failure("action_failed", "the menu of " + Text.describe(item) + " did not open");
        }
    }

    /** Opens a menu, and those around it before. */
    void openMenu(Ui.Deadline deadline, Menu menu) {
        open(deadline, menu);
        clickUnless(deadline, menu, menu::isShowing);
        if (!Ui.eventually(deadline, SOON, menu::isShowing)) {
            // Fallback: an entry whose menu opens as the pointer comes near closes it again by the click.
            Ui.act(
                    deadline,
                    () -> {
                        menu.show();
                    });
        }
    }

    private void clickUnless(Ui.Deadline deadline, Object target, java.util.concurrent.Callable<Boolean> isOpen) {
        if (Ui.call(deadline, isOpen)) {
            return;
        }
        Spot spot = spot(deadline, target, null, null);
        activate(deadline, spot.window);
        input.move(deadline, spot);
        // A menu inside another opens under the pointer already.
        boolean inside = target instanceof Menu && ((Menu) target).getParentPopup() != null;
        if (!inside || !Ui.eventually(deadline, SOON, isOpen)) {
            input.click(deadline, spot, "left", 1, List.of());
        }
    }

    // -- keyboard -------------------------------------------------------------------------------

    private Map<String, Object> key(Request request, Object target) {
        Ui.Deadline deadline = request.deadline;
        Window window = keyboard(deadline, target);
        return input.key(deadline, window, request.string("code"), request.string("text"), request.strings("modifiers"));
    }

    private Map<String, Object> typeText(Request request, Object target) {
        Ui.Deadline deadline = request.deadline;
        Object into = target;
        if (target instanceof Row || target instanceof Row.Cell) {
            into = new Editing(this).editor(deadline, target);
        }
        Object field = into;
        if (field != null) {
            Ui.call(
                    deadline,
                    () -> {
                        Editing.insistOnTyping(field);
                    });
        }
        Window window = keyboard(deadline, field);
        if (request.flag("clear")) {
            Ui.act(
                    deadline,
                    () -> {
                        Editing.clear(window);
                    });
        }
        input.type(deadline, window, request.string("text", ""));
        if (request.flag("submit")) {
            input.type(deadline, window, "\n");
        }
        return Map.of();
    }

    /** The window that key strokes go to, with the focus on the target if that can have it. */
    private Window keyboard(Ui.Deadline deadline, Object target) {
        if (target == null) {
            return Ui.call(deadline, Frames::focused);
        }
        Node node = Ui.call(deadline, () -> target instanceof Node ? (Node) target : null);
        if (node != null && Ui.call(deadline, node::isFocusTraversable)) {
            focus(deadline, node);
            return Ui.call(deadline, () -> node.getScene().getWindow());
        }
        // A key stroke on something that cannot have the focus is one in its window: a shortcut, esc.
        Window window = Ui.call(deadline, () -> windowOf(target));
        activate(deadline, window);
        return window;
    }

    /** Gives the keyboard focus to something; fails if that cannot have it. */
    void focus(Ui.Deadline deadline, Object target) {
        if (target instanceof Window) {
            activate(deadline, (Window) target);
            return;
        }
        if (target instanceof Row || target instanceof Row.Cell) {
            Row row = target instanceof Row ? (Row) target : ((Row.Cell) target).row;
            focus(deadline, row.view.control);
            Ui.call(
                    deadline,
                    () -> {
                        row.view.focus(row.index(), target instanceof Row ? null : ((Row.Cell) target).column);
                    });
            return;
        }
        boolean can = Ui.call(deadline, () -> target instanceof Node && ((Node) target).isFocusTraversable());
        if (!can) {
            throw new Failure("not_focusable", Text.describe(target) + " cannot take the focus")
                    .with("suggestions", List.of("target an element that can, such as a text field or button"));
        }
        Node node = (Node) target;
        Window window = Ui.call(deadline, () -> node.getScene().getWindow());
        // What is open belongs to what has the focus, or to a box that is open.
        if (Ui.call(deadline, () -> hasFocus(node) || Pressing.isOpen(node))) {
            activate(deadline, window);
        } else {
            makeWay(deadline, window);
        }
        Ui.act(
                deadline,
                () -> {
                    node.requestFocus();
                });
        if (!Ui.eventually(deadline, SOON, () -> hasFocus(node))) {
            Node owner = Ui.call(deadline, () -> node.getScene() == null ? null : node.getScene().getFocusOwner());
            String now = owner == null ? "nothing" : Text.describe(owner);
            throw new Failure("action_failed", Text.describe(target) + " did not keep the focus; " + now + " has it");
        }
    }

    private static boolean hasFocus(Node node) {
        return node.getScene() != null && Input.isWithin(node.getScene().getFocusOwner(), node);
    }

    /** Brings a window to the front; fails if a modal dialog keeps everybody from it. */
    void activate(Ui.Deadline deadline, Window window) {
        boolean there = Ui.call(
                deadline,
                () -> {
                    Frames.insistOnUnblocked(window);
                    if (window instanceof PopupWindow || !(window instanceof Stage)) {
                        return true;
                    }
                    Stage stage = (Stage) window;
                    if (stage.isIconified()) {
                        stage.setIconified(false);
                    }
                    if (stage.isFocused()) {
                        return true;
                    }
                    stage.toFront();
                    stage.requestFocus();
                    return false;
                });
        if (!there) {
            // Without a window manager no window ever has the focus; then events replace keys.
            Ui.eventually(deadline, SOON, window::isFocused);
        }
    }

    /** Brings a window to the front, and closes the pop-ups that would take a click or the keys for themselves. */
    private void makeWay(Ui.Deadline deadline, Window window) {
        activate(deadline, window);
        Ui.act(
                deadline,
                () -> {
                    for (Window other : List.copyOf(Window.getWindows())) {
                        if (other instanceof PopupWindow && ((PopupWindow) other).isAutoHide() && !isAround(other, window)) {
                            other.hide();
                        }
                    }
                });
    }

    private static boolean isAround(Window popup, Window window) {
        Window above = window;
        while (above != popup && above instanceof PopupWindow) {
            above = ((PopupWindow) above).getOwnerWindow();
        }
        return above == popup;
    }

    Window windowOf(Object target) {
        String uid = target instanceof Node ? registry.of((Node) target).uid : null;
        Registry.Handle handle = uid == null ? handleOf(target) : registry.find(uid);
        Window window = Windows.windowOf(target, registry, handle);
        if (window == null) {
            throw new Failure("window_not_found", Text.describe(target) + " is in no window");
        }
        return window;
    }

    private Registry.Handle handleOf(Object target) {
        if (target instanceof MenuItem) {
            return registry.of(target, ((MenuItem) target).getProperties());
        }
        if (target instanceof TableColumnBase) {
            return registry.of(target, ((TableColumnBase<?, ?>) target).getProperties());
        }
        return null;
    }

    /** The uid of a node; rows and cells have that of the item they show. */
    String uidOf(Node node) {
        if (node instanceof IndexedCell) {
            IndexedCell<?> cell = (IndexedCell<?>) node;
            for (Node above = node.getParent(); above != null; above = above.getParent()) {
                View view = View.of(above);
                if (view != null && view.itemOrNull(cell.getIndex()) != null) {
                    Row row = Row.at(view, cell.getIndex(), registry);
                    TableColumnBase<?, ?> column = View.columnOf(node);
                    return column == null ? row.uid : row.cell(column, registry).uid;
                }
            }
        }
        return registry.uid(node);
    }

    static ScrollPane paneAround(Node node) {
        for (Node above = node.getParent(); above != null; above = above.getParent()) {
            if (above instanceof ScrollPane) {
                return (ScrollPane) above;
            }
        }
        return null;
    }

}
