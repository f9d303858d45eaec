/** The client of the key-value store, with its commands for the shell. */
package samples.kv.client;
