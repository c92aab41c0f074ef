package org.junit.jupiter.api;

import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** The assertions of JUnit 5 that tests of small programs use: this sandbox has no JUnit. */
public final class Assertions {
    private static String text(Object message) {
        Object said = message instanceof Supplier ? ((Supplier<?>) message).get() : message;
        return said == null ? "" : said + " ==> ";
    }

    private static void check(boolean holds, Object message, Object expected, Object actual) {
        if (!holds) throw new AssertionError(text(message) + "expected: <" + show(expected) + "> but was: <" + show(actual) + ">");
    }

    private static String show(Object value) {
        String shown = Arrays.deepToString(new Object[] {value});
        return shown.substring(1, shown.length() - 1);
    }

    public static <T> T fail() { throw new AssertionError(); }
    public static <T> T fail(String message) { throw new AssertionError(message); }
    public static <T> T fail(Throwable cause) { throw new AssertionError(cause); }
    public static <T> T fail(String message, Throwable cause) { throw new AssertionError(message, cause); }

    public static void assertTrue(boolean c) { check(c, null, true, c); }
    public static void assertTrue(boolean c, String m) { check(c, m, true, c); }
    public static void assertTrue(boolean c, Supplier<String> m) { check(c, m, true, c); }
    public static void assertFalse(boolean c) { check(!c, null, false, c); }
    public static void assertFalse(boolean c, String m) { check(!c, m, false, c); }
    public static void assertFalse(boolean c, Supplier<String> m) { check(!c, m, false, c); }
    public static void assertNull(Object a) { check(a == null, null, null, a); }
    public static void assertNull(Object a, String m) { check(a == null, m, null, a); }
    public static void assertNull(Object a, Supplier<String> m) { check(a == null, m, null, a); }
    public static void assertNotNull(Object a) { check(a != null, null, "not null", a); }
    public static void assertNotNull(Object a, String m) { check(a != null, m, "not null", a); }
    public static void assertNotNull(Object a, Supplier<String> m) { check(a != null, m, "not null", a); }
    public static void assertEquals(byte e, byte a) { check(e == a, null, e, a); }
    public static void assertEquals(byte e, byte a, String m) { check(e == a, m, e, a); }
    public static void assertEquals(byte e, byte a, Supplier<String> m) { check(e == a, m, e, a); }
    public static void assertNotEquals(byte e, byte a) { check(e != a, null, "not " + e, a); }
    public static void assertNotEquals(byte e, byte a, String m) { check(e != a, m, "not " + e, a); }
    public static void assertNotEquals(byte e, byte a, Supplier<String> m) { check(e != a, m, "not " + e, a); }
    public static void assertEquals(char e, char a) { check(e == a, null, e, a); }
    public static void assertEquals(char e, char a, String m) { check(e == a, m, e, a); }
    public static void assertEquals(char e, char a, Supplier<String> m) { check(e == a, m, e, a); }
    public static void assertNotEquals(char e, char a) { check(e != a, null, "not " + e, a); }
    public static void assertNotEquals(char e, char a, String m) { check(e != a, m, "not " + e, a); }
    public static void assertNotEquals(char e, char a, Supplier<String> m) { check(e != a, m, "not " + e, a); }
    public static void assertEquals(short e, short a) { check(e == a, null, e, a); }
    public static void assertEquals(short e, short a, String m) { check(e == a, m, e, a); }
    public static void assertEquals(short e, short a, Supplier<String> m) { check(e == a, m, e, a); }
    public static void assertNotEquals(short e, short a) { check(e != a, null, "not " + e, a); }
    public static void assertNotEquals(short e, short a, String m) { check(e != a, m, "not " + e, a); }
    public static void assertNotEquals(short e, short a, Supplier<String> m) { check(e != a, m, "not " + e, a); }
    public static void assertEquals(int e, int a) { check(e == a, null, e, a); }
    public static void assertEquals(int e, int a, String m) { check(e == a, m, e, a); }
    public static void assertEquals(int e, int a, Supplier<String> m) { check(e == a, m, e, a); }
    public static void assertNotEquals(int e, int a) { check(e != a, null, "not " + e, a); }
    public static void assertNotEquals(int e, int a, String m) { check(e != a, m, "not " + e, a); }
    public static void assertNotEquals(int e, int a, Supplier<String> m) { check(e != a, m, "not " + e, a); }
    public static void assertEquals(long e, long a) { check(e == a, null, e, a); }
    public static void assertEquals(long e, long a, String m) { check(e == a, m, e, a); }
    public static void assertEquals(long e, long a, Supplier<String> m) { check(e == a, m, e, a); }
    public static void assertNotEquals(long e, long a) { check(e != a, null, "not " + e, a); }
    public static void assertNotEquals(long e, long a, String m) { check(e != a, m, "not " + e, a); }
    public static void assertNotEquals(long e, long a, Supplier<String> m) { check(e != a, m, "not " + e, a); }
    public static void assertEquals(float e, float a) { check(Float.compare(e, a) == 0, null, e, a); }
    public static void assertEquals(float e, float a, String m) { check(Float.compare(e, a) == 0, m, e, a); }
    public static void assertEquals(float e, float a, Supplier<String> m) { check(Float.compare(e, a) == 0, m, e, a); }
    public static void assertNotEquals(float e, float a) { check(Float.compare(e, a) != 0, null, "not " + e, a); }
    public static void assertNotEquals(float e, float a, String m) { check(Float.compare(e, a) != 0, m, "not " + e, a); }
    public static void assertNotEquals(float e, float a, Supplier<String> m) { check(Float.compare(e, a) != 0, m, "not " + e, a); }
    public static void assertEquals(float e, float a, float d) { check(Float.compare(e, a) == 0 || Math.abs(e - a) <= d, null, e, a); }
    public static void assertEquals(float e, float a, float d, String m) { check(Float.compare(e, a) == 0 || Math.abs(e - a) <= d, m, e, a); }
    public static void assertEquals(float e, float a, float d, Supplier<String> m) { check(Float.compare(e, a) == 0 || Math.abs(e - a) <= d, m, e, a); }
    public static void assertEquals(double e, double a) { check(Double.compare(e, a) == 0, null, e, a); }
    public static void assertEquals(double e, double a, String m) { check(Double.compare(e, a) == 0, m, e, a); }
    public static void assertEquals(double e, double a, Supplier<String> m) { check(Double.compare(e, a) == 0, m, e, a); }
    public static void assertNotEquals(double e, double a) { check(Double.compare(e, a) != 0, null, "not " + e, a); }
    public static void assertNotEquals(double e, double a, String m) { check(Double.compare(e, a) != 0, m, "not " + e, a); }
    public static void assertNotEquals(double e, double a, Supplier<String> m) { check(Double.compare(e, a) != 0, m, "not " + e, a); }
    public static void assertEquals(double e, double a, double d) { check(Double.compare(e, a) == 0 || Math.abs(e - a) <= d, null, e, a); }
    public static void assertEquals(double e, double a, double d, String m) { check(Double.compare(e, a) == 0 || Math.abs(e - a) <= d, m, e, a); }
    public static void assertEquals(double e, double a, double d, Supplier<String> m) { check(Double.compare(e, a) == 0 || Math.abs(e - a) <= d, m, e, a); }
    public static void assertEquals(Object e, Object a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(Object e, Object a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(Object e, Object a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(Object e, Object a) { check(!Objects.equals(e, a), null, "not " + show(e), a); }
    public static void assertNotEquals(Object e, Object a, String m) { check(!Objects.equals(e, a), m, "not " + show(e), a); }
    public static void assertNotEquals(Object e, Object a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + show(e), a); }
    public static void assertEquals(byte e, Byte a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(byte e, Byte a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(byte e, Byte a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(byte e, Byte a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(byte e, Byte a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(byte e, Byte a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(Byte e, byte a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(Byte e, byte a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(Byte e, byte a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(Byte e, byte a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(Byte e, byte a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(Byte e, byte a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(char e, Character a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(char e, Character a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(char e, Character a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(char e, Character a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(char e, Character a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(char e, Character a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(Character e, char a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(Character e, char a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(Character e, char a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(Character e, char a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(Character e, char a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(Character e, char a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(short e, Short a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(short e, Short a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(short e, Short a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(short e, Short a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(short e, Short a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(short e, Short a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(Short e, short a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(Short e, short a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(Short e, short a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(Short e, short a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(Short e, short a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(Short e, short a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(int e, Integer a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(int e, Integer a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(int e, Integer a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(int e, Integer a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(int e, Integer a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(int e, Integer a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(Integer e, int a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(Integer e, int a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(Integer e, int a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(Integer e, int a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(Integer e, int a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(Integer e, int a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(long e, Long a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(long e, Long a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(long e, Long a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(long e, Long a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(long e, Long a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(long e, Long a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(Long e, long a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(Long e, long a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(Long e, long a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(Long e, long a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(Long e, long a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(Long e, long a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(float e, Float a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(float e, Float a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(float e, Float a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(float e, Float a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(float e, Float a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(float e, Float a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(Float e, float a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(Float e, float a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(Float e, float a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(Float e, float a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(Float e, float a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(Float e, float a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(double e, Double a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(double e, Double a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(double e, Double a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(double e, Double a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(double e, Double a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(double e, Double a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertEquals(Double e, double a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(Double e, double a, String m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertEquals(Double e, double a, Supplier<String> m) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(Double e, double a) { check(!Objects.equals(e, a), null, "not " + e, a); }
    public static void assertNotEquals(Double e, double a, String m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertNotEquals(Double e, double a, Supplier<String> m) { check(!Objects.equals(e, a), m, "not " + e, a); }
    public static void assertSame(Object e, Object a) { check(e == a, null, e, a); }
    public static void assertSame(Object e, Object a, String m) { check(e == a, m, e, a); }
    public static void assertSame(Object e, Object a, Supplier<String> m) { check(e == a, m, e, a); }
    public static void assertNotSame(Object e, Object a) { check(e != a, null, "another", a); }
    public static void assertNotSame(Object e, Object a, String m) { check(e != a, m, "another", a); }
    public static void assertNotSame(Object e, Object a, Supplier<String> m) { check(e != a, m, "another", a); }
    public static void assertArrayEquals(byte[] e, byte[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(byte[] e, byte[] a, String m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(byte[] e, byte[] a, Supplier<String> m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(char[] e, char[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(char[] e, char[] a, String m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(char[] e, char[] a, Supplier<String> m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(short[] e, short[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(short[] e, short[] a, String m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(short[] e, short[] a, Supplier<String> m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(int[] e, int[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(int[] e, int[] a, String m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(int[] e, int[] a, Supplier<String> m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(long[] e, long[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(long[] e, long[] a, String m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(long[] e, long[] a, Supplier<String> m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(boolean[] e, boolean[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(boolean[] e, boolean[] a, String m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(boolean[] e, boolean[] a, Supplier<String> m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(float[] e, float[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(float[] e, float[] a, String m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(float[] e, float[] a, Supplier<String> m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(double[] e, double[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(double[] e, double[] a, String m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(double[] e, double[] a, Supplier<String> m) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(double[] e, double[] a, double d) { check(near(e, a, d), null, e, a); }
    public static void assertArrayEquals(double[] e, double[] a, double d, String m) { check(near(e, a, d), m, e, a); }
    public static void assertArrayEquals(double[] e, double[] a, double d, Supplier<String> m) { check(near(e, a, d), m, e, a); }
    public static void assertArrayEquals(Object[] e, Object[] a) { check(Arrays.deepEquals(e, a), null, e, a); }
    public static void assertArrayEquals(Object[] e, Object[] a, String m) { check(Arrays.deepEquals(e, a), m, e, a); }
    public static void assertArrayEquals(Object[] e, Object[] a, Supplier<String> m) { check(Arrays.deepEquals(e, a), m, e, a); }
    public static void assertIterableEquals(Iterable<?> e, Iterable<?> a) { check(same(e.iterator(), a.iterator()), null, e, a); }
    public static void assertIterableEquals(Iterable<?> e, Iterable<?> a, String m) { check(same(e.iterator(), a.iterator()), m, e, a); }
    public static void assertIterableEquals(Iterable<?> e, Iterable<?> a, Supplier<String> m) { check(same(e.iterator(), a.iterator()), m, e, a); }

    public static <T> T assertInstanceOf(Class<T> type, Object value) {
        check(type.isInstance(value), null, type, value);
        return type.cast(value);
    }

    public static <T extends Throwable> T assertThrows(Class<T> type, Executable work) { return assertThrows(type, work, null); }

    public static <T extends Throwable> T assertThrows(Class<T> type, Executable work, String message) {
        try {
            work.execute();
        } catch (Throwable thrown) {
            check(type.isInstance(thrown), message, type, thrown);
            return type.cast(thrown);
        }
        throw new AssertionError(text(message) + "nothing was thrown, expected " + type.getName());
    }

    public static void assertDoesNotThrow(Executable work) {
        try {
            work.execute();
        } catch (Throwable thrown) {
            throw new AssertionError("unexpected: " + thrown, thrown);
        }
    }

    public static void assertDoesNotThrow(Executable work, String message) { assertDoesNotThrow(work); }
    public static <T> T assertDoesNotThrow(ThrowingSupplier<T> work) {
        try {
            return work.get();
        } catch (Throwable thrown) {
            throw new AssertionError("unexpected: " + thrown, thrown);
        }
    }

    public static <T extends Throwable> T assertThrowsExactly(Class<T> type, Executable work) {
        T thrown = assertThrows(type, work);
        check(thrown.getClass() == type, null, type, thrown);
        return thrown;
    }

    public static void assertTimeout(Duration limit, Executable work) {
        assertTimeout(limit, () -> {
            work.execute();
            return null;
        });
    }

    public static <T> T assertTimeout(Duration limit, ThrowingSupplier<T> work) {
        long start = System.nanoTime();
        T value = assertDoesNotThrow(work);
        long taken = System.nanoTime() - start;
        check(taken <= limit.toNanos(), "execution exceeded its limit", limit, Duration.ofNanos(taken));
        return value;
    }

    public static void assertTimeoutPreemptively(Duration limit, Executable work) { assertTimeout(limit, work); }
    public static <T> T assertTimeoutPreemptively(Duration limit, ThrowingSupplier<T> work) { return assertTimeout(limit, work); }

    public static void assertLinesMatch(List<String> e, List<String> a) {
        boolean matches = e.size() == a.size();
        for (int i = 0; matches && i < e.size(); i++) matches = e.get(i).equals(a.get(i)) || a.get(i).matches(e.get(i));
        check(matches, null, e, a);
    }

    public static void assertAll(String heading, Executable... all) { assertAll(all); }
    public static void assertAll(Executable... all) {
        for (Executable work : all) assertDoesNotThrow(work);
    }

    /** What gives a value or throws. */
    public interface ThrowingSupplier<T> {
        T get() throws Throwable;
    }

    private static boolean near(double[] e, double[] a, double d) {
        if (e.length != a.length) return false;
        for (int i = 0; i < e.length; i++) if (Double.compare(e[i], a[i]) != 0 && !(Math.abs(e[i] - a[i]) <= d)) return false;
        return true;
    }

    private static boolean same(Iterator<?> e, Iterator<?> a) {
        while (e.hasNext() && a.hasNext()) if (!Objects.equals(e.next(), a.next())) return false;
        return !e.hasNext() && !a.hasNext();
    }

    private Assertions() {}
}
