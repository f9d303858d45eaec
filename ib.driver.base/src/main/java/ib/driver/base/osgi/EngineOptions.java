package ib.driver.base.osgi;

import ib.driver.base.NumberKey;
import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.AttributeType;

/**
 * The part of the metatype description that all drivers with the engine share: faults and limits.
 * The numbers are those of {@link NumberKey}; a test of each driver compares them.
 */
public interface EngineOptions {
  /** {@return fault rules} */
  @AttributeDefinition(
      required = false,
      cardinality = 64,
      description =
          "Standing faults, such as 'loss rate=0.05' or 'reorder rate=0.1 packets=8 delay=1ms': a kind (loss,"
              + " duplicate, reorder, delay, corrupt, silent, partition), then key=value words (rate, dir, port,"
              + " opcode, qp, psn, peer, skip, count, delay, jitter, packets)."
              + " Default: none. Changes while the device runs.")
  String[] faults();

  /** {@return seed of the faults} */
  @AttributeDefinition(
      required = false,
      description =
          "Seed of the random faults, a whole number. Default: a random seed. Changes while the device"
              + " runs.")
  String fault__seed();

  /** {@return completion vectors} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "0",
      min = "0",
      max = "64",
      description = "Number of completion vectors. 0: one per processor.")
  int comp__vectors();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "65536",
      min = "1",
      max = "1048576",
      description = "Largest number of queue pairs.")
  int max__qp();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "16384",
      min = "1",
      max = "1048576",
      description = "Largest number of requests in one work queue.")
  int max__qp__wr();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "32",
      min = "1",
      max = "32",
      description = "Largest number of scatter/gather elements of one request.")
  int max__sge();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "1024",
      min = "0",
      max = "4096",
      description = "Largest inline data of one request in bytes.")
  int max__inline__data();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "128",
      min = "0",
      max = "128",
      description =
          "Largest number of RDMA reads and atomics that one queue pair serves, or has outstanding.")
  int max__qp__rd__atom();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "65536",
      min = "1",
      max = "1048576",
      description = "Largest number of completion queues.")
  int max__cq();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "1048576",
      min = "1",
      max = "4194304",
      description = "Largest number of entries of one completion queue.")
  int max__cqe();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "524287",
      min = "1",
      max = "8388607",
      description = "Largest number of memory regions.")
  int max__mr();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "65536",
      min = "1",
      max = "1048576",
      description = "Largest number of protection domains.")
  int max__pd();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "65536",
      min = "1",
      max = "1048576",
      description = "Largest number of address handles.")
  int max__ah();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "65536",
      min = "1",
      max = "1048576",
      description = "Largest number of shared receive queues.")
  int max__srq();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "16384",
      min = "1",
      max = "1048576",
      description = "Largest number of receives in one shared receive queue.")
  int max__srq__wr();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "32",
      min = "1",
      max = "32",
      description = "Largest number of scatter elements of a receive in a shared receive queue.")
  int max__srq__sge();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "8192",
      min = "1",
      max = "16383",
      description = "Largest number of multicast groups.")
  int max__mcast__grp();

  /** {@return limit} */
  @AttributeDefinition(
      required = false,
      type = AttributeType.INTEGER,
      defaultValue = "256",
      min = "1",
      max = "65536",
      description = "Largest number of queue pairs attached to one multicast group.")
  int max__mcast__qp__attach();
}
