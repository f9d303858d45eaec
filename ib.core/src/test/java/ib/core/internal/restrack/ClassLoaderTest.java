package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.LeakRecord;
import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeDevice;
import ib.core.testing.LeakyClient;
import ib.core.testing.Wait;
import ib.core.verbs.IbDevice;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A client's bundle goes; its leak report stays, and nothing of ours keeps its class loader. */
@DisplayName("B10: reports outlive the client's class loader")
class ClassLoaderTest {

  /** Loads {@link LeakyClient} anew. */
  private static final class BundleLoader extends ClassLoader {
    BundleLoader() {
      super(LeakyClient.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      return name.equals(LeakyClient.class.getName())
          ? define(name)
          : super.loadClass(name, resolve);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static WeakReference<ClassLoader> runClient(BoundDevice device) {
    BundleLoader loader = new BundleLoader();
    try {
      Consumer<IbDevice> client =
          (Consumer<IbDevice>)
              loader.loadClass(LeakyClient.class.getName()).getDeclaredConstructor().newInstance();
      Wait.end(Wait.start(() -> client.accept(device)));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
    return new WeakReference<>(loader);
  }

  private static List<LeakRecord> sweep(CoreRig rig, WeakReference<ClassLoader>[] loader) {
    BoundDevice device = rig.bind("leaky");
    loader[0] = runClient(device);
    return device.sweepAndPoison();
  }

  @Test
  @DisplayName("B10: leak, let the class loader go, then read the report")
  void b10ReportAfterTheClassLoader() {
    try (CoreRig rig = new CoreRig(new FakeDevice("fake0"), new Contract(true))) {
      @SuppressWarnings({"unchecked", "rawtypes"})
      WeakReference<ClassLoader>[] loader = new WeakReference[1];
      List<LeakRecord> leaks = sweep(rig, loader);
      rig.mirrored().clear(); // the test's own copy
      assertEquals(8, leaks.size());
      assertEquals(0, rig.objects().live());
      Wait.until(
          () -> {
            System.gc();
            return loader[0].get() == null;
          });
      for (LeakRecord leak : leaks) {
        assertTrue(leak.stack().getFirst().contains("ib.core.testing."), leak.toString());
      }
    }
  }
}
