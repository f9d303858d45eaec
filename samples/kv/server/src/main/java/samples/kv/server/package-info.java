/** The server of the key-value store: a table in registered memory, and who may change it. */
package samples.kv.server;
