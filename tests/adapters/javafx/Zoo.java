import java.util.List;
import javafx.animation.PauseTransition;
import javafx.application.Application;
import javafx.beans.property.ReadOnlyStringWrapper;
import javafx.beans.property.SimpleBooleanProperty;
import javafx.collections.FXCollections;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.canvas.Canvas;
import javafx.scene.chart.BarChart;
import javafx.scene.chart.CategoryAxis;
import javafx.scene.chart.NumberAxis;
import javafx.scene.chart.XYChart;
import javafx.scene.control.Accordion;
import javafx.scene.control.Alert;
import javafx.scene.control.Button;
import javafx.scene.control.ButtonType;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ChoiceBox;
import javafx.scene.control.ColorPicker;
import javafx.scene.control.ComboBox;
import javafx.scene.control.CustomMenuItem;
import javafx.scene.control.Hyperlink;
import javafx.scene.control.Label;
import javafx.scene.control.ListCell;
import javafx.scene.control.ListView;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.Pagination;
import javafx.scene.control.PasswordField;
import javafx.scene.control.ProgressBar;
import javafx.scene.control.RadioMenuItem;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.Slider;
import javafx.scene.control.SplitMenuButton;
import javafx.scene.control.SplitPane;
import javafx.scene.control.Tab;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableColumn;
import javafx.scene.control.TableView;
import javafx.scene.control.TextField;
import javafx.scene.control.TextInputDialog;
import javafx.scene.control.TitledPane;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToolBar;
import javafx.scene.control.Tooltip;
import javafx.scene.control.TreeItem;
import javafx.scene.control.TreeTableColumn;
import javafx.scene.control.TreeTableView;
import javafx.scene.control.cell.CheckBoxTableCell;
import javafx.scene.input.MouseButton;
import javafx.scene.layout.FlowPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Pane;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import javafx.scene.shape.Rectangle;
import javafx.stage.Popup;
import javafx.stage.Stage;
import javafx.util.Duration;

/** What the form has not: the less common controls, several windows, and an FX thread that can be blocked. */
public class Zoo extends Application {
    private final Label report = named(new Label("ready"), "report");

    public static void main(String[] words) {
        launch(words);
    }

    @Override
    public void start(Stage stage) {
        VBox root = named(new VBox(4, buttons(), fields(), panes(), images(), views(), report), "zoo");
        stage.setTitle("Zoo");
        stage.setScene(new Scene(root, 1010, 640));
        stage.setOnCloseRequest(
                closing -> {
                    closing.consume();
                    say("refused to close");
                });
        stage.show();
    }

    private void say(String what) {
        report.setText(what);
    }

    private static <N extends Node> N named(N node, String id) {
        node.setId(id);
        return node;
    }

    private Button button(String text, Runnable work) {
        Button button = new Button(text);
        button.setOnAction(pressed -> work.run());
        return button;
    }

