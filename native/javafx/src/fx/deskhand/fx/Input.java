package deskhand.fx;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javafx.application.Platform;
import javafx.event.Event;
import javafx.event.EventHandler;
import javafx.event.EventTarget;
import javafx.event.EventType;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.input.InputEvent;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.input.MouseButton;
import javafx.scene.input.MouseEvent;
import javafx.scene.input.PickResult;
import javafx.scene.input.ScrollEvent;
import javafx.scene.robot.Robot;
import javafx.stage.Window;

/**
 * Mouse and keyboard: by the robot, whose input takes the way of a person's through the window system; by events of
 * our own where that does not arrive.
 */
final class Input {
    /**
     * How long the window system gets to bring what the robot did, in milliseconds, while it has nothing else to do.
     * Four of these, for a click at the pointer, must be less than a second.
     */
    private static final long ARRIVES = 200;

    private static final long BUSY = 50;
    private static final long NUDGE = 50;

    private static final double NEAR = 1.5;
    /** Further than the clicks of a double click may lie apart, on any system. */
    private static final double ASIDE = 24;

    private static final int NOTCH = 40;
    private static final Map<String, KeyCode> MODIFIERS =
            Map.of("ctrl", KeyCode.CONTROL, "shift", KeyCode.SHIFT, "alt", KeyCode.ALT, "meta", KeyCode.META);
    private static final Map<String, KeyCode> SIGNS = signs();

    private Robot robot;
    /** Where the mouse was last put, for a button that is let go where it is. */
    private Actor.Spot last;

    // -- mouse ----------------------------------------------------------------------------------

    /** Puts the mouse somewhere; whether that arrived at the window. */
    boolean move(Ui.Deadline deadline, Actor.Spot spot) {
        last = spot;
        boolean there = Ui.call(deadline, () -> isNear(robot().getMouseX(), robot().getMouseY(), spot));
        if (there) {
            // A mouse that is already there would not be moved, and a second click make a double click of
            // the first: it comes from the side.
            put(deadline, spot, Ui.call(deadline, () -> aside(spot)));
        }
        Heard heard = put(deadline, spot, 0);
        boolean arrived = heard.event != null;
        if (!arrived) {
            // Fallback: something else is in front of the window, or the window system does not let us move the mouse.
            Ui.act(
                    deadline,
                    () -> {
                        Node hit = hit(spot);
                        insistOnUncovered(spot, hit);
                        fire(spot, hit, MouseEvent.MOUSE_ENTERED_TARGET, MouseButton.NONE, 0, List.of());
                        fire(spot, hit, MouseEvent.MOUSE_MOVED, MouseButton.NONE, 0, List.of());
                    });
            return false;
        }
        Ui.call(
                deadline,
                () -> {
                    insistOnUncovered(spot, ((MouseEvent) heard.event).getPickResult().getIntersectedNode());
                });
        return true;
    }

    /** How far to go to be next to a spot, and still in the window. */
    private static double aside(Actor.Spot spot) {
        Place place = Place.in(spot.window);
        return spot.x - ASIDE > place.left ? -ASIDE : Math.min(ASIDE, place.right - spot.x - 1);
    }

    /** Moves the mouse to a spot, or next to it, and waits until the window has received that. */
    private Heard put(Ui.Deadline deadline, Actor.Spot spot, double beside) {
        Actor.Spot to = new Actor.Spot(spot.window, spot.node, spot.x + beside, spot.y);
        Heard heard = new Heard(spot.window, MouseEvent.ANY, event -> isNear(((MouseEvent) event).getScreenX(), ((MouseEvent) event).getScreenY(), to));
        Ui.call(
                deadline,
                () -> {
                    heard.listen();
                    robot().mouseMove(to.x, to.y);
                });
        heard.within(deadline, 1, ARRIVES);
        return heard;
    }

