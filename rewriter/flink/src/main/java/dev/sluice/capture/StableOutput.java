package dev.sluice.capture;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Java serialization in which {@code Set.of} and {@code Map.of} come out in the order of their elements or keys: Java shuffles them
 * anew in each process, and equal captures are to be equal bytes. It needs {@code java.util} opened, as Flink does.
 */
final class StableOutput extends ObjectOutputStream {
    private static final String IMMUTABLE = "java.util.CollSer";
    private static final int SET = 2;
    private static final int MAP = 3;

    StableOutput(OutputStream out) throws IOException {
        super(out);
        enableReplaceObject(true);
    }

    @Override
    protected Object replaceObject(Object object) {
        if (object.getClass().getName().equals(IMMUTABLE)
                && Fields.get(object, "tag") instanceof Integer tag
                && Fields.get(object, "array") instanceof Object[] array) {
            int kind = tag & 0xff;
            if (kind == SET) {
                sort(array, 1);
            } else if (kind == MAP) {
                sort(array, 2);
            }
        }
        return object;
    }

    /** Sorts groups of this size by their first, in place: the array was made for this serialization. */
    private static void sort(Object[] array, int size) {
        List<Object[]> groups = new ArrayList<>();
        for (int i = 0; i < array.length; i += size) {
            Object[] group = new Object[size];
            System.arraycopy(array, i, group, 0, size);
            groups.add(group);
        }
        try {
            groups.sort(Comparator.comparing(group -> comparable(group[0])));
        } catch (ClassCastException e) {
            return;
        }
        for (int i = 0; i < groups.size(); i++) {
            System.arraycopy(groups.get(i), 0, array, i * size, size);
        }
    }

    @SuppressWarnings("unchecked")
    private static Comparable<Object> comparable(Object object) {
        return (Comparable<Object>) object;
    }
}
