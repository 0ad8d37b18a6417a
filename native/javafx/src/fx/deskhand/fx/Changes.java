package deskhand.fx;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javafx.application.Platform;
import javafx.beans.value.ChangeListener;
import javafx.collections.ListChangeListener;
import javafx.scene.Scene;
import javafx.stage.Window;

/**
 * Reports to subscribers when something looks different. Driven by JavaFX's pulses, and costs nothing without a subscriber.
 *
 * <p>A pulse alone says little: a blinking caret makes sixty a second. So after a pulse the tree is read and compared
 * with the last one, so rarely that it takes at most a tenth of the FX thread's time.
 */
final class Changes {
    private static final int SHARE = 10;

    private final List<Runnable> subscribers = new CopyOnWriteArrayList<>();
    private final Registry registry;
    private final Runnable pulse = this::pulsed;
    private final Map<Scene, Boolean> watched = new IdentityHashMap<>();
    private final List<Window> followed = new ArrayList<>();
    private final ListChangeListener<Window> windows = change -> watch();
    private final ChangeListener<Scene> scenes = (property, before, now) -> watch();
    private ScheduledExecutorService later;
    private String last = "";
    private long nextLook;
    private boolean planned;

    Changes(Registry registry) {
        this.registry = registry;
    }

    /** Calls back on the FX thread after each change; what is returned ends that. */
    Runnable subscribe(Runnable changed) {
        subscribers.add(changed);
        Platform.runLater(this::update);
        return () -> {
            subscribers.remove(changed);
            Platform.runLater(this::update);
        };
    }

    // -- on the FX thread -----------------------------------------------------------------------

    private void update() {
        boolean wanted = !subscribers.isEmpty();
        if (wanted && later == null) {
            later = Executors.newSingleThreadScheduledExecutor(
                    work -> {
                        Thread thread = new Thread(work, "deskhand-changes");
                        thread.setDaemon(true);
                        return thread;
                    });
            Window.getWindows().addListener(windows);
            last = "";
            watch();
            look();
        } else if (!wanted && later != null) {
            Window.getWindows().removeListener(windows);
            for (Scene scene : watched.keySet()) {
                scene.removePostLayoutPulseListener(pulse);
            }
            watched.clear();
            for (Window window : followed) {
                window.sceneProperty().removeListener(scenes);
            }
            followed.clear();
            later.shutdownNow();
            later = null;
            last = "";
        }
    }

    private void watch() {
        List<Scene> there = new ArrayList<>();
        for (Window window : List.copyOf(followed)) {
            if (!Controls.holds(Window.getWindows(), window)) {
                window.sceneProperty().removeListener(scenes);
                followed.remove(window);
            }
        }
        for (Window window : Window.getWindows()) {
            if (!Controls.holds(followed, window)) {
                followed.add(window);
                window.sceneProperty().addListener(scenes);
            }
            if (window.getScene() != null) {
                there.add(window.getScene());
            }
        }
        for (Scene scene : new ArrayList<>(watched.keySet())) {
            if (!Controls.holds(there, scene)) {
                scene.removePostLayoutPulseListener(pulse);
                watched.remove(scene);
            }
        }
        for (Scene scene : there) {
            if (watched.put(scene, true) == null) {
                scene.addPostLayoutPulseListener(pulse);
            }
        }
        plan();
    }

    private void pulsed() {
        if (System.nanoTime() >= nextLook) {
            // Not within the pulse: what it changed is drawn first.
            plan(0);
        } else {
            plan();
        }
    }

    private void plan() {
        plan(Math.max(0, nextLook - System.nanoTime()));
    }

    private void plan(long nanos) {
        if (planned || later == null) {
            return;
        }
        planned = true;
        if (nanos == 0) {
            Platform.runLater(this::look);
        } else {
            later.schedule(() -> Platform.runLater(this::look), nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void look() {
        planned = false;
        if (later == null) {
            return;
        }
        long began = System.nanoTime();
        String now = new Reader(registry, null, false, false, false).read(null).toString();
        nextLook = System.nanoTime() + (System.nanoTime() - began) * SHARE;
        if (now.equals(last)) {
            return;
        }
        boolean first = last.isEmpty();
        last = now;
        if (!first) {
            for (Runnable subscriber : subscribers) {
                subscriber.run();
            }
        }
    }
}
