package annotator;

import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.tools.DiagnosticCollector;
import javax.tools.ForwardingJavaFileObject;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Is javac, but for public classes, which may stand in a file of any name. The arguments are those of javac, and last the
 * imports of the tests: if nothing compiles since one of them cannot be resolved, that is said, and the status is 127.
 */
final class Compile {
    private static final class Source extends ForwardingJavaFileObject<JavaFileObject> {
        Source(JavaFileObject file) { super(file); }

        @Override
        public boolean isNameCompatible(String name, Kind kind) { return true; }
    }

    private static final class Text extends SimpleJavaFileObject {
        private final String text;

        Text(String text) {
            super(URI.create("text:///Imports.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignored) { return text; }
    }

    public static void main(String[] arguments) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null);
        String imports = arguments[arguments.length - 1];
        List<String> options = new ArrayList<>();
        List<Source> sources = new ArrayList<>();
        for (String word : Arrays.asList(arguments).subList(0, arguments.length - 1)) {
            if (!word.endsWith(".java")) options.add(word);
            else files.getJavaFileObjects(word).forEach(file -> sources.add(new Source(file)));
        }
        if (compiler.getTask(null, files, null, options, null, sources).call()) return;
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        if (compiler.getTask(null, files, said, options, null, List.of(new Text(imports))).call()) System.exit(1);
        String line = imports.split("\n")[(int) said.getDiagnostics().get(0).getLineNumber() - 1];
        System.err.println(line.replaceAll("^import (static )?|;$", "") + " is not in this sandbox");
        System.exit(127);
    }
}
