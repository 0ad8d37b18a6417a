package deskhand.fx;

import java.util.HashMap;
import java.util.Map;

/** The numbers of the kinds of nodes that a peer knows: what nodes of one class and one style have in common. */
final class Kinds {
    private final Map<Kind, Integer> numbers = new HashMap<>();
    private final Kind asked = new Kind();

    /** What makes a kind. One is used for all questions, and copied only to be kept. */
    private static final class Kind {
        private Look look;
        private String role;
        private String actions;
        private Enum<?> platformRole;

        Kind with(Look look, String role, String actions, Enum<?> platformRole) {
            this.look = look;
            this.role = role;
            this.actions = actions;
            this.platformRole = platformRole;
            return this;
        }

        Kind kept() {
            return new Kind().with(look, role, actions, platformRole);
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Kind)) {
                return false;
            }
            Kind that = (Kind) other;
            return look == that.look
                    && platformRole == that.platformRole
                    && role.equals(that.role)
                    && actions.equals(that.actions);
        }

        @Override
        public int hashCode() {
            return (look.hashCode() * 31 + role.hashCode()) * 31 + actions.hashCode();
        }
    }

    /** The number of a kind; of one that was not known, the next, and its complement is returned. */
    int number(Look look, String role, String actions, Enum<?> platformRole) {
        Integer known = numbers.get(asked.with(look, role, actions, platformRole));
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
