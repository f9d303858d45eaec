package ib.core.internal.event;

import java.util.concurrent.Executor;

/** A virtual thread for each burst of events of a handler. */
final class HandlerThreads implements Executor {
  private final Thread.Builder.OfVirtual builder =
      Thread.ofVirtual().name("ib-event-handler-", 0).inheritInheritableThreadLocals(false);

  @Override
  public void execute(Runnable burst) {
    Thread thread;
    synchronized (builder) { // a builder is not thread safe
      thread = builder.unstarted(burst);
    }
    // not the class loader of whoever brought the event
    thread.setContextClassLoader(HandlerThreads.class.getClassLoader());
    thread.start();
  }
}
