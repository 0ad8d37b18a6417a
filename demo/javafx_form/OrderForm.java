import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.Collectors;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.animation.PauseTransition;
import javafx.beans.property.SimpleStringProperty;
import javafx.beans.property.StringProperty;
import javafx.beans.value.ObservableValue;
import javafx.collections.FXCollections;
import javafx.collections.ListChangeListener;
import javafx.geometry.Insets;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.Alert;
import javafx.scene.control.Button;
import javafx.scene.control.ButtonType;
import javafx.scene.control.CheckBox;
import javafx.scene.control.CheckMenuItem;
import javafx.scene.control.ComboBox;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.DatePicker;
import javafx.scene.control.Label;
import javafx.scene.control.ListView;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuBar;
import javafx.scene.control.MenuItem;
import javafx.scene.control.PasswordField;
import javafx.scene.control.RadioButton;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.control.Slider;
import javafx.scene.control.Spinner;
import javafx.scene.control.Tab;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableColumn;
import javafx.scene.control.TablePosition;
import javafx.scene.control.TableView;
import javafx.scene.control.TextArea;
import javafx.scene.control.TextField;
import javafx.scene.control.TitledPane;
import javafx.scene.control.ToggleGroup;
import javafx.scene.control.ToolBar;
import javafx.scene.control.TreeItem;
import javafx.scene.control.TreeView;
import javafx.scene.control.cell.TextFieldTableCell;
import javafx.scene.input.KeyCombination;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.stage.Stage;
import javafx.stage.Window;
import javafx.util.Duration;

/**
 * The order form in JavaFX; run.sh compiles and starts it. It knows nothing of deskhand.
 *
 * <p>What the user did is shown in the status line, and printed as JSON when the form closes. With --again, each
 * line on standard input starts it over with a fresh form, which is answered by a line. --rows sets the length of
 * the table.
 */
public class OrderForm extends Application {
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    public static void main(String[] words) {
        launch(words);
    }

    @Override
    public void start(Stage stage) {
        List<String> words = getParameters().getRaw();
        int at = words.indexOf("--rows");
        int rows = at < 0 ? 1000 : Integer.parseInt(words.get(at + 1));
        new Form(stage, rows);
        if (words.contains("--again")) {
            Platform.setImplicitExit(false);
            Thread reader = new Thread(() -> startOver(rows), "lines");
            reader.setDaemon(true);
            reader.start();
        }
    }

