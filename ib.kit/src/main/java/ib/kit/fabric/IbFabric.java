package ib.kit.fabric;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test devices on a fabric of its own. On a test method, or on a class for each of its
 * tests; a method's annotation stands instead of its class's.
 *
 * <pre>{@code
 * @Test
 * @IbFabric(devices = 2, faults = "loss rate=0.05", seed = 42)
 * void survives(IbDevice a, IbDevice b) { … }
 * }</pre>
 *
 * <p>Parameters of a test, of {@code @BeforeEach} and of {@code @AfterEach} are injected: the first
 * of type {@code IbDevice} is the first device, the second one the second; {@code
 * ib.core.spi.StandaloneFabric} is the fabric, with which devices are plugged in and out; {@code
 * ib.core.client.IbCore} is its midlayer. The devices have the names {@code soft0}, {@code soft1}
 * and so on; tests that run at the same time do not meet.
 *
 * <p>After {@code @AfterEach} the fabric is closed. What the test has left open then fails it, with
 * the line that made it. When the test has failed, a suppressed error tells the seed, the last
 * packets of each device with what became of each, and why each queue pair in trouble is so.
 *
 * <p>The system property {@code ib.kit.seed} stands instead of every seed.
 */
@Documented
@Inherited
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(IbFabricExtension.class)
public @interface IbFabric {
  /** {@return how many devices} */
  int devices() default 2;

  /** {@return whose devices; the driver's jar is on the class path} */
  String driver() default "ib.driver.soft";

  /**
   * {@return what happens to packets, in the text form of {@code ib.core.spi.FaultRule}, for
   * example {@code loss rate=0.05}; nothing when empty}
   */
  String[] faults() default {};

  /** {@return where the chance of faults begins; 0 for anywhere} */
  long seed() default 0;

  /** {@return more keys of the devices' configuration, for example {@code mtu=1024}} */
  String[] keys() default {};

  /**
   * {@return how many of the last packets of each device a failed test prints; with 0 no packets
   * are captured, and devices may hand messages over without packets}
   */
  int packets() default 16;
}
