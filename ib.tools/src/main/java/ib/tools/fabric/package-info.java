/**
 * The commands of infiniband-diags that look at a fabric by management datagrams. They ask in the
 * thread of the shell session that typed them and wait for each answer, with a limit; what they
 * print is the originals'. IBA vol. 1 chapters 14 and 15.
 */
@NullMarked
package ib.tools.fabric;

import org.jspecify.annotations.NullMarked;
