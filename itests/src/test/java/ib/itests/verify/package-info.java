/** A protocol that breaks the contract in a way that only weaving shows. */
@NullMarked
package ib.itests.verify;

import org.jspecify.annotations.NullMarked;
