package ib.core.internal.mad;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadReceived;
import ib.core.verbs.IbException;
import org.jspecify.annotations.Nullable;

/** A request and the response to come (M5). Only the port's queue touches it. */
final class Exchange {
  final Agent agent;
  final Mad request;
  final MadAddress to;
  final long timeoutNs;
  final int retries;
  final Pending<MadReceived> result = new Pending<>();
  int retriesLeft;
  @Nullable RmppSend sending;
  World.@Nullable Alarm alarm;

  Exchange(Agent agent, Mad request, MadAddress to, long timeoutNs, int retries) {
    this.agent = agent;
    this.request = request;
    this.to = to;
    this.timeoutNs = timeoutNs;
    this.retries = retries;
    this.retriesLeft = retries;
  }

  long tid() {
    return request.header().transactionId();
  }

  void disarm() {
    alarm = World.cancelled(alarm);
  }

  void complete(MadReceived response) {
    disarm();
    agent.queue.execute(() -> result.complete(response));
  }

  void fail(IbException why) {
    disarm();
    agent.queue.execute(() -> result.completeExceptionally(why));
  }
}
