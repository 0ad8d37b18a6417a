package deskhand.fx;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.SubScene;
import javafx.scene.canvas.Canvas;
import javafx.scene.chart.Chart;
import javafx.scene.control.Accordion;
import javafx.scene.control.ButtonBar;
import javafx.scene.control.ButtonBase;
import javafx.scene.control.Cell;
import javafx.scene.control.CheckBox;
import javafx.scene.control.CheckMenuItem;
import javafx.scene.control.ChoiceBox;
import javafx.scene.control.ColorPicker;
import javafx.scene.control.ComboBox;
import javafx.scene.control.ComboBoxBase;
import javafx.scene.control.Control;
import javafx.scene.control.DatePicker;
import javafx.scene.control.DialogPane;
import javafx.scene.control.Hyperlink;
import javafx.scene.control.Label;
import javafx.scene.control.Labeled;
import javafx.scene.control.ListCell;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuBar;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.Pagination;
import javafx.scene.control.PasswordField;
import javafx.scene.control.ProgressIndicator;
import javafx.scene.control.RadioButton;
import javafx.scene.control.RadioMenuItem;
import javafx.scene.control.ScrollBar;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.SelectionModel;
import javafx.scene.control.Separator;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.control.Slider;
import javafx.scene.control.Spinner;
import javafx.scene.control.SpinnerValueFactory;
import javafx.scene.control.SplitMenuButton;
import javafx.scene.control.SplitPane;
import javafx.scene.control.Tab;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableColumnBase;
import javafx.scene.control.TextArea;
import javafx.scene.control.TextInputControl;
import javafx.scene.control.TitledPane;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToolBar;
import javafx.scene.image.ImageView;
import javafx.scene.paint.Color;
import javafx.scene.shape.Shape;
import javafx.stage.Window;
import javafx.util.StringConverter;

/** What kinds of nodes there are: the role of each, what it holds, what can be done to it and what is inside. */
final class Controls {
    private static final String EDIT = "set-value focus";
    private static final String STEP = "set-value increment decrement focus";
    private static final String PUSH = "press focus";
    static final int OPTIONS_KEPT = 100;

    private Controls() {}

    /** The role of a thing, as selectors spell it. */
    static String role(Object target) {
        if (target instanceof Window) {
            return Windows.role((Window) target);
        }
        if (target instanceof Tab) {
            return "tab";
        }
        if (target instanceof MenuItem) {
            return menuRole((MenuItem) target);
        }
        if (target instanceof TableColumnBase) {
            return "column-header";
        }
        View view = View.of(target);
        if (view != null) {
            return view.role;
        }
        Fields f = new Fields(new Kinds(), new Out(1 << 8));
        f.begin("", null);
        if (target instanceof Node) {
            state((Node) target, f);
        }
        return f.role;
    }

    static String menuRole(MenuItem item) {
        if (item instanceof SeparatorMenuItem) {
            return "separator";
        }
        if (item instanceof Menu) {
            return "menu";
        }
        if (item instanceof CheckMenuItem) {
            return "menu-item-checkbox";
        }
        return item instanceof RadioMenuItem ? "menu-item-radio" : "menu-item";
    }

    /** Puts what only nodes of its kind have into the fields of a node. */
    static void state(Node node, Fields f) {
        if (node instanceof Control) {
            control((Control) node, f);
        } else if (node instanceof javafx.scene.text.Text) {
            f.role = "text";
            f.caption(((javafx.scene.text.Text) node).getText());
        } else if (node instanceof ImageView) {
            f.role = "image";
        } else if (node instanceof Canvas) {
            f.role = "canvas";
        } else if (node instanceof Shape) {
            f.role = "graphics-symbol";
        } else if (node instanceof Chart) {
            f.role = "figure";
            f.caption(((Chart) node).getTitle());
        } else if (Rare.isWebView(node)) {
            f.role = "web-area";
            f.actions = "focus scroll";
            Rare.webView(node, f);
        } else if (Rare.isMedia(node)) {
            f.role = "video";
        }
        if (f.role.equals("generic")) {
            spoken(node.getAccessibleRole(), f);
        }
    }

    /** What a program draws itself is what it says to be to a screen reader. */
    private static void spoken(AccessibleRole role, Fields f) {
        if (role == AccessibleRole.BUTTON) {
            f.role = "button";
            f.actions = PUSH;
        } else if (role == AccessibleRole.HYPERLINK) {
            f.role = "link";
            f.actions = PUSH;
        } else if (role == AccessibleRole.IMAGE_VIEW) {
            f.role = "image";
        }
    }

