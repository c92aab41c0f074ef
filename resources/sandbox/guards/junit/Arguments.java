package org.junit.jupiter.params.provider;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.BaseStream;

/** The rows of parameterized tests in JUnit 5: this sandbox has no JUnit. */
public interface Arguments {
    Object[] get();

    static Arguments of(Object... values) { return () -> values; }
    static Arguments arguments(Object... values) { return of(values); }

    /** Returns the rows that a method of the tests gives. */
    static Iterable<Object[]> rowsOf(Class<?> owner, String name) throws Exception {
        Method method = owner.getDeclaredMethod(name);
        method.setAccessible(true);
        Object source = method.invoke(null);
        List<Object[]> rows = new ArrayList<>();
        if (source instanceof BaseStream) source = ((BaseStream<?, ?>) source).iterator();
        if (source instanceof Iterable) source = ((Iterable<?>) source).iterator();
        if (source instanceof Iterator) ((Iterator<?>) source).forEachRemaining(row -> rows.add(rowOf(row)));
        else for (int i = 0; i < Array.getLength(source); i++) rows.add(rowOf(Array.get(source, i)));
        return rows;
    }

    private static Object[] rowOf(Object row) {
        if (row instanceof Arguments) return ((Arguments) row).get();
        return row instanceof Object[] ? (Object[]) row : new Object[] {row};
    }
}
