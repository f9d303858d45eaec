/**
 * The page of {@code ib --web}, asked as programs ask and used as a person uses it, in a headless
 * Chromium that the tests drive by its DevTools protocol. The test runner's thread owns everything.
 */
package ib.itests.web;
