/**
 * The SA layer: questions to the subnet administrator, memberships and subscriptions that are kept
 * up. It is client 1 of the core (M1).
 *
 * <p>What is kept up runs on one ordered queue per port; answers and notices go to the queue of the
 * agent of whoever asked. No thread and no timer while there is nothing to do or nobody to ask.
 *
 * <p>Text: IBA vol. 1 chapter 15.
 */
package ib.core.internal.sa;
