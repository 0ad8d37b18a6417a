package deskhand.fx;

import java.util.Arrays;
import java.util.List;

/** The fields of one node on their way into JSON, and the kinds that all nodes of an answer share. */
final class Fields {
    static final String BEFORE_UID = "{\"uid\":\"";

    final Out out;
    private final Out kinds = new Out(1 << 10);
    private final Kinds known;
    private int[] starts = new int[1 << 10];
    private int count;
    String role;
    String actions;
    String name;

    /** With the kinds that are known already, to which new ones are added, and what to write into. */
    Fields(Kinds known, Out out) {
        this.known = known;
        this.out = out;
    }

    /** Begins a node. */
    void begin(String uid, String parent) {
        if (count > 0) {
            out.append(',');
        }
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
        }
        starts[count++] = out.length();
        out.append(BEFORE_UID).append(uid).append('"');
        if (parent != null) {
            out.append(",\"parent\":\"").append(parent).append('"');
        }
        role = "generic";
        actions = "";
        name = null;
    }

    /** Ends it: by now its role, actions and name are known. */
    void end(Look look, Enum<?> platformRole) {
        if (name != null && !name.isEmpty()) {
            text("name", name);
        }
        out.append(",\"k\":").append(kind(look, platformRole)).append('}');
    }

    void text(String field, String value) {
        if (value != null) {
            key(field);
            Json.string(out, value);
        }
    }

    /** A text, unless there is nothing to read in it. */
    void some(String field, String value) {
        if (value != null && !value.isEmpty()) {
            text(field, value);
        }
    }

    /** What a thing says, which is also its name unless it has a better one. */
    void caption(String value) {
        if (value != null && !value.isEmpty()) {
            text("text", Text.shorten(value));
            if (name == null) {
                name = Text.shorten(value);
            }
        }
    }

    void flag(String field, boolean value) {
        key(field);
        out.append(value);
    }

    void on(String field, boolean value) {
        if (value) {
            flag(field, true);
        }
    }

    void number(String field, double value) {
        key(field);
        Json.number(out, value);
    }

    /** A number as the text of it. */
    void numeral(String field, double value) {
        key(field);
        out.append('"');
        Json.number(out, value);
        out.append('"');
    }

    void json(String field, Object value) {
        key(field);
        Json.write(out, value);
    }

    private void key(String field) {
        out.append(",\"").append(field).append("\":");
    }

    void bounds(double x, double y, double width, double height) {
        out.append(",\"bounds\":[");
        length(x);
        out.append(',');
        length(y);
        out.append(',');
        length(width);
        out.append(',');
        length(height);
        out.append(']');
    }

    /** To a hundredth of a pixel. */
    private void length(double value) {
        long hundredths = Math.round(value * 100);
        if (hundredths < 0) {
            out.append('-');
            hundredths = -hundredths;
        }
        out.append(hundredths / 100);
        int rest = (int) (hundredths % 100);
        if (rest != 0) {
            out.append('.').append((char) ('0' + rest / 10));
            if (rest % 10 != 0) {
                out.append((char) ('0' + rest % 10));
            }
        }
    }

    private int kind(Look look, Enum<?> platformRole) {
        int number = known.number(look, role, actions, platformRole);
        if (number < 0) {
            describe(look, platformRole);
            number = ~number;
        }
        return number;
    }

    private void describe(Look look, Enum<?> platformRole) {
        kinds.append(kinds.length() == 0 ? "{\"native_class\":" : ",{\"native_class\":");
        Json.string(kinds, look.type.getName());
        kinds.append(",\"role\":\"").append(role).append('"');
        if (!actions.isEmpty()) {
            kinds.append(",\"actions\":");
            Json.write(kinds, List.of(actions.split(" ")));
        }
        if (!look.styles.isEmpty()) {
            kinds.append(",\"style_classes\":");
            Json.write(kinds, look.styles);
        }
        String module = look.type.getModule().getName();
        if (module != null) {
            kinds.append(",\"module\":");
            Json.string(kinds, module);
        }
        if (platformRole != null) {
            kinds.append(",\"platform_role\":\"").append(platformRole.name()).append('"');
        }
        kinds.append('}');
    }

    /** The kinds that were not known before. */
    Out kinds() {
        return kinds;
    }

    /** How many nodes there are. */
    int count() {
        return count;
    }

    /** Where each of them begins. */
    int[] starts() {
        return starts;
    }

    /** Forgets the nodes so far. */
    void clear() {
        out.cut(0);
        count = 0;
    }
}
