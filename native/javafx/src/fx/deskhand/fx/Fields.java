package deskhand.fx;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The fields of one node on their way into JSON, and the kinds that all nodes of an answer share. */
final class Fields {
    static final String BEFORE_UID = "{\"uid\":\"";

    final StringBuilder out;
    private final StringBuilder kinds = new StringBuilder(1 << 12);
    private final Map<String, Integer> numbers;
    private int[] starts = new int[1 << 10];
    private int count;
    private final StringBuilder key = new StringBuilder();
    String role;
    String actions;
    String name;

    /** With the numbers of kinds that are known already, to which new ones are added, and about how long it gets. */
    Fields(Map<String, Integer> numbers, int length) {
        this.numbers = numbers;
        this.out = new StringBuilder(length);
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
    void end(Class<?> type, List<String> styles, Enum<?> platformRole) {
        if (name != null && !name.isEmpty()) {
            text("name", name);
        }
        out.append(",\"k\":").append(kind(type, styles, platformRole)).append('}');
    }

    void text(String field, String value) {
        if (value != null) {
            out.append(",\"").append(field).append("\":");
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
        out.append(",\"").append(field).append("\":").append(value);
    }

    void on(String field, boolean value) {
        if (value) {
            flag(field, true);
        }
    }

    void number(String field, double value) {
        out.append(",\"").append(field).append("\":");
        Json.number(out, value);
    }

    void json(String field, Object value) {
        out.append(",\"").append(field).append("\":");
        Json.write(out, value);
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

    private int kind(Class<?> type, List<String> styles, Enum<?> platformRole) {
        key.setLength(0);
        key.append(type.getName()).append('|').append(role).append('|').append(actions).append('|').append(platformRole);
        for (int i = 0; i < styles.size(); i++) {
            key.append('|').append(styles.get(i));
        }
        String text = key.toString();
        Integer number = numbers.get(text);
        if (number == null) {
            number = numbers.size();
            numbers.put(text, number);
            describe(type, styles, platformRole);
        }
        return number;
    }

    private void describe(Class<?> type, List<String> styles, Enum<?> platformRole) {
        kinds.append(kinds.length() == 0 ? "{\"native_class\":" : ",{\"native_class\":");
        Json.string(kinds, type.getName());
        kinds.append(",\"role\":\"").append(role).append('"');
        if (!actions.isEmpty()) {
            kinds.append(",\"actions\":");
            Json.write(kinds, List.of(actions.split(" ")));
        }
        if (!styles.isEmpty()) {
            kinds.append(",\"style_classes\":");
            Json.write(kinds, styles);
        }
        String module = type.getModule().getName();
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
    CharSequence kinds() {
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
        out.setLength(0);
        count = 0;
    }
}
