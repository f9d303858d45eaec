/**
 * The commands of infiniband-diags that query a fabric by management datagrams, with the originals'
 * output (IBA vol. 1 chapters 14 and 15). They run on the thread of their shell session, and block
 * for each answer, with a time limit.
 */
@NullMarked
package ib.tools.fabric;

import org.jspecify.annotations.NullMarked;
