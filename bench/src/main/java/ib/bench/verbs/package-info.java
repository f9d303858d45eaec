/** A device of the host beside the programs of rdma-core and perftest: {@code bench/verbs}. */
@NullMarked
package ib.bench.verbs;

import org.jspecify.annotations.NullMarked;
