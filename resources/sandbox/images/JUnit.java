package annotator;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import junit.framework.TestCase;
import org.junit.Test;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;
import org.junit.runner.RunWith;

/** Runs classes of tests: those of JUnit 4 by its own core, which starts sooner, the others by the engine of JUnit 5. */
public final class JUnit implements TestExecutionListener {
    private int ran;
    private Throwable failure;

    /** Returns how many tests have passed; throws what the first that failed has thrown. */
    public static int run(Class<?>... types) throws Throwable {
        int ran = 0;
        List<DiscoverySelector> others = new ArrayList<>();
        for (Class<?> type : types) {
            if (isOfFour(type)) ran += runOfFour(type);
            else others.add(selectClass(type));
        }
        if (!others.isEmpty()) ran += runOfFive(others);
        return ran > 0 ? ran : Tests.named(types);
    }

    private static boolean isOfFour(Class<?> type) {
        return TestCase.class.isAssignableFrom(type) || type.isAnnotationPresent(RunWith.class)
                || Arrays.stream(type.getMethods()).anyMatch(method -> method.isAnnotationPresent(Test.class));
    }

    private static int runOfFour(Class<?> type) throws Throwable {
        Result result = new JUnitCore().run(type);
        if (!result.wasSuccessful()) throw result.getFailures().get(0).getException();
        return result.getRunCount() - result.getAssumptionFailureCount();
    }

    private static int runOfFive(List<DiscoverySelector> selected) throws Throwable {
        LauncherConfig config = LauncherConfig.builder()
                .enableTestEngineAutoRegistration(false)
                .enableTestExecutionListenerAutoRegistration(false)
                .enableLauncherSessionListenerAutoRegistration(false)
                .enableLauncherDiscoveryListenerAutoRegistration(false)
                .enablePostDiscoveryFilterAutoRegistration(false)
                .addTestEngines(new JupiterTestEngine())
                .build();
        JUnit listener = new JUnit();
        LauncherFactory.create(config).execute(
                LauncherDiscoveryRequestBuilder.request().selectors(selected).build(), listener);
        if (listener.failure != null) throw listener.failure;
        return listener.ran;
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == Status.FAILED && failure == null) {
            failure = result.getThrowable().orElseGet(() -> new AssertionError(test.getDisplayName() + " failed"));
        }
        if (test.isTest() && result.getStatus() == Status.SUCCESSFUL) ran++;
    }
}
