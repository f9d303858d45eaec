/** The agreement between the client and the server of the key-value store. */
package samples.kv.api;
