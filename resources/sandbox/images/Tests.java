package annotator;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Runs tests that need no library. */
public final class Tests {
    /** Calls a main, which is one test. */
    public static int main(Class<?> type) throws Throwable {
        call(type.getDeclaredMethod("main", String[].class), null, (Object) new String[0]);
        return 1;
    }

    /** Calls every method whose name begins with test, between setUp and tearDown; returns how many there are. */
    public static int named(Class<?>... types) throws Throwable {
        int ran = 0;
        for (Class<?> type : types) {
            for (Method method : type.getDeclaredMethods()) {
                if (!method.getName().startsWith("test") || method.getParameterCount() > 0) continue;
                Constructor<?> constructor = type.getDeclaredConstructor();
                constructor.setAccessible(true);
                Object it = constructor.newInstance();
                around("setUp", it);
                call(method, it);
                around("tearDown", it);
                ran++;
            }
        }
        return ran;
    }

    private static void around(String name, Object it) throws Throwable {
        for (Method method : it.getClass().getDeclaredMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == 0) call(method, it);
        }
    }

    private static void call(Method method, Object it, Object... arguments) throws Throwable {
        method.setAccessible(true);
        try {
            method.invoke(it, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }
}
