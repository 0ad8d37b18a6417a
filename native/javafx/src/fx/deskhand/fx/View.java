package deskhand.fx;

import java.util.ArrayList;
import java.util.List;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.Control;
import javafx.scene.control.FocusModel;
import javafx.scene.control.IndexedCell;
import javafx.scene.control.ListView;
import javafx.scene.control.MultipleSelectionModel;
import javafx.scene.control.SelectionMode;
import javafx.scene.control.TableCell;
import javafx.scene.control.TableColumn;
import javafx.scene.control.TableColumnBase;
import javafx.scene.control.TableFocusModel;
import javafx.scene.control.TableSelectionModel;
import javafx.scene.control.TableView;
import javafx.scene.control.TreeItem;
import javafx.scene.control.TreeTableCell;
import javafx.scene.control.TreeTableColumn;
import javafx.scene.control.TreeTableView;
import javafx.scene.control.TreeView;
import javafx.scene.control.skin.TableColumnHeader;
import javafx.scene.control.skin.VirtualFlow;

/** A control that draws only the rows which are on the screen: list, table, tree or tree table, all in one form. */
@SuppressWarnings({"unchecked", "rawtypes"}) // the type of the rows is not known here
abstract class View {
    final Control control;
    final String kind;
    final String role;
    final String rowRole;

    private View(Control control, String kind, String role, String rowRole) {
        this.control = control;
        this.kind = kind;
        this.role = role;
        this.rowRole = rowRole;
    }

    /** The view of a node; null if it is none. */
    static View of(Object node) {
        if (node instanceof ListView) {
            return new OfList((ListView) node);
        }
        if (node instanceof TableView) {
            return new OfTable((TableView) node);
        }
        if (node instanceof TreeTableView) {
            return new OfTreeTable((TreeTableView) node);
        }
        return node instanceof TreeView ? new OfTree((TreeView) node) : null;
    }

    abstract int count();

    abstract Object item(int index);

    abstract int indexOf(Object item);

    abstract MultipleSelectionModel<?> selection();

    abstract FocusModel focus();

    abstract void scrollTo(int index, TableColumnBase column);

    abstract boolean isEditable();

    abstract void edit(int index, TableColumnBase column);

    int focusedIndex() {
        return focus() == null ? -1 : focus().getFocusedIndex();
    }

    void focus(int index, TableColumnBase column) {
        FocusModel model = focus();
        if (model instanceof TableFocusModel) {
            ((TableFocusModel) model).focus(index, column);
        } else if (model != null) {
            model.focus(index);
        }
    }

    /** The columns that are shown, the leaves of those in groups. */
    List<TableColumnBase<?, ?>> columns() {
        return List.of();
    }

    String text(Object item) {
        return item instanceof TreeItem ? String.valueOf(((TreeItem) item).getValue()) : String.valueOf(item);
    }

    Object itemOrNull(int index) {
        return index >= 0 && index < count() ? item(index) : null;
    }

    /** The column with a number; null if none is asked for. */
    TableColumnBase<?, ?> column(Integer number) {
        if (number == null) {
            return null;
        }
        List<TableColumnBase<?, ?>> columns = columns();
        if (number < 0 || number >= columns.size()) {
            throw new Failure("option_not_found",
                    Text.describe(control) + " has no column " + number + "; it has " + columns.size() + " columns")
                    .with("options_count", columns.size());
        }
        return columns.get(number);
    }

    /** What a column is called in answers. */
    String columnId(TableColumnBase<?, ?> column, int number) {
        return column.getId() == null ? String.valueOf(number) : column.getId();
    }

    void select(int index, TableColumnBase column, boolean extend) {
        MultipleSelectionModel<?> model = selection();
        if (model == null) {
            throw Failure.unsupported(control, "lets nothing be selected");
        }
        if (extend && model.getSelectionMode() == SelectionMode.SINGLE) {
            throw new Failure("action_failed", Text.describe(control) + " lets one item be selected only; extend is not possible");
        }
        boolean one = column != null
                && model instanceof TableSelectionModel
                && ((TableSelectionModel) model).isCellSelectionEnabled();
        if (one && extend) {
            ((TableSelectionModel) model).select(index, column);
        } else if (one) {
            ((TableSelectionModel) model).clearAndSelect(index, column);
        } else if (extend) {
            model.select(index);
        } else {
            model.clearAndSelect(index);
        }
        focus(index, column);
    }

