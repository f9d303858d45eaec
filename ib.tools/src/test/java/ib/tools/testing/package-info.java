/** A midlayer of tables and the originals' recorded output. For tests, in any thread. */
package ib.tools.testing;
