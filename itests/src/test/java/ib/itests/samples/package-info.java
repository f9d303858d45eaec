/**
 * Tests of the folders in {@code samples/}, which are not of this build: each is copied and built
 * by a Maven of its own that knows the installed artifacts of ib only. The test runner's thread
 * owns everything.
 */
package ib.itests.samples;
