package deskhand.fx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javafx.event.Event;
import javafx.scene.Scene;
import javafx.stage.Modality;
import javafx.stage.PopupWindow;
import javafx.stage.Stage;
import javafx.stage.Window;
import javafx.stage.WindowEvent;

/** Windows as a person handles them: move, resize, close; and which of them may be used. */
final class Frames {
    private static final double SETTLES = 1.0;

    private final Actor actor;

    Frames(Actor actor) {
        this.actor = actor;
    }

    Map<String, Object> control(Request request, Object target) {
        Ui.Deadline deadline = request.deadline;
        Window window = Ui.call(deadline, () -> target == null ? Windows.main() : actor.windowOf(target));
        String what = request.string("do", "focus");
        if (what.equals("close")) {
            Ui.act(
                    deadline,
                    () -> {
                        close(window);
                    });
            return Map.of();
        }
        if (!(window instanceof Stage)) {
            throw Failure.unsupported(window, "is a pop-up, which can only be closed");
        }
        Stage stage = (Stage) window;
        switch (what) {
            case "focus":
                actor.activate(deadline, stage);
                break;
            case "move":
                move(deadline, stage, request.number("x"), request.number("y"));
                break;
            case "resize":
                resize(deadline, stage, request.number("width"), request.number("height"));
                break;
            default:
                show(deadline, stage, what);
        }
        Desk.pulse(deadline);
        return Map.of();
    }

    private static void close(Window window) {
        if (window instanceof Stage) {
            insistOnUnblocked(window);
            // As the window manager asks it to: the program may refuse, or ask first.
            Event.fireEvent(window, new WindowEvent(window, WindowEvent.WINDOW_CLOSE_REQUEST));
        } else {
            window.hide();
        }
    }

    private static void move(Ui.Deadline deadline, Stage stage, Double x, Double y) {
        double[] to = Ui.call(
                deadline,
                () -> {
                    Place at = Place.in(stage);
                    // Asked for is where the content is; JavaFX moves the frame around it.
                    double left = x == null ? stage.getX() : x - (at.left - stage.getX());
                    double top = y == null ? stage.getY() : y - (at.top - stage.getY());
                    stage.setX(left);
                    stage.setY(top);
                    return new double[] {left, top};
                });
        Ui.eventually(deadline, SETTLES, () -> stage.getX() == to[0] && stage.getY() == to[1]);
    }

    private static void resize(Ui.Deadline deadline, Stage stage, Double width, Double height) {
        Ui.call(
                deadline,
                () -> {
                    if (!stage.isResizable()) {
                        throw Failure.unsupported(stage, "cannot be resized");
                    }
                    if (width != null) {
                        stage.setWidth(width + stage.getWidth() - stage.getScene().getWidth());
                    }
                    if (height != null) {
                        stage.setHeight(height + stage.getHeight() - stage.getScene().getHeight());
                    }
                });
        Ui.eventually(
                deadline,
                SETTLES,
                () -> (width == null || stage.getScene().getWidth() == width)
                        && (height == null || stage.getScene().getHeight() == height));
    }

    private static void show(Ui.Deadline deadline, Stage stage, String what) {
        boolean minimized = what.equals("minimize");
        boolean maximized = what.equals("maximize");
        if (!minimized && !maximized && !what.equals("restore")) {
            throw Failure.invalid("do", "no window action " + Text.quote(what));
        }
        Ui.call(
                deadline,
                () -> {
                    stage.setIconified(minimized);
                    if (!minimized) {
                        stage.setMaximized(maximized);
                        stage.setFullScreen(false);
                    }
                });
        Ui.eventually(deadline, SETTLES, () -> stage.isIconified() == minimized && (minimized || stage.isMaximized() == maximized));
    }

    /** What JavaFX believes of the windows that a window manager places, in pixels of the display. */
    static List<Map<String, Object>> believed() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Window window : Windows.showing()) {
            if (window instanceof Stage) {
                Map<String, Object> told = new LinkedHashMap<>();
                double scaleX = window.getOutputScaleX();
                double scaleY = window.getOutputScaleY();
                told.put("title", ((Stage) window).getTitle());
                told.put(
                        "bounds",
                        List.of(window.getX() * scaleX, window.getY() * scaleY, window.getWidth() * scaleX, window.getHeight() * scaleY));
                // Another size than that of the window is one that JavaFX has yet to ask the window manager for.
                Scene scene = window.getScene();
                told.put(
                        "content",
                        scene == null
                                ? null
                                : List.of(
                                        (window.getX() + scene.getX()) * scaleX, (window.getY() + scene.getY()) * scaleY,
                                        scene.getWidth() * scaleX, scene.getHeight() * scaleY));
                told.put("scale", scaleX);
                told.put("shown", !((Stage) window).isIconified());
                told.put("focused", window.isFocused());
                all.add(told);
            }
        }
        return all;
    }

    /** The window that key strokes go to. */
    static Window focused() {
        for (Window window : Windows.showing()) {
            if (window.isFocused()) {
                return window;
            }
        }
        // Fallback: another program has the keyboard; meant is the topmost window of this one.
        List<Window> all = Windows.showing();
        for (int i = all.size() - 1; i >= 0; i--) {
            if (!(all.get(i) instanceof PopupWindow)) {
                return all.get(i);
            }
        }
        return Windows.main();
    }

    /** Fails if a modal dialog keeps everybody from using a window. */
    static void insistOnUnblocked(Window window) {
        Stage blocker = blocker(window);
        if (blocker != null) {
            throw new Failure("action_failed", Text.describe(window) + " is blocked by the dialog " + Text.describe(blocker))
                    .with("suggestions", List.of("answer that dialog first"));
        }
    }

    private static Stage blocker(Window window) {
        Window own = window;
        while (own instanceof PopupWindow) {
            own = ((PopupWindow) own).getOwnerWindow();
        }
        List<Window> all = Window.getWindows();
        // Of two modal dialogs, the one that was opened later is in front.
        for (int i = all.size() - 1; i >= 0; i--) {
            Window other = all.get(i);
            if (other == own) {
                return null;
            }
            if (!(other instanceof Stage) || !other.isShowing() || isOwnedBy(own, other)) {
                continue;
            }
            Modality modality = ((Stage) other).getModality();
            if (modality == Modality.APPLICATION_MODAL || (modality == Modality.WINDOW_MODAL && isOwnedBy(other, own))) {
                return (Stage) other;
            }
        }
        return null;
    }

    private static boolean isOwnedBy(Window window, Window owner) {
        Window above = window;
        while (above != null && above != owner) {
            above = above instanceof Stage ? ((Stage) above).getOwner() : null;
        }
        return above != null;
    }
}
