package annotator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Uses what most programs and tests use, so that its classes are in the archives that these start from. */
public class Warm {
    /** Runs what is below as well where the libraries are there. */
    static final class Tests {
        public static void main(String[] arguments) throws Throwable {
            JUnit.run(Warm.class, OfFour.class);
        }
    }

    public static final class OfFour {
        @org.junit.Test
        public void equal() { org.junit.Assert.assertEquals(3, 1 + 2); }
    }

    public static void main(String[] arguments) {
        System.out.println(List.of(1, 2).stream().map(item -> item + 1).toList());
    }

    @Test
    void equal() {
        Assertions.assertEquals(3, 1 + 2);
        Assertions.assertThrows(ArithmeticException.class, () -> Math.addExact(1, Integer.MAX_VALUE));
        assertThat(List.of(1)).contains(1);
        assertThat("text").isEqualTo("text");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void positive(int value) { Assertions.assertTrue(value > 0); }
}
