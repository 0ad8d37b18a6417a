package deskhand.fx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntConsumer;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.Accordion;
import javafx.scene.control.ChoiceBox;
import javafx.scene.control.ComboBox;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuBar;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.RadioButton;
import javafx.scene.control.SelectionModel;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.control.Tab;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableColumnBase;
import javafx.scene.control.TitledPane;
import javafx.scene.control.TreeItem;
import javafx.util.StringConverter;

/** Choosing one of several: in combo boxes, tabs, lists, tables, trees, menus and groups of radio buttons. */
final class Choosing {
    private final Actor actor;

    Choosing(Actor actor) {
        this.actor = actor;
    }

    /** What there is to choose from: what each is called, its value, and how it is chosen. */
    private static final class Choices {
        final List<String> texts = new ArrayList<>();
        final List<String> values = new ArrayList<>();
        IntConsumer choose;

        void add(String text, String value) {
            texts.add(text == null ? "" : text);
            values.add(value);
        }
    }

    Map<String, Object> select(Request request, Object target) {
        return run(
                request.deadline, target, request.whole("index"), request.string("text"), request.string("value"),
                request.whole("column"), request.flag("extend"));
    }

    Map<String, Object> select(Ui.Deadline deadline, Object target, String text) {
        return run(deadline, target, null, text, null, null, false);
    }

    private Map<String, Object> run(
            Ui.Deadline deadline, Object target, Integer index, String text, String value, Integer column, boolean extend) {
        Map<String, Object> selected = new LinkedHashMap<>();
        View view = Ui.call(deadline, () -> View.of(target));
        Ui.act(
                deadline,
                () -> {
                    Frames.insistOnUnblocked(actor.windowOf(target));
                    if (view != null) {
                        inView(selected, view, index, text == null ? value : text, column, extend);
                    } else {
                        pick(selected, target, index, text, value);
                    }
                });
        if (view != null) {
            Desk.pulse(deadline); // which shows the row, if it had to be scrolled to
        }
        return Map.of("selected", selected);
    }

    /** Chooses on the FX thread. */
    void pick(Object target, Integer index, String text, String value) {
        pick(new LinkedHashMap<>(), target, index, text, value);
    }

    private void pick(Map<String, Object> selected, Object target, Integer index, String text, String value) {
        Choices choices = choices(target);
        if (choices == null || choices.choose == null) {
            throw Failure.notEditable(target, "has no options to choose from")
                    .with("suggestions", List.of("target a combo box, list, table, tree or tab bar"));
        }
        int at = index != null ? index : text != null ? choices.texts.indexOf(text) : choices.values.indexOf(value);
        if (at < 0 && value != null) {
            at = choices.texts.indexOf(value);
        }
        if (at < 0 || at >= choices.texts.size()) {
            throw missing(target, index, text == null ? value : text, choices.texts);
        }
        // Told before it is done: the program may open a dialog by it, and answer only then.
        selected.put("index", at);
        selected.put("text", choices.texts.get(at));
        selected.put("value", choices.values.get(at) == null ? choices.texts.get(at) : choices.values.get(at));
        choices.choose.accept(at);
    }

    private static Failure missing(Object target, Integer index, String text, List<String> there) {
        String wanted = index != null ? "number " + index : Text.quote(text);
        List<String> shown = there.size() > Controls.OPTIONS_KEPT ? there.subList(0, Controls.OPTIONS_KEPT) : there;
        return new Failure("option_not_found", Text.describe(target) + " has no option " + wanted)
                .with("options", new ArrayList<>(shown))
                .with("options_count", there.size());
    }

    private static Choices choices(Object target) {
        if (target instanceof ComboBox) {
            return ofCombo((ComboBox<?>) target);
        }
        if (target instanceof ChoiceBox) {
            return ofChoice((ChoiceBox<?>) target);
        }
        if (target instanceof TabPane) {
            return ofTabs((TabPane) target);
        }
        if (target instanceof Tab || target instanceof Row || target instanceof Row.Cell || target instanceof RadioButton) {
            return ofItself(target);
        }
        if (target instanceof Accordion) {
            return ofPanes((Accordion) target);
        }
        if (target instanceof MenuBar) {
            return ofMenu(((MenuBar) target).getMenus());
        }
        if (target instanceof Menu) {
            return ofMenu(((Menu) target).getItems());
        }
        if (target instanceof MenuButton) {
            return ofMenu(((MenuButton) target).getItems());
        }
        if (target instanceof ContextMenu) {
            return ofMenu(((ContextMenu) target).getItems());
        }
        return target instanceof Parent ? ofRadios((Parent) target) : null;
    }

    private static <T> Choices ofCombo(ComboBox<T> box) {
        return ofBox(box.getItems(), box.getConverter(), box::hide, box.getSelectionModel());
    }

    private static <T> Choices ofChoice(ChoiceBox<T> box) {
        return ofBox(box.getItems(), box.getConverter(), box::hide, box.getSelectionModel());
    }