    private Node buttons() {
        ToggleButton bold = named(new ToggleButton("Bold"), "bold");
        bold.selectedProperty().addListener((property, was, is) -> say("bold " + is));
        bold.setTooltip(new Tooltip("Makes it bold"));
        Hyperlink link = new Hyperlink("More about it");
        link.setOnAction(followed -> say("link followed"));
        MenuItem copy = new MenuItem("Copy");
        copy.setOnAction(chosen -> say("copied"));
        MenuItem deep = new MenuItem("Deep");
        deep.setOnAction(chosen -> say("deep chosen"));
        RadioMenuItem large = new RadioMenuItem("Large");
        large.selectedProperty().addListener((property, was, is) -> say("large " + is));
        CustomMenuItem custom = new CustomMenuItem(new Button("Inside"));
        MenuButton menu = named(new MenuButton("Edit", null, copy, large, new Menu("Further", null, deep), custom), "edit");
        SplitMenuButton split = named(new SplitMenuButton(new MenuItem("Send later")), "split");
        split.setText("Send");
        split.setOnAction(pressed -> say("sent"));
        Button graphic = named(new Button(null, new HBox(2, new Rectangle(8, 8), new Label("Pictured"))), "graphic");
        graphic.setOnAction(pressed -> say("pictured"));
        Button mouse = named(new Button("Mouse"), "mouse");
        mouse.setOnMouseClicked(
                click -> say("mouse " + click.getButton() + " " + click.getClickCount() + (click.isControlDown() ? " ctrl" : "")));
        Button covered = named(new Button("Covered"), "covered");
        StackPane both = new StackPane(covered, named(new Pane(), "glass"));
        Button alert = named(button("Ask", this::ask), "ask");
        Button words = named(button("Words", this::words), "words");
        Button second = named(button("Second", this::second), "second");
        Button third = named(button("Third", this::third), "third");
        Button popup = named(button("Popup", () -> popup(bold)), "popup");
        Button wedge = named(button("Wedge", this::wedge), "wedge");
        Button throwing = named(button("Throw", () -> { throw new IllegalStateException("broken on purpose"); }), "throw");
        Button swap = named(button("Swap", this::swap), "swap");
        Button uid = named(button("Uid", () -> say("uid " + bold.getProperties().get("mcp.uid"))), "uid");
        Button change = named(button("Change", this::change), "change");
        return new FlowPane(4, 4, uid, swap, change, bold, link, menu, split, graphic, mouse, both, alert, words, second, third, popup, wedge, throwing);
    }

    private Node fields() {
        ChoiceBox<String> size = named(new ChoiceBox<>(FXCollections.observableArrayList("S", "M", "L")), "size");
        size.setValue("M");
        size.valueProperty().addListener((property, was, is) -> say("size " + is));
        ComboBox<String> city = named(new ComboBox<>(FXCollections.observableArrayList("Oslo", "Lima")), "city");
        city.setEditable(true);
        city.setPrefWidth(100);
        city.valueProperty().addListener((property, was, is) -> say("city " + is));
        ColorPicker colour = named(new ColorPicker(), "colour");
        colour.valueProperty().addListener((property, was, is) -> say("colour " + is));
        ProgressBar progress = named(new ProgressBar(0.25), "progress");
        PasswordField secret = named(new PasswordField(), "secret");
        secret.setText("hunter2");
        TextField fixed = named(new TextField("cannot be changed"), "fixed");
        fixed.setEditable(false);
        TextField upper = named(new TextField(), "upper");
        upper.setTextFormatter(new javafx.scene.control.TextFormatter<>(
                change -> change.getText().chars().allMatch(Character::isUpperCase) ? change : null));
        CheckBox three = named(new CheckBox("Three"), "three");
        three.setAllowIndeterminate(true);
        three.setIndeterminate(true);
        return new FlowPane(4, 4, new Label("Size:"), size, new Label("City"), city, colour, progress, secret, fixed, upper, three);
    }

    private Node panes() {
        TitledPane first = named(new TitledPane("First", new Button("In first")), "first");
        TitledPane other = named(new TitledPane("Other", new Button("In other")), "other");
        first.setAnimated(false);
        other.setAnimated(false);
        Accordion accordion = named(new Accordion(first, other), "accordion");
        accordion.expandedPaneProperty().addListener(
                (property, was, is) -> say("open " + (is == null ? "nothing" : is.getText())));
        accordion.setExpandedPane(first);
        first.setAnimated(false);
        other.setAnimated(false);
        Pagination pages = named(new Pagination(5), "pages");
        pages.setPageFactory(number -> new Label("Page " + (number + 1)));
        pages.setMaxHeight(80);
        pages.currentPageIndexProperty().addListener((property, was, is) -> say("page " + is));
        Button turned = named(button("Turned", () -> say("turned pressed")), "turned");
        turned.setRotate(90);
        SplitPane parts = named(new SplitPane(accordion, pages, new StackPane(turned)), "parts");
        parts.setPrefHeight(110);
        return parts;
    }

