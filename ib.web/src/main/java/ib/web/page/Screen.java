package ib.web.page;

/** One screen of the page. Several threads of the HTTP service may call at a time. */
public abstract class Screen {
  private final String name;
  private final String title;

  /**
   * Names a screen.
   *
   * @param name the last part of its address, for example {@code topology}
   * @param title the title, for people
   */
  protected Screen(String name, String title) {
    this.name = name;
    this.title = title;
  }

  /** {@return the last part of the screen's address} */
  public final String name() {
    return name;
  }

  /** {@return the title, for people} */
  public final String title() {
    return title;
  }

  /**
   * Draws what a person fills in. It stays as it is while the page is open. May block shortly.
   *
   * @param out takes the markup
   * @param query the parameters of the page
   */
  public void drawControls(Markup out, Query query) {}

  /**
   * Draws what changes; an open page shows it anew each second. May block shortly.
   *
   * @param out takes the markup
   * @param query the parameters of the page
   */
  public abstract void drawLive(Markup out, Query query);

  /**
   * Does what a button or a form orders. May block until it is done.
   *
   * @param query {@code act} names the order, the others are its parameters
   * @return what was done, for the person in front
   * @throws RefusedException when the screen has no such order
   * @throws ib.tools.getopt.CommandException when the order fails
   * @throws ib.core.verbs.IbException when the order fails
   */
  public String act(Query query) {
    throw new RefusedException("the screen " + name + " has no order " + query.get("act"));
  }
}
