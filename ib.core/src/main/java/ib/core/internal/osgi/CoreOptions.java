package ib.core.internal.osgi;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/**
 * The form of the midlayer's configuration, for tools that show metatype; the reader is {@link
 * WatchdogTimes}. Two underscores are one in the key.
 */
@ObjectClassDefinition(
    id = IbCoreComponent.PID,
    name = "ib midlayer",
    description = "How long callbacks of clients may take. Changes live, nobody is removed for it.")
@interface CoreOptions {
  /** {@return milliseconds until a report} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "3600000",
      description =
          "Milliseconds after which an add or remove that has not returned is reported, with its"
              + " client, its thread and what it holds.")
  int callback__report__ms() default WatchdogTimes.REPORT_MS;

  /** {@return milliseconds until a client is given up} */
  @AttributeDefinition(
      required = false,
      min = "1",
      max = "3600000",
      description =
          "Milliseconds after which its client is given up and its handle revoked, when somebody"
              + " waits for it: a device that goes, a bundle that stops. At least"
              + " callback_report_ms.")
  int callback__deadline__ms() default WatchdogTimes.DEADLINE_MS;
}
