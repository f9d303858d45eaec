package ib.verifier.bundles;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** Offers what the bundle's header {@code Subject} names as a service. */
public final class Starter implements BundleActivator {
  @Override
  public void start(BundleContext context) throws Exception {
    Class<?> type = Class.forName(context.getBundle().getHeaders().get("Subject"));
    Object subject = type.getDeclaredConstructor().newInstance();
    context.registerService(Runnable.class, (Runnable) subject, null);
  }

  @Override
  public void stop(BundleContext context) {}
}