    private static void control(Control control, Fields f) {
        if (control instanceof Labeled) {
            labeled((Labeled) control, f);
        } else if (control instanceof TextInputControl) {
            input((TextInputControl) control, f);
        } else if (control instanceof ComboBoxBase) {
            comboBoxBase((ComboBoxBase<?>) control, f);
        } else if (control instanceof ChoiceBox) {
            choiceBox((ChoiceBox<?>) control, f);
        } else if (control instanceof Spinner) {
            spinner((Spinner<?>) control, f);
        } else if (control instanceof Slider) {
            Slider slider = (Slider) control;
            f.role = "slider";
            range(f, slider.getValue(), slider.getMin(), slider.getMax());
        } else if (control instanceof ScrollBar) {
            ScrollBar bar = (ScrollBar) control;
            f.role = "scroll-bar";
            range(f, bar.getValue(), bar.getMin(), bar.getMax());
        } else if (control instanceof ProgressIndicator) {
            progress((ProgressIndicator) control, f);
        } else if (control instanceof TabPane) {
            tabs((TabPane) control, f);
        } else if (control instanceof Accordion) {
            f.role = "group";
            f.actions = "select";
        } else if (control instanceof Pagination) {
            Pagination pages = (Pagination) control;
            f.role = "group";
            range(f, pages.getCurrentPageIndex(), 0, Math.max(0, pages.getPageCount() - 1));
        } else if (control instanceof MenuBar) {
            f.role = "menu-bar";
            f.actions = "select";
        } else if (control instanceof ToolBar) {
            f.role = "toolbar";
        } else if (control instanceof ScrollPane) {
            f.role = "scroll-area";
            f.actions = "scroll";
        } else if (control instanceof Separator) {
            f.role = "separator";
        } else if (control instanceof SplitPane || control instanceof ButtonBar) {
            f.role = "group";
        }
    }

    private static void labeled(Labeled labeled, Fields f) {
        String text = Text.of(labeled);
        if (text == null || text.isEmpty()) {
            text = Text.inside(labeled.getGraphic());
        }
        f.caption(text);
        if (labeled instanceof ToggleButton) {
            boolean radio = labeled instanceof RadioButton;
            f.role = radio ? "radio" : "toggle-button";
            f.actions = radio ? "press select focus" : "press toggle focus";
            f.flag("checked", ((ToggleButton) labeled).isSelected());
        } else if (labeled instanceof CheckBox) {
            CheckBox box = (CheckBox) labeled;
            f.role = "checkbox";
            f.actions = "press toggle focus";
            f.flag("checked", box.isSelected());
            f.on("mixed", box.isIndeterminate());
        } else if (labeled instanceof MenuButton) {
            f.role = labeled instanceof SplitMenuButton ? "split-button" : "button";
            f.actions = "press expand focus";
            f.flag("expanded", ((MenuButton) labeled).isShowing());
        } else if (labeled instanceof Hyperlink) {
            f.role = "link";
            f.actions = PUSH;
        } else if (labeled instanceof ButtonBase) {
            f.role = "button";
            f.actions = PUSH;
        } else if (labeled instanceof TitledPane) {
            TitledPane pane = (TitledPane) labeled;
            f.role = "group";
            if (pane.isCollapsible()) {
                f.actions = "press expand collapse focus";
                f.flag("expanded", pane.isExpanded());
            }
        } else if (labeled instanceof Cell) {
            f.role = "grid-cell"; // a day in a calendar; the cells of views are reported by what they show
            f.actions = "press";
        } else {
            f.role = "text";
        }
        if (labeled instanceof ButtonBase) {
            f.on("pressed", ((ButtonBase) labeled).isArmed());
        }
    }

    private static void input(TextInputControl input, Fields f) {
        boolean area = input instanceof TextArea;
        f.role = area ? "editable-text" : "textfield";
        boolean secret = input instanceof PasswordField;
        String value = input.getText() == null ? "" : input.getText();
        if (secret) {
            f.flag("password", true);
            value = value.isEmpty() ? "" : Text.MASK;
        }
        f.text("value", Text.shorten(value));
        f.some("placeholder", input.getPromptText());
        if (input.isEditable()) {
            f.actions = area ? EDIT + " scroll" : EDIT;
            f.flag("editable", true);
        } else {
            f.actions = area ? "focus scroll" : "focus";
            f.text("text", Text.shorten(value));
        }
    }

