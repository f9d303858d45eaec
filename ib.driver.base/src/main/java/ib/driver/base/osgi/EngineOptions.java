package ib.driver.base.osgi;

import ib.driver.base.NumberKey;
import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.AttributeType;

/**
 * The part of a device's form that all drivers with the engine share: faults and limits. The
 * numbers are those of {@link NumberKey}; a test of each driver holds them together.
 */
public interface EngineOptions {
  /** {@return fault rules} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description =
          "Standing faults, such as 'loss rate=0.05' or 'reorder rate=0.1 packets=8 delay=1ms': a kind (loss,"
              + " duplicate, reorder, delay, corrupt, silent, partition), then key=value words (rate, dir, port,"
              + " opcode, qp, psn, peer, skip, count, delay, jitter, packets). Default: none. Changes live.")
  String[] faults();

  /** {@return seed of the faults} */
  @AttributeDefinition(
      required = false,
      description =
          "Where the chance of faults begins, a whole number. Default: anywhere. Changes live.")
  String fault__seed();

  /** {@return completion vectors} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "0",
      min = "0",
      max = "64",
      description = "Completion vectors; 0 is one per processor.")
  int comp__vectors();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "65536",
      min = "1",
      max = "1048576",
      description = "Most queue pairs.")
  int max__qp();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "16384",
      min = "1",
      max = "1048576",
      description = "Most requests in one work queue.")
  int max__qp__wr();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "32",
      min = "1",
      max = "32",
      description = "Most elements of one request.")
  int max__sge();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "1024",
      min = "0",
      max = "4096",
      description = "Most inline data of one request, in bytes.")
  int max__inline__data();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "128",
      min = "0",
      max = "128",
      description = "Most RDMA reads and atomics that one queue pair serves or has under way.")
  int max__qp__rd__atom();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "65536",
      min = "1",
      max = "1048576",
      description = "Most completion queues.")
  int max__cq();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "1048576",
      min = "1",
      max = "4194304",
      description = "Most entries of one completion queue.")
  int max__cqe();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "524287",
      min = "1",
      max = "8388607",
      description = "Most memory regions.")
  int max__mr();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "65536",
      min = "1",
      max = "1048576",
      description = "Most protection domains.")
  int max__pd();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "65536",
      min = "1",
      max = "1048576",
      description = "Most address handles.")
  int max__ah();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "65536",
      min = "1",
      max = "1048576",
      description = "Most shared receive queues.")
  int max__srq();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "16384",
      min = "1",
      max = "1048576",
      description = "Most receives in one shared receive queue.")
  int max__srq__wr();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "32",
      min = "1",
      max = "32",
      description = "Most elements of a receive in a shared receive queue.")
  int max__srq__sge();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "8192",
      min = "1",
      max = "16383",
      description = "Most multicast groups.")
  int max__mcast__grp();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "256",
      min = "1",
      max = "65536",
      description = "Most queue pairs attached to one multicast group.")
  int max__mcast__qp__attach();
}
