/**
 * Verbs: the objects of an InfiniBand or RoCE device (protection domains, queues, memory) and the
 * data that goes with them, with the numbers of the specification and of Linux. What ULPs and
 * drivers share.
 *
 * <p>Threads: none of its own. The data types here (records, enums, work requests, completions) may
 * be used from any context; mutable ones belong to one thread at a time. For methods of devices and
 * objects {@link AnyContext}, {@link MaySleep}, {@link Fence} and {@link Callback} say who may call
 * in. Specification: IBA volume 1, chapter 10.
 */
@Export
@Version("1.0.0")
@NullMarked
package ib.core.verbs;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
