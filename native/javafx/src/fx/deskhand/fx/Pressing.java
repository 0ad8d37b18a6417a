package deskhand.fx;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javafx.scene.Node;
import javafx.scene.control.ButtonBase;
import javafx.scene.control.CheckBox;
import javafx.scene.control.CheckMenuItem;
import javafx.scene.control.ChoiceBox;
import javafx.scene.control.ComboBoxBase;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Labeled;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.RadioMenuItem;
import javafx.scene.control.SplitMenuButton;
import javafx.scene.control.Tab;
import javafx.scene.control.TitledPane;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.TreeItem;
import javafx.stage.Window;

/** Doing what something is for without the mouse: push, tick, open. What fires for a person fires here too. */
final class Pressing {
    /** How long a menu may take to show, in seconds; for a node without a menu the error comes that much later. */
    private static final double SHOWS = 2;

    private final Actor actor;

    Pressing(Actor actor) {
        this.actor = actor;
    }

    // -- press ----------------------------------------------------------------------------------

    Map<String, Object> press(Request request, Object target) {
        Ui.Deadline deadline = request.deadline;
        Callable<Map<String, Object>> way = way(target);
        if (way == null) {
            // Fallback: it has no press of its own (a label, a row, the head of a column), so the mouse does it.
            actor.clickOn(deadline, target, "left");
            return Map.of("detail", "clicked with the mouse: it has no press of its own");
        }
        Ui.act(
                deadline,
                () -> {
                    Frames.insistOnUnblocked(actor.windowOf(target));
                    return way.call();
                });
        return Map.of();
    }

    private static Callable<Map<String, Object>> way(Object target) {
        if (target instanceof MenuButton && !(target instanceof SplitMenuButton)) {
            return done(() -> open(target, !isOpen((MenuButton) target)));
        }
        if (target instanceof ButtonBase) {
            return done(((ButtonBase) target)::fire);
        }
        if (target instanceof Menu) {
            return done(((Menu) target)::show);
        }
        if (target instanceof MenuItem) {
            return done(() -> choose((MenuItem) target));
        }
        if (target instanceof Tab) {
            Tab tab = (Tab) target;
            return done(() -> tab.getTabPane().getSelectionModel().select(tab));
        }
        if (target instanceof TitledPane && ((TitledPane) target).isCollapsible()) {
            TitledPane pane = (TitledPane) target;
            return done(() -> pane.setExpanded(!pane.isExpanded()));
        }
        if (target instanceof ComboBoxBase || target instanceof ChoiceBox) {
            return done(() -> open(target, !isOpen((Node) target)));
        }
        return null;
    }

    /** Whether it is something that opens a list or menu of its own, and that is open. */
    static boolean isOpen(Node node) {
        return (node instanceof ComboBoxBase && ((ComboBoxBase<?>) node).isShowing())
                || (node instanceof ChoiceBox && ((ChoiceBox<?>) node).isShowing())
                || (node instanceof MenuButton && ((MenuButton) node).isShowing());
    }

    private static Callable<Map<String, Object>> done(Runnable work) {
        return () -> {
            work.run();
            return Map.of();
        };
    }

    /** Chooses an entry as a menu does it for a click. */
    static void choose(MenuItem item) {
        if (item.isDisable()) {
            throw new Failure("not_enabled", Text.describe(item) + " is not enabled").with("last_seen", Map.of("enabled", false));
        }
        ContextMenu popup = item.getParentPopup();
        while (popup != null && popup.getOwnerWindow() instanceof ContextMenu) {
            popup = (ContextMenu) popup.getOwnerWindow();
        }
        if (popup != null && popup.isShowing()) {
            popup.hide();
        }
        if (item instanceof CheckMenuItem) {
            CheckMenuItem check = (CheckMenuItem) item;
            check.setSelected(!check.isSelected());
        } else if (item instanceof RadioMenuItem) {
            RadioMenuItem radio = (RadioMenuItem) item;
            radio.setSelected(radio.getToggleGroup() != null || !radio.isSelected());
        }
        item.fire();
    }

    // -- tick -----------------------------------------------------------------------------------