    private Node images() {
        BarChart<String, Number> chart = named(new BarChart<>(new CategoryAxis(), new NumberAxis()), "chart");
        chart.setTitle("Sales");
        chart.setAnimated(false);
        XYChart.Series<String, Number> series = new XYChart.Series<>();
        series.setName("2026");
        series.getData().add(new XYChart.Data<>("May", 12));
        series.getData().add(new XYChart.Data<>("June", 7));
        chart.getData().add(series);
        chart.setPrefHeight(120);
        chart.setMinHeight(120);
        Canvas canvas = named(new Canvas(60, 60), "canvas");
        canvas.setOnMousePressed(press -> say("canvas " + (int) press.getX() + "," + (int) press.getY()
                + (press.getButton() == MouseButton.PRIMARY ? "" : " other")));
        int[] moves = new int[1];
        canvas.setOnMouseDragged(move -> moves[0]++);
        canvas.setOnMouseReleased(
                release -> {
                    if (release.getButton() == MouseButton.SECONDARY) {
                        say("released after " + moves[0] + " moves at " + (int) release.getX() + "," + (int) release.getY());
                    }
                    moves[0] = 0;
                });
        canvas.setOnScroll(wheel -> say("wheel " + (wheel.getDeltaX() < 0 ? "right" : wheel.getDeltaY() < 0 ? "down" : "up")));
        return new HBox(4, chart, canvas);
    }

    private Node views() {
        TreeItem<String> disk = new TreeItem<>("disk");
        for (int folder = 0; folder < 3; folder++) {
            TreeItem<String> item = new TreeItem<>("folder " + folder);
            for (int file = 0; file < 40; file++) {
                item.getChildren().add(new TreeItem<>("file " + folder + "." + file));
            }
            disk.getChildren().add(item);
        }
        disk.setExpanded(true);
        TreeTableView<String> files = named(new TreeTableView<>(disk), "files");
        for (String title : List.of("Name", "Length")) {
            TreeTableColumn<String, String> column = new TreeTableColumn<>(title);
            column.setId(title.toLowerCase());
            column.setCellValueFactory(cell -> new ReadOnlyStringWrapper(
                    title.equals("Name") ? cell.getValue().getValue() : String.valueOf(cell.getValue().getValue().length())));
            files.getColumns().add(column);
        }
        files.setOnSort(sort -> say("sorted " + files.getSortOrder().get(0).getId()));
        files.getSelectionModel().selectedItemProperty().addListener(
                (property, was, is) -> say("file " + (is == null ? "none" : is.getValue())));
        ListView<Integer> numbers = named(new ListView<>(), "numbers");
        for (int number = 0; number < 100_000; number++) {
            numbers.getItems().add(number);
        }
        numbers.setCellFactory(view -> new NumberCell());
        TableView<SimpleBooleanProperty> flags = named(new TableView<>(), "flags");
        flags.setEditable(true);
        TableColumn<SimpleBooleanProperty, Boolean> on = new TableColumn<>("On");
        on.setCellValueFactory(cell -> cell.getValue());
        on.setCellFactory(CheckBoxTableCell.forTableColumn(on));
        TableColumn<SimpleBooleanProperty, String> named = new TableColumn<>("As");
        named.setCellValueFactory(cell -> new ReadOnlyStringWrapper("a flag"));
        // Narrow, so that the middle of a row is beside its cells.
        on.setPrefWidth(30);
        named.setPrefWidth(50);
        flags.getColumns().addAll(List.of(on, named));
        flags.getSelectionModel().setCellSelectionEnabled(true);
        for (int row = 0; row < 3; row++) {
            SimpleBooleanProperty flag = new SimpleBooleanProperty(row == 1);
            int number = row;
            flag.addListener((property, was, is) -> say("flag " + number + " " + is));
            flags.getItems().add(flag);
        }
        HBox views = new HBox(4, files, numbers, flags);
        views.setPrefHeight(180);
        return views;
    }

    /** A cell with a button of its own. */
    private final class NumberCell extends ListCell<Integer> {
        private final Button more = new Button("more");

        NumberCell() {
            more.setOnAction(pressed -> say("more of " + getItem()));
        }

        @Override
        protected void updateItem(Integer number, boolean empty) {
            super.updateItem(number, empty);
            setText(empty ? null : "number " + number);
            setGraphic(empty ? null : more);
        }
    }

