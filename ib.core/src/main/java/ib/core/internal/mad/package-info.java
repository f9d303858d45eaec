/**
 * The MAD layer: routing, transactions, RMPP and QP0 and QP1 of each port. It is client 0 of the
 * core (M1).
 *
 * <p>All of a port's protocol runs on its one ordered queue, so nothing here takes a lock while it
 * works; timers and completions only put work there. Each agent's callbacks have an ordered queue
 * of their own. The threads are virtual ones that live as long as there is work; an idle port has
 * none and no timer.
 *
 * <p>Locks: the monitor of {@code AgentTable}, one per port, guards which agent has which class and
 * method. It is a leaf: no thread takes another lock or calls a handler while it holds it.
 *
 * <p>Text: IBA vol. 1 chapter 13.
 */
package ib.core.internal.mad;
