import javafx.application.Application;
import javafx.collections.FXCollections;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.ListView;
import javafx.scene.control.Slider;
import javafx.scene.control.Spinner;
import javafx.scene.control.TextField;
import javafx.scene.layout.VBox;
import javafx.stage.Stage;

/** Controls that no input can end the program by, or keep it busy with. */
public final class Form extends Application {
    @Override
    public void start(Stage stage) {
        TextField name = new TextField();
        name.textProperty().addListener((at, old, text) -> {
            if (text.length() > 200) {
                name.setText(text.substring(0, 200));
            }
        });
        Label said = new Label("nothing");
        Button greet = new Button("Greet");
        greet.setOnAction(event -> said.setText("Hello, " + name.getText()));
        ComboBox<String> country = new ComboBox<>(FXCollections.observableArrayList("one", "two", "three"));
        ListView<String> list = new ListView<>(FXCollections.observableArrayList("a", "b", "c", "d"));
        VBox box = new VBox(name, greet, new CheckBox("Agree"), country, list, new Slider(), new Spinner<>(0, 9, 1), said);
        stage.setTitle("Form");
        stage.setScene(new Scene(box, 300, 300));
        stage.setOnCloseRequest(event -> event.consume());
        stage.show();
    }
}
