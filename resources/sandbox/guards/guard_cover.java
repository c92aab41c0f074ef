import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ILine;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfoStore;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.IRuntime;
import org.jacoco.core.runtime.LoggerRuntime;
import org.jacoco.core.runtime.RuntimeData;

/**
 * Runs a program with the classes of the current folder measured by JaCoCo. Behind the nonce it writes a line for each
 * line of the code: its number, 1 if it ran, and its arms, 1 for one that was taken.
 */
final class AnnotatorCoverANNOTATOR_KEY {
    /** Loads the instrumented classes. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> classes = new HashMap<>();

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                byte[] bytes = classes.get(name);
                if (bytes == null) return super.loadClass(name, resolve);
                Class<?> known = findLoadedClass(name);
                return known != null ? known : defineClass(name, bytes, 0, bytes.length);
            }
        }
    }

    /** Arguments: the class to start, how many lines stand before the code, how many it has. */
    public static void main(String[] arguments) throws Exception {
        byte[] nonce = new byte[128];
        int length;
        try (FileInputStream in = new FileInputStream("/proc/self/fd/3")) {
            length = in.read(nonce);
        }
        IRuntime runtime = new LoggerRuntime();
        Instrumenter instrumenter = new Instrumenter(runtime);
        Loader loader = new Loader();
        List<byte[]> originals = new ArrayList<>();
        String own = AnnotatorCoverANNOTATOR_KEY.class.getName();
        for (String name : classFiles(new File("."), "")) {
            if (name.equals(own) || name.startsWith(own + "$")) continue;
            byte[] bytes = Files.readAllBytes(new File(name.replace('.', '/') + ".class").toPath());
            loader.classes.put(name, instrumenter.instrument(bytes, name));
            originals.add(bytes);
        }
        RuntimeData data = new RuntimeData();
        runtime.startup(data);
        Thread.currentThread().setContextClassLoader(loader);
        Method main = loader.loadClass(arguments[0]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        String[] ran = {""};
        try {
            main.invoke(null, (Object) ran);
        } catch (InvocationTargetException thrown) {
            thrown.getCause().printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        System.out.flush();
        ExecutionDataStore executed = new ExecutionDataStore();
        data.collect(executed, new SessionInfoStore(), false);
        int before = Integer.parseInt(arguments[1]);
        String report = report(executed, originals, before, Integer.parseInt(arguments[2]));
        runtime.shutdown();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(nonce, 0, length);
        all.write((" " + ran[0] + "\n").getBytes(StandardCharsets.US_ASCII));
        all.write(report.getBytes(StandardCharsets.US_ASCII));
        try (FileOutputStream out = new FileOutputStream("/proc/self/fd/4")) {
            all.writeTo(out);
        }
        Runtime.getRuntime().halt(0);
    }

    private static List<String> classFiles(File folder, String prefix) {
        List<String> found = new ArrayList<>();
        for (File file : folder.listFiles()) {
            String name = file.getName();
            if (file.isDirectory()) found.addAll(classFiles(file, prefix + name + "."));
            else if (name.endsWith(".class")) found.add(prefix + name.substring(0, name.length() - 6));
        }
        return found;
    }

    private static String report(ExecutionDataStore executed, List<byte[]> classes, int before, int lines)
            throws IOException {
        Map<Integer, Boolean> ran = new TreeMap<>();
        Map<Integer, StringBuilder> arms = new HashMap<>();
        for (byte[] bytes : classes) {
            IClassCoverage found = analyse(bytes, null, null);
            if (found == null || !"Main.java".equals(found.getSourceFileName())) continue;
            if (found.getFirstLine() > before + lines || found.getLastLine() <= before) continue;
            ExecutionData data = executed.get(found.getId());
            measure(bytes, found, data == null ? null : data.getProbes(), ran, arms);
        }
        StringBuilder rows = new StringBuilder();
        for (Map.Entry<Integer, Boolean> line : ran.entrySet()) {
            int number = line.getKey() - before;
            if (number < 1 || number > lines) continue;
            rows.append(number).append(line.getValue() ? " 1 " : " 0 ").append(arms.get(line.getKey())).append('\n');
        }
        return rows.toString();
    }

    /**
     * Tells a class's lines and arms. JaCoCo only counts the arms of a line. Which ones they are is found by adding its
     * probes one after the other, to nothing and to those that were passed: an arm is named by the first probe that
     * takes it, and was taken if that probe adds nothing to those that were passed.
     */
    private static void measure(byte[] bytes, IClassCoverage empty, boolean[] passed, Map<Integer, Boolean> ran,
            Map<Integer, StringBuilder> arms) throws IOException {
        int first = empty.getFirstLine();
        int last = empty.getLastLine();
        boolean[] none = new boolean[passed == null ? 0 : passed.length];
        IClassCoverage real = passed == null ? empty : analyse(bytes, empty, passed);
        for (int number = first; number <= last; number++) {
            if (real.getLine(number).getInstructionCounter().getTotalCount() == 0) continue;
            boolean some = real.getLine(number).getInstructionCounter().getCoveredCount() > 0;
            ran.merge(number, some, Boolean::logicalOr);
            arms.putIfAbsent(number, new StringBuilder());
        }
        boolean[] all = passed == null ? none : passed.clone();
        IClassCoverage alone = empty;
        IClassCoverage beside = real;
        int[] told = new int[last - first + 1];
        for (int probe = 0; probe < none.length; probe++) {
            none[probe] = true;
            IClassCoverage more = analyse(bytes, empty, none);
            boolean known = all[probe];
            all[probe] = true;
            IClassCoverage others = known ? beside : analyse(bytes, empty, all);
            for (int number = first; number <= last; number++) {
                int opened = taken(more, number) - taken(alone, number);
                int added = taken(others, number) - taken(beside, number);
                for (int arm = 0; arm < opened; arm++) arms.get(number).append(arm < opened - added ? '1' : '0');
                told[number - first] += opened;
            }
            alone = more;
            beside = others;
        }
        for (int number = first; number <= last; number++) {
            int left = empty.getLine(number).getBranchCounter().getTotalCount() - told[number - first];
            for (int arm = 0; arm < left; arm++) arms.get(number).append('0');
        }
    }

    private static int taken(IClassCoverage found, int number) {
        ILine line = found.getLine(number);
        return line.getBranchCounter().getCoveredCount();
    }

    /** Analyses a class as if these probes had been passed; null if it has no lines. */
    private static IClassCoverage analyse(byte[] bytes, IClassCoverage known, boolean[] probes) throws IOException {
        ExecutionDataStore store = new ExecutionDataStore();
        if (probes != null) store.put(new ExecutionData(known.getId(), known.getName(), probes.clone()));
        CoverageBuilder builder = new CoverageBuilder();
        new Analyzer(store, builder).analyzeClass(bytes, "");
        return builder.getClasses().isEmpty() ? null : builder.getClasses().iterator().next();
    }
}
