package deskhand.fx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javafx.scene.Node;
import javafx.scene.control.CheckBox;
import javafx.scene.control.IndexedCell;
import javafx.scene.control.Labeled;
import javafx.scene.control.MultipleSelectionModel;
import javafx.scene.control.TableColumnBase;
import javafx.scene.control.TreeItem;

/** Reads what virtualised controls show: the rows on the screen, how many there are, what is selected. */
final class Views {
    private static final int SELECTED_KEPT = 1_000;

    private final Reader reader;
    private final Fields f;
    private Reading current;

    Views(Reader reader) {
        this.reader = reader;
        this.f = reader.f;
    }

    /** One row that is reported, and where. */
    private static final class Entry {
        final Row row;
        final IndexedCell<?> cell;
        final Entry above;
        final int level;
        int children;

        Entry(Row row, IndexedCell<?> cell, Entry above) {
            this.row = row;
            this.cell = cell;
            this.above = above;
            this.level = above == null ? 0 : above.level + 1;
        }
    }

    /** What to report about one control. */
    private static final class Reading {
        List<TableColumnBase<?, ?>> columns;
        final Map<Object, Entry> entries = new LinkedHashMap<>();
        /** What is shown instead of rows. */
        List<Node> instead = List.of();
        int tops;
    }

    /** Puts what a view shows into its own fields. */
    void prepare(View view, Place inside) {
        if (view == null) {
            current = null;
            return;
        }
        Reading reading = new Reading();
        reading.columns = view.columns();
        reading.instead = view.instead();
        List<IndexedCell<?>> shown = inside.visible ? view.shown() : List.of();
        for (IndexedCell<?> cell : shown) {
            Object item = view.itemOrNull(cell.getIndex());
            if (item instanceof TreeItem) {
                enter(view, (TreeItem<?>) item, cell, reading);
            } else {
                reading.entries.put(cell.getIndex(), new Entry(Row.at(view, cell.getIndex(), reader.registry()), cell, null));
                reading.tops++;
            }
        }
        virtualization(view, shown, reading);
        current = reading;
    }

    /** The entry of an item of a tree, which hangs in that of the item above also if that is scrolled away. */
    private Entry enter(View view, TreeItem<?> item, IndexedCell<?> cell, Reading reading) {
        Entry known = reading.entries.get(item);
        if (known != null) {
            return known;
        }
        int index = cell == null ? view.indexOf(item) : cell.getIndex();
        if (index < 0) {
            return null; // the root of a tree that does not show it
        }
        Entry above = item.getParent() == null ? null : enter(view, item.getParent(), null, reading);
        Entry entry = new Entry(Row.at(view, index, reader.registry()), cell, above);
        if (above == null) {
            reading.tops++;
        } else {
            above.children++;
        }
        reading.entries.put(item, entry);
        return entry;
    }

    int count() {
        return current.tops + current.columns.size() + current.instead.size();
    }

    private void virtualization(View view, List<IndexedCell<?>> shown, Reading reading) {
        Out out = f.out;
        out.append(",\"virtualization\":{\"kind\":\"").append(view.kind).append("\",\"items_count\":").append(view.count());
        if (!shown.isEmpty()) {
            out.append(",\"visible_range\":[").append(shown.get(0).getIndex()).append(',');
            out.append(shown.get(shown.size() - 1).getIndex()).append(']');
        }
        out.append(",\"selected_indices\":");
        Json.write(out, selected(view));
        if (view.focusedIndex() >= 0) {
            out.append(",\"focused_index\":").append(view.focusedIndex());
        }
        out.append(",\"columns\":[");
        for (int i = 0; i < reading.columns.size(); i++) {
            out.append(i == 0 ? "[" : ",[");
            Json.string(out, view.columnId(reading.columns.get(i), i));
            out.append(',');
            Json.string(out, String.valueOf(title(reading.columns.get(i))));
            out.append(']');
        }
        out.append("],\"visible_cells\":[");
        String comma = "";
        for (Entry entry : reading.entries.values()) {
            if (entry.cell != null) {
                out.append(comma);
                cells(view, entry, reading.columns);
                comma = ",";
            }
        }
        out.append("]}");
    }

