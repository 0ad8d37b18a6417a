package deskhand.fx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javafx.css.PseudoClass;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.chart.XYChart;
import javafx.scene.control.Labeled;
import javafx.scene.control.TextInputControl;
import javafx.scene.paint.Color;
import javafx.scene.paint.Paint;
import javafx.scene.text.Font;
import javafx.stage.Window;

/** What is reported about a node only on request. */
final class Details {
    private Details() {}

    static void node(Node node, Fields f) {
        List<String> states = new ArrayList<>();
        for (PseudoClass state : node.getPseudoClassStates()) {
            states.add(state.getPseudoClassName());
        }
        if (!states.isEmpty()) {
            f.json("pseudo_classes", states);
        }
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("managed", node.isManaged());
        properties.put("opacity", node.getOpacity());
        Object data = node.getUserData();
        if (data instanceof String || data instanceof Number || data instanceof Boolean) {
            properties.put("userData", data);
        }
        put(properties, "style", node.getStyle());
        put(properties, "accessibleRoleDescription", node.getAccessibleRoleDescription());
        if (node instanceof XYChart) {
            properties.put("series", series((XYChart<?, ?>) node));
        }
        f.json("properties", properties);
        font(node, f);
    }

    static void window(Window window, Parent root, Fields f) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("window", Text.type(window).getName());
        if (root != null) {
            properties.put("managed", root.isManaged());
            properties.put("opacity", root.getOpacity());
        }
        f.json("properties", properties);
    }

    private static <X, Y> List<Object> series(XYChart<X, Y> chart) {
        List<Object> told = new ArrayList<>();
        if (chart.getData() != null) {
            for (XYChart.Series<X, Y> series : chart.getData()) {
                told.add(Map.of("name", String.valueOf(series.getName()), "points", series.getData().size()));
            }
        }
        return told;
    }

    private static void font(Node node, Fields f) {
        Font font = null;
        Paint paint = null;
        if (node instanceof Labeled) {
            font = ((Labeled) node).getFont();
            paint = ((Labeled) node).getTextFill();
        } else if (node instanceof javafx.scene.text.Text) {
            font = ((javafx.scene.text.Text) node).getFont();
            paint = ((javafx.scene.text.Text) node).getFill();
        } else if (node instanceof TextInputControl) {
            font = ((TextInputControl) node).getFont();
        }
        if (font == null) {
            return;
        }
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("family", font.getFamily());
        told.put("size", font.getSize());
        told.put("weight", font.getStyle());
        if (paint instanceof Color) {
            told.put("color", Controls.colour((Color) paint));
        }
        f.json("font", told);
    }

    private static void put(Map<String, Object> properties, String name, String value) {
        if (value != null && !value.isEmpty()) {
            properties.put(name, value);
        }
    }
}
