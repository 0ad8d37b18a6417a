package deskhand.fx;

import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javafx.scene.Node;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ChoiceBox;
import javafx.scene.control.ColorPicker;
import javafx.scene.control.ComboBox;
import javafx.scene.control.ComboBoxBase;
import javafx.scene.control.DatePicker;
import javafx.scene.control.IndexedCell;
import javafx.scene.control.Pagination;
import javafx.scene.control.PasswordField;
import javafx.scene.control.ScrollBar;
import javafx.scene.control.Slider;
import javafx.scene.control.Spinner;
import javafx.scene.control.SpinnerValueFactory;
import javafx.scene.control.TableColumnBase;
import javafx.scene.control.TextInputControl;
import javafx.scene.control.ToggleButton;
import javafx.scene.input.KeyCode;
import javafx.scene.paint.Color;
import javafx.stage.Window;

/** Setting texts and values as a whole. The text of a password field is in no message. */
final class Editing {
    private final Actor actor;

    Editing(Actor actor) {
        this.actor = actor;
    }

    Map<String, Object> setValue(Request request, Object target) {
        String value = request.string("value", "");
        Ui.Deadline deadline = request.deadline;
        if (target instanceof Row || target instanceof Row.Cell) {
            return setCell(request, target, value);
        }
        if (target instanceof ToggleButton || target instanceof CheckBox) {
            throw Failure.notEditable(target, "is ticked and not written into").with("suggestions", List.of("set_checked"));
        }
        boolean choice = target instanceof ChoiceBox || (target instanceof ComboBox && !((ComboBox<?>) target).isEditable());
        if (choice) {
            return new Choosing(actor).select(deadline, target, value);
        }
        Window window = Ui.call(deadline, () -> actor.windowOf(target));
        actor.activate(deadline, window);
        Ui.act(
                deadline,
                () -> {
                    if (target instanceof Node && ((Node) target).isFocusTraversable()) {
                        // What has the focus says so when it loses it, and programs wait for that.
                        ((Node) target).requestFocus();
                    }
                    set(target, value);
                });
        return Map.of();
    }

    private static void set(Object target, String value) {
        if (target instanceof TextInputControl) {
            setText((TextInputControl) target, value);
        } else if (target instanceof DatePicker) {
            setDate((DatePicker) target, value);
        } else if (target instanceof ColorPicker) {
            setColour((ColorPicker) target, value);
        } else if (target instanceof ComboBox) {
            setCombo((ComboBox<?>) target, value);
        } else if (target instanceof Spinner) {
            setSpinner((Spinner<?>) target, value);
        } else if (target instanceof Slider) {
            Slider slider = (Slider) target;
            double number = number(target, value, slider.getMin(), slider.getMax());
            // As a drag does it: it may snap to a tick, and programs wait for its end.
            slider.setValueChanging(true);
            slider.adjustValue(number);
            slider.setValueChanging(false);
        } else if (target instanceof ScrollBar) {
            ScrollBar bar = (ScrollBar) target;
            bar.setValue(number(target, value, bar.getMin(), bar.getMax()));
        } else if (target instanceof Pagination) {
            Pagination pages = (Pagination) target;
            pages.setCurrentPageIndex((int) number(target, value, 0, pages.getPageCount() - 1));
        } else {
            throw Failure.notEditable(target, "has no value that could be set")
                    .with("suggestions", List.of("target the field inside it"));
        }
    }

    private static void setText(TextInputControl input, String value) {
        if (!input.isEditable()) {
            throw Failure.notEditable(input, "is read-only").with("last_seen", Map.of("editable", false));
        }
        input.selectAll();
        input.replaceSelection(value);
        String held = input.getText() == null ? "" : input.getText();
        if (!held.equals(value)) {
            boolean secret = input instanceof PasswordField;
            String was = secret ? "" : " of " + Text.quote(value) + "; it holds " + Text.quote(held);
            String why = ": its formatter refused it, or the program changed it";
            throw new Failure("action_failed", Text.describe(input) + " did not take all" + was + why);
        }
    }

    private static void setDate(DatePicker picker, String value) {
        if (value.isBlank()) {
            picker.setValue(null);
            return;
        }
        LocalDate date;
        try {
            date = LocalDate.parse(value.trim());
        } catch (DateTimeParseException notIso) {
            try {
                date = picker.getConverter().fromString(value.trim());
            } catch (RuntimeException error) {
                throw Failure.invalid(
                        "value", Text.quote(value) + " is not a date, such as 2024-05-31, or as the field shows it: " + error.getMessage());
            }
        }
        picker.setValue(date);
    }

    private static void setColour(ColorPicker picker, String value) {
        try {
            picker.setValue(Color.web(value.trim()));
        } catch (IllegalArgumentException error) {
            throw Failure.invalid("value", Text.quote(value) + " is not a colour, such as #ff8800 or tomato");
        }
    }

    private static <T> void setCombo(ComboBox<T> box, String value) {
        box.getEditor().setText(value);
        T made;
        try {
            made = box.getConverter().fromString(value);
        } catch (RuntimeException error) {
            throw Failure.invalid("value", Text.describe(box) + " does not accept " + Text.quote(value) + ": " + error.getMessage());
        }
        box.setValue(made);
    }

