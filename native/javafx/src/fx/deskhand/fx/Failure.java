package deskhand.fx;

import java.util.LinkedHashMap;
import java.util.Map;

/** Something that was asked for and cannot be done; `kind` is that of an error of deskhand. */
final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int LONGEST = 2_000;

    final String kind;
    final transient Map<String, Object> details = new LinkedHashMap<>();

    Failure(String kind, String message) {
        super(Text.brief(message, LONGEST), null, false, false);
        this.kind = kind;
    }

    Failure with(String name, Object value) {
        details.put(name, value instanceof String ? Text.brief((String) value, LONGEST) : value);
        return this;
    }

    static Failure unsupported(Object target, String what) {
        return new Failure("action_unsupported", Text.describe(target) + " " + what);
    }

    static Failure notEditable(Object target, String what) {
        return new Failure("not_editable", Text.describe(target) + " " + what);
    }

    static Failure invalid(String field, String message) {
        return new Failure("invalid_params", message).with("field", field);
    }
}
