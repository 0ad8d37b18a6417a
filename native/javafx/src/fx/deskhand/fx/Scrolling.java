package deskhand.fx;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.control.IndexedCell;
import javafx.scene.control.ListView;
import javafx.scene.control.ScrollBar;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.TableColumnBase;
import javafx.scene.control.TableView;
import javafx.scene.control.TextArea;
import javafx.scene.control.TreeTableView;
import javafx.scene.control.TreeView;
import javafx.stage.Window;

/** Turning the wheel, and bringing things into view. */
final class Scrolling {
    private static final int MOST_NOTCHES = 1_000;

    private final Actor actor;

    Scrolling(Actor actor) {
        this.actor = actor;
    }

    Map<String, Object> scroll(Request request, Object target) {
        Ui.Deadline deadline = request.deadline;
        Integer row = request.whole("row");
        String text = request.string("text");
        if (target != null && (row != null || text != null)) {
            Ui.call(
                    deadline,
                    () -> {
                        toRow(target, row, text);
                    });
            Desk.pulse(deadline);
        } else if (target != null && request.flag("into_view")) {
            Ui.call(deadline, () -> intoView(target));
            Desk.pulse(deadline);
        }
        double dx = limited(request.number("dx", 0));
        double dy = limited(request.number("dy", 0));
        if (dx != 0 || dy != 0) {
            Object over = target == null ? Ui.call(deadline, Frames::focused) : target;
            Actor.Spot spot = actor.spot(deadline, over, null, null);
            actor.activate(deadline, spot.window);
            List<Double> before = Ui.call(deadline, () -> positions(over));
            actor.input.wheel(deadline, spot, dx, dy);
            Desk.pulse(deadline);
            if (!before.isEmpty() && before.equals(Ui.call(deadline, () -> positions(over)))) {
                return Map.of("detail", "nothing moved");
            }
        }
        return Map.of();
    }

    /** Where the scroll bars of a control are; none for what does not scroll by itself. */
    private static List<Double> positions(Object target) {
        List<Double> found = new ArrayList<>();
        boolean scrolls =
                target instanceof ScrollPane
                        || target instanceof ListView
                        || target instanceof TableView
                        || target instanceof TreeView
                        || target instanceof TreeTableView
                        || target instanceof TextArea;
        if (scrolls) {
            for (Node bar : ((Node) target).lookupAll(".scroll-bar")) {
                found.add(((ScrollBar) bar).getValue());
            }
        }
        return found;
    }

    private static double limited(double notches) {
        return Math.max(-MOST_NOTCHES, Math.min(MOST_NOTCHES, notches));
    }

    /** Scrolls everything around something so that it can be seen; whether anything had to move. */
    static boolean intoView(Object target) {
        if (target instanceof Row) {
            Row row = (Row) target;
            intoView(row.view.control);
            row.view.scrollTo(row.index(), null);
            return true;
        }
        if (target instanceof Row.Cell) {
            Row.Cell cell = (Row.Cell) target;
            intoView(cell.row.view.control);
            cell.row.view.scrollTo(cell.row.index(), cell.column);
            return true;
        }
        Node node = target instanceof Window ? null : Actor.drawing(target);
        boolean moved = false;
        for (ScrollPane pane = node == null ? null : Actor.paneAround(node); pane != null; pane = Actor.paneAround(pane)) {
            moved |= show(node, pane);
        }
        return moved;
    }

    private static boolean show(Node node, ScrollPane pane) {
        Node content = pane.getContent();
        if (content == null || content.getScene() == null) {
            return false;
        }
        Bounds wanted = content.sceneToLocal(node.localToScene(node.getLayoutBounds()));
        Bounds whole = content.getLayoutBounds();
        Bounds seen = pane.getViewportBounds();
        double down = part(
                wanted.getMinY() - whole.getMinY(), wanted.getHeight(), whole.getHeight(), seen.getHeight(),
                (pane.getVvalue() - pane.getVmin()) / (pane.getVmax() - pane.getVmin()));
        double along = part(
                wanted.getMinX() - whole.getMinX(), wanted.getWidth(), whole.getWidth(), seen.getWidth(),
                (pane.getHvalue() - pane.getHmin()) / (pane.getHmax() - pane.getHmin()));
        double v = pane.getVmin() + down * (pane.getVmax() - pane.getVmin());
        double h = pane.getHmin() + along * (pane.getHmax() - pane.getHmin());
        boolean moved = v != pane.getVvalue() || h != pane.getHvalue();
        if (moved) {
            pane.setVvalue(v);
            pane.setHvalue(h);
            pane.layout();
        }
        return moved;
    }

    /** Where a scroll bar (0 to 1) must be for a part of something to be seen; as it is if it can be seen. */
    private static double part(double start, double length, double whole, double seen, double now) {
        double room = whole - seen;
        if (room <= 0) {
            return now;
        }
        double top = now * room;
        if (start < top || length > seen) {
            return Math.max(0, Math.min(1, start / room));
        }
        if (start + length > top + seen) {
            return Math.max(0, Math.min(1, (start + length - seen) / room));
        }
        return now;
    }

    private static void toRow(Object target, Integer row, String text) {
        View view = View.of(target);
        if (view == null) {
            throw Failure.unsupported(target, "has no rows to scroll to").with("suggestions", List.of("target a list, table or tree"));
        }
        int index = row != null ? row : find(view, text, null);
        if (index < 0 || index >= view.count()) {
            String what = row != null ? "row " + row : "row " + Text.quote(text);
            throw new Failure("option_not_found", Text.describe(target) + " has no " + what + "; it has " + view.count() + " rows")
                    .with("options_count", view.count());
        }
        intoView(view.control);
        view.scrollTo(index, null);
    }

    /** The number of the first row that says a text, in one column or in any; -1 if none does. */
    static int find(View view, String text, TableColumnBase<?, ?> only) {
        List<TableColumnBase<?, ?>> columns = only == null ? view.columns() : List.of(only);
        for (IndexedCell<?> row : view.shown()) {
            for (IndexedCell<?> cell : columns.isEmpty() ? List.<IndexedCell<?>>of(row) : Views.cellsIn(row, columns)) {
                if (Views.text(cell).equals(text)) {
                    return row.getIndex();
                }
            }
        }
        int count = view.count();
        for (int index = 0; index < count; index++) {
            for (String said : texts(view, index, columns)) {
                if (said.equals(text)) {
                    return index;
                }
            }
        }
        return -1;
    }

    /** What a row holds in each column, as text; that it is drawn otherwise is known of those on the screen only. */
    static List<String> texts(View view, int index, List<TableColumnBase<?, ?>> columns) {
        List<String> texts = new ArrayList<>();
        if (columns.isEmpty()) {
            texts.add(view.text(view.itemOrNull(index)));
        }
        for (TableColumnBase<?, ?> column : columns) {
            Object data = column.getCellData(index);
            texts.add(data == null ? "" : data.toString());
        }
        return texts;
    }
}
