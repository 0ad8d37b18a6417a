package deskhand.fx;

import java.util.ArrayList;
import java.util.List;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Control;
import javafx.scene.control.DialogPane;
import javafx.scene.control.MenuItem;
import javafx.scene.control.Tab;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableColumnBase;
import javafx.scene.control.Tooltip;
import javafx.stage.Modality;
import javafx.stage.PopupWindow;
import javafx.stage.Stage;
import javafx.stage.Window;

/** The windows of the program: which there are, and which a thing is in. */
final class Windows {
    private Windows() {}

    /** All that show, the main window first: stages of their own, then those that belong to one, then pop-ups. */
    static List<Window> showing() {
        List<Window> own = new ArrayList<>();
        List<Window> owned = new ArrayList<>();
        List<Window> popups = new ArrayList<>();
        for (Window window : Window.getWindows()) {
            if (!window.isShowing() || (window instanceof ContextMenu && Menus.isPart((ContextMenu) window))) {
                continue;
            }
            if (window instanceof PopupWindow) {
                popups.add(window);
            } else if (window instanceof Stage && ((Stage) window).getOwner() == null && !isDialog(window)) {
                own.add(window);
            } else {
                owned.add(window);
            }
        }
        own.addAll(owned);
        own.addAll(popups);
        return own;
    }

    static Window main() {
        List<Window> all = showing();
        if (all.isEmpty()) {
            throw new Failure("no_windows", "the program shows no window").with("suggestions", List.of("wait for a window"));
        }
        return all.get(0);
    }

    static boolean isDialog(Window window) {
        return window instanceof Stage
                && ((window.getScene() != null && window.getScene().getRoot() instanceof DialogPane)
                        || (isModal((Stage) window) && ((Stage) window).getOwner() != null));
    }

    static boolean isModal(Stage stage) {
        return stage.getModality() != Modality.NONE;
    }

    static String kind(Window window) {
        return window instanceof PopupWindow ? "popup" : isDialog(window) ? "dialog" : "regular";
    }

    static String role(Window window) {
        if (window instanceof ContextMenu) {
            return "menu";
        }
        if (window instanceof Tooltip) {
            return "tooltip";
        }
        return window instanceof PopupWindow ? "popover" : isDialog(window) ? "dialog" : "window";
    }

    static String title(Window window) {
        String title = window instanceof Stage ? ((Stage) window).getTitle() : null;
        if (window instanceof Tooltip) {
            title = ((Tooltip) window).getText();
        }
        return title == null || title.isEmpty() ? null : title;
    }

    /** Whether the root of a scene is reported as one with its window: not a control, which has a role of its own. */
    static boolean isMerged(Parent root) {
        return !(root instanceof Control) || root instanceof DialogPane;
    }

    /** The node that draws the head of a tab; null if there is none. */
    static Node head(Tab tab) {
        TabPane pane = tab.getTabPane();
        List<Node> heads = pane == null ? List.of() : inside(List.of(pane), "tab-header-area", "headers-region", null);
        for (Node head : heads) {
            if (head.getProperties().get(Tab.class) == tab) {
                return head;
            }
        }
        // Fallback: of a skin that does not say which tab is which, they are in the same order.
        int index = pane == null ? -1 : pane.getTabs().indexOf(tab);
        return index >= 0 && heads.size() == pane.getTabs().size() ? heads.get(index) : null;
    }

    /** The button in the head of a tab by which that is closed; null if there is none now. */
    static Node closing(Node head) {
        Node close = head == null ? null : head.lookup(".tab-close-button");
        return close != null && close.isVisible() ? close : null;
    }

    /** The children of nodes that have a style class, and those of these with the next; null is any. */
    private static List<Node> inside(List<Node> nodes, String... styles) {
        List<Node> found = nodes;
        for (String style : styles) {
            List<Node> below = new ArrayList<>();
            for (Node node : found) {
                for (Node child : node instanceof Parent ? ((Parent) node).getChildrenUnmodifiable() : List.<Node>of()) {
                    if (style == null || child.getStyleClass().contains(style)) {
                        below.add(child);
                    }
                }
            }
            found = below;
        }
        return found;
    }

    /** The node in a scene that something is or belongs to; null if that is only a window. */
    static Node nodeAround(Object part, Registry registry, Registry.Handle handle) {
        if (part instanceof Node && ((Node) part).getScene() != null) {
            return (Node) part;
        }
        if (part instanceof Row) {
            return ((Row) part).view.control;
        }
        if (part instanceof Row.Cell) {
            return ((Row.Cell) part).row.view.control;
        }
        if (part instanceof Tab) {
            return ((Tab) part).getTabPane();
        }
        if (part instanceof Node || part instanceof MenuItem || part instanceof TableColumnBase) {
            Registry.Handle above = registry.find(handle.parent);
            Object parent = above == null ? null : above.get();
            return parent instanceof Node || parent instanceof MenuItem ? nodeAround(parent, registry, above) : null;
        }
        return null;
    }

    /** The window that something is in. */
    static Window windowOf(Object part, Registry registry, Registry.Handle handle) {
        if (part instanceof Window) {
            return (Window) part;
        }
        Node node = nodeAround(part, registry, handle);
        if (node != null) {
            Scene scene = node.getScene();
            return scene == null ? null : scene.getWindow();
        }
        for (Registry.Handle above = handle; above != null; above = registry.find(above.parent)) {
            if (above.get() instanceof Window) {
                return (Window) above.get();
            }
        }
        return null;
    }
}
