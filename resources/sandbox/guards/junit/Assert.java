package org.junit;

import java.util.Arrays;
import java.util.Objects;

/** The assertions of JUnit 4 that tests of small programs use: this sandbox has no JUnit. */
public class Assert {
    private static void check(boolean holds, String message, Object expected, Object actual) {
        String before = message == null ? "" : message + " ";
        if (!holds) throw new AssertionError(before + "expected:<" + show(expected) + "> but was:<" + show(actual) + ">");
    }

    private static String show(Object value) {
        String shown = Arrays.deepToString(new Object[] {value});
        return shown.substring(1, shown.length() - 1);
    }

    public interface ThrowingRunnable {
        void run() throws Throwable;
    }

    public static void fail() { throw new AssertionError(); }
    public static void fail(String message) { throw new AssertionError(message); }

    public static void assertTrue(boolean c) { check(c, null, true, c); }
    public static void assertTrue(String m, boolean c) { check(c, m, true, c); }
    public static void assertFalse(boolean c) { check(!c, null, false, c); }
    public static void assertFalse(String m, boolean c) { check(!c, m, false, c); }
    public static void assertNull(Object a) { check(a == null, null, null, a); }
    public static void assertNull(String m, Object a) { check(a == null, m, null, a); }
    public static void assertNotNull(Object a) { check(a != null, null, "not null", a); }
    public static void assertNotNull(String m, Object a) { check(a != null, m, "not null", a); }
    public static void assertEquals(long e, long a) { check(e == a, null, e, a); }
    public static void assertEquals(String m, long e, long a) { check(e == a, m, e, a); }
    public static void assertNotEquals(long e, long a) { check(e != a, null, "not " + e, a); }
    public static void assertNotEquals(String m, long e, long a) { check(e != a, m, "not " + e, a); }
    public static void assertEquals(double e, double a, double d) { check(Double.compare(e, a) == 0 || Math.abs(e - a) <= d, null, e, a); }
    public static void assertEquals(String m, double e, double a, double d) { check(Double.compare(e, a) == 0 || Math.abs(e - a) <= d, m, e, a); }
    public static void assertEquals(Object e, Object a) { check(Objects.equals(e, a), null, e, a); }
    public static void assertEquals(String m, Object e, Object a) { check(Objects.equals(e, a), m, e, a); }
    public static void assertNotEquals(Object e, Object a) { check(!Objects.equals(e, a), null, "not " + show(e), a); }
    public static void assertNotEquals(String m, Object e, Object a) { check(!Objects.equals(e, a), m, "not " + show(e), a); }
    public static void assertSame(Object e, Object a) { check(e == a, null, e, a); }
    public static void assertSame(String m, Object e, Object a) { check(e == a, m, e, a); }
    public static void assertNotSame(Object e, Object a) { check(e != a, null, "another", a); }
    public static void assertNotSame(String m, Object e, Object a) { check(e != a, m, "another", a); }
    public static void assertArrayEquals(byte[] e, byte[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(String m, byte[] e, byte[] a) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(char[] e, char[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(String m, char[] e, char[] a) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(short[] e, short[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(String m, short[] e, short[] a) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(int[] e, int[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(String m, int[] e, int[] a) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(long[] e, long[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(String m, long[] e, long[] a) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(boolean[] e, boolean[] a) { check(Arrays.equals(e, a), null, e, a); }
    public static void assertArrayEquals(String m, boolean[] e, boolean[] a) { check(Arrays.equals(e, a), m, e, a); }
    public static void assertArrayEquals(double[] e, double[] a, double d) { check(near(e, a, d), null, e, a); }
    public static void assertArrayEquals(String m, double[] e, double[] a, double d) { check(near(e, a, d), m, e, a); }
    public static void assertArrayEquals(Object[] e, Object[] a) { check(Arrays.deepEquals(e, a), null, e, a); }
    public static void assertArrayEquals(String m, Object[] e, Object[] a) { check(Arrays.deepEquals(e, a), m, e, a); }

    public static <T extends Throwable> T assertThrows(Class<T> type, ThrowingRunnable work) { return assertThrows(null, type, work); }

    public static <T extends Throwable> T assertThrows(String message, Class<T> type, ThrowingRunnable work) {
        try {
            work.run();
        } catch (Throwable thrown) {
            check(type.isInstance(thrown), message, type, thrown);
            return type.cast(thrown);
        }
        throw new AssertionError("nothing was thrown, expected " + type.getName());
    }

    private static boolean near(double[] e, double[] a, double d) {
        if (e.length != a.length) return false;
        for (int i = 0; i < e.length; i++) if (Double.compare(e[i], a[i]) != 0 && !(Math.abs(e[i] - a[i]) <= d)) return false;
        return true;
    }
}