    private void ask() {
        Alert alert = new Alert(Alert.AlertType.WARNING, "It cannot be undone.", ButtonType.OK, ButtonType.CANCEL);
        alert.setTitle("Sure?");
        alert.setHeaderText("All of it is deleted");
        say("asking");
        say("answered " + alert.showAndWait().map(ButtonType::getText).orElse("nothing"));
    }

    private void words() {
        TextInputDialog dialog = new TextInputDialog("before");
        dialog.setTitle("Words");
        say("words " + dialog.showAndWait().orElse("none"));
    }

    private void second() {
        Stage stage = new Stage();
        stage.setTitle("Second");
        Button inner = named(button("Press me", () -> say("pressed in second")), "inner");
        ScrollPane pane = new ScrollPane(new VBox(4, new Label("Here"), inner));
        stage.setScene(new Scene(pane, 200, 120));
        stage.setX(10);
        stage.setY(10);
        stage.show();
    }

    /** A window too narrow for its tools, with a list that has nothing to show, a button drawn by hand, a tab to close. */
    private void third() {
        ToolBar tools = new ToolBar();
        for (int number = 1; number <= 6; number++) {
            String name = "Tool " + number;
            tools.getItems().add(button(name, () -> say(name + " used")));
        }
        ListView<String> nothing = named(new ListView<>(), "nothing");
        nothing.setPlaceholder(new Label("Nothing yet"));
        nothing.setPrefHeight(60);
        Slider ticks = named(new Slider(0, 10, 5), "ticks");
        ticks.setMajorTickUnit(5);
        ticks.setMinorTickCount(0);
        ticks.setSnapToTicks(true);
        Pane drawn = new Pane(new Canvas(40, 20));
        drawn.setAccessibleRole(AccessibleRole.BUTTON);
        drawn.setAccessibleText("Drawn");
        drawn.setOnMouseClicked(click -> say("drawn pressed"));
        Tab extra = new Tab("Extra", new Label("In extra"));
        extra.setOnClosed(closed -> say("extra closed"));
        Stage stage = new Stage();
        stage.setTitle("Third");
        stage.setScene(new Scene(new VBox(4, tools, nothing, ticks, drawn, new TabPane(extra)), 200, 240));
        stage.setX(700);
        stage.setY(10);
        stage.show();
    }

    /** Shows another scene in the same window, and back again. */
    private void swap() {
        Stage stage = (Stage) report.getScene().getWindow();
        Scene here = stage.getScene();
        Label count = named(new Label("0"), "count");
        Button more = named(button("More", () -> count.setText(count.getText() + "0")), "more");
        Button back = named(button("Back", () -> stage.setScene(here)), "back");
        stage.setScene(new Scene(new VBox(count, more, back)));
    }

    /** Gives the canvas a style class and a tooltip and another place among its siblings, and takes them back. */
    private void change() {
        Node canvas = report.getScene().lookup("#canvas");
        if (canvas.getStyleClass().remove("marked")) {
            Tooltip.uninstall(canvas, (Tooltip) canvas.getUserData());
            canvas.toFront();
        } else {
            canvas.setUserData(new Tooltip("To draw on"));
            canvas.getStyleClass().add("marked");
            Tooltip.install(canvas, (Tooltip) canvas.getUserData());
            canvas.toBack();
        }
    }

    private void popup(Node owner) {
        Popup popup = new Popup();
        popup.setAutoHide(true);
        popup.getContent().add(new VBox(button("In the popup", () -> say("popup pressed"))));
        popup.show(owner.getScene().getWindow(), 200, 300);
    }

    /** Keeps the FX thread from everything else, soon and for a while. */
    private void wedge() {
        say("wedged soon");
        PauseTransition soon = new PauseTransition(Duration.millis(300));
        soon.setOnFinished(
                over -> {
                    try {
                        Thread.sleep(4_000);
                    } catch (InterruptedException error) {
                        Thread.currentThread().interrupt();
                    }
                    say("free again");
                });
        soon.play();
    }
}
