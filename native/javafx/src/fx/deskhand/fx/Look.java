package deskhand.fx;

import java.util.List;

/** What nodes of one class and with the same style classes have in common; there is one object for all of them. */
final class Look {
    final Class<?> type;
    final List<String> styles;
    private final int hash;

    Look(Class<?> type, List<String> styles) {
        this.type = type;
        this.styles = styles;
        this.hash = type.hashCode() * 31 + styles.hashCode();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Look && type == ((Look) other).type && styles.equals(((Look) other).styles);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
