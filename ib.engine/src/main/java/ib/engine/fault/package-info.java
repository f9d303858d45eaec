/**
 * Faults on purpose: a wire around any other that loses, copies, holds back and damages packets by
 * rules and by one seed (D12). No thread of its own: packets are disturbed by whoever sends or
 * delivers them, and those held back are let go by the device's worker, in virtual time too; every
 * method may be called from any thread and those on the data path do not block. reliability.md B2.
 */
@NullMarked
package ib.engine.fault;

import org.jspecify.annotations.NullMarked;
