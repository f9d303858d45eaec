package ib.core.internal.osgi;

import ib.core.internal.CoreConfig;
import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/**
 * The form of the midlayer's configuration, for tools that show metatype; the reader is {@link
 * CoreConfig}. Two underscores are one in the key.
 */
@ObjectClassDefinition(
    id = IbCoreComponent.PID,
    name = "ib midlayer",
    description =
        "How long callbacks of clients may take, and what a client may have on a device."
            + " Changes live; nobody is removed and nothing is taken away for it.")
@interface CoreOptions {
  /** {@return milliseconds until a report} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "3600000",
      description =
          "Milliseconds after which an add or remove that has not returned is reported, with its"
              + " client, its thread and what it holds.")
  int callback__report__ms() default CoreConfig.REPORT_MS;

  /** {@return milliseconds until a client is given up} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "3600000",
      description =
          "Milliseconds after which its client is given up and its handle revoked, when somebody"
              + " waits for it: a device that goes, a bundle that stops. Who waits for anything"
              + " else, a rename for example, is let go then; it stays queued. At least"
              + " callback_report_ms.")
  int callback__deadline__ms() default CoreConfig.DEADLINE_MS;

  /** {@return the most protection domains of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most protection domains that a client may have on a device.")
  int client__pd__max() default 16_384;

  /** {@return the most completion queues of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most completion queues that a client may have on a device.")
  int client__cq__max() default 65_536;

  /** {@return the most entries in completion queues of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most entries in completion queues that a client may have on a device.")
  int client__cqe__max() default 16_777_216;

  /** {@return the most queue pairs of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most queue pairs that a client may have on a device.")
  int client__qp__max() default 65_536;

  /** {@return the most shared receive queues of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most shared receive queues that a client may have on a device.")
  int client__srq__max() default 16_384;

  /** {@return the most places for work requests of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most places for work requests that a client may have on a device.")
  int client__wr__max() default 16_777_216;

  /** {@return the most memory regions of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most memory regions that a client may have on a device.")
  int client__mr__max() default 262_144;

  /** {@return the most memory windows of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most memory windows that a client may have on a device.")
  int client__mw__max() default 262_144;

  /** {@return the most address handles of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most address handles that a client may have on a device.")
  int client__ah__max() default 262_144;

  /** {@return the most MiB of allocated memory of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most MiB of allocated memory that a client may have on a device.")
  int client__allocated__mb() default 1_024;

  /** {@return the most MiB of registered memory of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description = "The most MiB of registered memory that a client may have on a device.")
  int client__registered__mb() default 65_536;

  /** {@return the most event handlers, MAD agents and SA sessions of a client on a device} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "999999999",
      description =
          "The most event handlers, MAD agents and SA sessions that a client may have on a device.")
  int client__handlers__max() default 4_096;
}
