package ib.kit.fabric;

import ib.core.client.IbCore;
import ib.core.spi.PacketCapture;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.kit.capture.CaptureReader;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Does what {@link IbFabric} says; JUnit makes it. */
public final class IbFabricExtension
    implements BeforeEachCallback,
        AfterTestExecutionCallback,
        AfterEachCallback,
        ParameterResolver {
  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(IbFabricExtension.class);
  private static final long MAX_SEED = 1_000_000_000_000L; // short enough to be typed again

  /** A device whose packets are looked at. */
  private record Watched(String device, LastPackets packets, PacketCapture.Session session) {}

  /** The state that is kept from before a test until after it. */
  private record Life(StandaloneFabric fabric, long seed, List<Watched> watched) {}

  /** For JUnit. */
  public IbFabricExtension() {}

  @Override
  public void beforeEach(ExtensionContext context) {
    IbFabric wanted =
        AnnotationSupport.findAnnotation(context.getTestMethod(), IbFabric.class)
            .or(() -> AnnotationSupport.findAnnotation(context.getTestClass(), IbFabric.class))
            .orElseThrow(() -> new ExtensionConfigurationException("@IbFabric is not there"));
    long seed = seed(wanted);
    StandaloneFabric fabric = open(wanted, seed);
    List<Watched> watched = new ArrayList<>();
    context.getStore(STORE).put(Life.class, new Life(fabric, seed, watched));
    for (String device : wanted.packets() > 0 ? fabric.names() : List.<String>of()) {
      LastPackets last = new LastPackets(wanted.packets());
      PacketCapture capture = fabric.service(device, PacketCapture.class);
      CaptureReader reader = new CaptureReader(last);
      watched.add(new Watched(device, last, capture.start(reader, PacketCapture.Filter.ALL)));
    }
  }

  private static StandaloneFabric open(IbFabric wanted, long seed) {
    StandaloneFabric.Options options = StandaloneFabric.options(wanted.driver()).seed(seed);
    String kind = wanted.driver().substring(wanted.driver().lastIndexOf('.') + 1);
    for (int i = 0; i < wanted.devices(); i++) {
      options.devices(kind + i);
    }
    if (wanted.faults().length > 0) {
      options.faults(wanted.faults());
    }
    for (String pair : wanted.keys()) {
      int at = pair.indexOf('=');
      if (at < 1) {
        throw new ExtensionConfigurationException(
            "@IbFabric(keys = \"" + pair + "\"): key=value, such as mtu=1024");
      }
      options.key(pair.substring(0, at).strip(), pair.substring(at + 1).strip());
    }
    return options.open();
  }

  private static long seed(IbFabric wanted) {
    Long fixed = Long.getLong("ib.kit.seed");
    if (fixed != null) {
      return fixed;
    }
    return wanted.seed() != 0 ? wanted.seed() : new SplittableRandom().nextLong(1, MAX_SEED);
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    Life life = context.getStore(STORE).get(Life.class, Life.class);
    if (life != null) {
      life.watched.forEach(w -> w.session.close()); // writes what it has
      context
          .getExecutionException()
          .ifPresent(failure -> failure.addSuppressed(new AssertionError(told(life))));
    }
  }

  private static String told(Life life) {
    StringBuilder text = new StringBuilder("replay: -Dib.kit.seed=" + life.seed);
    for (Watched w : life.watched) {
      text.append("\nlast packets of ").append(w.device).append(", of ").append(w.packets.seen());
      w.packets.lines().forEach(line -> text.append("\n  ").append(line));
    }
    try {
      life.fabric.troubles().forEach(why -> text.append('\n').append(why));
    } catch (IbException e) {
      text.append("\nno diagnosis: ").append(e);
    }
    return text.toString();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Life life = context.getStore(STORE).remove(Life.class, Life.class);
    if (life != null) {
      life.watched.forEach(w -> w.session.close());
      life.fabric.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return parameter.getDeclaringExecutable() instanceof Method
        && context.getTestMethod().isPresent()
        && (type == IbDevice.class || type == StandaloneFabric.class || type == IbCore.class);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Life life =
        Optional.ofNullable(context.getStore(STORE).get(Life.class, Life.class))
            .orElseThrow(() -> new ParameterResolutionException("the fabric is not open now"));
    Class<?> type = parameter.getParameter().getType();
    if (type == StandaloneFabric.class) {
      return life.fabric;
    }
    if (type == IbCore.class) {
      return life.fabric.core();
    }
    List<Parameter> all = Arrays.asList(parameter.getDeclaringExecutable().getParameters());
    int before =
        (int)
            all.subList(0, parameter.getIndex()).stream()
                .filter(p -> p.getType() == IbDevice.class)
                .count();
    List<String> names = life.fabric.names();
    if (before >= names.size()) {
      throw new ParameterResolutionException(
          parameter.getParameter()
              + ": the fabric has "
              + names
              + ". Try: @IbFabric(devices = "
              + (before + 1)
              + ")");
    }
    return life.fabric.device(names.get(before));
  }
}
