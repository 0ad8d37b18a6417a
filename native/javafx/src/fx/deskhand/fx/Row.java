package deskhand.fx;

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import javafx.scene.control.TableColumnBase;

/**
 * A row of a virtualised control, by the item that it shows.
 *
 * <p>The nodes that draw rows are used for others as one scrolls, and so do not tell one row from another.
 */
final class Row {
    private static final String KEY = "deskhand.rows";
    private static final int KEPT = 2_000;

    final View view;
    final String uid;
    private final SoftReference<Object> item;
    private final boolean empty;
    private final Map<TableColumnBase<?, ?>, Cell> cells = new HashMap<>();
    private int index;

    private Row(View view, int index, Object item, Registry registry) {
        this.view = view;
        this.index = index;
        // Soft: what a program has removed can be collected when memory is short.
        this.item = new SoftReference<>(item);
        this.empty = item == null;
        this.uid = registry.add(this).uid;
    }

    /** The rows of a control that were seen, which are kept with it. */
    static final class Known {
        private final Map<Integer, Row> byIndex = new HashMap<>();

        Row at(View view, int index, Registry registry) {
            Object item = view.item(index);
            Row row = byIndex.get(index);
            if (row != null && row.shows(item)) {
                return row;
            }
            // Rows may have come or gone above: it is found where it was before.
            for (Row other : new ArrayList<>(byIndex.values())) {
                if (!other.empty && other.shows(item) && !other.shows(view.itemOrNull(other.index))) {
                    byIndex.remove(other.index, other);
                    other.index = index;
                    byIndex.put(index, other);
                    return other;
                }
            }
            if (byIndex.size() > KEPT) {
                byIndex.clear();
            }
            row = new Row(view, index, item, registry);
            byIndex.put(index, row);
            return row;
        }
    }

    static Row at(View view, int index, Registry registry) {
        Map<Object, Object> properties = view.control.getProperties();
        Object known = properties.get(KEY);
        if (!(known instanceof Known)) {
            known = new Known();
            properties.put(KEY, known);
        }
        return ((Known) known).at(view, index, registry);
    }

    /** One cell of the row. */
    static final class Cell {
        final Row row;
        final TableColumnBase<?, ?> column;
        final String uid;

        Cell(Row row, TableColumnBase<?, ?> column, Registry registry) {
            this.row = row;
            this.column = column;
            this.uid = registry.add(this).uid;
        }

        boolean isThere() {
            return row.isThere() && row.view.columns().contains(column);
        }

        @Override
        public String toString() {
            return "cell " + row.index + ", " + column.getText() + " of " + Text.describe(row.view.control);
        }
    }

    Cell cell(TableColumnBase<?, ?> column, Registry registry) {
        return cells.computeIfAbsent(column, key -> new Cell(this, key, registry));
    }

    /** The row's number; -1 if its item is not there any more. */
    int index() {
        if (!shows(view.itemOrNull(index))) {
            Object held = item.get();
            index = held == null ? -1 : view.indexOf(held);
        }
        return index;
    }

    boolean isThere() {
        javafx.scene.Scene scene = view.control.getScene();
        return scene != null && scene.getWindow() != null && scene.getWindow().isShowing() && index() >= 0;
    }

    private boolean shows(Object other) {
        return empty ? other == null : other != null && Objects.equals(item.get(), other);
    }

    @Override
    public String toString() {
        Object held = item.get();
        return view.rowRole + " " + index + (held == null ? "" : " \"" + view.text(held) + "\"") + " of " + Text.describe(view.control);
    }
}