    private static <T> Choices ofBox(List<T> items, StringConverter<T> converter, Runnable hide, SelectionModel<T> model) {
        Choices choices = new Choices();
        for (T item : items == null ? List.<T>of() : items) {
            choices.add(Text.of(converter, item), Objects.toString(item, null));
        }
        choices.choose = at -> {
            hide.run();
            model.select(at);
        };
        return choices;
    }

    private static Choices ofTabs(TabPane pane) {
        Choices choices = new Choices();
        for (Tab tab : pane.getTabs()) {
            choices.add(tab.getText(), tab.getId());
        }
        choices.choose = at -> {
            if (pane.getTabs().get(at).isDisabled()) {
                throw new Failure("not_enabled", Text.describe(pane.getTabs().get(at)) + " is not enabled");
            }
            pane.getSelectionModel().select(at);
        };
        return choices;
    }

    private static Choices ofPanes(Accordion accordion) {
        Choices choices = new Choices();
        for (TitledPane pane : accordion.getPanes()) {
            choices.add(Text.of(pane), pane.getId());
        }
        choices.choose = at -> accordion.setExpandedPane(accordion.getPanes().get(at));
        return choices;
    }

    private static Choices ofMenu(List<? extends MenuItem> all) {
        Choices choices = new Choices();
        List<MenuItem> items = new ArrayList<>();
        for (MenuItem item : all) {
            if (item.isVisible() && !(item instanceof SeparatorMenuItem)) {
                items.add(item);
                choices.add(Text.of(item), item.getId());
            }
        }
        choices.choose = at -> {
            if (items.get(at) instanceof Menu) {
                ((Menu) items.get(at)).show();
            } else {
                Pressing.choose(items.get(at));
            }
        };
        return choices;
    }

    private static Choices ofRadios(Parent group) {
        Choices choices = new Choices();
        List<RadioButton> radios = new ArrayList<>();
        for (Node node : group.lookupAll(".radio-button")) {
            if (node instanceof RadioButton) {
                radios.add((RadioButton) node);
                choices.add(Text.of((RadioButton) node), node.getId());
            }
        }
        choices.choose = radios.isEmpty() ? null : at -> radios.get(at).fire();
        return choices;
    }

    /** A thing that is itself one of several: what is chosen is that, whatever was named. */
    private static Choices ofItself(Object target) {
        Choices choices = new Choices();
        if (target instanceof Tab) {
            choices.add(((Tab) target).getText(), ((Tab) target).getId());
            choices.choose = at -> ((Tab) target).getTabPane().getSelectionModel().select((Tab) target);
        } else if (target instanceof RadioButton) {
            choices.add(Text.of((RadioButton) target), ((RadioButton) target).getId());
            choices.choose = at -> ((RadioButton) target).fire();
        } else {
            Row row = target instanceof Row ? (Row) target : ((Row.Cell) target).row;
            TableColumnBase<?, ?> column = target instanceof Row ? null : ((Row.Cell) target).column;
            choices.add(row.view.text(row.view.itemOrNull(row.index())), null);
            choices.choose = at -> row.view.select(row.index(), column, false);
        }
        return choices;
    }

    // -- views ----------------------------------------------------------------------------------

    private static void inView(
            Map<String, Object> selected, View view, Integer index, String text, Integer column, boolean extend) {
        TableColumnBase<?, ?> only = view.column(column);
        int at = index != null ? index : Scrolling.find(view, text, only);
        if (at < 0 && text != null) {
            at = closed(view, text);
        }
        if (at < 0 || at >= view.count()) {
            List<String> there = new ArrayList<>();
            for (int row = 0; row < Math.min(view.count(), Controls.OPTIONS_KEPT); row++) {
                there.addAll(Scrolling.texts(view, row, view.columns().isEmpty() ? List.of() : view.columns().subList(0, 1)));
            }
            throw missing(view.control, index, text, there).with("options_count", view.count());
        }
        TableColumnBase<?, ?> first = only == null && !view.columns().isEmpty() ? view.columns().get(0) : only;
        List<String> texts = Scrolling.texts(view, at, first == null ? List.of() : List.of(first));
        selected.put("index", at);
        selected.put("text", texts.get(0));
        selected.put("value", texts.get(0));
        if (view.cellOf(at) == null) {
            view.scrollTo(at, only);
        }
        view.control.requestFocus();
        view.select(at, first, extend);
    }

    /** The row of an item in a closed branch of a tree, which is opened; -1 if there is none. */
    private static int closed(View view, String text) {
        Object top = view.count() == 0 ? null : view.item(0);
        if (!(top instanceof TreeItem)) {
            return -1;
        }
        TreeItem<?> root = (TreeItem<?>) top;
        while (root.getParent() != null) {
            root = root.getParent();
        }
        TreeItem<?> found = below(root, text);
        if (found == null) {
            return -1;
        }
        for (TreeItem<?> above = found.getParent(); above != null; above = above.getParent()) {
            above.setExpanded(true);
        }
        return view.indexOf(found);
    }

    private static TreeItem<?> below(TreeItem<?> item, String text) {
        for (TreeItem<?> child : item.getChildren()) {
            if (text.equals(String.valueOf(child.getValue()))) {
                return child;
            }
            TreeItem<?> found = below(child, text);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
