/**
 * The simulator: devices, wires with faults, and programs that use them, driven by one thread, one
 * virtual clock and one seed, with checkers beside them (D4, D12). A failure prints one line that
 * replays it packet by packet.
 */
package ib.engine.sim;