    Map<String, Object> click(Ui.Deadline deadline, Actor.Spot spot, String button, int count, List<String> modifiers) {
        if (!move(deadline, spot)) {
            Ui.act(
                    deadline,
                    () -> {
                        for (int number = 1; number <= count; number++) {
                            Node hit = hit(spot); // which also gets the release, whatever is there by then
                            fire(spot, hit, MouseEvent.MOUSE_PRESSED, button(button), number, modifiers);
                            fire(spot, hit, MouseEvent.MOUSE_RELEASED, button(button), number, modifiers);
                            fire(spot, hit, MouseEvent.MOUSE_CLICKED, button(button), number, modifiers);
                        }
                    });
            return Map.of("detail", "by events: the window system did not bring the pointer there");
        }
        holding(
                deadline,
                modifiers,
                () -> {
                    for (int number = 0; number < count; number++) {
                        down(deadline, spot, button);
                        up(deadline, spot, button);
                    }
                });
        return Map.of();
    }

    void press(Ui.Deadline deadline, Actor.Spot spot, String button, List<String> modifiers) {
        if (!move(deadline, spot)) {
            throw new Failure("action_failed", "the pointer did not come to the window; something may be in front of it");
        }
        holding(deadline, modifiers, () -> down(deadline, spot, button));
    }

    void release(Ui.Deadline deadline, Actor.Spot spot, String button) {
        Actor.Spot there = spot == null ? last : spot;
        if (there == null) {
            throw new Failure("action_failed", "the mouse has been nowhere yet").with("suggestions", List.of("name a target"));
        }
        if (spot != null && !isThere(deadline, spot)) {
            glide(deadline, last == null ? spot : last, spot, 5);
        }
        up(deadline, there, button);
    }

    void drag(Ui.Deadline deadline, Actor.Spot from, Actor.Spot to, String button, List<String> modifiers, int steps) {
        press(deadline, from, button, List.of());
        try {
            holding(
                    deadline,
                    modifiers,
                    () -> {
                        glide(deadline, from, to, Math.max(2, steps));
                        up(deadline, to, button);
                    });
        } catch (Failure failure) {
            // Whatever went wrong, no mouse button stays down.
            Platform.runLater(() -> robot().mouseRelease(button(button)));
            throw failure;
        }
    }

    /** Whether the mouse is at a spot already: a program that hears of a move takes it for a drag. */
    private boolean isThere(Ui.Deadline deadline, Actor.Spot spot) {
        return Ui.call(deadline, () -> isNear(robot().getMouseX(), robot().getMouseY(), spot));
    }

