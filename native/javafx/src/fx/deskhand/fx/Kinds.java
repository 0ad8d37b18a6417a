package deskhand.fx;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The numbers of the kinds of nodes that a peer knows: what nodes of one class and one style have in common. */
final class Kinds {
    private final Map<Kind, Integer> numbers = new HashMap<>();
    private final Kind asked = new Kind();

    /** What makes a kind. One is used for all questions, and copied only to be kept. */
    private static final class Kind {
        private Class<?> type;
        private String role;
        private String actions;
        private Enum<?> platformRole;
        private String[] styles = new String[8];
        private int count;
        private int hash;

        Kind with(Class<?> type, String role, String actions, Enum<?> platformRole, List<String> styles) {
            this.type = type;
            this.role = role;
            this.actions = actions;
            this.platformRole = platformRole;
            count = styles.size();
            if (count > this.styles.length) {
                this.styles = new String[count];
            }
            hash = type.hashCode() * 31 + role.hashCode() * 31 + actions.hashCode();
            for (int i = 0; i < count; i++) {
                String style = styles.get(i);
                this.styles[i] = style;
                hash = hash * 31 + (style == null ? 0 : style.hashCode());
            }
            return this;
        }

        Kind kept() {
            Kind kept = new Kind();
            kept.with(type, role, actions, platformRole, Arrays.asList(styles).subList(0, count));
            return kept;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Kind)) {
                return false;
            }
            Kind that = (Kind) other;
            return type == that.type
                    && platformRole == that.platformRole
                    && role.equals(that.role)
                    && actions.equals(that.actions)
                    && Arrays.equals(styles, 0, count, that.styles, 0, that.count);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** The number of a kind; of one that was not known, the next, and its complement is returned. */
    int number(Class<?> type, String role, String actions, Enum<?> platformRole, List<String> styles) {
        Integer known = numbers.get(asked.with(type, role, actions, platformRole, styles));
        if (known != null) {
            return known;
        }
        int next = numbers.size();
        numbers.put(asked.kept(), next);
        return ~next;
    }

    int size() {
        return numbers.size();
    }
}
