/**
 * Connections by the kernel's connection manager (V8), through its file {@code
 * /dev/infiniband/rdma_cm}. The file is used directly, by the structures of {@code rdma_user_cm.h},
 * and not through librdmacm: that library opens each device once more and keeps it open as long as
 * the process lives, and the kernel waits with the removal of a Soft-RoCE device until each opened
 * one is closed.
 *
 * <p>One thread for each device reads the events. Any thread may call; a command is one call of the
 * kernel, which waits for no peer.
 *
 * <p>Locks: the monitor of {@code HostConnector} guards the opened file. It is held while the file
 * is opened and closed. The lock of {@code UcmFile} lets many threads write to the file, and one
 * close it; a thread that takes it may hold that monitor, and takes none inside.
 */
@NullMarked
package ib.driver.verbs.cm;

import org.jspecify.annotations.NullMarked;
