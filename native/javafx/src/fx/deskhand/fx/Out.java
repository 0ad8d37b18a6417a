package deskhand.fx;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** JSON on its way out, as the bytes that are sent: a large answer is written and compared as it is, without copies. */
final class Out {
    private byte[] bytes;
    private int length;

    /** With room for so many bytes, which grows. */
    Out(int room) {
        bytes = new byte[room];
    }

    /** Words of ours, in ASCII. */
    @SuppressWarnings("deprecation") // what getBytes leaves out of each character is nothing in ASCII
    Out append(String words) {
        int size = words.length();
        room(size);
        words.getBytes(0, size, bytes, length);
        length += size;
        return this;
    }

    Out append(char sign) {
        room(1);
        bytes[length++] = (byte) sign;
        return this;
    }

    Out append(boolean value) {
        return append(value ? "true" : "false");
    }

    Out append(long value) {
        if (value < 0 || value >= 100_000) {
            return append(Long.toString(value));
        }
        int rest = (int) value;
        int digits = rest < 10 ? 1 : rest < 100 ? 2 : rest < 1_000 ? 3 : rest < 10_000 ? 4 : 5;
        room(digits);
        length += digits;
        for (int at = length - 1; at >= length - digits; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return this;
    }

    Out append(Out other) {
        return append(other, 0, other.length);
    }

    Out append(Out other, int from, int to) {
        room(to - from);
        System.arraycopy(other.bytes, from, bytes, length, to - from);
        length += to - from;
        return this;
    }

    /** Any text, as it stands between quotes. */
    Out text(String text) {
        int size = text.length();
        room(size);
        for (int i = 0; i < size; i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c < 0x80 && c != '"' && c != '\\') {
                bytes[length++] = (byte) c;
                continue;
            }
            int sign = text.codePointAt(i);
            special(sign);
            i += Character.charCount(sign) - 1;
            room(size - i);
        }
        return this;
    }

    private void special(int sign) {
        if (sign == '"' || sign == '\\') {
            append('\\').append((char) sign);
        } else if (sign == '\n') {
            append("\\n");
        } else if (sign < ' ') {
            append(String.format("\\u%04x", sign));
        } else {
            // Half of a pair is what UTF-8 cannot carry.
            encoded(sign >= Character.MIN_SURROGATE && sign <= Character.MAX_SURROGATE ? 0xfffd : sign);
        }
    }

    private void encoded(int sign) {
        room(4);
        if (sign < 0x800) {
            bytes[length++] = (byte) (0xc0 | sign >> 6);
        } else {
            if (sign < 0x10000) {
                bytes[length++] = (byte) (0xe0 | sign >> 12);
            } else {
                bytes[length++] = (byte) (0xf0 | sign >> 18);
                bytes[length++] = (byte) (0x80 | sign >> 12 & 0x3f);
            }
            bytes[length++] = (byte) (0x80 | sign >> 6 & 0x3f);
        }
        bytes[length++] = (byte) (0x80 | sign & 0x3f);
    }

    int length() {
        return length;
    }

    /** Takes back what comes after so many bytes. */
    void cut(int kept) {
        length = kept;
    }

    /** The text up to the next quote, if that is ASCII. */
    String upToQuote(int from) {
        int to = from;
        while (bytes[to] != '"') {
            to++;
        }
        return new String(bytes, from, to - from, StandardCharsets.US_ASCII);
    }

    /** Whether a part is the same as one of another. */
    boolean isSame(int from, int to, Out other, int start, int end) {
        return Arrays.equals(bytes, from, to, other.bytes, start, end);
    }

    boolean isSame(Out other) {
        return isSame(0, length, other, 0, other.length);
    }

    ByteBuffer toBuffer() {
        return ByteBuffer.wrap(bytes, 0, length);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
        }
    }
}
