import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ILine;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfoStore;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.IRuntime;
import org.jacoco.core.runtime.LoggerRuntime;
import org.jacoco.core.runtime.RuntimeData;

/** Like Guard, with the classes of the current folder measured by JaCoCo; writes coverage.txt, a line each. */
final class Cover {
    /** Loads the instrumented classes. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> classes = new HashMap<>();

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            byte[] bytes = classes.get(name);
            if (bytes == null) return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            return known != null ? known : defineClass(name, bytes, 0, bytes.length);
        }
    }

    public static void main(String[] arguments) throws Exception {
        byte[] nonce = new byte[128];
        int length = 0;
        if (arguments.length > 1) {
            try (FileInputStream in = new FileInputStream("/proc/self/fd/3")) {
                length = in.read(nonce);
            }
        }
        IRuntime runtime = new LoggerRuntime();
        Instrumenter instrumenter = new Instrumenter(runtime);
        Loader loader = new Loader();
        Map<String, byte[]> originals = new HashMap<>();
        for (File file : new File(".").listFiles()) {
            if (!file.getName().endsWith(".class")) continue;
            byte[] original = Files.readAllBytes(file.toPath());
            String name = file.getName().substring(0, file.getName().length() - 6);
            originals.put(name, original);
            loader.classes.put(name, instrumenter.instrument(original, name));
        }
        RuntimeData data = new RuntimeData();
        runtime.startup(data);
        Method main = loader.loadClass(arguments[0]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        boolean finished = true;
        try {
            main.invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException thrown) {
            thrown.getCause().printStackTrace();
            finished = false;
        }
        System.out.flush();
        report(data, originals);
        runtime.shutdown();
        if (finished && length > 0) {
            try (FileOutputStream out = new FileOutputStream("/proc/self/fd/4")) {
                out.write(nonce, 0, length);
            }
        }
        Runtime.getRuntime().halt(finished ? 0 : 1);
    }

    private static void report(RuntimeData data, Map<String, byte[]> originals) throws Exception {
        ExecutionDataStore executed = new ExecutionDataStore();
        data.collect(executed, new SessionInfoStore(), false);
        CoverageBuilder builder = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(executed, builder);
        for (Map.Entry<String, byte[]> entry : originals.entrySet()) {
            analyzer.analyzeClass(entry.getValue(), entry.getKey());
        }
        try (PrintStream out = new PrintStream("coverage.txt", "UTF-8")) {
            for (IClassCoverage found : builder.getClasses()) {
                for (int number = found.getFirstLine(); number <= found.getLastLine(); number++) {
                    ILine line = found.getLine(number);
                    if (line.getInstructionCounter().getTotalCount() == 0) continue;
                    out.println(number + " " + line.getInstructionCounter().getCoveredCount() + " "
                            + line.getBranchCounter().getCoveredCount() + " " + line.getBranchCounter().getTotalCount());
                }
            }
        }
    }
}