    private static void comboBoxBase(ComboBoxBase<?> box, Fields f) {
        f.flag("expanded", box.isShowing());
        f.some("placeholder", box.getPromptText());
        if (box instanceof DatePicker) {
            DatePicker picker = (DatePicker) box;
            f.role = "date-picker";
            f.actions = "set-value expand focus";
            f.text("value", picker.getValue() == null ? "" : picker.getValue().toString());
            f.flag("editable", true);
            f.some("text", picker.getEditor().getText());
        } else if (box instanceof ColorPicker) {
            f.role = "color-well";
            f.actions = "set-value expand focus";
            f.text("value", colour(((ColorPicker) box).getValue()));
            f.flag("editable", true);
        } else {
            f.role = "combo-box";
            f.actions = box.isEditable() ? "press select expand set-value focus" : "press select expand focus";
            f.on("editable", box.isEditable());
            if (box instanceof ComboBox) {
                comboBox((ComboBox<?>) box, f);
            }
        }
    }

    private static <T> void comboBox(ComboBox<T> box, Fields f) {
        f.text("value", Text.shorten(shown(box)));
        options(f, box.getItems(), box.getConverter(), box.getSelectionModel());
    }

    /** The text that a combo box shows: in its field, or as its cell draws the value. */
    private static <T> String shown(ComboBox<T> box) {
        if (box.isEditable()) {
            String text = box.getEditor().getText();
            return text == null ? "" : text;
        }
        for (Node child : box.getChildrenUnmodifiable()) {
            if (child instanceof ListCell && ((ListCell<?>) child).getItem() == box.getValue() && box.getValue() != null) {
                String text = ((ListCell<?>) child).getText();
                if (text != null && !text.isEmpty()) {
                    return text;
                }
            }
        }
        return box.getValue() == null ? "" : Text.of(box.getConverter(), box.getValue());
    }

    private static <T> void choiceBox(ChoiceBox<T> box, Fields f) {
        f.role = "combo-box";
        f.actions = "press select expand focus";
        f.flag("expanded", box.isShowing());
        f.text("value", box.getValue() == null ? "" : Text.of(box.getConverter(), box.getValue()));
        options(f, box.getItems(), box.getConverter(), box.getSelectionModel());
    }

    private static <T> void spinner(Spinner<T> spinner, Fields f) {
        f.role = "spin-button";
        f.actions = STEP;
        String text = spinner.getEditor().getText();
        f.text("value", text == null ? "" : text);
        f.flag("editable", true);
        SpinnerValueFactory<T> factory = spinner.getValueFactory();
        if (spinner.getValue() instanceof Number) {
            f.number("number", ((Number) spinner.getValue()).doubleValue());
        }
        if (factory instanceof SpinnerValueFactory.IntegerSpinnerValueFactory) {
            f.number("minimum", ((SpinnerValueFactory.IntegerSpinnerValueFactory) factory).getMin());
            f.number("maximum", ((SpinnerValueFactory.IntegerSpinnerValueFactory) factory).getMax());
        } else if (factory instanceof SpinnerValueFactory.DoubleSpinnerValueFactory) {
            f.number("minimum", ((SpinnerValueFactory.DoubleSpinnerValueFactory) factory).getMin());
            f.number("maximum", ((SpinnerValueFactory.DoubleSpinnerValueFactory) factory).getMax());
        }
    }

    private static void range(Fields f, double value, double least, double most) {
        f.actions = STEP;
        f.numeral("value", value);
        f.number("number", value);
        f.number("minimum", least);
        f.number("maximum", most);
        f.flag("editable", true);
    }

    private static void progress(ProgressIndicator indicator, Fields f) {
        f.role = "progress-indicator";
        if (indicator.isIndeterminate()) {
            f.flag("mixed", true);
            return;
        }
        f.numeral("value", indicator.getProgress());
        f.number("number", indicator.getProgress());
        f.number("minimum", 0);
        f.number("maximum", 1);
    }

    private static void tabs(TabPane pane, Fields f) {
        f.role = "tab-list";
        f.actions = "select";
        List<Tab> tabs = pane.getTabs();
        Tab chosen = pane.getSelectionModel() == null ? null : pane.getSelectionModel().getSelectedItem();
        if (chosen != null) {
            f.text("value", String.valueOf(chosen.getText()));
        }
        options(f, tabs.size(), tabs.indexOf(chosen), index -> String.valueOf(tabs.get(index).getText()));
    }

    /** The text of one of many, by its number. */
    interface Named {
        String text(int index);
    }

    private static <T> void options(Fields f, List<T> items, StringConverter<T> converter, SelectionModel<T> model) {
        int chosen = model == null ? -1 : model.getSelectedIndex();
        options(f, items == null ? 0 : items.size(), chosen, index -> Text.of(converter, items.get(index)));
    }

    private static void options(Fields f, int count, int chosen, Named named) {
        if (count == 0) {
            return;
        }
        int kept = Math.min(count, OPTIONS_KEPT);
        f.out.append(",\"options\":[");
        for (int index = 0; index < kept; index++) {
            f.out.append(index == 0 ? "[" : ",[");
            Json.string(f.out, named.text(index));
            f.out.append(index == chosen ? ",1]" : ",0]");
        }
        f.out.append(']');
        if (kept < count) {
            f.number("options_count", count);
        }
    }

