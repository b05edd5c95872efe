package dev.sluice.capture;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/** Fields that have no accessor. */
final class Fields {
    private Fields() {}

    /** The value of the field of this name, in the class or a super class; null where there is none. */
    static Object get(Object owner, String name) {
        for (Field field : of(owner.getClass())) {
            if (field.getName().equals(name)) {
                return value(field, owner);
            }
        }
        return null;
    }

    /** All instance fields: those of super classes first, each class's in order. */
    static List<Field> of(Class<?> type) {
        List<Field> all = new ArrayList<>();
        for (Class<?> owner = type; owner != null && owner != Object.class; owner = owner.getSuperclass()) {
            List<Field> own = new ArrayList<>();
            for (Field field : owner.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    own.add(field);
                }
            }
            all.addAll(0, own);
        }
        return all;
    }

    /** A field's value; null where it can't be read. */
    static Object value(Field field, Object owner) {
        try {
            field.setAccessible(true);
            return field.get(owner);
        } catch (IllegalAccessException | RuntimeException e) {
            return null;
        }
    }
}
