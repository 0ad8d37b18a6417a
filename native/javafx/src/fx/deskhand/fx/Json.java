package deskhand.fx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON out of text, and into what is sent: as much as our messages need, and fast. */
final class Json {
    private static final int DEEPEST = 64;
    /** As objects, an array of empty arrays takes ten times as much memory as its text. */
    private static final int MOST_VALUES = 100_000;

    private final String text;
    private int at;
    private int values;

    private Json(String text) {
        this.text = text;
    }

    /** Reads a message; IllegalArgumentException if it is none. */
    static Map<String, Object> parse(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.blanks();
        if (json.at != text.length() || !(value instanceof Map)) {
            throw json.wrong();
        }
        @SuppressWarnings("unchecked") // objects are read as such maps, below
        Map<String, Object> message = (Map<String, Object>) value;
        return message;
    }

    private Object value(int depth) {
        if (depth > DEEPEST || ++values > MOST_VALUES) {
            throw wrong();
        }
        blanks();
        switch (peek()) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> object = new LinkedHashMap<>();
        at++;
        blanks();
        if (peek() == '}') {
            at++;
            return object;
        }
        while (true) {
            blanks();
            String name = string();
            blanks();
            expect(':');
            object.put(name, value(depth + 1));
            blanks();
            if (peek() != ',') {
                expect('}');
                return object;
            }
            at++;
        }
    }

    private List<Object> array(int depth) {
        List<Object> array = new ArrayList<>();
        at++;
        blanks();
        if (peek() == ']') {
            at++;
            return array;
        }
        while (true) {
            array.add(value(depth + 1));
            blanks();
            if (peek() != ',') {
                expect(']');
                return array;
            }
            at++;
        }
    }

    private String string() {
        expect('"');
        StringBuilder out = new StringBuilder();
        while (true) {
            char c = peek();
            at++;
            if (c == '"') {
                return out.toString();
            }
            if (c != '\\') {
                out.append(c);
                continue;
            }
            c = peek();
            at++;
            int plain = "bfnrt".indexOf(c);
            if (plain >= 0) {
                out.append("\b\f\n\r\t".charAt(plain));
            } else if (c == 'u' && at + 4 <= text.length()) {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                out.append(c);
            }
        }
    }

    private Object number() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        if (from == at) {
            throw wrong();
        }
        return Double.valueOf(text.substring(from, at));
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong();
        }
        at += word.length();
        return value;
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong();
        }
        return text.charAt(at);
    }

    private void expect(char c) {
        if (peek() != c) {
            throw wrong();
        }
        at++;
    }

    private void blanks() {
        while (at < text.length() && text.charAt(at) <= ' ') {
            at++;
        }
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("no JSON at character " + at);
    }

    // -- on its way out -------------------------------------------------------------------------

    static void write(Out out, Object value) {
        if (value == null || value instanceof Boolean) {
            out.append(String.valueOf(value));
        } else if (value instanceof Number) {
            number(out, ((Number) value).doubleValue());
        } else if (value instanceof Map) {
            String comma = "{";
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                out.append(comma);
                string(out, String.valueOf(entry.getKey()));
                out.append(':');
                write(out, entry.getValue());
                comma = ",";
            }
            out.append(comma.equals("{") ? "{}" : "}");
        } else if (value instanceof Iterable) {
            String comma = "[";
            for (Object item : (Iterable<?>) value) {
                out.append(comma);
                write(out, item);
                comma = ",";
            }
            out.append(comma.equals("[") ? "[]" : "]");
        } else {
            string(out, value.toString());
        }
    }

    static void number(Out out, double value) {
        long whole = (long) value;
        if (whole == value) {
            out.append(whole);
        } else if (Double.isNaN(value) || Double.isInfinite(value)) {
            out.append("null");
        } else {
            out.append(Double.toString(value));
        }
    }

    static void string(Out out, String value) {
        out.append('"').text(value).append('"');
    }
}
