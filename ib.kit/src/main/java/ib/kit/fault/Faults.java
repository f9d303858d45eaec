package ib.kit.fault;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Disturbs packets while a test runs. On a test method, or on a class for all of its tests; a
 * method's annotation stands instead of its class's. The devices are those of the fields of the
 * test that are {@code ib.core.spi.FaultInjection}, an array or a collection of them, or a {@link
 * FaultSource}; they are read after {@code @BeforeEach}, and a test without any fails.
 *
 * <pre>{@code
 * @Test
 * @Faults(loss = 0.05, rules = "corrupt rate=0.01 opcode=0x04", seed = 7)
 * void survives() { … }
 * }</pre>
 *
 * <p>After the test the rules are taken away again, and the test fails when none of the rules has
 * seen a packet: a test of faults without packets proves nothing. The seed is printed when the test
 * fails; the system property {@code ib.kit.seed} stands instead of every seed.
 */
@Documented
@Inherited
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FaultsExtension.class)
public @interface Faults {
  /** {@return probability that a packet is lost, 0 to 1} */
  double loss() default 0;

  /** {@return probability that a packet comes twice, 0 to 1} */
  double duplicate() default 0;

  /** {@return probability that a packet is overtaken by up to 8 others, 0 to 1} */
  double reorder() default 0;

  /** {@return probability that a bit of a packet is flipped and its ICRC says so, 0 to 1} */
  double corrupt() default 0;

  /** {@return more rules in the text form of {@code ib.core.spi.FaultRule}} */
  String[] rules() default {};

  /** {@return where chance begins; 0 for anywhere} */
  long seed() default 0;
}
