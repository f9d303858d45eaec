package ib.core.config;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * The declaration of one key of a configuration. The reader ({@link ConfigValues}), the metatype
 * file of the bundle and the manual have the key's name, default, range and text from here.
 */
public sealed interface ConfigKey {
  /** {@return the name of the key in a configuration} */
  String name();

  /** {@return what the key means, in sentences for users} */
  String text();

  /** {@return the default as a configuration file would have it; empty if there is none} */
  String standardText();

  /** {@return which values are allowed, as the end of the sentence "Try: key: ..."} */
  String allowed();

  /** {@return the largest number of values; 0 for a key with one value} */
  int entries();

  /**
   * A key whose value is a whole number.
   *
   * @param name the name of the key
   * @param least the smallest value
   * @param standard the default
   * @param most the largest value
   * @param text what the key means
   */
  record Whole(String name, int least, int standard, int most, String text) implements ConfigKey {
    /** Checks that the default is in the range. */
    public Whole {
      if (standard < least || standard > most) {
        throw new IllegalArgumentException(name + ": default " + standard);
      }
    }

    /**
     * Returns the same key with a larger smallest value, for a number that depends on another one.
     *
     * @param bound the smallest value
     * @return the key, whose default is in the new range
     */
    public Whole from(int bound) {
      return new Whole(name, bound, Math.max(bound, standard), most, text);
    }

    @Override
    public String standardText() {
      return String.valueOf(standard);
    }

    @Override
    public String allowed() {
      return "a whole number from " + least + " to " + most;
    }

    @Override
    public int entries() {
      return 0;
    }
  }

  /**
   * A key whose value is one of some words, or a list of such words.
   *
   * @param name the name of the key
   * @param words the words, in the order of the manual, and what each stands for
   * @param standardText the word that is the default; empty for an empty list
   * @param entries the largest number of words in a list; 0 for one word
   * @param text what the key means
   * @param <T> type of what a word stands for
   */
  record Choice<T>(String name, Map<String, T> words, String standardText, int entries, String text)
      implements ConfigKey {
    /** Copies the words, and checks that the default is one of them. */
    public Choice {
      words = Collections.unmodifiableMap(new LinkedHashMap<>(words));
      if (!words.containsKey(standardText) && !(entries > 0 && standardText.isEmpty())) {
        throw new IllegalArgumentException(name + ": default " + standardText);
      }
    }

    /**
     * Declares a key whose words are the names of an enum's constants in lower case.
     *
     * @param name the name of the key
     * @param standard the default
     * @param text what the key means
     * @param <E> the enum
     * @return the key
     */
    public static <E extends Enum<E>> Choice<E> of(String name, E standard, String text) {
      Function<E, String> word = e -> e.name().toLowerCase(Locale.ROOT);
      E[] all = standard.getDeclaringClass().getEnumConstants();
      return new Choice<>(name, words(Arrays.asList(all), word), word.apply(standard), 0, text);
    }

    /**
     * Declares a key whose value is true or false.
     *
     * @param name the name of the key
     * @param standard the default
     * @param text what the key means
     * @return the key
     */
    public static Choice<Boolean> flag(String name, boolean standard, String text) {
      Map<String, Boolean> words = words(List.of(false, true), String::valueOf);
      return new Choice<>(name, words, String.valueOf(standard), 0, text);
    }

    /**
     * Names values.
     *
     * @param values the values, in the order of the manual
     * @param word names a value
     * @param <T> type of the values
     * @return the values by their words
     */
    public static <T> Map<String, T> words(List<T> values, Function<T, String> word) {
      Map<String, T> words = new LinkedHashMap<>();
      values.forEach(value -> words.put(word.apply(value), value));
      return words;
    }

    @Override
    public String allowed() {
      return (entries > 0 ? "comma separated: " : "") + String.join(", ", words.keySet());
    }
  }

  /**
   * A key whose value only its bundle can check.
   *
   * @param name the name of the key
   * @param standardText the default; empty if there is none, or if the text explains it
   * @param entries the largest number of values; 0 for one value
   * @param secret whether the value is never shown
   * @param allowed which values are allowed
   * @param text what the key means
   */
  record Text(
      String name, String standardText, int entries, boolean secret, String allowed, String text)
      implements ConfigKey {
    /**
     * Declares a key with one value and no default.
     *
     * @param name the name of the key
     * @param allowed which values are allowed
     * @param text what the key means
     * @return the key
     */
    public static Text of(String name, String allowed, String text) {
      return new Text(name, "", 0, false, allowed, text);
    }

    /**
     * Declares a key with a list of values.
     *
     * @param name the name of the key
     * @param standard the default; empty for an empty list
     * @param entries the largest number of values
     * @param allowed which values are allowed
     * @param text what the key means
     * @return the key
     */
    public static Text list(
        String name, String standard, int entries, String allowed, String text) {
      return new Text(name, standard, entries, false, allowed, text);
    }
  }
}
