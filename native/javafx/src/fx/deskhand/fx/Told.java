package deskhand.fx;

import java.util.HashMap;
import java.util.Map;

/**
 * The last answer about all windows to one peer, so that the next one names what is unchanged and contains only the
 * rest. Everything is read anew all the same, so that no change is missed. On the FX thread.
 */
final class Told {
    private static final int MOST_KINDS = 10_000;

    private long number;
    private boolean isComplete;
    /** The number of each kind that the peer knows. */
    private Kinds kinds = new Kinds();

    private Out nodes = new Out(1 << 10);
    /** Where in that each node begins. */
    private int[] starts = {};

    private int count;
    /** What can be written into again; null while it is in use. */
    private Out spare;

    /** What to read into, for a peer that holds the answer of that number; all is new if that is not the last one. */
    Fields since(Integer held) {
        if (held == null || held != number || !isComplete || kinds.size() > MOST_KINDS) {
            kinds = new Kinds();
            count = 0;
        }
        // A reading that fails leaves kinds that no peer knows: then everything is sent again.
        isComplete = false;
        Out out = spare == null ? new Out(1 << 16) : spare;
        spare = null;
        out.cut(0);
        return new Fields(kinds, out);
    }

    /** Writes the nodes that were read, those that the peer has as `[from, how many]`, and keeps them. */
    void write(Out out, Fields f) {
        Out now = f.out;
        number++;
        out.append("\"number\":").append(number).append(",\"since\":").append(count > 0 ? number - 1 : 0);
        out.append(",\"nodes\":[");
        if (count == 0) {
            out.append(now);
        } else if (now.isSame(nodes)) {
            same(out, 0, count, true);
        } else {
            differences(out, now, f);
        }
        out.append("],");
        spare = nodes;
        nodes = now;
        starts = f.starts();
        count = f.count();
        isComplete = true;
    }

    private void differences(Out out, Out now, Fields f) {
        Map<String, Integer> places = null;
        boolean first = true;
        int expected = 0;
        int from = 0;
        int length = 0;
        for (int i = 0; i < f.count(); i++) {
            int start = f.starts()[i];
            int end = i + 1 < f.count() ? f.starts()[i + 1] - 1 : now.length();
            int at = isSame(expected, now, start, end) ? expected : -1;
            if (at < 0) {
                String uid = uid(now, start);
                Integer place = expected < count && uid.equals(uid(nodes, starts[expected])) ? (Integer) expected : null;
                if (place == null) {
                    // Only where something came or went must it be looked for.
                    places = places == null ? places() : places;
                    place = places.get(uid);
                }
                at = place != null && isSame(place, now, start, end) ? place : -1;
                expected = place == null ? expected : place + 1;
            } else {
                expected = at + 1;
            }
            if (length > 0 && at == from + length) {
                length++;
                continue;
            }
            first = same(out, from, length, first);
            from = at;
            length = at < 0 ? 0 : 1;
            if (at < 0) {
                out.append(first ? "" : ",").append(now, start, end);
                first = false;
            }
        }
        same(out, from, length, first);
    }

    /** Writes which nodes are those of before, if any; whether nothing has been written yet. */
    private static boolean same(Out out, int from, int length, boolean first) {
        if (length > 0) {
            out.append(first ? "[" : ",[").append(from).append(',').append(length).append(']');
        }
        return first && length == 0;
    }

    private boolean isSame(int place, Out now, int start, int end) {
        return place < count && nodes.isSame(starts[place], end(place), now, start, end);
    }

    private int end(int place) {
        return place + 1 < count ? starts[place + 1] - 1 : nodes.length();
    }

    private Map<String, Integer> places() {
        Map<String, Integer> places = new HashMap<>(count * 2);
        for (int i = 0; i < count; i++) {
            places.put(uid(nodes, starts[i]), i);
        }
        return places;
    }

    /** The uid of a node, which is the first of its fields. */
    private static String uid(Out text, int start) {
        return text.upToQuote(start + Fields.BEFORE_UID.length());
    }
}
