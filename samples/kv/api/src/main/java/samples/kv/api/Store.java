package samples.kv.api;

import java.util.Optional;

/** The key-value store, as a program sees it. Any thread may call; a call waits for the server. */
public interface Store {
  /**
   * Stores a value; what the key had before is gone.
   *
   * @param key 1 to {@link Bucket#MAX_KEY_BYTES} bytes of UTF-8
   * @param value at most {@link Bucket#MAX_VALUE_BYTES} bytes of UTF-8
   * @throws StoreException when it is not stored; after {@code GONE} it may be
   */
  void put(String key, String value);

  /**
   * Looks a value up.
   *
   * @param key 1 to {@link Bucket#MAX_KEY_BYTES} bytes of UTF-8
   * @return its value, if it has one
   * @throws StoreException when the client cannot find out
   */
  Optional<String> get(String key);

  /**
   * Deletes a key.
   *
   * @param key 1 to {@link Bucket#MAX_KEY_BYTES} bytes of UTF-8
   * @return whether it had a value
   * @throws StoreException when it is not deleted; after {@code GONE} it may be
   */
  boolean delete(String key);
}