    private static void startOver(int rows) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (lines.readLine() != null) {
                Platform.runLater(() -> {
                    List<Window> old = new ArrayList<>(Window.getWindows());
                    new Form(new Stage(), rows);
                    old.forEach(Window::hide);
                    OUT.println("ready");
                });
            }
        } catch (IOException closed) {
            // No other form is requested any more.
        }
    }

    /** One row of the table. */
    private static final class Item {
        final List<StringProperty> cells = new ArrayList<>();

        Item(int number) {
            for (String text : List.of("Item " + number, number + ".50", String.valueOf(number % 7))) {
                cells.add(new SimpleStringProperty(text));
            }
        }
    }

    /** A window with everything in it. */
    private static final class Form {
        private static final int MOST_EVENTS = 1000;
        private final Stage stage;
        private final Queue<String> events = new ArrayDeque<>();
        private final Label report = named(new Label("ready"), "report");
        private final TextField name = named(new TextField(), "name");
        private final Button send = named(new Button("Send"), "send");
        private final Button hint = named(new Button("Hidden hint"), "hint");

        Form(Stage stage, int rows) {
            this.stage = stage;
            TabPane tabs = named(new TabPane(), "tabs");
            tabs.setTabClosingPolicy(TabPane.TabClosingPolicy.UNAVAILABLE);
            tabs.getTabs().addAll(
                    new Tab("Person", person()), new Tab("Items", items(rows)), new Tab("More", more()));
            follow(tabs.getSelectionModel().selectedItemProperty(), tab -> "tab " + tab.getText());
            report.setAccessibleHelp("What happened last");
            BorderPane root = named(new BorderPane(tabs), "order_form");
            root.setTop(new VBox(menus(), tools()));
            root.setBottom(report);
            BorderPane.setMargin(report, new Insets(4));
            stage.setTitle("Order form");
            stage.setScene(new Scene(root, 640, 560));
            stage.setOnCloseRequest(closing -> finish());
            stage.show();
            name.requestFocus();
        }

        private void say(String what) {
            if (events.size() == MOST_EVENTS) {
                events.remove();
            }
            events.add(what);
            report.setText(what);
        }

        private void finish() {
            String told = events.stream().map(Form::json).collect(Collectors.joining(", "));
            OUT.println("{\"events\": [" + told + "], \"name\": " + json(name.getText()) + "}");
            Platform.exit();
        }

        // -- the parts --------------------------------------------------------------------------------

        private MenuBar menus() {
            MenuItem save = entry("_Save", "saved");
            save.setAccelerator(KeyCombination.keyCombination("Ctrl+S"));
            Menu recent = new Menu("_Recent", null, entry("first.txt", "opened first.txt"));
            MenuItem quit = new MenuItem("_Quit");
            quit.setOnAction(chosen -> finish());
            CheckMenuItem grid = new CheckMenuItem("Show _grid");
            follow(grid.selectedProperty(), on -> "grid " + truth(on));
            Menu file = new Menu("_File", null, save, recent, new SeparatorMenuItem(), quit);
            return new MenuBar(file, new Menu("_View", null, grid));
        }

        private MenuItem entry(String text, String report) {
            MenuItem item = new MenuItem(text);
            item.setOnAction(chosen -> say(report));
            return item;
        }

        private ToolBar tools() {
            Button zoom = new Button("Zoom in");
            zoom.setOnAction(pressed -> say("zoomed"));
            return named(new ToolBar(zoom), "tools");
        }

        private Node person() {
            GridPane grid = grid();
            name.setPromptText("Full name");
            follow(name.textProperty(), text -> "name " + text);
            name.setOnAction(submitted -> say("submitted " + name.getText()));
            row(grid, "_Name", name);
            PasswordField secret = named(new PasswordField(), "secret");
            follow(secret.textProperty(), text -> "secret of " + text.length());
            row(grid, "_Password", secret);
            CheckBox news = new CheckBox("Send me the _newsletter");
            news.setMnemonicParsing(true);
            follow(news.selectedProperty(), on -> "newsletter " + truth(on));
            wide(grid, news);
            ComboBox<String> country = named(new ComboBox<>(), "country");
            country.getItems().addAll("France", "Kenya", "Japan", "Peru");
            country.getSelectionModel().selectFirst();
            country.setMaxWidth(Double.MAX_VALUE);
            follow(country.valueProperty(), text -> "country " + text);
            row(grid, "_Country", country);
            HBox delivery = new HBox(6);
            ToggleGroup group = new ToggleGroup();
            for (String text : List.of("Post", "Courier")) {
                RadioButton radio = new RadioButton(text);
                radio.setToggleGroup(group);
                radio.selectedProperty().addListener((property, before, on) -> {
                    if (on) {
                        say("delivery " + text);
                    }
                });
                delivery.getChildren().add(radio);
            }
            TitledPane box = new TitledPane("Delivery", delivery);
            box.setCollapsible(false);
            wide(grid, box);
            TextArea notes = named(new TextArea(), "notes");
            notes.setPrefHeight(60);
            follow(notes.textProperty(), text -> "notes '" + text.replace("\n", "\\n") + "'");
            row(grid, "N_otes", notes);
            Button greet = new Button("_Greet");
            greet.setOnAction(pressed -> say("Hello, " + name.getText() + "!"));
            Button order = named(new Button("Place order…"), "order");
            order.setOnAction(pressed -> placeOrder());
            Button later = named(new Button("Load later"), "later");
            later.setOnAction(pressed -> loadLater());
            send.setDisable(true);
            send.setOnAction(pressed -> say("sent"));
            wide(grid, new HBox(6, greet, order, later, send));
            hint.setVisible(false);
            hint.setManaged(false);
            wide(grid, hint);
            return grid;
        }

        private Node items(int rows) {
            TableView<Item> table = named(new TableView<>(), "table");
            table.setEditable(true);
            table.getSelectionModel().setCellSelectionEnabled(true);
            for (String title : List.of("Item", "Price", "Stock")) {
                int at = table.getColumns().size();
                TableColumn<Item, String> column = new TableColumn<>(title);
                column.setId(title.toLowerCase());
                column.setCellValueFactory(cell -> cell.getValue().cells.get(at));
                column.setCellFactory(TextFieldTableCell.forTableColumn());
                column.setOnEditCommit(edit -> {
                    edit.getRowValue().cells.get(at).set(edit.getNewValue());
                    say("cell " + edit.getTablePosition().getRow() + "," + at + " " + edit.getNewValue());
                });
                table.getColumns().add(column);
            }
            for (int number = 0; number < rows; number++) {
                table.getItems().add(new Item(number));
            }
            table.getSelectionModel().getSelectedCells().addListener((ListChangeListener<TablePosition>) change -> {
                String cells = table.getSelectionModel().getSelectedCells().stream()
                        .limit(3)
                        .map(cell -> cell.getRow() + "," + cell.getColumn())
                        .collect(Collectors.joining(" "));
                say("selected " + cells);
            });
            ListView<String> colours = named(new ListView<>(), "colours");
            colours.getItems().addAll("red", "green", "blue");
            follow(colours.getSelectionModel().selectedItemProperty(), text -> "colour " + text);
            TreeItem<String> everywhere = new TreeItem<>("everywhere");
            TreeItem<String> europe = new TreeItem<>("Europe");
            europe.getChildren().add(new TreeItem<>("Paris"));
            everywhere.getChildren().addAll(List.of(europe, new TreeItem<>("Africa")));
            everywhere.setExpanded(true);
            everywhere.addEventHandler(
                    TreeItem.<String>branchExpandedEvent(), event -> say("expanded " + event.getTreeItem().getValue()));
            TreeView<String> tree = named(new TreeView<>(everywhere), "tree");
            tree.setShowRoot(false);
            follow(tree.getSelectionModel().selectedItemProperty(), item -> "place " + item.getValue());
            HBox lower = new HBox(6, colours, tree);
            lower.setPrefHeight(150);
            VBox column = new VBox(6, table, lower);
            VBox.setVgrow(table, Priority.ALWAYS);
            return column;
        }

        private Node more() {
            GridPane grid = grid();
            Spinner<Integer> amount = named(new Spinner<>(0, 50, 0), "amount");
            amount.setEditable(true);
            follow(amount.valueProperty(), value -> "amount " + value);
            row(grid, "_Amount", amount);
            Slider volume = named(new Slider(0, 100, 0), "volume");
            volume.setBlockIncrement(1);
            follow(volume.valueProperty(), value -> "volume " + Math.round(value.doubleValue()));
            row(grid, "_Volume", volume);
            DatePicker day = named(new DatePicker(LocalDate.of(2026, 1, 31)), "day");
            day.setConverter(new javafx.util.converter.LocalDateStringConverter(
                    java.time.format.DateTimeFormatter.ISO_LOCAL_DATE, java.time.format.DateTimeFormatter.ISO_LOCAL_DATE));
            follow(day.valueProperty(), value -> "day " + value);
            row(grid, "_Day", day);
            Region space = new Region();
            VBox.setVgrow(space, Priority.ALWAYS);
            Button far = named(new Button("Far away"), "far");
            far.setOnAction(pressed -> say("far pressed"));
            VBox inner = new VBox(space, far);
            inner.setMinHeight(2000);
            ScrollPane area = named(new ScrollPane(inner), "area");
            area.setAccessibleText("Area");
            area.setFitToWidth(true);
            area.setPrefHeight(240);
            GridPane.setVgrow(area, Priority.ALWAYS);
            wide(grid, area);
            Label pad = named(new Label("Right-click me"), "pad");
            pad.setMaxWidth(Double.MAX_VALUE);
            ContextMenu menu = new ContextMenu(entry("Copy", "copied"));
            pad.setContextMenu(menu);
            wide(grid, pad);
            return grid;
        }

        // -- what happens -----------------------------------------------------------------------------

        private void placeOrder() {
            Alert box = new Alert(
                    Alert.AlertType.CONFIRMATION,
                    "Place the order for " + name.getText() + "?",
                    ButtonType.YES,
                    ButtonType.NO);
            box.initOwner(stage);
            box.setTitle("Confirm");
            box.setHeaderText(null);
            boolean yes = box.showAndWait().filter(ButtonType.YES::equals).isPresent();
            say(yes ? "ordered" : "order cancelled");
        }

        private void loadLater() {
            say("loading");
            PauseTransition pause = new PauseTransition(Duration.millis(300));
            pause.setOnFinished(over -> {
                send.setDisable(false);
                hint.setManaged(true);
                hint.setVisible(true);
                say("loaded");
            });
            pause.play();
        }

        private <T> void follow(ObservableValue<T> property, java.util.function.Function<T, String> words) {
            property.addListener((changed, before, now) -> {
                if (now != null) {
                    say(words.apply(now));
                }
            });
        }

        // -- how it is put together -------------------------------------------------------------------

        private static <N extends Node> N named(N node, String id) {
            node.setId(id);
            return node;
        }

        private static GridPane grid() {
            GridPane grid = new GridPane();
            grid.setPadding(new Insets(6));
            grid.setHgap(6);
            grid.setVgap(6);
            ColumnConstraints labels = new ColumnConstraints();
            labels.setMinWidth(Region.USE_PREF_SIZE);
            ColumnConstraints fields = new ColumnConstraints();
            fields.setHgrow(Priority.ALWAYS);
            grid.getColumnConstraints().addAll(List.of(labels, fields));
            return grid;
        }

        private static void row(GridPane grid, String text, Node field) {
            Label label = new Label(text);
            label.setMnemonicParsing(true);
            label.setLabelFor(field);
            label.setAlignment(Pos.CENTER_LEFT);
            grid.addRow(grid.getRowCount(), label, field);
        }

        private static void wide(GridPane grid, Node field) {
            grid.add(field, 0, grid.getRowCount(), 2, 1);
        }

        private static String truth(boolean on) {
            return on ? "True" : "False";
        }

        private static String json(String text) {
            return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
        }
    }
}
