package samples.kv.client;

import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import samples.kv.api.Store;

/** The commands of the shell: {@code kv:put k v}, {@code kv:get k}, {@code kv:load start}. */
@Component(
    service = Commands.class,
    immediate = true, // or the shell would make one for each command, and the load would be lost
    property = {
      "osgi.command.scope=kv",
      "osgi.command.function=put",
      "osgi.command.function=get",
      "osgi.command.function=delete",
      "osgi.command.function=load"
    })
public final class Commands {
  private final Store store;
  private Load load;

  @Activate
  public Commands(@Reference Store store) {
    this.store = store;
  }

  /**
   * Stores a value.
   *
   * @param key the key
   * @param value the value
   * @return what the shell prints
   */
  public String put(String key, String value) {
    store.put(key, value);
    return "stored";
  }

  /**
   * Looks a value up.
   *
   * @param key the key
   * @return what the shell prints
   */
  public String get(String key) {
    return store.get(key).orElse("no such key");
  }

  /**
   * Deletes a key.
   *
   * @param key the key
   * @return what the shell prints
   */
  public String delete(String key) {
    return store.delete(key) ? "deleted" : "no such key";
  }

  /**
   * Starts or stops the load, and tells what came of it.
   *
   * @param what {@code start}, {@code stop}, or nothing
   * @return what the shell prints
   * @throws InterruptedException while the load stops
   */
  public synchronized String load(String... what) throws InterruptedException {
    switch (String.join(" ", what)) {
      case "" -> {}
      case "start" -> {
        stop();
        load = new Load(store);
      }
      case "stop" -> stop();
      default -> {
        return "kv:load [start | stop]";
      }
    }
    return load == null ? "there was no load" : load.toString();
  }

  @Deactivate
  synchronized void stop() throws InterruptedException {
    if (load != null) {
      load.stop();
    }
  }
}
