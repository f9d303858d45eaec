/**
 * The door for management software outside: the server side of {@code ibsim}'s protocol over UDP on
 * the loopback interface, so that an unmodified OpenSM and the infiniband-diags, preloaded with
 * {@code libumad2sim.so}, manage and inspect a subnet in this JVM. One thread of its own for each
 * socket; closing it is a fence. Text: the sources of ibsim 0.10.
 */
@NullMarked
package ib.driver.soft.ibsim;

import org.jspecify.annotations.NullMarked;
