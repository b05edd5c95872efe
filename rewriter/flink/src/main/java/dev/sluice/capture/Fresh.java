package dev.sluice.capture;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** Whether an object is as its class's constructor without arguments makes it: nothing was set and nothing was learned. */
final class Fresh {
    private static final int MAX_PAIRS = 200_000;

    private final Map<Object, Object> pairs = new IdentityHashMap<>();
    private final Deque<Object[]> open = new ArrayDeque<>();

    private Fresh() {}

    static boolean is(Object object) {
        try {
            Constructor<?> constructor = object.getClass().getDeclaredConstructor();
            constructor.setAccessible(true);
            return new Fresh().equal(object, constructor.newInstance());
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return false;
        }
    }

    /** Whether two graphs of objects have the same shape and the same leaves. */
    private boolean equal(Object one, Object other) throws IllegalAccessException {
        if (!meets(one, other)) {
            return false;
        }
        while (!open.isEmpty()) {
            Object[] pair = open.pop();
            if (pairs.size() > MAX_PAIRS || !partsMeet(pair[0], pair[1])) {
                return false;
            }
        }
        return true;
    }

    private boolean meets(Object one, Object other) {
        if (one == other) {
            return true;
        } else if (one == null || other == null || one.getClass() != other.getClass()) {
            return false;
        } else if (isLeaf(one)) {
            return one.equals(other);
        } else if (one instanceof AtomicReference<?> holder) {
            return meets(holder.get(), ((AtomicReference<?>) other).get());
        } else if (one instanceof Lock || one instanceof ReadWriteLock || isNames(one)) {
            // It has no settings.
            return true;
        } else if (isCounter(one)) {
            return one.toString().equals(other.toString());
        }
        Object known = pairs.putIfAbsent(one, other);
        if (known == null) {
            open.push(new Object[] {one, other});
        }
        return known == null || known == other;
    }

    /** Jackson's tables of names that it has read; each has a seed of its own. */
    private static boolean isNames(Object object) {
        return object.getClass().getName().contains(".jackson.core.sym.");
    }

    private static boolean isCounter(Object object) {
        return object.getClass().getName().startsWith("java.util.concurrent.atomic.");
    }

    private static boolean isLeaf(Object object) {
        return object instanceof String
                || object instanceof Number && !isCounter(object)
                || object instanceof Boolean
                || object instanceof Character
                || object instanceof Enum<?>
                || object instanceof Class<?>
                || object.getClass().getName().startsWith("java.lang.reflect.");
    }

    private boolean partsMeet(Object one, Object other) throws IllegalAccessException {
        Class<?> type = one.getClass();
        if (type.isArray()) {
            int length = Array.getLength(one);
            boolean equal = length == Array.getLength(other);
            for (int i = 0; equal && i < length; i++) {
                equal = meets(Array.get(one, i), Array.get(other, i));
            }
            return equal;
        }
        for (Field field : Fields.of(type)) {
            if (field.getDeclaringClass() == ThreadLocal.class) {
                // Its number is another in each.
                continue;
            }
            field.setAccessible(true);
            if (!meets(field.get(one), field.get(other))) {
                return false;
            }
        }
        return true;
    }
}