    static String colour(Color colour) {
        if (colour == null) {
            return "";
        }
        String text =
                String.format(
                        "#%02x%02x%02x",
                        Math.round(colour.getRed() * 255),
                        Math.round(colour.getGreen() * 255),
                        Math.round(colour.getBlue() * 255));
        return colour.isOpaque() ? text : text + String.format("%02x", Math.round(colour.getOpacity() * 255));
    }

    // -- what is inside -------------------------------------------------------------------------

    /** Whether a control's inner nodes are nothing that its user thinks of. */
    static boolean hidesInside(Node node) {
        return (node instanceof Control && !isOpen(node)) || Rare.isWebView(node);
    }

    private static boolean isOpen(Node node) {
        // What we know nothing about is shown as it is made.
        return node instanceof DialogPane || node instanceof Pagination || Rare.isUnknown(node);
    }

    /** Whether nothing inside a control is an element of its own. */
    static boolean isLeaf(Node node) {
        return node instanceof TextInputControl
                || node instanceof ComboBoxBase
                || node instanceof ChoiceBox
                || node instanceof Spinner
                || node instanceof Slider
                || node instanceof ScrollBar
                || node instanceof ProgressIndicator
                || node instanceof Separator;
    }

    /** What a node is a part of that has no parts for its user: of the text in a button, that button. */
    static Node whole(Node part) {
        Node whole = part;
        for (Node above = part; above != null; above = above.getParent()) {
            if (isLeaf(above) || (above instanceof Labeled && inside(above).isEmpty())) {
                whole = above;
            }
        }
        return whole;
    }

    /** What is inside a node as its user sees it: nodes, tabs or menu entries. Views are another matter. */
    static List<?> inside(Node node) {
        if (!(node instanceof Control)) {
            if (node instanceof Parent) {
                return Rare.isWebView(node) ? List.of() : ((Parent) node).getChildrenUnmodifiable();
            }
            return node instanceof SubScene ? List.of(((SubScene) node).getRoot()) : List.of();
        }
        if (isLeaf(node)) {
            return List.of();
        }
        if (node instanceof MenuButton) {
            return Menus.own((MenuButton) node);
        }
        if (node instanceof TitledPane) {
            List<Node> parts = new ArrayList<>(graphic((Labeled) node));
            one(parts, ((TitledPane) node).getContent());
            return parts;
        }
        if (node instanceof Labeled) {
            return graphic((Labeled) node);
        }
        if (node instanceof TabPane) {
            return ((TabPane) node).getTabs();
        }
        if (node instanceof MenuBar) {
            return ((MenuBar) node).getMenus();
        }
        if (node instanceof ScrollPane) {
            return one(new ArrayList<>(), ((ScrollPane) node).getContent());
        }
        if (node instanceof SplitPane) {
            return ((SplitPane) node).getItems();
        }
        if (node instanceof ToolBar) {
            return tools((ToolBar) node);
        }
        if (node instanceof ButtonBar) {
            return ((ButtonBar) node).getButtons();
        }
        if (node instanceof Accordion) {
            return ((Accordion) node).getPanes();
        }
        return ((Parent) node).getChildrenUnmodifiable();
    }

    /** The items of a tool bar, and what opens those that it has no room for; what is open then is in a menu. */
    private static List<Node> tools(ToolBar bar) {
        List<Node> parts = new ArrayList<>();
        for (Node item : bar.getItems()) {
            if (item.getScene() == null || item.getScene() == bar.getScene()) {
                parts.add(item);
            }
        }
        for (Node child : bar.getChildrenUnmodifiable()) {
            if (child.isVisible() && child.getStyleClass().contains("tool-bar-overflow-button")) {
                parts.add(child);
            }
        }
        return parts;
    }

    /** The graphic of something that has a caption, if that is more than an image or a word. */
    static List<Node> graphic(Labeled labeled) {
        Node graphic = labeled.getGraphic();
        boolean counts =
                graphic instanceof Control
                        ? !(graphic instanceof Label)
                        : graphic instanceof Parent && !((Parent) graphic).getChildrenUnmodifiable().isEmpty();
        return counts ? List.of(graphic) : List.of();
    }

    private static List<Node> one(List<Node> parts, Node node) {
        if (node != null) {
            parts.add(node);
        }
        return parts;
    }

    static boolean holds(Collection<?> parts, Object node) {
        for (Object part : parts) {
            if (part == node) {
                return true;
            }
        }
        return false;
    }
}
