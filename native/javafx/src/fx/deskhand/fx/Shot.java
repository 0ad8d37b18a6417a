package deskhand.fx;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import javafx.geometry.Bounds;
import javafx.geometry.Rectangle2D;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.SnapshotParameters;
import javafx.scene.image.PixelFormat;
import javafx.scene.image.WritableImage;
import javafx.scene.transform.Transform;
import javafx.stage.Window;

/** A screenshot of a scene or a part of it, and how it becomes a PNG, which JavaFX itself cannot write. */
final class Shot {
    final int width;
    final int height;
    /** How many pixels of the screenshot a logical one takes, in each direction. */
    final double scale;

    private final int[] pixels;

    private Shot(int width, int height, double scale, int[] pixels) {
        this.width = width;
        this.height = height;
        this.scale = scale;
        this.pixels = pixels;
    }

    /** Draws the window of something, and cuts out where that is. On the FX thread. */
    static Shot take(Object target, Registry registry, String uid) {
        Window window = Windows.windowOf(target, registry, uid == null ? null : registry.find(uid));
        Scene scene = window == null ? null : window.getScene();
        if (scene == null) {
            throw new Failure("screenshot_failed", Text.describe(target) + " is in no window that is drawn");
        }
        Node drawn = target instanceof Window ? null : Actor.drawing(target);
        if (drawn == null && !(target instanceof Window)) {
            throw new Failure("screenshot_failed", Text.describe(target) + " is not on the screen");
        }
        if (drawn != null) {
            scene = drawn.getScene();
        }
        double scale = scene.getWindow().getOutputScaleX();
        WritableImage image = draw(scene, scale);
        int left = 0;
        int top = 0;
        int right = (int) image.getWidth();
        int bottom = (int) image.getHeight();
        if (drawn != null) {
            Bounds on = drawn.localToScene(drawn.getLayoutBounds(), true);
            left = (int) Math.max(0, Math.round(on.getMinX() * scale));
            top = (int) Math.max(0, Math.round(on.getMinY() * scale));
            right = (int) Math.min(right, left + Math.round(on.getWidth() * scale));
            bottom = (int) Math.min(bottom, top + Math.round(on.getHeight() * scale));
        }
        int width = right - left;
        int height = bottom - top;
        if (width <= 0 || height <= 0) {
            throw new Failure("screenshot_failed", Text.describe(target) + " takes up no place in its window");
        }
        int[] pixels = new int[width * height];
        image.getPixelReader().getPixels(left, top, width, height, PixelFormat.getIntArgbInstance(), pixels, 0, width);
        return new Shot(width, height, scale, pixels);
    }

    /** The scene with as many pixels as the screen has for it; by itself it draws logical ones. */
    private static WritableImage draw(Scene scene, double scale) {
        if (scale == 1) {
            return scene.snapshot(null);
        }
        SnapshotParameters how = new SnapshotParameters();
        how.setTransform(Transform.scale(scale, scale));
        how.setFill(scene.getFill());
        how.setViewport(new Rectangle2D(0, 0, scene.getWidth() * scale, scene.getHeight() * scale));
        return scene.getRoot().snapshot(how, null);
    }

    /** The screenshot as PNG. Any thread may do this. */
    byte[] png() {
        byte[] rows = new byte[height * (1 + 3 * width)];
        int at = 0;
        for (int y = 0; y < height; y++) {
            rows[at++] = 2; // each row as its difference from the one above, which is mostly nothing
            for (int x = 0; x < width; x++) {
                int now = pixels[y * width + x];
                int above = y == 0 ? 0 : pixels[(y - 1) * width + x];
                rows[at++] = (byte) ((now >> 16) - (above >> 16));
                rows[at++] = (byte) ((now >> 8) - (above >> 8));
                rows[at++] = (byte) (now - above);
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(rows.length / 8);
        out.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
        // Eight bits each of red, green and blue.
        chunk(out, "IHDR", ByteBuffer.allocate(13).putInt(width).putInt(height).put(new byte[] {8, 2, 0, 0, 0}).array());
        chunk(out, "IDAT", deflated(rows));
        chunk(out, "IEND", new byte[0]);
        return out.toByteArray();
    }

    private static byte[] deflated(byte[] rows) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        deflater.setInput(rows);
        deflater.finish();
        ByteArrayOutputStream out = new ByteArrayOutputStream(rows.length / 8);
        byte[] buffer = new byte[1 << 16];
        while (!deflater.finished()) {
            out.write(buffer, 0, deflater.deflate(buffer));
        }
        deflater.end();
        return out.toByteArray();
    }

    private static void chunk(ByteArrayOutputStream out, String name, byte[] data) {
        byte[] kind = name.getBytes(StandardCharsets.US_ASCII);
        CRC32 sum = new CRC32();
        sum.update(kind);
        sum.update(data);
        out.writeBytes(ByteBuffer.allocate(4).putInt(data.length).array());
        out.writeBytes(kind);
        out.writeBytes(data);
        out.writeBytes(ByteBuffer.allocate(4).putInt((int) sum.getValue()).array());
    }
}
