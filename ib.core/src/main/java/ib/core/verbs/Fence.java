package ib.core.verbs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * When it has returned, nothing of what it ends is running or will run: no callback, no use by
 * another thread (S28, S32). A fence waits, so it is {@link MaySleep} too. The verifier reads it
 * from the class file.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.CONSTRUCTOR})
public @interface Fence {}
