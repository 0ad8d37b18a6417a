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

/** One peer: reads its requests, and answers each by its id as soon as that is done. */
final class Connection {
    private static final int LONGEST = 16 << 20;
    private static final int PIECE = 64 << 10;
    private static final byte[] NOTHING = {};

    private final SocketChannel channel;
    private final Desk desk;
    private final String secret;
    private final ExecutorService threads;
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
            if (secret != null && !knowsSecret(receive())) {
                return;
            }
            while (true) {
                Map<String, Object> request = receive();
                // Each on a thread of its own: one may wait for the FX thread, and the next need not.
                threads.execute(() -> answer(request));
            }
        } catch (IOException | IllegalArgumentException gone) {
            // It hung up, or spoke something else.
        } finally {
            close();
        }
    }

    private boolean knowsSecret(Map<String, Object> first) {
        byte[] told = String.valueOf(first.get("secret")).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(told, secret.getBytes(StandardCharsets.UTF_8));
    }

    private Map<String, Object> receive() throws IOException {
        ByteBuffer head = ByteBuffer.wrap(read(8));
        int length = head.getInt();
        if (length < 0 || length > LONGEST || head.getInt() != 0) {
            throw new IOException("no message of ours");
        }
        return Json.parse(new String(read(length), StandardCharsets.UTF_8));
    }

    /**
     * The next bytes. Room is made as they come, since a peer may announce more than it sends; and in pieces, since the JVM
     * keeps as much memory outside the heap for each thread as was ever read at once.
     */
    private byte[] read(int length) throws IOException {
        byte[] bytes = new byte[Math.min(length, PIECE)];
        int at = 0;
        while (at < length) {
            if (at == bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.min(length, 2 * at));
            }
            int size = channel.read(ByteBuffer.wrap(bytes, at, Math.min(PIECE, bytes.length - at)));
            if (size < 0) {
                throw new EOFException();
            }
            at += size;
        }
        return bytes;
    }

    private void answer(Map<String, Object> request) {
        Out out = new Out(512);
        out.append("{\"id\":");
        Json.write(out, request.get("id"));
        int head = out.length();
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
        } catch (Failure failure) {
            out.cut(head);
            error(out, failure);
        } catch (RuntimeException | LinkageError | StackOverflowError error) {
            out.cut(head);
            error(out, new Failure("internal", "the agent failed: " + error).with("at", Ui.where(error)));
        }
        try {
            send(out.append('}'), data == null ? NOTHING : data);
        } catch (IOException gone) {
            close();
        }
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
        // Not on the FX thread: a peer that does not read must not keep that up.
        threads.execute(
                () -> {
                    try {
                        send(new Out(32).append("{\"changed\":true}"), NOTHING);
                    } catch (IOException gone) {
                        close();
                    }
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
