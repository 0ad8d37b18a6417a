package deskhand.fx;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import javafx.animation.AnimationTimer;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.Tab;
import javafx.scene.control.TabPane;
import javafx.stage.Stage;
import javafx.stage.Window;

/** Answers requests: what each means, and on which thread it runs. */
final class Desk {
    private static Desk instance;

    private final Registry registry = new Registry();
    private final Changes changes = new Changes(registry);
    private final Actor actor = new Actor(registry);

    static synchronized Desk instance() {
        if (instance == null) {
            instance = new Desk();
        }
        return instance;
    }

    Registry registry() {
        return registry;
    }

    Changes changes() {
        return changes;
    }

    /** Writes the answer to a request of a peer that already has a part of it; returns the data that belong to it, usually none. */
    byte[] answer(String what, Request request, Told told, Out out) {
        switch (what) {
            case "hello":
                hello(request, out);
                return null;
            case "read":
                out.append(read(request, told));
                return null;
            case "lookup":
                Json.write(out, Ui.call(request.deadline, () -> lookup(request)));
                return null;
            case "perform":
                Json.write(out, actor.perform(request));
                return null;
            case "screenshot":
                return screenshot(request, out);
            case "idle":
                Json.write(out, idle(request));
                return null;
            case "state":
                Json.write(out, Ui.call(request.deadline, Desk::state));
                return null;
            default:
                throw new Failure("unknown_method", "the agent does not know " + Text.quote(what));
        }
    }

    /** What is known without the FX thread; the list of windows changes there, and is only counted. */
    private static void hello(Request request, Out out) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("protocol", 1);
        told.put("pid", ProcessHandle.current().pid());
        told.put("java", System.getProperty("java.version"));
        told.put("javafx", System.getProperty("javafx.version", System.getProperty("javafx.runtime.version")));
        String command = System.getProperty("sun.java.command", "");
        told.put("main", command.isEmpty() ? null : command.split(" ", 2)[0]);
        told.put("windows", Window.getWindows().size());
        told.put("display", System.getenv("DISPLAY"));
        told.put("authority", System.getenv("XAUTHORITY"));
        try {
            told.put("title", Ui.call(request.deadline, () -> Windows.title(Windows.main())));
        } catch (Failure failure) {
            if (!List.of("ui_busy", "no_windows").contains(failure.kind)) {
                throw failure;
            }
            // Fallback: while the FX thread is blocked, or without a window, this is unknown.
            told.put("title", null);
        }
        Json.write(out, told);
    }

    private Out read(Request request, Told told) {
        String root = request.string("root");
        Integer depth = request.whole("depth");
        boolean details = request.flag("details");
        boolean internals = request.flag("internals");
        boolean cold = request.flag("cold");
        boolean everything = root == null && depth == null && !details && !internals && !cold;
        Integer held = request.whole("since");
        return Ui.call(
                request.deadline,
                () -> everything
                        ? Reader.since(registry, told, held)
                        : new Reader(registry, depth, details, internals, cold).read(root));
    }

    private Map<String, Object> lookup(Request request) {
        String css = request.string("css", "");
        String uid = request.string("window");
        int limit = request.whole("limit", 1_000);
        List<Window> windows = uid == null ? Windows.showing() : List.of(window(uid));
        List<String> uids = new ArrayList<>();
        for (Window window : windows) {
            Parent root = window.getScene() == null ? null : window.getScene().getRoot();
            if (root == null) {
                continue;
            }
            Set<Node> found;
            try {
                found = root.lookupAll(css);
            } catch (RuntimeException error) {
                throw Failure.invalid("css", Text.quote(css) + " is not a selector that JavaFX can read: " + error);
            }
            Map<Node, Integer> order = new LinkedHashMap<>();
            number(root, order);
            List<Node> sorted = new ArrayList<>(found);
            sorted.sort(Comparator.comparing(node -> order.getOrDefault(node, Integer.MAX_VALUE)));
            for (Node node : sorted) {
                if (uids.size() < limit) {
                    uids.add(actor.uidOf(node));
                }
            }
        }
        return Map.of("uids", uids);
    }

    private Window window(String uid) {
        Object there = registry.get(uid);
        Window window = Windows.windowOf(there, registry, registry.find(uid));
        if (window == null) {
            throw new Failure("window_not_found", uid + " is in no window");
        }
        return window;
    }

    private static void number(Node node, Map<Node, Integer> order) {
        order.put(node, order.size());
        if (node instanceof Parent) {
            for (Node child : ((Parent) node).getChildrenUnmodifiable()) {
                number(child, order);
            }
        }
    }

    private byte[] screenshot(Request request, Out out) {
        String uid = request.string("uid");
        Shot shot = Ui.call(request.deadline, () -> Shot.take(uid == null ? Windows.main() : registry.get(uid), registry, uid));
        Json.write(out, Map.of("width", shot.width, "height", shot.height, "scale", shot.scale));
        return shot.png();
    }

    /** Waits for what has been posted, then for a pulse, then for what that posted. */
    private static Map<String, Object> idle(Request request) {
        Ui.call(request.deadline, () -> null);
        pulse(request.deadline);
        return Map.of("windows", Ui.call(request.deadline, Frames::believed));
    }

    /** Waits for the next pulse, which lays things out and draws them, and for what it posted. */
    static void pulse(Ui.Deadline deadline) {
        CountDownLatch pulse = new CountDownLatch(1);
        Ui.call(
                deadline,
                () -> {
                    new AnimationTimer() {
                        @Override
                        public void handle(long now) {
                            stop();
                            pulse.countDown();
                        }
                    }.start();
                });
        if (!Ui.await(pulse, deadline.nanosLeft())) {
            throw deadline.busy();
        }
        Ui.call(deadline, () -> null);
    }

    private static Map<String, Object> state() {
        Map<String, Object> told = new LinkedHashMap<>();
        boolean foreground = false;
        String modal = null;
        for (Window window : Windows.showing()) {
            foreground |= window.isFocused();
            if (window instanceof Stage && Windows.isModal((Stage) window)) {
                String title = Windows.title(window);
                modal = title == null ? Text.type(window).getSimpleName() : title;
            }
        }
        told.put("foreground", foreground);
        told.put("modal_dialog", modal);
        told.put("active_view", activeView());
        return told;
    }

    /** The tab that is shown if there are tabs in the main window, else its title. */
    private static String activeView() {
        List<Window> all = Windows.showing();
        if (all.isEmpty() || all.get(0).getScene() == null) {
            return null;
        }
        Node tabs = all.get(0).getScene().getRoot().lookup(".tab-pane");
        Tab chosen = tabs instanceof TabPane ? ((TabPane) tabs).getSelectionModel().getSelectedItem() : null;
        return chosen == null ? Windows.title(all.get(0)) : chosen.getText();
    }

}
