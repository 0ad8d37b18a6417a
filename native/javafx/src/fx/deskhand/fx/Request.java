package deskhand.fx;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What was asked: its fields by type. */
final class Request {
    final Ui.Deadline deadline;
    private final Map<String, Object> fields;

    Request(Map<String, Object> fields) {
        this.fields = fields;
        this.deadline = new Ui.Deadline(number("timeout", 5.0));
    }

    String string(String name) {
        Object value = fields.get(name);
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw Failure.invalid(name, "'" + name + "' must be a text");
    }

    String string(String name, String otherwise) {
        String value = string(name);
        return value == null ? otherwise : value;
    }

    boolean flag(String name) {
        return Boolean.TRUE.equals(fields.get(name));
    }

    Double number(String name) {
        Object value = fields.get(name);
        if (value == null || value instanceof Double) {
            return (Double) value;
        }
        throw Failure.invalid(name, "'" + name + "' must be a number");
    }

    double number(String name, double otherwise) {
        Double value = number(name);
        return value == null ? otherwise : value;
    }

    Integer whole(String name) {
        Double value = number(name);
        return value == null ? null : Integer.valueOf(value.intValue());
    }

    int whole(String name, int otherwise) {
        return (int) number(name, otherwise);
    }

    List<String> strings(String name) {
        List<String> strings = new ArrayList<>();
        if (fields.get(name) instanceof List) {
            for (Object value : (List<?>) fields.get(name)) {
                strings.add(String.valueOf(value));
            }
        }
        return strings;
    }
}
