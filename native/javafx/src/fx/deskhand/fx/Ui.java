package deskhand.fx;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javafx.application.Platform;

/** Runs things on the FX thread, for callers on other threads that wait so long and no longer. */
final class Ui {
    private static final int WAITING = 0;
    private static final int RUNNING = 1;
    private static final int DONE = 2;
    private static final int GIVEN_UP = 3;

    private Ui() {}

    /** A moment until which a call waits. */
    static final class Deadline {
        final double seconds;
        private final long end;

        Deadline(double seconds) {
            this.seconds = seconds;
            this.end = System.nanoTime() + (long) (Math.min(seconds, 86_400) * 1e9);
        }

        long nanosLeft() {
            return end - System.nanoTime();
        }

        boolean passed() {
            return nanosLeft() <= 0;
        }

        Failure busy() {
            return new Failure(
                            "ui_busy",
                            String.format("the JavaFX thread did not answer within %s s", Text.number(seconds)))
                    .with("suggestions", List.of("see what the program is doing, or give it more time"));
        }
    }

    /** The answer of a function on the FX thread; fails with ui_busy when the deadline passes. */
    static <T> T call(Deadline deadline, Callable<T> function) {
        Task<T> task = new Task<>(function);
        if (Platform.isFxApplicationThread()) {
            task.run();
            return task.result();
        }
        Platform.runLater(task);
        if (!await(task.done, deadline.nanosLeft()) && task.giveUp()) {
            throw deadline.busy();
        }
        return task.result();
    }

    /** The same for what has no answer. */
    static void call(Deadline deadline, Runnable work) {
        call(deadline, answerless(work));
    }

    /**
     * Runs an action on the FX thread, and returns when it is done or has opened a nested event loop, as a modal dialog
     * does: then the answer is null.
     */
    static <T> T act(Deadline deadline, Callable<T> action) {
        Task<T> task = new Task<>(action);
        Platform.runLater(task);
        if (!await(task.begun, deadline.nanosLeft()) && task.giveUp()) {
            throw deadline.busy();
        }
        // What is posted from here on runs before the action ends only in an event loop that it opened.
        while (!await(task.done, TimeUnit.MILLISECONDS.toNanos(1))) {
            CountDownLatch nested = new CountDownLatch(1);
            Platform.runLater(nested::countDown);
            while (nested.getCount() > 0 && task.done.getCount() > 0) {
                if (deadline.passed() && task.giveUp()) {
                    throw deadline.busy();
                }
                await(nested, TimeUnit.MILLISECONDS.toNanos(2));
            }
            if (task.done.getCount() > 0 && task.giveUp()) {
                return null;
            }
        }
        return task.result();
    }

    /** The same for what has no answer. */
    static void act(Deadline deadline, Runnable action) {
        act(deadline, answerless(action));
    }

    private static Callable<Void> answerless(Runnable work) {
        return () -> {
            work.run();
            return null;
        };
    }

    /** Waits until a condition, which is asked on the FX thread, holds; whether it did within so many seconds. */
    static boolean eventually(Deadline deadline, double seconds, Callable<Boolean> condition) {
        Deadline own = new Deadline(Math.min(seconds, deadline.nanosLeft() / 1e9));
        while (true) {
            if (call(deadline, condition)) {
                return true;
            }
            if (own.passed()) {
                return false;
            }
            sleep(4); // the window system does not announce that it has done what was asked
        }
    }

    static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    static boolean await(CountDownLatch latch, long nanos) {
        try {
            return latch.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Where something was thrown. */
    static List<Object> where(Throwable error) {
        StackTraceElement[] trace = error.getStackTrace();
        return List.of((Object[]) Arrays.copyOf(trace, Math.min(trace.length, 4)));
    }

    private static final class Task<T> implements Runnable {
        private final AtomicInteger state = new AtomicInteger(WAITING);
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch done = new CountDownLatch(1);
        private final Callable<T> function;
        private T value;
        private Throwable error;

        Task(Callable<T> function) {
            this.function = function;
        }

        @Override
        public void run() {
            if (!state.compareAndSet(WAITING, RUNNING)) {
                return;
            }
            begun.countDown();
            try {
                value = function.call();
            } catch (Throwable thrown) {
                error = thrown;
            }
            if (!state.compareAndSet(RUNNING, DONE) && error != null) {
                // No call waits for it any more; so it goes where it would go without us.
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
            }
            done.countDown();
        }

        /** Waits no longer: what has not begun never will. False if it is done. */
        boolean giveUp() {
            while (state.get() != DONE) {
                if (state.compareAndSet(WAITING, GIVEN_UP) || state.compareAndSet(RUNNING, GIVEN_UP)) {
                    return true;
                }
            }
            return false;
        }

        T result() {
            if (error instanceof Failure) {
                throw (Failure) error;
            }
            if (error != null) {
                throw new Failure("action_failed", "the program failed: " + error).with("at", where(error));
            }
            return value;
        }
    }
}
