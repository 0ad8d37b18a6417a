import javafx.animation.AnimationTimer;
import javafx.application.Application;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.Label;
import javafx.scene.control.Slider;
import javafx.scene.control.TextField;
import javafx.scene.layout.HBox;
import javafx.scene.layout.VBox;
import javafx.stage.Stage;

/** A JavaFX window with many nodes: as many as the first argument says, in rows of six. Tells when it has drawn them. */
public class Nodes extends Application {
    public static void main(String[] words) {
        launch(words);
    }

    @Override
    public void start(Stage stage) {
        int count = Integer.parseInt(getParameters().getRaw().get(0));
        VBox root = new VBox();
        for (int row = 0; row < count / 6; row++) {
            Button button = new Button("Press " + row);
            button.setId("button_" + row);
            TextField field = new TextField("text " + row);
            field.setPromptText("say something");
            CheckBox box = new CheckBox("Choice " + row);
            box.setSelected(row % 2 == 0);
            Slider slider = new Slider(0, 100, row % 100);
            root.getChildren().add(new HBox(new Label("Row " + row), button, field, box, slider));
        }
        stage.setTitle("Many nodes");
        stage.setScene(new Scene(root, 800, 600));
        stage.show();
        new AnimationTimer() {
            private int frames;

            @Override
            public void handle(long now) {
                if (++frames == 3) {
                    stop();
                    System.out.println("shown");
                    System.out.flush();
                }
            }
        }.start();
    }
}
