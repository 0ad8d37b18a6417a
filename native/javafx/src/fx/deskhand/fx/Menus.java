package deskhand.fx;

import java.util.List;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuBar;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;

/** Menus: what draws their entries, and what must be open before one can be chosen. */
final class Menus {
    private Menus() {}

    /** The entries that are in a menu button; none for a button of a menu bar, whose entries are in its menu. */
    static List<MenuItem> own(MenuButton button) {
        List<MenuItem> items = button.getItems();
        return items.isEmpty() || items.get(0).getParentMenu() == null ? items : List.of();
    }

    /** The node that draws an entry; null while its menu is closed. */
    static Node drawing(MenuItem item) {
        if (item.getParentPopup() != null) {
            return item.getParentPopup().isShowing() ? item.getStyleableNode() : null;
        }
        return item instanceof Menu && item.getParentMenu() == null ? button((Menu) item) : null;
    }

    /** The button that a menu of a menu bar has there; null if it is in none. */
    static MenuButton button(Menu menu) {
        Object bar = Desk.instance().registry().parent(menu.getProperties());
        return bar instanceof MenuBar ? button((MenuBar) bar, menu) : null;
    }

    /** The buttons are in the order of the menus, without those that are hidden. */
    private static MenuButton button(MenuBar bar, Menu menu) {
        int wanted = 0;
        for (Menu other : bar.getMenus()) {
            if (other == menu) {
                break;
            }
            wanted += other.isVisible() ? 1 : 0;
        }
        for (Node box : bar.getChildrenUnmodifiable()) {
            if (box instanceof Parent) {
                List<Node> buttons = ((Parent) box).getChildrenUnmodifiable();
                if (wanted < buttons.size() && buttons.get(wanted) instanceof MenuButton) {
                    return (MenuButton) buttons.get(wanted);
                }
            }
        }
        return null;
    }

    /** Whether a pop-up menu is reported with its owner, and so not as a window. */
    static boolean isPart(ContextMenu menu) {
        return menu.getOwnerNode() instanceof MenuButton || menu.getOwnerWindow() instanceof ContextMenu;
    }

    /** What opens the menu that an entry is in: a menu, a menu button; null if it is in a context menu. */
    static Object opener(MenuItem item, Registry registry) {
        if (item.getParentMenu() != null) {
            return item.getParentMenu();
        }
        Object parent = registry.parent(item.getProperties());
        return parent instanceof MenuButton ? parent : null;
    }
}
