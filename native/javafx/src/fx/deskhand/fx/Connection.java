package deskhand.fx;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One peer: reads its requests, and answers each by its id as soon as that is done. */
final class Connection {
    private static final int LONGEST = 16 << 20;
    private static final int PIECE = 64 << 10;
    private static final byte[] NOTHING = {};

    /** How many requests of a peer are answered at once; the next one is read when one of them was. */
    private static final int AT_ONCE = 64;

    private static final int SHORT_ID = 100;
    private static final Pattern NUMBER = Pattern.compile("\\{\\s*\"id\"\\s*:\\s*(\\d{1,15})\\s*,");

    private final SocketChannel channel;
    private final Desk desk;
    private final String secret;
    private final ExecutorService threads;
    private final Semaphore room = new Semaphore(AT_ONCE);
    private final AtomicInteger changes = new AtomicInteger();
    private final Told told = new Told();
    private Runnable unsubscribe;

    Connection(SocketChannel channel, Desk desk, String secret, ExecutorService threads) {
        this.channel = channel;
        this.desk = desk;
        this.secret = secret;
        this.threads = threads;
    }

    void start() {
        threads.execute(this::serve);
    }

    private void serve() {
        try {
            if (secret != null && !knowsSecret(receive(new Held()))) {
                return;
            }
            while (true) {
                room.acquireUninterruptibly();
                Held held = new Held();
                Map<String, Object> request = receive(held);
                if (request == null) {
                    room.release();
                    continue;
                }
                // Each on a thread of its own: one may wait for the FX thread, and the next need not.
                threads.execute(
                        () -> {
                            try {
                                answer(request);
                            } finally {
                                held.end();
                                room.release();
                            }
                        });
            }
        } catch (IOException | IllegalArgumentException | OutOfMemoryError gone) {
            // It hung up, spoke something else, or sent more than the program has memory for.
        } finally {
            close();
        }
    }

    private boolean knowsSecret(Map<String, Object> first) {
        byte[] told = String.valueOf(first == null ? null : first.get("secret")).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(told, secret.getBytes(StandardCharsets.UTF_8));
    }

    /** The next request; null if it was too long, and has been refused. */
    private Map<String, Object> receive(Held held) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(8);
        while (head.hasRemaining()) {
            read(head);
        }
        head.flip();
        int length = head.getInt();
        if (length < 0 || length > LONGEST || head.getInt() != 0) {
            throw new IOException("no message of ours");
        }
        Map<String, Object> request = null;
        try {
            byte[] bytes = body(length, held);
            request = bytes == null ? null : Json.parse(new String(bytes, StandardCharsets.UTF_8));
            return request;
        } finally {
            if (request == null) {
                held.end();
            }
        }
    }

    private byte[] body(int length, Held held) throws IOException {
        byte[] bytes = new byte[Math.min(length, PIECE)];
        int at = 0;
        while (at < length) {
            if (at == bytes.length) {
                int size = Math.min(length, 2 * at);
                if (!held.grow(size)) {
                    held.end();
                    skip(length - at);
                    refuse(bytes, Held.tooMuch(length));
                    return null;
                }
                bytes = Arrays.copyOf(bytes, size);
            }
            at += read(ByteBuffer.wrap(bytes, at, Math.min(PIECE, bytes.length - at)));
        }
        return bytes;
    }

    /**
     * Reads what there is into a buffer, of which room was made for a piece: a peer may announce more than it sends, and the
     * JVM keeps as much memory outside the heap for each thread as was ever read at once.
     */
    private int read(ByteBuffer into) throws IOException {
        int size = channel.read(into);
        if (size < 0) {
            throw new EOFException();
        }
        return size;
    }

    private void skip(int length) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(PIECE);
        for (int left = length; left > 0; ) {
            piece.clear().limit(Math.min(PIECE, left));
            left -= read(piece);
        }
    }

    /** Answers a request of which only the beginning was read, where our clients have its number. */
    private void refuse(byte[] start, Failure failure) throws IOException {
        Matcher number = NUMBER.matcher(new String(start, 0, Math.min(start.length, SHORT_ID), StandardCharsets.ISO_8859_1));
        send(failed(number.lookingAt() ? Double.valueOf(number.group(1)) : null, failure), NOTHING);
    }

    private void answer(Map<String, Object> request) {
        Object id = request.get("id");
        if (id instanceof String ? ((String) id).length() > SHORT_ID : !(id instanceof Double)) {
            id = null;
        }
        Out out = new Out(512);
        out.append("{\"id\":");
        Json.write(out, id);
        byte[] data = NOTHING;
        try {
            out.append(",\"ok\":");
            Object what = request.get("ask");
            if ("subscribe".equals(what)) {
                subscribe();
                out.append("{}");
            } else if ("unsubscribe".equals(what)) {
                unsubscribe();
                out.append("{}");
            } else {
                data = desk.answer(String.valueOf(what), new Request(request), told, out);
            }
            out.append('}');
        } catch (Failure failure) {
            out = failed(id, failure);
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError error) {
            out = failed(id, new Failure("internal", "the agent failed: " + error).with("at", Ui.where(error)));
        }
        try {
            send(out, data == null ? NOTHING : data);
        } catch (IOException gone) {
            close();
        }
    }

    private static Out failed(Object id, Failure failure) {
        Out out = new Out(512);
        out.append("{\"id\":");
        Json.write(out, id);
        error(out, failure);
        return out.append('}');
    }

    private static void error(Out out, Failure failure) {
        out.append(",\"error\":{\"kind\":");
        Json.string(out, failure.kind);
        out.append(",\"message\":");
        Json.string(out, failure.getMessage());
        for (Map.Entry<String, Object> detail : failure.details.entrySet()) {
            out.append(',');
            Json.string(out, detail.getKey());
            out.append(':');
            Json.write(out, detail.getValue());
        }
        out.append('}');
    }

    private void send(Out json, byte[] data) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(8 + json.length() + data.length);
        message.putInt(json.length()).putInt(data.length).put(json.toBuffer()).put(data).flip();
        synchronized (channel) {
            int end = message.limit();
            while (message.position() < end) {
                message.limit(Math.min(end, message.position() + PIECE)); // as in `read`
                channel.write(message);
            }
        }
    }

    private synchronized void subscribe() {
        if (unsubscribe == null) {
            unsubscribe = desk.changes().subscribe(this::tellChange);
        }
    }

    private synchronized void unsubscribe() {
        if (unsubscribe != null) {
            unsubscribe.run();
            unsubscribe = null;
        }
    }

    private void tellChange() {
        if (changes.getAndIncrement() > 0) {
            return; // one is being sent, and another is sent after it
        }
        // Not on the FX thread: a peer that does not read must not block that.
        threads.execute(
                () -> {
                    int sent;
                    do {
                        sent = changes.get();
                        try {
                            send(new Out(32).append("{\"changed\":true}"), NOTHING);
                        } catch (IOException gone) {
                            close();
                        }
                    } while (changes.addAndGet(-sent) > 0);
                });
    }

    private void close() {
        unsubscribe();
        try {
            channel.close();
        } catch (IOException closed) {
            // It is closed.
        }
    }
}