    private void cells(View view, Entry entry, List<TableColumnBase<?, ?>> columns) {
        Out out = f.out;
        out.append('[').append(entry.cell.getIndex()).append(",\"").append(entry.row.uid).append("\",[");
        if (columns.isEmpty()) {
            out.append("[\"0\",");
            Json.string(out, text(entry.cell));
            out.append(']');
        }
        String comma = "";
        for (int i = 0; i < columns.size(); i++) {
            IndexedCell<?> cell = View.cellIn(entry.cell, columns.get(i));
            if (cell != null) {
                out.append(comma).append('[');
                Json.string(out, view.columnId(columns.get(i), i));
                out.append(',');
                Json.string(out, text(cell));
                out.append(']');
                comma = ",";
            }
        }
        out.append("]]");
    }

    private static List<Integer> selected(View view) {
        MultipleSelectionModel<?> model = view.selection();
        List<Integer> selected = new ArrayList<>();
        if (model != null) {
            for (Integer index : model.getSelectedIndices()) {
                if (index >= 0 && !selected.contains(index) && selected.size() < SELECTED_KEPT) {
                    selected.add(index);
                }
            }
        }
        return selected;
    }

    // -- the nodes ------------------------------------------------------------------------------

    /** Tells the heads of the columns and the rows. */
    void rows(View view, Place place) {
        Reading reading = current;
        for (TableColumnBase<?, ?> column : reading.columns) {
            head(column, place);
        }
        for (Node node : reading.instead) {
            reader.node(node, place.through(node, view.control));
        }
        Map<Entry, Place> places = new LinkedHashMap<>();
        Entry wanted = null;
        for (Entry entry : reading.entries.values()) {
            if (wanted != null && !isBelow(entry, wanted)) {
                reader.ended(wanted.row);
            }
            wanted = reader.isTarget(entry.row) ? entry : wanted;
            Place at = entry.above == null ? place : places.get(entry.above);
            Place inside = at.below(entry.row.uid);
            inside.inRow = true;
            places.put(entry, inside);
            if (reader.isDeepEnough(at.level)) {
                row(view, entry, at, inside, reading.columns);
            }
        }
        if (wanted != null) {
            reader.ended(wanted.row);
        }
        if (view.flow() != null) {
            // Cells that are not used just now would be reported as inner parts otherwise.
            for (IndexedCell<?> cell : view.shown()) {
                reader.tell(cell);
            }
        }
    }

    private static boolean isBelow(Entry entry, Entry top) {
        Entry above = entry;
        while (above != null && above != top) {
            above = above.above;
        }
        return above != null;
    }

    private void head(TableColumnBase<?, ?> column, Place place) {
        Registry.Handle handle = reader.registry().of(column, column.getProperties());
        reader.seen(handle, place.parent);
        reader.begin(column, handle.uid, place);
        f.role = "column-header";
        f.actions = column.isSortable() ? "press" : "";
        f.caption(title(column));
        f.some("automation_id", column.getId());
        hidden(place);
        reader.drawnBy(place.visible ? View.head(column) : null, place);
        f.end(reader.look(column, column.getStyleClass()), null);
        reader.ended(column);
    }

    private void row(View view, Entry entry, Place place, Place inside, List<TableColumnBase<?, ?>> columns) {
        reader.seen(reader.registry().find(entry.row.uid), place.parent);
        reader.begin(entry.row, entry.row.uid, place);
        int index = entry.row.index();
        f.role = view.rowRole;
        f.actions = columns.isEmpty() && view.isEditable() ? "select edit" : "select";
        Object item = view.itemOrNull(index);
        if (item instanceof TreeItem) {
            branch((TreeItem<?>) item);
        }
        if (columns.isEmpty() || item instanceof TreeItem) {
            caption(view, entry, item, columns);
        }
        f.flag("selected", view.isSelected(index, null));
        hidden(place);
        reader.drawnBy(entry.cell, place);
        List<Node> parts = entry.cell == null || !columns.isEmpty() ? List.of() : Controls.graphic(entry.cell);
        List<IndexedCell<?>> cells = entry.cell == null ? List.of() : cellsIn(entry.cell, columns);
        int count = cells.size() + parts.size() + entry.children;
        if (count > 0) {
            f.number("child_count", count);
        }
        f.json("properties", item instanceof TreeItem ? Map.of("row", index, "level", entry.level) : Map.of("row", index));
        f.end(entry.cell == null ? reader.look(entry.row, List.of()) : reader.look(entry.cell, entry.cell.getStyleClass()), null);
        if (reader.isDeepEnough(inside.level)) {
            for (IndexedCell<?> cell : cells) {
                cell(view, entry.row, cell, inside);
            }
            if (columns.isEmpty() && entry.cell != null) {
                reader.cell(entry.cell, inside.through(entry.cell, view.control));
            }
        }
    }

