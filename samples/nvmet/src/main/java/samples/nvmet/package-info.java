/**
 * An NVMe over Fabrics target: it serves one namespace, which is a piece of memory or a file, to
 * hosts that connect by RDMA. Whatever is done for a command of a host is done on the thread of its
 * connection's completion queue; {@link samples.nvmet.Target} says what the others are.
 */
package samples.nvmet;
