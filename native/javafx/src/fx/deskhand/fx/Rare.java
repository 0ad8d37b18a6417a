package deskhand.fx;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import javafx.scene.Node;
import javafx.scene.chart.Chart;
import javafx.scene.chart.PieChart;
import javafx.scene.chart.XYChart;
import javafx.scene.control.Control;
import javafx.scene.web.WebView;

/** Nodes of modules that a program may lack, and of kinds that are seldom met. */
final class Rare {
    private static final int DATA_KEPT = 2_000;
    private static final Map<Class<?>, String> KINDS = new HashMap<>();

    private Rare() {}

    static boolean isWebView(Node node) {
        return kind(node).equals("web");
    }

    static boolean isMedia(Node node) {
        return kind(node).equals("media");
    }

    /** Whether it is a control that JavaFX itself does not have. */
    static boolean isUnknown(Node node) {
        return kind(node).equals("unknown");
    }

    /** By name, since the classes may not be there. */
    private static String kind(Node node) {
        return KINDS.computeIfAbsent(
                node.getClass(),
                type -> {
                    for (Class<?> above = type; above != null && above != Object.class; above = above.getSuperclass()) {
                        switch (above.getName()) {
                            case "javafx.scene.web.WebView":
                                return "web";
                            case "javafx.scene.web.HTMLEditor":
                                return "unknown";
                            case "javafx.scene.media.MediaView":
                                return "media";
                            default:
                        }
                        if (above.getPackageName().equals("javafx.scene.control") && above != Control.class) {
                            return "";
                        }
                        if (above == Control.class) {
                            return "unknown";
                        }
                    }
                    return "";
                });
    }

    /** Title and address. Called only where there is such a class. */
    static void webView(Node node, Fields f) {
        WebView view = (WebView) node;
        f.caption(view.getEngine().getTitle());
        f.some("value", view.getEngine().getLocation());
    }

    /** What the nodes that draw a chart's data stand for. */
    static Map<Node, String> data(Chart chart) {
        Map<Node, String> names = new IdentityHashMap<>();
        if (chart instanceof PieChart) {
            for (PieChart.Data slice : ((PieChart) chart).getData()) {
                put(names, slice.getNode(), slice.getName() + ": " + Text.number(slice.getPieValue()));
            }
        } else if (chart instanceof XYChart) {
            points((XYChart<?, ?>) chart, names);
        }
        return names;
    }

    private static <X, Y> void points(XYChart<X, Y> chart, Map<Node, String> names) {
        if (chart.getData() == null) {
            return;
        }
        for (XYChart.Series<X, Y> series : chart.getData()) {
            String before = series.getName() == null ? "" : series.getName() + ": ";
            put(names, series.getNode(), series.getName());
            for (XYChart.Data<X, Y> point : series.getData()) {
                if (names.size() >= DATA_KEPT) {
                    return;
                }
                put(names, point.getNode(), before + word(point.getXValue()) + ", " + word(point.getYValue()));
            }
        }
    }

    private static void put(Map<Node, String> names, Node node, String name) {
        if (node != null && name != null) {
            names.put(node, name);
        }
    }

    private static String word(Object value) {
        return value instanceof Number ? Text.number(((Number) value).doubleValue()) : String.valueOf(value);
    }
}
