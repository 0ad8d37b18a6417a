package deskhand.fx;

import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.Control;
import javafx.scene.control.Labeled;
import javafx.scene.control.MenuItem;
import javafx.scene.control.PasswordField;
import javafx.scene.control.Tab;
import javafx.scene.control.TableColumnBase;
import javafx.scene.control.TextInputControl;
import javafx.scene.control.Tooltip;
import javafx.scene.text.TextFlow;
import javafx.stage.Stage;
import javafx.util.StringConverter;

/** Words: what things say, what they are called, and how numbers are written. */
final class Text {
    /** What stands for the content of a password field. */
    static final String MASK = "••••";

    /** How much of a long text is reported. */
    private static final int KEPT = 20_000;

    /** How much of a text is quoted in an error. */
    private static final int QUOTED = 200;

    private static final int PARTS = 20;

    private Text() {}

    static String shorten(String text) {
        return text == null || text.length() <= KEPT ? text : text.substring(0, KEPT) + "…";
    }

    /** A text between quotes, for an error; of a long one, the beginning. */
    static String quote(String text) {
        return "'" + brief(text, QUOTED) + "'";
    }

    /** So many characters of a text at most; says that it was cut, and how long it was. */
    static String brief(String text, int kept) {
        if (text == null || text.length() <= kept) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(kept - 1)) ? kept - 1 : kept;
        return text.substring(0, end) + "… (" + text.length() + " characters)";
    }

    static String number(double value) {
        Out out = new Out(24);
        Json.number(out, value);
        return out.toString();
    }

    /** A caption without the mark of its mnemonic: `_Save`, `snake__case`, `保存_(S)`. */
    static String plain(String text, boolean parsed) {
        if (!parsed || text == null || text.indexOf('_') < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length());
        boolean found = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '_' || i + 1 == text.length()) {
                out.append(c);
            } else if (text.charAt(i + 1) == '_') {
                out.append('_');
                i++;
            } else if (!found && text.startsWith("(", i + 1) && i + 3 < text.length() && text.charAt(i + 3) == ')') {
                found = true;
                i += 3;
            } else if (!found) {
                found = true;
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    static String of(Labeled labeled) {
        return plain(labeled.getText(), labeled.isMnemonicParsing());
    }

    static String of(MenuItem item) {
        return plain(item.getText(), item.isMnemonicParsing());
    }

    /** What a node shows, with what is inside it; null if that is not text. */
    static String inside(Node node) {
        StringBuilder out = new StringBuilder();
        collect(node, out, new int[] {PARTS});
        return out.length() == 0 ? null : out.toString();
    }

    private static void collect(Node node, StringBuilder out, int[] room) {
        if (node == null || !node.isVisible() || room[0]-- <= 0) {
            return;
        }
        String text = null;
        if (node instanceof Labeled) {
            text = of((Labeled) node);
            if (text == null || text.isEmpty()) {
                collect(((Labeled) node).getGraphic(), out, room);
            }
        } else if (node instanceof javafx.scene.text.Text) {
            text = ((javafx.scene.text.Text) node).getText();
        } else if (node instanceof PasswordField) {
            return;
        } else if (node instanceof TextInputControl) {
            text = ((TextInputControl) node).getText();
        } else if (node instanceof Parent && !(node instanceof Control)) {
            for (Node child : ((Parent) node).getChildrenUnmodifiable()) {
                collect(child, out, room);
            }
        }
        if (text != null && !text.isBlank()) {
            boolean run = node.getParent() instanceof TextFlow;
            out.append(out.length() == 0 || run ? "" : " ").append(run ? text : text.trim());
        }
    }

    static <T> String of(StringConverter<T> converter, T value) {
        if (converter != null) {
            String text = converter.toString(value);
            return text == null ? "" : text;
        }
        return value == null ? "" : value.toString();
    }

    /** What the tooltip of a node says, if it has one of its own or one was installed on it. */
    static String tooltip(Node node, Tooltip installed) {
        Tooltip own = node instanceof Control ? ((Control) node).getTooltip() : null;
        String text = own != null ? own.getText() : installed != null ? installed.getText() : null;
        return text == null || text.isEmpty() ? null : text;
    }

    /** The class by which a thing is known: that above, where it has no name of its own. */
    static Class<?> type(Object target) {
        Class<?> type = target.getClass();
        while (type.isAnonymousClass() || type.isSynthetic()) {
            type = type.getSuperclass();
        }
        return type;
    }

    /** A thing in an error, such as button "Save": its role as selectors spell it, and what it is called. */
    static String describe(Object target) {
        String name = null;
        if (target instanceof Labeled) {
            name = of((Labeled) target);
        } else if (target instanceof MenuItem) {
            name = of((MenuItem) target);
        } else if (target instanceof Tab) {
            name = ((Tab) target).getText();
        } else if (target instanceof TableColumnBase) {
            name = ((TableColumnBase<?, ?>) target).getText();
        } else if (target instanceof Stage) {
            name = ((Stage) target).getTitle();
        } else if (target instanceof Row || target instanceof Row.Cell) {
            return target.toString();
        }
        if ((name == null || name.isEmpty()) && target instanceof Node) {
            name = ((Node) target).getId();
        }
        String role = Controls.role(target);
        return name == null || name.isEmpty()
                ? role + " " + type(target).getSimpleName()
                : role + " \"" + name + "\"";
    }
}