    private void caption(View view, Entry entry, Object item, List<TableColumnBase<?, ?>> columns) {
        IndexedCell<?> cell = entry.cell;
        if (cell != null && !columns.isEmpty()) {
            cell = View.cellIn(cell, columns.get(0));
        }
        f.caption(cell == null ? view.text(item) : text(cell));
        checked(cell);
    }

    private void branch(TreeItem<?> item) {
        if (!item.isLeaf()) {
            f.actions += " expand collapse";
            f.flag("expanded", item.isExpanded());
        }
    }

    private void cell(View view, Row row, IndexedCell<?> cell, Place place) {
        TableColumnBase<?, ?> column = View.columnOf(cell);
        Row.Cell handle = row.cell(column, reader.registry());
        reader.seen(reader.registry().find(handle.uid), place.parent);
        reader.begin(handle, handle.uid, place);
        f.role = "cell";
        boolean editable = view.isEditable() && column.isEditable() && cell.isEditable();
        f.actions = editable ? "select edit" : "select";
        f.text("text", text(cell));
        f.name = text(cell);
        checked(cell);
        f.flag("selected", view.isSelected(row.index(), column));
        f.some("automation_id", cell.getId());
        f.on("focusable", false);
        hidden(place);
        reader.drawnBy(cell, place);
        List<Node> parts = Controls.graphic(cell);
        if (!parts.isEmpty()) {
            f.number("child_count", parts.size());
        }
        f.json("properties", Map.of("row", row.index(), "column", view.columns().indexOf(column)));
        f.end(reader.look(cell, cell.getStyleClass()), cell.getAccessibleRole());
        Place inside = place.below(handle.uid);
        if (reader.isDeepEnough(inside.level)) {
            reader.cell(cell, inside.through(cell, view.control));
        }
        reader.ended(handle);
    }

    /** Tells a row or cell that is there but not on the screen. */
    void elsewhere(Object wanted, String parent) {
        Row row = wanted instanceof Row.Cell ? ((Row.Cell) wanted).row : (Row) wanted;
        View view = row.view;
        Object item = view.itemOrNull(row.index());
        f.begin(wanted instanceof Row.Cell ? ((Row.Cell) wanted).uid : row.uid, parent);
        f.role = wanted instanceof Row.Cell ? "cell" : view.rowRole;
        f.actions = "select";
        if (item instanceof TreeItem) {
            branch((TreeItem<?>) item);
        }
        if (wanted instanceof Row.Cell) {
            Object data = ((Row.Cell) wanted).column.getCellData(row.index());
            f.caption(data == null ? null : data.toString());
        } else if (view.columns().isEmpty() || item instanceof TreeItem) {
            f.caption(view.text(item));
        }
        f.flag("offscreen", true);
        if (view.control.isDisabled()) {
            f.flag("enabled", false);
        }
        f.json("properties", Map.of("row", row.index()));
        f.end(reader.look(wanted, List.of()), null);
    }

    // -- what they have in common ---------------------------------------------------------------

    private void hidden(Place place) {
        if (!place.visible) {
            f.flag("visible", false);
        }
        if (!place.enabled) {
            f.flag("enabled", false);
        }
    }

    private void checked(Labeled cell) {
        Node graphic = cell == null ? null : cell.getGraphic();
        if (graphic instanceof CheckBox) {
            f.flag("checked", ((CheckBox) graphic).isSelected());
        }
    }

    /** The nodes that draw the cells of a row, in the order of the columns. */
    static List<IndexedCell<?>> cellsIn(IndexedCell<?> row, List<TableColumnBase<?, ?>> columns) {
        List<IndexedCell<?>> cells = new ArrayList<>();
        for (TableColumnBase<?, ?> column : columns) {
            IndexedCell<?> cell = View.cellIn(row, column);
            if (cell != null) {
                cells.add(cell);
            }
        }
        return cells;
    }

    static String text(IndexedCell<?> cell) {
        String text = cell.getText();
        if (text == null || text.isEmpty()) {
            text = Text.inside(cell.getGraphic());
        }
        return text == null ? "" : Text.shorten(text);
    }

    private static String title(TableColumnBase<?, ?> column) {
        String text = column.getText();
        return text == null || text.isEmpty() ? Text.inside(column.getGraphic()) : text;
    }
}
