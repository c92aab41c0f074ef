package annotator;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

/** Reads the nonce, calls the program's main, and writes the nonce back only if main returns, with what main counted. */
final class Guard {
    public static void main(String[] arguments) throws Exception {
        byte[] nonce = new byte[128];
        int length;
        try (FileInputStream in = new FileInputStream("/proc/self/fd/3")) {
            length = in.read(nonce);
        }
        Method main = Class.forName(arguments[0]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        String[] ran = {""};
        try {
            main.invoke(null, (Object) ran);
        } catch (InvocationTargetException thrown) {
            thrown.getCause().printStackTrace();
            System.out.flush();
            Runtime.getRuntime().halt(1);
        }
        System.out.flush();
        System.err.flush();
        try (FileOutputStream out = new FileOutputStream("/proc/self/fd/4")) {
            out.write(nonce, 0, length);
            out.write((" " + ran[0] + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }
}
