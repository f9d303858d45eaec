/**
 * How long connections by address take, over the soft fabric and over RoCEv2, beside TCP's in the
 * same rounds: {@code bench/connect}.
 */
@NullMarked
package ib.bench.connect;

import org.jspecify.annotations.NullMarked;
