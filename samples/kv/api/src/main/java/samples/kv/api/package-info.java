/** What the client and the server of the key-value store agree on. */
package samples.kv.api;