    boolean isSelected(int index, TableColumnBase column) {
        MultipleSelectionModel<?> model = selection();
        if (model instanceof TableSelectionModel && column != null && ((TableSelectionModel) model).isCellSelectionEnabled()) {
            return ((TableSelectionModel) model).isSelected(index, column);
        }
        return model != null && model.isSelected(index);
    }

    /** What draws the rows; null as long as the control has no skin. */
    VirtualFlow<?> flow() {
        for (Node child : control.getChildrenUnmodifiable()) {
            if (child instanceof VirtualFlow) {
                return (VirtualFlow<?>) child;
            }
        }
        return null;
    }

    /** What the control shows instead of rows while it has none: a text that says so. */
    List<Node> instead() {
        for (Node child : control.getChildrenUnmodifiable()) {
            if (child.isVisible() && child instanceof Parent && child.getStyleClass().contains("placeholder")) {
                return ((Parent) child).getChildrenUnmodifiable();
            }
        }
        return List.of();
    }

    /** The nodes of the rows that are on the screen, from top to bottom. */
    List<IndexedCell<?>> shown() {
        List<IndexedCell<?>> shown = new ArrayList<>();
        VirtualFlow<?> flow = flow();
        IndexedCell<?> first = flow == null ? null : flow.getFirstVisibleCell();
        IndexedCell<?> last = flow == null ? null : flow.getLastVisibleCell();
        if (first == null || last == null) {
            return shown;
        }
        int end = Math.min(last.getIndex(), count() - 1);
        for (int index = Math.max(first.getIndex(), 0); index <= end; index++) {
            IndexedCell<?> cell = flow.getCell(index);
            if (cell != null && cell.getIndex() == index && cell.getScene() != null) {
                shown.add(cell);
            }
        }
        return shown;
    }

    /** The node that draws a row; null if it is not on the screen. */
    IndexedCell<?> cellOf(int index) {
        for (IndexedCell<?> cell : shown()) {
            if (cell.getIndex() == index) {
                return cell;
            }
        }
        return null;
    }

    /** The node that draws one cell of a row; null if it is not on the screen. */
    IndexedCell<?> cellOf(int index, TableColumnBase<?, ?> column) {
        IndexedCell<?> row = cellOf(index);
        return row == null || column == null ? row : cellIn(row, column);
    }

    static IndexedCell<?> cellIn(IndexedCell<?> row, TableColumnBase<?, ?> column) {
        for (Node child : row.getChildrenUnmodifiable()) {
            if (columnOf(child) == column) {
                return (IndexedCell<?>) child;
            }
        }
        return null;
    }

    /** The column that a node is a cell of; null if it is not a cell. */
    static TableColumnBase<?, ?> columnOf(Node node) {
        if (node instanceof TableCell) {
            return ((TableCell<?, ?>) node).getTableColumn();
        }
        return node instanceof TreeTableCell ? ((TreeTableCell<?, ?>) node).getTableColumn() : null;
    }

    /** The node that draws the head of a column; null if it is not shown. */
    static Node head(TableColumnBase<?, ?> column) {
        Node head = column.getStyleableNode();
        Control table = column instanceof TableColumn
                ? ((TableColumn<?, ?>) column).getTableView()
                : column instanceof TreeTableColumn ? ((TreeTableColumn<?, ?>) column).getTreeTableView() : null;
        if (head != null || table == null) {
            return head;
        }
        // Fallback: not every version and skin reports it.
        for (Node other : table.lookupAll(".column-header")) {
            if (other instanceof TableColumnHeader && ((TableColumnHeader) other).getTableColumn() == column) {
                return other;
            }
        }
        return null;
    }

    private static final class OfList extends View {
        private final ListView list;

