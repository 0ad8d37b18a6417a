package deskhand.javafx;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.ProtectionDomain;

/**
 * What the JVM starts. Waits until the program has started JavaFX, then loads the part that uses it.
 *
 * <p>Refers to nothing of JavaFX, since the class loader that loads this may know none.
 */
public final class Agent {
    /** Loaded when a program starts the toolkit, and not before. Only its name is looked at. */
    private static final String TOOLKIT = "com.sun.javafx.application.PlatformImpl";

    private static Class<?> server;

    private Agent() {}

    /** With the JVM's start: listens as soon as JavaFX runs, and costs nothing until then. */
    public static void premain(String folder, Instrumentation instrumentation) {
        ClassLoader loader = loaderOfToolkit(instrumentation);
        if (loader != null) {
            whenStarted(folder, loader);
            return;
        }
        String wanted = TOOLKIT.replace('.', '/');
        instrumentation.addTransformer(
                new ClassFileTransformer() {
                    @Override
                    public byte[] transform(
                            ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
                        if (wanted.equals(name)) {
                            instrumentation.removeTransformer(this);
                            whenStarted(folder, loader);
                        }
                        return null;
                    }
                });
    }

    /** Into a running JVM: listens when this returns, if the program has started JavaFX. */
    public static void agentmain(String folder, Instrumentation instrumentation) throws Exception {
        ClassLoader loader = loaderOfToolkit(instrumentation);
        if (loader == null) {
            Path none = Paths.get(folder, ProcessHandle.current().pid() + ".none");
            Files.write(none, new byte[0]);
        } else if (!listen(folder, loader)) {
            whenStarted(folder, loader);
        }
    }

    private static ClassLoader loaderOfToolkit(Instrumentation instrumentation) {
        for (Class<?> known : instrumentation.getAllLoadedClasses()) {
            if (known.getName().equals(TOOLKIT)) {
                return known.getClassLoader();
            }
        }
        return null;
    }

    private static void whenStarted(String folder, ClassLoader loader) {
        Thread thread = new Thread(() -> waitAndListen(folder, loader), "deskhand-start");
        thread.setDaemon(true);
        thread.start();
    }

    private static void waitAndListen(String folder, ClassLoader loader) {
        try {
            // Nothing reports when the toolkit has started, which takes about 200 ms from here on.
            for (int pause = 5; !listen(folder, loader); pause = Math.min(pause + 1, 500)) {
                Thread.sleep(pause);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (Exception | LinkageError error) {
            System.err.println("deskhand: cannot listen for automation: " + error.getMessage());
        }
    }

    /** Listens; false if the toolkit has not started yet. */
    private static synchronized boolean listen(String folder, ClassLoader loader) throws Exception {
        if (server == null) {
            server = Class.forName("deskhand.fx.Server", true, new Inner(loader));
        }
        try {
            return (Boolean) server.getMethod("listen", String.class).invoke(null, folder);
        } catch (InvocationTargetException error) {
            Throwable cause = error.getCause();
            if (cause instanceof LinkageError) {
                throw new IllegalStateException("the program has no javafx.controls, which is needed here: " + cause);
            }
            throw cause instanceof Exception ? (Exception) cause : error;
        }
    }

    /** Loads our part that uses JavaFX, from below `fx/` in the jar, so that it sees the program's own JavaFX. */
    private static final class Inner extends ClassLoader {
        Inner(ClassLoader parent) {
            super(parent);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try (var in = Agent.class.getResourceAsStream("/fx/" + name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException error) {
                throw new ClassNotFoundException(name, error);
            }
        }
    }
}
