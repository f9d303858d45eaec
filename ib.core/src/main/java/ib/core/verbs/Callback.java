package ib.core.verbs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Called by the core, on a thread and at a time of the core's choice (S25), as an atomic section:
 * it may not sleep (S26) and may not call anything that is {@link MaySleep}, unless its own
 * description allows it. The verifier reads it from the class file.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.CONSTRUCTOR})
public @interface Callback {}