    private static <T> void setSpinner(Spinner<T> spinner, String value) {
        SpinnerValueFactory<T> factory = spinner.getValueFactory();
        if (factory == null) {
            throw Failure.notEditable(spinner, "has no values");
        }
        T wanted;
        try {
            wanted = factory.getConverter().fromString(value.trim());
        } catch (RuntimeException error) {
            throw Failure.invalid(
                    "value", Text.describe(spinner) + " does not accept " + Text.quote(value) + ": " + error.getMessage());
        }
        if (factory instanceof SpinnerValueFactory.IntegerSpinnerValueFactory) {
            SpinnerValueFactory.IntegerSpinnerValueFactory whole = (SpinnerValueFactory.IntegerSpinnerValueFactory) factory;
            number(spinner, String.valueOf(wanted), whole.getMin(), whole.getMax());
        } else if (factory instanceof SpinnerValueFactory.DoubleSpinnerValueFactory) {
            SpinnerValueFactory.DoubleSpinnerValueFactory broken = (SpinnerValueFactory.DoubleSpinnerValueFactory) factory;
            number(spinner, String.valueOf(wanted), broken.getMin(), broken.getMax());
        }
        factory.setValue(wanted);
        if (!Objects.equals(spinner.getValue(), wanted)) {
            throw new Failure("action_failed", Text.describe(spinner) + " did not take " + Text.quote(value) + "; it holds " + spinner.getValue());
        }
    }

    private static double number(Object target, String value, double least, double most) {
        double number;
        try {
            number = Double.parseDouble(value.trim());
        } catch (NumberFormatException error) {
            throw Failure.invalid("value", Text.describe(target) + " needs a number, not " + Text.quote(value));
        }
        if (!(number >= least && number <= most)) {
            throw Failure.invalid(
                    "value",
                    Text.quote(value) + " is outside the limits of " + Text.describe(target) + ": " + Text.number(least) + " to " + Text.number(most));
        }
        return number;
    }

    // -- cells ----------------------------------------------------------------------------------

    private Map<String, Object> setCell(Request request, Object target, String value) {
        Ui.Deadline deadline = request.deadline;
        show(deadline, target);
        Ui.act(
                deadline,
                () -> {
                    // All in one: a cell gives up what is edited as soon as something else happens.
                    Node editor = open(target);
                    if (editor instanceof TextInputControl) {
                        setText((TextInputControl) editor, value);
                        // Enter in the editor is what makes a cell take it.
                        Input.stroke(editor, KeyCode.ENTER);
                    } else if (editor instanceof ComboBox) {
                        new Choosing(actor).pick(editor, null, value, null);
                    } else {
                        set(editor, value);
                    }
                });
        return Map.of();
    }

    /** The node in which a row or cell is edited, which is opened. */
    Node editor(Ui.Deadline deadline, Object target) {
        show(deadline, target);
        return Ui.call(deadline, () -> open(target));
    }

    private void show(Ui.Deadline deadline, Object target) {
        Row row = row(target);
        actor.activate(deadline, Ui.call(deadline, () -> actor.windowOf(row.view.control)));
        boolean moved = Ui.call(
                deadline,
                () -> {
                    var column = column(target);
                    boolean can = row.view.isEditable() && (column == null || column.isEditable());
                    if (!can) {
                        throw Failure.notEditable(target, "cannot be edited").with("last_seen", Map.of("editable", false));
                    }
                    return Actor.drawing(target) == null && Scrolling.intoView(target);
                });
        if (moved) {
            Desk.pulse(deadline);
        }
    }

    private static Node open(Object target) {
        Row row = row(target);
        if (editorIn(target) == null) {
            row.view.control.requestFocus();
            row.view.edit(row.index(), column(target));
        }
        Node editor = editorIn(target);
        if (editor == null) {
            throw Failure.notEditable(target, "opened no field to edit it in");
        }
        // It gets its skin, and with that what keys do in it, only at the next pulse; we do not wait that long.
        editor.applyCss();
        return editor;
    }

    private static Row row(Object target) {
        return target instanceof Row ? (Row) target : ((Row.Cell) target).row;
    }

    private static TableColumnBase<?, ?> column(Object target) {
        return target instanceof Row ? null : ((Row.Cell) target).column;
    }

    private static Node editorIn(Object target) {
        Node cell = Actor.drawing(target);
        if (!(cell instanceof IndexedCell) || !((IndexedCell<?>) cell).isEditing()) {
            return null;
        }
        Node graphic = ((IndexedCell<?>) cell).getGraphic();
        if (graphic == null || graphic instanceof TextInputControl || graphic instanceof ComboBoxBase) {
            return graphic;
        }
        Node inner = graphic.lookup(".text-input");
        return inner == null ? graphic.lookup(".combo-box-base") : inner;
    }

    // -- typing ---------------------------------------------------------------------------------

    static void insistOnTyping(Object field) {
        boolean can = !(field instanceof TextInputControl && !((TextInputControl) field).isEditable())
                && !(field instanceof Spinner && !((Spinner<?>) field).isEditable());
        if (!can) {
            throw Failure.notEditable(field, "is read-only").with("last_seen", Map.of("editable", false));
        }
    }

    /** Empties the field that has the focus. */
    static void clear(Window window) {
        Node owner = window.getScene() == null ? null : window.getScene().getFocusOwner();
        TextInputControl input = owner instanceof TextInputControl
                ? (TextInputControl) owner
                : owner instanceof ComboBox
                        ? ((ComboBox<?>) owner).getEditor()
                        : owner instanceof DatePicker
                                ? ((DatePicker) owner).getEditor()
                                : owner instanceof Spinner ? ((Spinner<?>) owner).getEditor() : null;
        if (input == null) {
            throw Failure.notEditable(owner == null ? window : owner, "holds no text that could be cleared");
        }
        input.selectAll();
        input.replaceSelection("");
    }
}