    Map<String, Object> setChecked(Request request, Object target) {
        boolean wanted = request.flag("checked");
        Object box = Ui.call(request.deadline, () -> box(target));
        if (box == null) {
            throw Failure.unsupported(target, "cannot be ticked").with("suggestions", List.of("press it, or target a check box"));
        }
        // A box with three states may need two clicks.
        for (int times = 0; times < 3; times++) {
            Boolean now = Ui.call(request.deadline, () -> isChecked(box));
            if (now != null && now == wanted) {
                return Map.of();
            }
            Ui.act(
                    request.deadline,
                    () -> {
                        Frames.insistOnUnblocked(actor.windowOf(target));
                        if (box instanceof MenuItem) {
                            choose((MenuItem) box);
                        } else {
                            ((ButtonBase) box).fire();
                        }
                    });
        }
        Boolean now = Ui.call(request.deadline, () -> isChecked(box));
        if (now == null || now != wanted) {
            String still = wanted ? " was clicked but is not ticked still" : " was clicked but is ticked still";
            throw new Failure("action_failed", Text.describe(target) + still)
                    .with("suggestions", wanted ? List.of() : List.of("tick another of its group instead"))
                    .with("last_seen", Map.of("checked", !wanted));
        }
        return Map.of();
    }

    private static Object box(Object target) {
        if (target instanceof CheckBox || target instanceof ToggleButton) {
            return target;
        }
        if (target instanceof CheckMenuItem || target instanceof RadioMenuItem) {
            return target;
        }
        Node cell = target instanceof Row || target instanceof Row.Cell ? Actor.drawing(target) : null;
        Node graphic = cell instanceof Labeled ? ((Labeled) cell).getGraphic() : null;
        return graphic instanceof CheckBox ? graphic : null;
    }

    private static Boolean isChecked(Object box) {
        if (box instanceof CheckBox) {
            return ((CheckBox) box).isIndeterminate() ? null : (Boolean) ((CheckBox) box).isSelected();
        }
        if (box instanceof ToggleButton) {
            return ((ToggleButton) box).isSelected();
        }
        return box instanceof CheckMenuItem ? ((CheckMenuItem) box).isSelected() : ((RadioMenuItem) box).isSelected();
    }

    // -- open -----------------------------------------------------------------------------------

    Map<String, Object> expand(Request request, Object target) {
        Ui.Deadline deadline = request.deadline;
        boolean wanted = request.flag("expanded");
        if (target instanceof Menu && wanted) {
            actor.openMenu(deadline, (Menu) target);
            return Map.of();
        }
        Window window = Ui.call(deadline, () -> actor.windowOf(target));
        actor.activate(deadline, window);
        Ui.act(
                deadline,
                () -> {
                    open(target, wanted);
                });
        return Map.of();
    }

    private static void open(Object target, boolean wanted) {
        if (wanted && target instanceof Node && ((Node) target).isFocusTraversable()) {
            // As by a click: the keys go to what is open, and so to what it belongs to.
            ((Node) target).requestFocus();
        }
        if (target instanceof TitledPane && ((TitledPane) target).isCollapsible()) {
            ((TitledPane) target).setExpanded(wanted);
        } else if (target instanceof MenuButton) {
            MenuButton button = (MenuButton) target;
            run(wanted, button::show, button::hide);
        } else if (target instanceof Menu) {
            ((Menu) target).hide();
        } else if (target instanceof ComboBoxBase) {
            ComboBoxBase<?> box = (ComboBoxBase<?>) target;
            run(wanted, box::show, box::hide);
        } else if (target instanceof ChoiceBox) {
            ChoiceBox<?> box = (ChoiceBox<?>) target;
            run(wanted, box::show, box::hide);
        } else {
            branch(target, wanted);
        }
    }

    private static void branch(Object target, boolean wanted) {
        Row row = target instanceof Row ? (Row) target : target instanceof Row.Cell ? ((Row.Cell) target).row : null;
        Object item = row == null ? null : row.view.itemOrNull(row.index());
        if (!(item instanceof TreeItem)) {
            throw Failure.unsupported(target, "cannot be opened or closed")
                    .with("suggestions", List.of("target a tree item, a combo box or a menu"));
        }
        if (wanted && ((TreeItem<?>) item).isLeaf()) {
            throw Failure.unsupported(target, "has nothing below it to show");
        }
        ((TreeItem<?>) item).setExpanded(wanted);
    }

    private static void run(boolean first, Runnable one, Runnable other) {
        (first ? one : other).run();
    }

    Map<String, Object> showMenu(Request request, Object target) {
        int before = Ui.call(request.deadline, Pressing::menus);
        actor.clickOn(request.deadline, target, "right");
        if (!Ui.eventually(request.deadline, SHOWS, () -> menus() > before)) {
            throw Failure.unsupported(target, "has no context menu");
        }
        return Map.of("detail", "clicked with the right mouse button");
    }

    private static int menus() {
        int count = 0;
        for (Window window : Windows.showing()) {
            count += window instanceof ContextMenu ? 1 : 0;
        }
        return count;
    }
}
