package deskhand.fx;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Principal;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javafx.application.Platform;

/** Listens in a folder of its user, and accepts only that user. */
public final class Server {
    private static final Set<PosixFilePermission> OURS_ALONE = PosixFilePermissions.fromString("rw-------");
    private static final Map<String, Server> LISTENING = new HashMap<>();
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(Server::daemon);
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final int FOLDER_CHECK = 2_000;
    private static boolean hooked;

    private final Path folder;
    private final Path file;
    private final ServerSocketChannel channel;
    private final String secret;
    private final Desk desk;

    private Server(Path folder, Path file, ServerSocketChannel channel, String secret, Desk desk) {
        this.folder = folder;
        this.file = file;
        this.channel = channel;
        this.secret = secret;
        this.desk = desk;
    }

    /** Listens in a folder, if it does not yet; false if JavaFX has not started. */
    public static synchronized boolean listen(String where) throws IOException {
        if (LISTENING.containsKey(where)) {
            return true;
        }
        try {
            Platform.runLater(() -> {});
        } catch (IllegalStateException notYet) {
            return false;
        }
        Path folder = Paths.get(where);
        insistOnOurs(folder);
        Server server = open(folder);
        if (!hooked) {
            Runtime.getRuntime().addShutdownHook(new Thread(Server::closeAll, "deskhand-end"));
            hooked = true;
        }
        LISTENING.put(where, server);
        THREADS.execute(server::letIn);
        THREADS.execute(server::watchFolder);
        return true;
    }

    private static void insistOnOurs(Path folder) throws IOException {
        Set<PosixFilePermission> open = Files.getPosixFilePermissions(folder);
        open.removeAll(PosixFilePermissions.fromString("rwx------"));
        Path self = Paths.get("/proc/self");
        boolean foreign = Files.exists(self) && !Files.getOwner(folder).equals(Files.getOwner(self));
        if (!open.isEmpty() || foreign) {
            throw new IOException(folder + " is not closed to others; it must be ours, with the mode 0700");
        }
    }

    private static Server open(Path folder) throws IOException {
        Desk desk = Desk.instance();
        long pid = ProcessHandle.current().pid();
        SocketAddress address = unixAddress(folder.resolve("." + pid));
        if (address != null) {
            Path made = folder.resolve("." + pid);
            Path file = folder.resolve(pid + ".sock");
            Files.deleteIfExists(made);
            ServerSocketChannel channel = bound(unixChannel(), address);
            Files.setPosixFilePermissions(made, OURS_ALONE);
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
            return new Server(folder, file, channel, null, desk);
        }
        ServerSocketChannel channel =
                bound(ServerSocketChannel.open(), new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        Path made = Files.createTempFile(folder, "." + pid, "", PosixFilePermissions.asFileAttribute(OURS_ALONE));
        Files.write(made, ("127.0.0.1:" + port + " " + secret + "\n").getBytes(StandardCharsets.US_ASCII));
        Path file = folder.resolve(pid + ".tcp");
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
        return new Server(folder, file, channel, secret, desk);
    }

    /** The address of a Unix socket; null on Java 11 to 15, which know none. */
    private static SocketAddress unixAddress(Path path) {
        if (Boolean.getBoolean("deskhand.tcp")) {
            return null; // for tests of what older versions do
        }
        try {
            Class<?> kind = Class.forName("java.net.UnixDomainSocketAddress");
            return (SocketAddress) kind.getMethod("of", Path.class).invoke(null, path);
        } catch (ReflectiveOperationException older) {
            return null;
        }
    }

    private static ServerSocketChannel unixChannel() throws IOException {
        try {
            return (ServerSocketChannel)
                    ServerSocketChannel.class
                            .getMethod("open", ProtocolFamily.class)
                            .invoke(null, StandardProtocolFamily.valueOf("UNIX"));
        } catch (ReflectiveOperationException error) {
            throw new IOException(error);
        }
    }

    private static ServerSocketChannel bound(ServerSocketChannel channel, SocketAddress address) throws IOException {
        try {
            return channel.bind(address);
        } catch (IOException | RuntimeException error) {
            channel.close();
            throw error;
        }
    }

    private void letIn() {
        while (channel.isOpen()) {
            try {
                SocketChannel peer = channel.accept();
                if (isOurs(peer)) {
                    new Connection(peer, desk, secret, THREADS).start();
                } else {
                    peer.close();
                }
            } catch (IOException closed) {
                if (channel.isOpen()) {
                    Ui.sleep(100); // too many open files: others may be closed meanwhile
                }
            }
        }
    }

    /** Whether a peer is the same user, or root; by TCP its secret will tell. */
    private boolean isOurs(SocketChannel peer) {
        if (secret != null) {
            return true;
        }
        try {
            Class<?> options = Class.forName("jdk.net.ExtendedSocketOptions");
            Object option = options.getField("SO_PEERCRED").get(null);
            Object principals = peer.getOption((SocketOption<?>) option);
            Principal user = (Principal) principals.getClass().getMethod("user").invoke(principals);
            String name = user.getName();
            return name.equals("root") || name.equals(Files.getOwner(folder).getName());
        } catch (ReflectiveOperationException | UnsupportedOperationException | IOException error) {
            // Fallback: a run-time image without jdk.net cannot tell; the folder is closed to others anyway.
            return true;
        }
    }

    /** A listener whose folder was removed cannot be found any more. */
    private void watchFolder() {
        File there = file.toFile();
        while (channel.isOpen() && there.exists()) {
            Ui.sleep(FOLDER_CHECK);
        }
        synchronized (Server.class) {
            LISTENING.remove(folder.toString());
        }
        close();
    }

    private static synchronized void closeAll() {
        LISTENING.values().forEach(Server::close);
    }

    private void close() {
        try {
            channel.close();
            Files.deleteIfExists(file);
        } catch (IOException gone) {
            // There is nothing left to remove.
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "deskhand-" + NUMBERS.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