    private void glide(Ui.Deadline deadline, Actor.Spot from, Actor.Spot to, int steps) {
        for (int step = 1; step <= steps; step++) {
            double part = (double) step / steps;
            Ui.call(
                    deadline,
                    () -> {
                        robot().mouseMove(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
                    });
            Ui.sleep(8); // programs follow a drag by its steps; all at once would be one
        }
        last = to;
    }

    private void down(Ui.Deadline deadline, Actor.Spot spot, String button) {
        Heard heard = new Heard(spot.window, MouseEvent.MOUSE_PRESSED, event -> true);
        Ui.call(
                deadline,
                () -> {
                    heard.listen();
                    robot().mousePress(button(button));
                });
        if (!heard.within(deadline, 1, ARRIVES)) {
            Ui.call(
                    deadline,
                    () -> {
                        robot().mouseRelease(button(button));
                    });
            throw new Failure("action_failed", "the mouse button was pressed, but the window did not hear of it");
        }
    }

    private void up(Ui.Deadline deadline, Actor.Spot spot, String button) {
        Heard heard = new Heard(spot.window, MouseEvent.MOUSE_RELEASED, event -> true);
        Ui.act(
                deadline,
                () -> {
                    heard.listen();
                    robot().mouseRelease(button(button));
                });
        heard.within(deadline, 1, ARRIVES);
        // Returns when the program has dealt with it, or has opened an event loop in which it goes on.
        Ui.call(deadline, () -> null);
    }

    /** Turns the wheel over a spot, one notch at a time; positive is down. */
    void wheel(Ui.Deadline deadline, Actor.Spot spot, double dx, double dy) {
        boolean arrived = move(deadline, spot);
        int notches = (int) Math.round(dy);
        if (arrived && dx == 0 && notches == dy && notches != 0) {
            Heard heard = new Heard(spot.window, ScrollEvent.SCROLL, event -> true);
            Ui.call(
                    deadline,
                    () -> {
                        heard.listen();
                        robot().mouseWheel(notches);
                    });
            heard.within(deadline, Math.abs(notches), ARRIVES);
            Ui.call(deadline, () -> null);
            return;
        }
        // Fallback: the robot turns one wheel only, and by whole notches.
        Ui.act(
                deadline,
                () -> {
                    Node node = hit(spot);
                    javafx.geometry.Point2D in = node.getScene().getRoot().screenToLocal(spot.x, spot.y);
                    PickResult pick = new PickResult(node, in.getX(), in.getY());
                    Event.fireEvent(
                            node,
                            new ScrollEvent(
                                    ScrollEvent.SCROLL, in.getX(), in.getY(), spot.x, spot.y, false, false, false, false,
                                    false, false, -dx * NOTCH, -dy * NOTCH, -dx * NOTCH, -dy * NOTCH,
                                    ScrollEvent.HorizontalTextScrollUnits.NONE, 0, ScrollEvent.VerticalTextScrollUnits.NONE, 0,
                                    0, pick));
                });
    }

    private static boolean isNear(double x, double y, Actor.Spot spot) {
        return Math.abs(x - spot.x) <= NEAR && Math.abs(y - spot.y) <= NEAR;
    }

    /** Fails if something else would get the click. */
    private static void insistOnUncovered(Actor.Spot spot, Node hit) {
        if (spot.node == null || hit == null || isWithin(hit, spot.node) || isWithin(spot.node, hit)) {
            return;
        }
        String cover = Text.describe(Controls.whole(hit));
        throw new Failure("not_ready", Text.describe(spot.node) + " is covered there by " + cover)
                .with("covered_by", cover)
                .with("suggestions", List.of("click at another point of it by x and y", "close what is in front of it"));
    }

    static boolean isWithin(Node node, Node around) {
        Node above = node;
        while (above != null && above != around) {
            above = above.getParent();
        }
        return above != null;
    }

    /** What a real mouse would hit there: mostly a part deep inside of what is meant, which passes the event on. */
    private static Node hit(Actor.Spot spot) {
        Scene scene = spot.window.getScene();
        Node hit = Hit.at(scene.getRoot(), spot.x - spot.window.getX() - scene.getX(), spot.y - spot.window.getY() - scene.getY());
        return hit == null ? scene.getRoot() : hit;
    }

    private static void fire(
            Actor.Spot spot, Node node, EventType<MouseEvent> type, MouseButton button, int count, List<String> modifiers) {
        Scene scene = spot.window.getScene();
        double x = spot.x - spot.window.getX() - scene.getX();
        double y = spot.y - spot.window.getY() - scene.getY();
        boolean down = type == MouseEvent.MOUSE_PRESSED;
        Event.fireEvent(
                node,
                new MouseEvent(
                        type, x, y, spot.x, spot.y, button, count, modifiers.contains("shift"), modifiers.contains("ctrl"),
                        modifiers.contains("alt"), modifiers.contains("meta"), down && button == MouseButton.PRIMARY,
                        down && button == MouseButton.MIDDLE, down && button == MouseButton.SECONDARY, true,
                        button == MouseButton.SECONDARY && down, true, new PickResult(node, x, y)));
    }

    private static MouseButton button(String name) {
        switch (name) {
            case "right":
                return MouseButton.SECONDARY;
            case "middle":
                return MouseButton.MIDDLE;
            default:
                return MouseButton.PRIMARY;
        }
    }

    // -- keyboard -------------------------------------------------------------------------------

    /** Presses a key with modifiers held: one with a code, or one that types a text. */
    Map<String, Object> key(Ui.Deadline deadline, Window window, String code, String text, List<String> modifiers) {
        KeyCode key = code == null ? keyOf(text) : codeOf(code);
        // Plus is on the key of another sign, which a robot would press instead.
        boolean real = key != KeyCode.UNDEFINED && key != KeyCode.PLUS && Ui.call(deadline, () -> isAtKeyboard(window));
        if (real) {
            Heard heard = new Heard(null, KeyEvent.KEY_RELEASED, event -> ((KeyEvent) event).getCode() == key);
            holding(
                    deadline,
                    modifiers,
                    () -> {
                        Ui.act(
                                deadline,
                                () -> {
                                    heard.listen();
                                    robot().keyPress(key);
                                    robot().keyRelease(key);
                                });
                        heard.within(deadline, 1, ARRIVES);
                    });
            Ui.call(deadline, () -> null);
            if (heard.event != null) {
                return Map.of();
            }
        }
        // Fallback: the keyboard has no such key, or no window of the program has the focus.
        Ui.act(
                deadline,
                () -> {
                    stroke(window, key, text, modifiers);
                });
        return Map.of("detail", "by events: the keyboard did not bring it");
    }

    /** Types a text into what has the focus. By events: a keyboard has few of all letters. */
    void type(Ui.Deadline deadline, Window window, String text) {
        int[] points = text.codePoints().toArray();
        int at = 0;
        while (at < points.length) {
            int from = at;
            int until = Math.min(points.length, at + 200);
            Ui.act(
                    deadline,
                    () -> {
                        for (int i = from; i < until; i++) {
                            if (!(points[i] == '\n' && i > 0 && points[i - 1] == '\r')) {
                                type(window, points[i]);
                            }
                        }
                    });
            at = until;
        }
    }

    private static void type(Window window, int point) {
        String one = new String(Character.toChars(point));
        if (point == '\n' || point == '\r') {
            stroke(window, KeyCode.ENTER, "\r", List.of());
        } else {
            stroke(window, point == '\t' ? KeyCode.TAB : keyOf(one), one, List.of());
        }
    }

    /** Presses a key on a node, whatever has the focus. */
    static void stroke(Node node, KeyCode key) {
        for (EventType<KeyEvent> type : List.of(KeyEvent.KEY_PRESSED, KeyEvent.KEY_RELEASED)) {
            Event.fireEvent(node, new KeyEvent(type, KeyEvent.CHAR_UNDEFINED, "", key, false, false, false, false));
        }
    }

    private static void stroke(Window window, KeyCode key, String text, List<String> modifiers) {
        boolean shift = modifiers.contains("shift");
        boolean ctrl = modifiers.contains("ctrl");
        boolean alt = modifiers.contains("alt");
        boolean meta = modifiers.contains("meta");
        String character = text == null ? KeyEvent.CHAR_UNDEFINED : text;
        String label = text == null ? "" : text;
        Event.fireEvent(taker(window), new KeyEvent(KeyEvent.KEY_PRESSED, KeyEvent.CHAR_UNDEFINED, label, key, shift, ctrl, alt, meta));
        if (text != null && !ctrl && !meta) {
            Event.fireEvent(taker(window), new KeyEvent(KeyEvent.KEY_TYPED, character, "", KeyCode.UNDEFINED, shift, ctrl, alt, meta));
        }
        Event.fireEvent(taker(window), new KeyEvent(KeyEvent.KEY_RELEASED, KeyEvent.CHAR_UNDEFINED, label, key, shift, ctrl, alt, meta));
    }

    /** What gets a key stroke now: the focus may have moved by the one before. */
    private static EventTarget taker(Window window) {
        Scene scene = window.getScene();
        Node owner = scene == null ? null : scene.getFocusOwner();
        return owner != null ? owner : scene != null ? scene : window;
    }

    private static boolean isAtKeyboard(Window window) {
        if (window.isFocused()) {
            return true;
        }
        Window owner = window instanceof javafx.stage.PopupWindow ? ((javafx.stage.PopupWindow) window).getOwnerWindow() : null;
        return owner != null && isAtKeyboard(owner);
    }

    /** Does something while modifiers are held; they are let go whatever happens. */
    private void holding(Ui.Deadline deadline, List<String> modifiers, Runnable work) {
        if (modifiers.isEmpty()) {
            work.run();
            return;
        }
        Ui.call(
                deadline,
                () -> {
                    modifiers.forEach(modifier -> robot().keyPress(MODIFIERS.get(modifier)));
                });
        try {
            work.run();
        } finally {
            Platform.runLater(() -> modifiers.forEach(modifier -> robot().keyRelease(MODIFIERS.get(modifier))));
        }
    }

    private static KeyCode codeOf(String name) {
        try {
            return KeyCode.valueOf(name);
        } catch (IllegalArgumentException unknown) {
            throw new Failure("invalid_key", "JavaFX has no key " + Text.quote(name)).with("field", "keys");
        }
    }

    /** The key that types a character on the usual keyboard. */
    private static KeyCode keyOf(String text) {
        if (text == null || text.length() != 1) {
            return KeyCode.UNDEFINED;
        }
        char c = Character.toUpperCase(text.charAt(0));
        if (c >= 'A' && c <= 'Z') {
            return KeyCode.valueOf(String.valueOf(c));
        }
        if (c >= '0' && c <= '9') {
            return KeyCode.valueOf("DIGIT" + c);
        }
        return SIGNS.getOrDefault(text, KeyCode.UNDEFINED);
    }

    private static Map<String, KeyCode> signs() {
        Map<String, KeyCode> signs = new HashMap<>();
        signs.put(" ", KeyCode.SPACE);
        signs.put("+", KeyCode.PLUS);
        signs.put("-", KeyCode.MINUS);
        signs.put("=", KeyCode.EQUALS);
        signs.put(",", KeyCode.COMMA);
        signs.put(".", KeyCode.PERIOD);
        signs.put("/", KeyCode.SLASH);
        signs.put("\\", KeyCode.BACK_SLASH);
        signs.put(";", KeyCode.SEMICOLON);
        signs.put("'", KeyCode.QUOTE);
        signs.put("`", KeyCode.BACK_QUOTE);
        signs.put("[", KeyCode.OPEN_BRACKET);
        signs.put("]", KeyCode.CLOSE_BRACKET);
        return signs;
    }

    /** Made on the FX thread, where a robot must be made. */
    private Robot robot() {
        if (robot == null) {
            robot = new Robot();
        }
        return robot;
    }

    /** Listens for an event in a window, or in all of them, until it has come so often. */
    private final class Heard {
        final List<Window> windows = new ArrayList<>();
        private final EventType<? extends InputEvent> type;
        private final Predicate<Event> wanted;
        private final AtomicInteger count = new AtomicInteger();
        private final Window only;
        private volatile CountDownLatch next = new CountDownLatch(1);
        volatile Event event;
        private final EventHandler<InputEvent> filter = this::hear;

        Heard(Window window, EventType<? extends InputEvent> type, Predicate<Event> wanted) {
            this.only = window;
            this.type = type;
            this.wanted = wanted;
        }

        /** On the FX thread, before the robot does it. */
        void listen() {
            windows.addAll(only == null ? Windows.showing() : List.of(only));
            for (Window window : windows) {
                window.addEventFilter(type, filter);
            }
        }

        private void hear(InputEvent heard) {
            if (wanted.test(heard)) {
                event = heard;
                count.incrementAndGet();
                next.countDown();
            }
        }

        /** Whether the window system or the FX thread had no time; what came of it until now is heard. */
        private boolean wasBusy(Ui.Deadline deadline) {
            long began = System.nanoTime();
            // Asked where the mouse is, the window system answers when it has done everything before.
            Ui.call(deadline, () -> robot().getMouseX());
            Ui.call(deadline, () -> null);
            return System.nanoTime() - began > TimeUnit.MILLISECONDS.toNanos(BUSY);
        }

        /** Whether it came so often, with no longer between two than so many milliseconds. */
        boolean within(Ui.Deadline deadline, int times, long milliseconds) {
            try {
                long waited = 0;
                while (count.get() < times) {
                    CountDownLatch waiting = next;
                    if (Ui.await(waiting, Math.min(TimeUnit.MILLISECONDS.toNanos(NUDGE), deadline.nanosLeft()))) {
                        next = new CountDownLatch(1);
                        waited = 0;
                    } else if (waited < milliseconds && !deadline.passed()) {
                        // New events may be in a queue that the FX thread looks into only when it has something to do.
                        Platform.runLater(() -> {});
                        waited += NUDGE;
                    } else if (!wasBusy(deadline) && count.get() < times) {
                        return false;
                    } else {
                        waited = 0;
                    }
                }
                return true;
            } finally {
                Platform.runLater(
                        () -> {
                            for (Window window : windows) {
                                window.removeEventFilter(type, filter);
                            }
                        });
            }
        }
    }
}
