package deskhand.fx;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of requests the agent holds, from reading until they are answered.
 *
 * <p>There is one limit for all peers, a share of the heap, which belongs to the program. Short requests are not counted:
 * their number has a limit.
 */
final class Held {
    /** Of the heap; a request takes up to eight times its bytes while it is read. */
    private static final int SHARE = 16;

    /** So many bytes are not counted. */
    static final int SHORT = 64 << 10;

    private static final long MOST = Runtime.getRuntime().maxMemory() / SHARE;
    private static final AtomicLong ALL = new AtomicLong();

    private long bytes;

    /** Whether the request may have so many bytes. */
    boolean grow(int size) {
        if (size <= SHORT) {
            return true;
        }
        long more = size - bytes;
        if (ALL.addAndGet(more) > MOST) {
            ALL.addAndGet(-more);
            return false;
        }
        bytes = size;
        return true;
    }

    /** The request was answered, or given up. */
    void end() {
        ALL.addAndGet(-bytes);
        bytes = 0;
    }

    static Failure tooMuch(int size) {
        return new Failure(
                "action_failed",
                "a request of " + size + " bytes is too long for this JVM: of " + MOST + " bytes for requests, "
                        + Math.max(0, MOST - ALL.get()) + " are free");
    }
}