        OfList(ListView list) {
            super(list, "ListView", "list", "list-item");
            this.list = list;
        }

        @Override
        int count() {
            return list.getItems() == null ? 0 : list.getItems().size();
        }

        @Override
        Object item(int index) {
            return list.getItems().get(index);
        }

        @Override
        int indexOf(Object item) {
            return list.getItems() == null ? -1 : list.getItems().indexOf(item);
        }

        @Override
        MultipleSelectionModel<?> selection() {
            return list.getSelectionModel();
        }

        @Override
        FocusModel focus() {
            return list.getFocusModel();
        }

        @Override
        void scrollTo(int index, TableColumnBase column) {
            list.scrollTo(index);
        }

        @Override
        boolean isEditable() {
            return list.isEditable();
        }

        @Override
        void edit(int index, TableColumnBase column) {
            list.edit(index);
        }
    }

    private static final class OfTree extends View {
        private final TreeView tree;

        OfTree(TreeView tree) {
            super(tree, "TreeView", "tree", "tree-item");
            this.tree = tree;
        }

        @Override
        int count() {
            return tree.getExpandedItemCount();
        }

        @Override
        Object item(int index) {
            return tree.getTreeItem(index);
        }

        @Override
        int indexOf(Object item) {
            return tree.getRow((TreeItem) item);
        }

        @Override
        MultipleSelectionModel<?> selection() {
            return tree.getSelectionModel();
        }

        @Override
        FocusModel focus() {
            return tree.getFocusModel();
        }

        @Override
        void scrollTo(int index, TableColumnBase column) {
            tree.scrollTo(index);
        }

        @Override
        boolean isEditable() {
            return tree.isEditable();
        }

        @Override
        void edit(int index, TableColumnBase column) {
            tree.edit(tree.getTreeItem(index));
        }
    }

    private static final class OfTable extends View {
        private final TableView table;

        OfTable(TableView table) {
            super(table, "TableView", "table", "row");
            this.table = table;
        }

        @Override
        int count() {
            return table.getItems() == null ? 0 : table.getItems().size();
        }

        @Override
        Object item(int index) {
            return table.getItems().get(index);
        }

        @Override
        int indexOf(Object item) {
            return table.getItems() == null ? -1 : table.getItems().indexOf(item);
        }

        @Override
        List<TableColumnBase<?, ?>> columns() {
            return table.getVisibleLeafColumns();
        }

        @Override
        MultipleSelectionModel<?> selection() {
            return table.getSelectionModel();
        }

        @Override
        FocusModel focus() {
            return table.getFocusModel();
        }

        @Override
        void scrollTo(int index, TableColumnBase column) {
            table.scrollTo(index);
            if (column != null) {
                table.scrollToColumn((TableColumn) column);
            }
        }

        @Override
        boolean isEditable() {
            return table.isEditable();
        }

        @Override
        void edit(int index, TableColumnBase column) {
            table.edit(index, (TableColumn) column);
        }
    }

    private static final class OfTreeTable extends View {
        private final TreeTableView table;

        OfTreeTable(TreeTableView table) {
            super(table, "TreeTableView", "tree-grid", "tree-item");
            this.table = table;
        }

        @Override
        int count() {
            return table.getExpandedItemCount();
        }

        @Override
        Object item(int index) {
            return table.getTreeItem(index);
        }

        @Override
        int indexOf(Object item) {
            return table.getRow((TreeItem) item);
        }

        @Override
        List<TableColumnBase<?, ?>> columns() {
            return table.getVisibleLeafColumns();
        }

        @Override
        MultipleSelectionModel<?> selection() {
            return table.getSelectionModel();
        }

        @Override
        FocusModel focus() {
            return table.getFocusModel();
        }

        @Override
        void scrollTo(int index, TableColumnBase column) {
            table.scrollTo(index);
            if (column != null) {
                table.scrollToColumn((TreeTableColumn) column);
            }
        }

        @Override
        boolean isEditable() {
            return table.isEditable();
        }

        @Override
        void edit(int index, TableColumnBase column) {
            table.edit(index, (TreeTableColumn) column);
        }
    }
}
